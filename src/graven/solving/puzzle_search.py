"""Search for the best game of a one-player game: several methods in turn, until one proves it.

Constraint propagation, where moves only add propositions; exhaustive search with short cuts,
breadth first and greedy; NRPA; and, once the first of these has ended, exhaustive search without
short cuts. In each round every method does a fixed amount of work, so equal seeds find equal games.
The search ends when a game has the best score of all, or when an exhaustive search without short
cuts is complete.

Where rules run in Python there is only NRPA.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from graven.core.position import Position
from graven.core.rng import derive, generator
from graven.gdl.kernels.compact import compact_state, learnable_game
from graven.search.runner import Stop
from graven.solving.assignment_search import AssignmentSearch, assignment_search
from graven.solving.guided_search import GuidedSearch
from graven.solving.method import NO_SCORE, OnePlayerSearch
from graven.solving.method_registry import parse_method
from graven.solving.move_replay import replayed
from graven.solving.search_shortcuts import shortcuts_of
from graven.solving.state_search import BREADTH, GREEDY, StateSearch

NRPA = "nrpa(level=3)"
# The work of a method in a round: positions expanded, playouts. Breadth-first search gets more than
# the others: its solutions are the shortest.
EXPANSIONS = {BREADTH: 512, GREEDY: 256}
PROOF, GUIDED_PROOF = 256, 2048
PLAYOUTS = 64
ASSIGNMENTS = 16  # positions in which moves are ruled out
CHUNK_SECONDS = 0.01
STATE_SEARCHES = 3  # that share the memory


Exhaustive = AssignmentSearch | StateSearch | GuidedSearch


class Turn:
    """The share of one method in each round: a number of units, in chunks of a few milliseconds.

    A unit is a position expanded or a playout.
    """

    def __init__(self, search: Exhaustive | OnePlayerSearch, units: int, seed: int = 0) -> None:
        self.search = search
        self.units = units
        self.best_score = NO_SCORE  # as the method counts it
        self._rng = generator(seed)
        self._chunk = 1

    @property
    def done(self) -> int:
        """The units done in all rounds."""
        if isinstance(self.search, OnePlayerSearch):
            return self.search.playouts
        return self.search.expanded

    @property
    def is_ended(self) -> bool:
        """Whether the method has nothing left to do."""
        return not isinstance(self.search, OnePlayerSearch) and (
            self.search.is_complete or self.search.is_full
        )

    def advance(self, until: int) -> None:
        """Do a chunk of units, at most until the total is `until`."""
        began, before = time.perf_counter(), self.done
        goal = min(until, before + self._chunk)
        if isinstance(self.search, OnePlayerSearch):
            self.search.advance(self._rng, goal)
            if self.search.finished:
                self.search.begin()
        else:
            self.search.advance(goal)
        spent = max(time.perf_counter() - began, 1e-6)
        rate = max(1, self.done - before) / spent
        self._chunk = max(1, min(8 * self._chunk, int(rate * CHUNK_SECONDS)))


class PuzzleSearch:
    """The search for the best game from one position; `advance` continues it.

    `score` and `codes` are those of the best game so far, `units` the playouts and expanded
    positions. `is_proven`: no game has a higher score. `memory` is in bytes.
    """

    def __init__(self, position: Position, seed: int = 0, memory: int = 1 << 30) -> None:
        self.start = position
        self.seconds = 0.0
        self.is_proven = False
        self.score = -1.0
        self.codes: list[int] = []
        self._memory = memory
        self._seed = seed
        game, method = position.game, parse_method(NRPA)
        self._top_score = compact_state(game).top_score
        nrpa = method.method.make(
            game.name, learnable_game(game).rules, position.state, method.values
        )
        self._turns = [Turn(nrpa, PLAYOUTS, derive(seed, 0))]
        self._is_prepared = game.in_python
        self._has_proof = game.in_python
        self._ended_units = 0
        self._current = 0  # whose turn it is
        self._until = 1  # one game first, so that there is a result

    @property
    def units(self) -> int:
        """The playouts and expanded positions of all methods."""
        return self._ended_units + sum(turn.done for turn in self._turns)

    @property
    def nodes(self) -> int:
        """The number of positions stored."""
        searches = [turn.search for turn in self._turns]
        return sum(search.nodes for search in searches if not isinstance(search, OnePlayerSearch))

    def accept(self, codes: Sequence[int]) -> None:
        """Make a complete game the best one if its score is higher."""
        _, score = replayed(self.start.game.rules, self.start.state, list(codes))
        if score is not None and score > self.score:
            self.score, self.codes = score, list(codes)
            self.is_proven |= score >= self._top_score

    def advance(
        self, units: int | None = None, seconds: float | None = None, stop: Stop | None = None
    ) -> None:
        """Continue for a number of units or seconds, until `stop` is set or the result is proven.

        At least one game is played.
        """
        began = time.perf_counter()
        goal = None if units is None else self.units + units
        while not self.is_proven:
            ended = goal is not None and self.units >= goal
            ended |= seconds is not None and time.perf_counter() - began >= seconds
            ended |= stop is not None and stop.is_set()
            if ended and self.codes:
                break
            self._advance_turn()
        self.seconds += time.perf_counter() - began

    def _advance_turn(self) -> None:
        turn = self._turns[self._current]
        if turn.done < self._until and not turn.is_ended:
            turn.advance(self._until)
            self._read(turn)
        elif not self._is_prepared:
            self._is_prepared = True
            shortcuts = shortcuts_of(self.start)
            assignment = assignment_search(self.start, shortcuts.mask)
            if assignment is not None:
                self._turns.append(Turn(assignment, ASSIGNMENTS))
            self._turns += [
                Turn(StateSearch(self.start, order, self._share, shortcuts), units)
                for order, units in EXPANSIONS.items()
            ]
        else:
            if turn.is_ended:
                self._end(turn)
            self._current = (self._current + 1) % len(self._turns)
            turn = self._turns[self._current]
            self._until = turn.done + turn.units

    @property
    def _share(self) -> int:
        return self._memory // STATE_SEARCHES

    def _read(self, turn: Turn) -> None:
        """Accept the best game of a method, if it is a better one."""
        best = turn.search.best
        if best is not None and best[0] > turn.best_score:
            turn.best_score = best[0]
            self.accept(best[1])

    def _end(self, turn: Turn) -> None:
        """Remove a method that has ended; begin the proof after the first one.

        A breadth-first search that has not found the best score guides a proof.
        """
        search = turn.search
        assert not isinstance(search, OnePlayerSearch)
        self._turns.remove(turn)
        self._current -= 1
        self._ended_units += turn.done
        if search.is_complete and search.is_proof:
            self.is_proven = True
        elif isinstance(search, StateSearch) and search.is_complete and search.order == BREADTH:
            self._has_proof = True
            self._turns.append(Turn(GuidedSearch(self.start, search, self._share), GUIDED_PROOF))
        elif not self._has_proof:
            self._has_proof = True
            self._turns.append(Turn(StateSearch(self.start, GREEDY, self._share), PROOF))
