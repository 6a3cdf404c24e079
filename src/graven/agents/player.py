"""Players: the one interface through which matches, GTP, GGP and the terminal get moves.

A player takes one seat in one game. It may keep a tree, a process or a connection between its
moves; `close` releases them.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from graven.agents.move_clock import MoveClock
from graven.agents.search_result import SearchResult, find_move
from graven.agents.short_games import UNKNOWN_LENGTH, measure_length
from graven.agents.time_plan import TimePlan
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.search.runner import Search

if TYPE_CHECKING:
    from graven.agents.agent import SearchAgent

# Enough for the tree to grow once: growing is compiled code, too.
WARM_UP_PLAYOUTS = 500


class ForfeitError(GravenError):
    """The player failed or broke the rules: it loses the game."""


class ResignedError(ForfeitError):
    """The player resigned, which is not a fault."""


class Player(Protocol):
    """One seat in one game."""

    @property
    def every_step(self) -> bool:
        """Whether the player also searches, by `ponder`, where it has no move."""

    def warm_up(self) -> None:
        """Compile or load what the player needs, before any clock runs."""

    def choose(self, position: Position, clock: MoveClock | None = None) -> SearchResult:
        """Return the move to play; without a clock, with the budget of the agent's spec.

        `ForfeitError`: the player loses the game.
        """

    def ponder(self, position: Position, clock: MoveClock | None = None) -> SearchResult | None:
        """Search a position without playing in it; repeated calls continue the same search.

        None if this kind of player cannot ponder.
        """

    def close(self) -> None:
        """Release what the player holds: a process, a connection."""


_warm: set[object] = set()  # what this process has compiled or loaded


class SearchPlayer:
    """Our search at one seat. Its tree is kept between moves if the spec has reuse_tree=true.

    With the option `time` it has a clock for all its moves of a game, which runs in `choose`.
    """

    def __init__(self, agent: SearchAgent, game: Game, seed: int = 0) -> None:
        self.game = game
        self.seed = seed
        self._agent = agent
        self._search: Search | None = None  # made when it is first needed: it allocates a tree
        self._pondered = 0
        self._seconds_left = 0.0  # of the option `time`
        self._last_ply: int | None = None

    @property
    def search(self) -> Search:
        """The search with its tree, for displays and measurements."""
        if self._search is None:
            self._search = self._agent.bind(self.game)
        return self._search

    @property
    def every_step(self) -> bool:
        """Whether the spec has every_step=true."""
        return self._agent.search_spec.options.every_step

    def warm_up(self, playouts: int = WARM_UP_PLAYOUTS) -> None:
        """Compile the search or load it from the cache, once in a process."""
        key = self.game.spec, self._agent.code_key
        if key not in _warm:
            # In a separate tree: the first move of a game must not depend on the warm-up.
            clock = MoveClock(Budget(playouts))
            find_move(self._agent.bind(self.game), self.game.start().rolled(0), clock, seed=0)
            _warm.add(key)
        if self._agent.search_spec.options.time:
            measure_length(self._agent, self.game)

    def choose(self, position: Position, clock: MoveClock | None = None) -> SearchResult:
        """Search, with a seed derived from the player's and the ply."""
        options = self._agent.search_spec.options
        clock = clock or MoveClock(self._agent.budget_or(Budget()))
        plans = options.time and clock.budget.seconds is not None
        length = measure_length(self._agent, self.game) if plans else UNKNOWN_LENGTH
        began = time.perf_counter()
        if plans:
            if self._last_ply is None or position.ply <= self._last_ply:  # a new game
                self._seconds_left = options.time
            self._last_ply = position.ply
            plan = TimePlan(self._seconds_left, options.increment, length=length)
            clock = replace(clock, plan=plan)
        result = self._find(position, clock, derive(self.seed, position.ply))
        self._seconds_left += options.increment - (time.perf_counter() - began)
        return result

    def ponder(self, position: Position, clock: MoveClock | None = None) -> SearchResult:
        """Search on: every call draws other random numbers than the one before."""
        self._pondered += 1
        seed = derive(self.seed, position.ply, self._pondered)
        return self._find(position, clock, seed)

    def _find(self, position: Position, clock: MoveClock | None, seed: int) -> SearchResult:
        if position.game is not self.game and (self.game.in_python or position.game != self.game):
            raise UsageError(
                f"the position belongs to {position.game.spec}, but the player was made for "
                f"{self.game.spec}: make a player for each game."
            )
        clock = clock or MoveClock(self._agent.budget_or(Budget()))
        return find_move(self.search, position, clock, seed)

    def close(self) -> None:
        """Release the tree."""
        self._search = None
