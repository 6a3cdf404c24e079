"""An agent for one-player games: it looks for the best game and plays its moves."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graven.agents.agent import spec_budget_or
from graven.agents.move_clock import MoveClock
from graven.agents.search_result import SearchResult
from graven.core.errors import UsageError
from graven.core.game import Game, GameOutline
from graven.core.position import Position
from graven.search.budget import Budget
from graven.search.runner import Stop

if TYPE_CHECKING:
    from graven.agents.puzzle_player import PuzzlePlayer

NAME = "puzzle"
SUMMARY = "One-player games: exhaustive search with a transposition table, and NRPA."
DEFAULT_MEMORY_MIB = 1024


class PuzzleAgent:
    """Searches for the best game of a one-player game; a unit of its budget is a position."""

    def __init__(self, spec: str = NAME) -> None:
        if not self.matches(spec):
            raise UsageError(f"{spec!r} is not the agent {NAME}, which has no parameters.")

    @staticmethod
    def matches(spec: str) -> bool:
        """Return whether a spec names this agent."""
        return re.fullmatch(rf"\s*{NAME}\s*", spec) is not None

    @property
    def spec(self) -> str:
        """The spec in canonical form."""
        return NAME

    @property
    def budget(self) -> Budget:
        """No budget: the spec has none."""
        return Budget()

    def budget_or(self, default: Budget) -> Budget:
        """Return `default`, else 1,000 playouts."""
        return spec_budget_or(self.budget, default)

    def check_match(self, game: Game | GameOutline) -> None:
        """Raise a UsageError for games that do not have one player."""
        from graven.solving.method import check_one_player

        check_one_player(game.spec, game.players)

    def player(self, game: Game, seed: int = 0, memory: int | None = None) -> PuzzlePlayer:
        """Make a player for a one-player game, whose search takes at most `memory` MiB."""
        # The search of puzzles is loaded when it is needed: most commands do not.
        from graven.agents.puzzle_player import PuzzlePlayer

        return PuzzlePlayer(game, seed, memory or DEFAULT_MEMORY_MIB)

    def search(
        self,
        position: Position,
        playouts: int | None = None,
        seconds: float | None = None,
        *,
        seed: int = 0,
        stop: Stop | None = None,
        memory: int | None = None,
    ) -> SearchResult:
        """Search for the best game from a position; see `SearchAgent.search`."""
        player = self.player(position.game, seed, memory)
        return player.choose(position, MoveClock(self.budget_or(Budget(playouts, seconds)), stop))

    def analyze(
        self,
        position: Position,
        playouts: int | None = None,
        seconds: float | None = None,
        *,
        every: float = 0.5,
        seed: int = 0,
        stop: Stop | None = None,
        memory: int | None = None,
    ) -> Iterator[SearchResult]:
        """Search and yield a result every `every` seconds, until the budget is used."""
        player = self.player(position.game, seed, memory)
        budget = self.budget_or(Budget(playouts, seconds))
        end = None if budget.seconds is None else time.perf_counter() + budget.seconds
        left = budget.playouts
        while True:
            limit = every if end is None else min(every, max(0.0, end - time.perf_counter()))
            result = player.choose(position, MoveClock(Budget(left, limit), stop))
            left = None if left is None else left - result.playouts
            yield result
            spent = end is not None and time.perf_counter() >= end
            spent |= left is not None and left <= 0
            if result.proven or spent or (stop is not None and stop.is_set()):
                return

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PuzzleAgent)

    def __hash__(self) -> int:
        return hash(NAME)

    def __reduce__(self) -> tuple[Any, ...]:
        return PuzzleAgent, ()

    def __repr__(self) -> str:
        return f"<PuzzleAgent {NAME}>"
