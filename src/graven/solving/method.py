"""The interface of a method that solves one-player games.

A method plays games from one position to the end (playouts) and stores the best one. It works in
compiled steps of several playouts, between which it can be inspected, saved and stopped. All its
state is in arrays; kernels keep nothing on a call stack between steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graven.core.calls import Value
from graven.core.contract import Rules, State
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game
from graven.core.rng import Rng
from graven.core.status import Status, call_kernel, contract_fault
from graven.search.policy import Parameter

# `counters` of a search: playouts so far, whether the current run has ended, and the current level.
PLAYOUTS, FINISHED, LEVEL = range(3)
NO_SCORE = -np.inf  # the score of a game that has not been played


class OnePlayerSearch(ABC):
    """The state of one method that solves one position.

    A run is one complete execution of the method; several runs can follow each other.
    """

    def __init__(self, name: str, rules: Rules, root: State) -> None:
        self.name = name
        self.rules = rules
        self.root: State = root.copy()
        self.counters: NDArray[np.int64] = np.zeros(3, np.int64)

    @property
    def playouts(self) -> int:
        """The number of playouts so far, in all runs."""
        return int(self.counters[PLAYOUTS])

    @property
    def finished(self) -> bool:
        """Whether the current run has ended."""
        return bool(self.counters[FINISHED])

    def advance(self, rng: Rng, goal: int) -> None:
        """Continue until the total of playouts is `goal`, or the run ends."""
        self._run(lambda: self.step(rng, goal))

    def _run(self, kernel: Callable[[], int]) -> None:
        """Call a kernel, again after each time that it needs more memory."""
        while not call_kernel(kernel, self._fault, lambda status: self.grow()):
            pass

    def _fault(self, status: Status) -> ContractError:
        return contract_fault(status, self.name, self.rules)

    @abstractmethod
    def step(self, rng: Rng, goal: int) -> int:
        """Like `advance`, but return NEED_MEMORY or a fault as a status."""

    def grow(self) -> None:
        """Enlarge the memory of a playout."""
        raise AssertionError("this method never needs more memory")

    @abstractmethod
    def begin(self) -> None:
        """Begin a new run; the best game so far is kept."""

    @property
    @abstractmethod
    def best(self) -> tuple[float, list[int]] | None:
        """The best score of all runs and the codes of its moves; None before any playout."""

    @abstractmethod
    def set_best(self, score: float, moves: Sequence[int]) -> None:
        """Store a known game as the best so far."""

    @abstractmethod
    def save(self) -> dict[str, Any]:
        """Return the current run as JSON values."""

    @abstractmethod
    def load(self, saved: Mapping[str, Any]) -> None:
        """Restore a run from the result of `save`.

        Raise ValueError, KeyError or TypeError if the values are invalid.
        """


@dataclass(frozen=True)
class SolveMethod:
    """A method that solves one-player games: name, description, parameters and factory."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    make: Callable[[str, Rules, State, Mapping[str, Value]], OnePlayerSearch]


def check_integers(value: Any, low: int, high: int, max_length: int) -> list[int]:
    """Return a saved list of at most `max_length` integers from `low` to `high`, or raise."""
    if not isinstance(value, list) or len(value) > max_length:
        raise ValueError
    for number in value:
        if type(number) is not int or not low <= number <= high:
            raise ValueError
    return value


def check_codes(value: Any, rules: Rules) -> list[int]:
    """Return a saved list of move codes that may be a game, or raise ValueError."""
    return check_integers(value, 0, rules.num_codes - 1, rules.max_plies)


def check_one_player(name: str, players: int) -> None:
    """Raise UsageError for games that do not have exactly one player."""
    if players != 1:
        raise UsageError(
            f"{name} is a game for {players} players; only one-player games can be solved. "
            "Use 'graven search' to find good moves in it."
        )


def check_solvable(game: Game) -> None:
    """Raise UsageError unless a game has one player and no chance events."""
    check_one_player(game.name, game.players)
    if game.has_chance:
        raise UsageError(
            f"{game.name} has chance events, so no sequence of moves solves it: use 'graven "
            "search' to find good moves in it."
        )
