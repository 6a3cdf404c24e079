"""What a method for games of one player is made of; one file each, found by `methods`.

A method plays games from one position to the end (playouts) and remembers the best. It works in
compiled steps of some playouts each, between which it can be looked at, saved and stopped: all
that it knows is in arrays, nothing is on a stack.
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
from graven.core.rng import Rng
from graven.core.status import Status, call_kernel, contract_fault
from graven.search.policy import Parameter

# `counters` of a method: playouts so far, whether this run of it has come to its end, and a word
# of its own.
PLAYOUTS, FINISHED, AT = range(3)


class Solver(ABC):
    """One method at work on one position."""

    def __init__(self, name: str, rules: Rules, root: State) -> None:
        self.name = name
        self.rules = rules
        self.root: State = root.copy()
        self.counters: NDArray[np.int64] = np.zeros(3, np.int64)

    @property
    def playouts(self) -> int:
        """Playouts so far, of all runs."""
        return int(self.counters[PLAYOUTS])

    @property
    def finished(self) -> bool:
        """Whether this run of the method has come to its end."""
        return bool(self.counters[FINISHED])

    def advance(self, rng: Rng, goal: int) -> None:
        """Go on until there have been `goal` playouts, or the run is at its end."""
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
        """Begin a new run; the best so far is kept."""

    @property
    @abstractmethod
    def best(self) -> tuple[float, list[int]] | None:
        """The best score of all runs and the codes of its moves; None before any playout."""

    @abstractmethod
    def keep(self, score: float, moves: Sequence[int]) -> None:
        """Take a known game as the best so far."""

    @abstractmethod
    def save(self) -> dict[str, Any]:
        """The run under way as plain values."""

    @abstractmethod
    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `save` gave; ValueError (or KeyError, TypeError) if that is damaged."""


@dataclass(frozen=True)
class Method:
    """A way to solve games of one player."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    make: Callable[[str, Rules, State, Mapping[str, Value]], Solver]


def whole_numbers(value: Any, low: int, high: int, most: int) -> list[int]:
    """A saved list of at most `most` whole numbers from `low` to `high`."""
    if not isinstance(value, list) or len(value) > most:
        raise ValueError
    for number in value:
        if type(number) is not int or not low <= number <= high:
            raise ValueError
    return value


def one_player(name: str, players: int) -> None:
    """Refuse games that are not for one player."""
    if players != 1:
        raise UsageError(
            f"{name} is a game for {players} players: only games for one can be solved. "
            "'graven search' looks for good moves in it."
        )
