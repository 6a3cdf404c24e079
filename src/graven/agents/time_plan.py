"""Time for one move out of a clock for the whole game.

The time that is left is divided by the number of moves that are expected: the playouts of the
search itself tell how long the game will last. The search ends before that time when the most
visited move cannot be overtaken any more, and goes on after it while the best move is unstable.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graven.search.runner import Search, Stop
from graven.search.simulate import DONE, PLIES
from graven.search.tree import NONE, ROOT

MIN_MOVES_LEFT = 10.0
MIN_PLAYOUTS = 100  # before these, too little is known to plan by
MIN_SECONDS = 0.002  # a move is played even if no time is left
# A move takes at most so many times its share while it is unstable, and so much of what is left.
UNSTABLE_FACTOR, MOST_SHARE = 1.5, 0.25
RESERVE = 0.02  # seconds of the clock that are never planned with


@dataclass(frozen=True)
class TimePlan:
    """What is left of a player's clock, in seconds, and what each move adds to it.

    `lag` are the seconds that each move takes besides its search, `length_share` the expected
    length of the game in lengths of playouts (see `short_games`).
    """

    left: float
    increment: float = 0.0
    lag: float = 0.0
    length_share: float = 1.0

    @property
    def most_seconds(self) -> float:
        """The most that the next move may take."""
        spare = self.left - self.lag - RESERVE
        return max(MIN_SECONDS, min(spare, MOST_SHARE * spare + self.increment))

    def share(self, moves_left: float) -> float:
        """Return the seconds of the next move if so many moves are expected."""
        planned = self.left / max(MIN_MOVES_LEFT, moves_left) + self.increment - self.lag
        return max(MIN_SECONDS, min(planned, self.most_seconds))


class PlannedStop:
    """Ends a search by a plan; `stop` ends it, too."""

    def __init__(
        self,
        plan: TimePlan,
        search: Search,
        stop: Stop | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._plan, self._search, self._stop, self._now = plan, search, stop, now
        self._began = now()
        self._first_best: int | None = None  # the best move when half of the time was used

    def is_set(self) -> bool:
        """Return whether the search is to end."""
        if self._stop is not None and self._stop.is_set():
            return True
        control, elapsed = self._search.control, self._now() - self._began
        playouts = int(control[DONE])
        if playouts < MIN_PLAYOUTS:
            return elapsed >= self._plan.most_seconds
        plies_left = self._plan.length_share * control[PLIES] / playouts
        moves_left = plies_left / self._search.rules.players
        share = self._plan.share(float(moves_left))
        visits, means = root_counts(self._search)
        if len(visits) < 2:
            return elapsed >= share
        best = int(np.argmax(visits))
        if self._first_best is None and elapsed >= share / 2:
            self._first_best = best
        is_stable = best == int(np.argmax(means)) and best == self._first_best
        if not is_stable:
            share = min(UNSTABLE_FACTOR * share, self._plan.most_seconds)
        second, first = np.partition(visits, -2)[-2:]
        rate = playouts / max(elapsed, 1e-3)
        return bool(elapsed >= share or first - second > rate * (share - elapsed))


def root_counts(search: Search) -> tuple[np.ndarray, np.ndarray]:
    """Return the playouts and the means of the root's moves; empty with simultaneous moves."""
    tree, players = search.tree, search.rules.players
    root = int(tree.meta[ROOT])
    player = int(tree.turns[root])
    place = root * players + player
    if player < 0 or tree.first[place] == NONE:
        return np.zeros(0), np.zeros(0)
    edges = slice(int(tree.first[place]), int(tree.first[place] + tree.degree[place]))
    visits = tree.counts[edges].astype(float)
    return visits, tree.sums[edges] / np.maximum(visits, 1.0)
