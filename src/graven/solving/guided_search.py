"""Exhaustive search that is guided by a complete search with short cuts.

Breadth-first search with short cuts may visit all positions, taken without their clocks, and not
find the best score, because that needs a certain time: a puzzle is to be solved after exactly
thirty moves, or as late as possible. Its positions then say how many moves each position is from
the best result known. In order of these distances an exhaustive search without short cuts reaches
that result many times, after different numbers of moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import Rules
from graven.core.position import Position
from graven.core.status import Status, call_kernel, contract_fault
from graven.solving.move_replay import copy_to, play_one
from graven.solving.state_search import (
    BREADTH,
    BUCKETS,
    GREEDY,
    NODES,
    NONE,
    Guide,
    StateSearch,
    StateStore,
    key_of,
    load,
    slot_of,
)

MAX_MOVES = 5_000_000
"""The most moves between positions that are followed back."""
FIRST_MOVES = 1 << 14
POSITIONS, MOVES, META = range(3)  # entries of `meta`


class MoveList(NamedTuple):
    """Moves between positions."""

    meta: NDArray[np.int64]  # how many positions are done, and how many moves there are
    origins: NDArray[np.int32]  # [move]
    targets: NDArray[np.int32]  # [move]
    distances: NDArray[np.int32]  # [position]: 0 at the ends with the best score, else BUCKETS


@compiled
def list_moves(rules: Rules, store: StateStore, moves: MoveList, until: int) -> int:
    """List the moves of all nodes before `until`; return a status."""
    meta = moves.meta
    while meta[POSITIONS] < min(until, store.meta[NODES]):
        node = meta[POSITIONS]
        if store.below[node] == node:  # terminal
            load(rules, store, node)
            contract.scores(rules, store.state, store.out)
            if store.out[0] >= store.best[0]:
                moves.distances[node] = 0
        else:
            if meta[MOVES] + rules.max_moves > len(moves.origins):
                return Status.NEED_MEMORY
            load(rules, store, node)
            for i in range(contract.legal(rules, store.state, 0, store.legal)):
                copy_to(store.child, store.state, rules.state_words)
                play_one(rules, store.child, store.joint, store.legal[i])
                key = key_of(store, store.child, store.meta[NODES])
                target = store.slots[slot_of(store.slots, store.keys, key)]
                if target != NONE:
                    moves.origins[meta[MOVES]] = node
                    moves.targets[meta[MOVES]] = target
                    meta[MOVES] += 1
        meta[POSITIONS] += 1
    return Status.OK


@compiled
def follow_back(
    starts: NDArray[np.int64],
    origins: NDArray[np.int32],
    distances: NDArray[np.int32],
    queue: NDArray[np.int32],
    count: int,
) -> None:
    """Write the distance from the nearest of the first `count` nodes of the queue.

    `distances` are 0 for these nodes and BUCKETS for all others. The moves to node n come from
    origins[starts[n] : starts[n + 1]].
    """
    done = 0
    while done < count:
        node = queue[done]
        done += 1
        for i in range(starts[node], starts[node + 1]):
            origin = origins[i]
            if distances[origin] == BUCKETS:
                distances[origin] = distances[node] + 1
                queue[count] = origin
                count += 1


class GuidedSearch:
    """An exhaustive search without short cuts, in the order that a complete one suggests.

    At first the moves of the complete search are listed; a position counts as a unit, as later.
    """

    is_proof = True

    def __init__(self, position: Position, search: StateSearch, memory: int) -> None:
        assert search.is_complete
        assert search.order == BREADTH
        self._position, self._memory = position, memory
        self._complete: StateSearch | None = search
        self._moves = _move_list(FIRST_MOVES, np.full(search.nodes, BUCKETS, np.int32))
        self._guided: StateSearch | None = None
        self._listed = 0
        self._is_too_large = False

    @property
    def expanded(self) -> int:
        """How many positions have been listed or expanded."""
        return self._listed + (self._guided.expanded if self._guided else 0)

    @property
    def nodes(self) -> int:
        """How many positions have been found."""
        return self._guided.nodes if self._guided else 0

    @property
    def is_complete(self) -> bool:
        """Whether the best score of all was found, or every position has been expanded."""
        return self._guided is not None and self._guided.is_complete

    @property
    def is_full(self) -> bool:
        """Whether the search needs more memory than it may have."""
        return self._guided is not None and self._guided.is_full

    @property
    def best(self) -> tuple[float, list[int]] | None:
        """The best score so far and the codes of its moves, or None."""
        return self._guided.best if self._guided else None

    def advance(self, until: int) -> None:
        """List or expand positions up to a total of `until`, all of them, or a full memory."""
        if self._guided is not None:
            self._guided.advance(until - self._listed)
            return
        search = self._complete
        assert search is not None
        while not self._is_too_large and not call_kernel(
            lambda: list_moves(search.rules, search.store, self._moves, until),
            lambda status: contract_fault(status, search.name, search.rules),
            lambda status: self._grow(),
        ):
            pass
        self._listed = int(self._moves.meta[POSITIONS])
        if self._is_too_large or self._listed >= search.nodes:
            self._guided = self._begin(search)
            self._complete = None  # its memory is needed

    def _grow(self) -> None:
        old = self._moves
        if 2 * len(old.origins) > MAX_MOVES:
            self._is_too_large = True
            return
        capacity = 2 * len(old.origins) + self._position.game.rules.max_moves
        self._moves = _move_list(capacity, old.distances)
        self._moves.meta[:] = old.meta
        self._moves.origins[: len(old.origins)] = old.origins
        self._moves.targets[: len(old.targets)] = old.targets

    def _begin(self, search: StateSearch) -> StateSearch:
        if self._is_too_large:
            return StateSearch(self._position, GREEDY, self._memory)
        store, count = search.store, int(self._moves.meta[MOVES])
        targets = self._moves.targets[:count]
        order = np.argsort(targets, kind="stable")
        starts = np.zeros(search.nodes + 1, np.int64)
        starts[1:] = np.cumsum(np.bincount(targets, minlength=search.nodes))
        distances = self._moves.distances
        ends = np.flatnonzero(distances == 0)
        queue = np.zeros(search.nodes, np.int32)
        queue[: len(ends)] = ends
        follow_back(starts, self._moves.origins[:count][order], distances, queue, len(ends))
        guide = Guide(store.mask, store.keys[: search.nodes].copy(), store.slots, distances)
        self._moves = _move_list(0, distances)
        return StateSearch(self._position, GREEDY, self._memory, guide=guide)


def _move_list(capacity: int, distances: NDArray[np.int32]) -> MoveList:
    return MoveList(
        meta=np.zeros(META, np.int64),
        origins=np.zeros(capacity, np.int32),
        targets=np.zeros(capacity, np.int32),
        distances=distances,
    )
