"""Time for one move out of a clock for the whole game.

The time that is left is divided by the number of moves that are expected until the game is decided:
the playouts of the search itself tell how long it will last. A few milliseconds are kept for each
move to the end of the game. The search ends before its share when the most visited move cannot be
overtaken any more, or when there is no other move to play, and goes on after it while the best move
is unstable.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graven.search.node_moves import moves_of
from graven.search.runner import Search, Stop
from graven.search.score_bounds import WORSE
from graven.search.simulate import DONE, PLIES
from graven.search.tree import NONE, ROOT

MIN_MOVES_LEFT = 10.0
MIN_PLAYOUTS = 100  # before these, too little is known to plan by
MIN_SECONDS = 0.002  # a move is played even if no time is left
MOVE_SECONDS = 0.004  # kept for each move to the end: the shortest search and its overhead
# A move takes at most so many times its share while it is unstable, and so much of what is left.
UNSTABLE_FACTOR, MOST_SHARE = 1.5, 0.25
RESERVE = 0.02  # seconds of the clock that are never planned with


@dataclass(frozen=True)
class GameLength:
    """The expected plies to the end of a game, and until it is decided, in lengths of playouts."""

    whole: float = 1.0
    undecided: float = 1.0


@dataclass(frozen=True)
class TimePlan:
    """What is left of a player's clock, in seconds, and what each move adds to it.

    `lag` are the seconds that each move takes besides its search; `short_games` measures `length`.
    """

    left: float
    increment: float = 0.0
    lag: float = 0.0
    length: GameLength = GameLength()

    @property
    def most_seconds(self) -> float:
        """The most that the next move may take."""
        spare = self.left - self.lag - RESERVE
        return max(MIN_SECONDS, min(spare, MOST_SHARE * spare + self.increment))

    def share(self, playout_moves: float) -> float:
        """Return the seconds of the next move if playouts have so many moves of the player."""
        cost = max(0.0, self.lag + MOVE_SECONDS - self.increment)
        spare = self.left - RESERVE - cost * self.length.whole * playout_moves
        undecided = max(MIN_MOVES_LEFT, self.length.undecided * playout_moves)
        planned = max(0.0, spare) / undecided + max(MIN_SECONDS, self.increment - self.lag)
        return min(planned, self.most_seconds)


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
        elapsed = self._now() - self._began
        playouts = self._search.playouts_done  # of all threads, as the counts below
        if playouts < MIN_PLAYOUTS:
            return elapsed >= self._plan.most_seconds
        control = self._search.control
        plies = control[PLIES] / max(1, int(control[DONE]))
        share = self._plan.share(float(plies / self._search.rules.players))
        visits, means = root_counts(self._search)
        if is_forced(self._search):
            return True
        if len(visits) < 2:
            return elapsed >= share
        best = int(np.argmax(visits))
        if self._first_best is None and elapsed >= share / 2:
            self._first_best = best
        is_stable = best == int(np.argmax(means)) and best == self._first_best
        if not is_stable:
            share = min(UNSTABLE_FACTOR * share, self._plan.most_seconds)
        if elapsed >= share:
            return True
        if self._search.spec.options.final_move != "visits":  # means can change at any time
            return False
        second, first = np.partition(visits, -2)[-2:]
        rate = playouts / max(elapsed, 1e-3)
        return bool(first - second > rate * (share - elapsed))


def root_counts(search: Search) -> tuple[np.ndarray, np.ndarray]:
    """Return the playouts and the means of the root's moves; empty with simultaneous moves.

    With several trees they are added up, move by move.
    """
    visits: dict[int, float] = {}
    totals: dict[int, float] = {}
    for member in search.with_roots:
        tree, edges = member.tree, _root_edges(member)
        columns = tree.moves[edges].tolist(), tree.counts[edges].tolist(), tree.sums[edges].tolist()
        for move, count, total in zip(*columns, strict=False):  # a growing tree: the shortest
            visits[move] = visits.get(move, 0.0) + count
            totals[move] = totals.get(move, 0.0) + total
    counts = np.array([*visits.values()], float)
    return counts, np.array([*totals.values()], float) / np.maximum(counts, 1.0)


def is_forced(search: Search) -> bool:
    """Return whether the root has one move only, or all others are proven to be no better."""
    rules, tree, edges = search.rules, search.tree, _root_edges(search)
    if edges.start == edges.stop:
        return False
    root = int(tree.meta[ROOT])
    moves = len(moves_of(rules, tree, root, edges).codes)
    worse = int((tree.skipped[edges] == WORSE).sum()) if rules.score_bounds else 0
    return moves - worse == 1


def _root_edges(search: Search) -> slice:
    """Return the edges of the root; none with simultaneous moves."""
    tree, players = search.tree, search.rules.players
    root = int(tree.meta[ROOT])
    player = int(tree.turns[root])
    place = root * players + player
    if player < 0 or tree.first[place] == NONE:
        return slice(0, 0)
    return slice(int(tree.first[place]), int(tree.first[place] + tree.degree[place]))
