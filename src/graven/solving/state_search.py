"""Exhaustive search of one-player games: every position once, with a transposition table.

Positions are stored as nodes with few words each, and expanded in one of two orders:

- `BREADTH`: in the order in which they were found, so that a solution is one of the shortest;
- `GREEDY`: the one that seems nearest to the best score first, of equal ones the latest. Distances
  are those of a `Guide`, else `CompactState.distance`; without any this is depth-first search.

With the short cuts of `search_shortcuts` a search finds solutions sooner, and proves nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import caller, compiled, inlined
from graven.core.contract import TERMINAL, Moves, Rules, Scores, State
from graven.core.position import Position
from graven.core.status import Status, call_kernel, contract_fault
from graven.gdl.kernels.compact import DISTANCE, RESTORE, compact_state
from graven.solving.move_replay import copy_to, play_one
from graven.solving.search_shortcuts import NO_EXCHANGES, Shortcuts, full_mask

BREADTH, GREEDY = "breadth", "greedy"
BUCKETS = 1024  # distances from here on are equal
NONE = -1
FIRST_NODES = 1 << 12
MIB = 1 << 20

# Entries of `meta`: nodes, the next node to expand breadth first, the lowest bucket that may have
# nodes, nodes expanded, the best terminal node, whether every position has been expanded.
NODES, CURSOR, LOWEST, EXPANDED, BEST, COMPLETE, META = range(7)

_restore, _distance = caller(RESTORE), caller(DISTANCE)


class Guide(NamedTuple):
    """Distances from the end for classes of positions, which have the same key under a mask."""

    mask: NDArray[np.int64]  # [width]; empty if there is no guide
    keys: NDArray[np.int64]  # [class]
    slots: NDArray[np.int32]  # as in a store
    distances: NDArray[np.int32]  # [class]


NO_GUIDE = Guide(
    np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32)
)


class StateStore(NamedTuple):
    """The positions found so far, and scratch."""

    meta: NDArray[np.int64]
    words: NDArray[np.int64]  # [node * width]: bases and, if there is one, the step
    keys: NDArray[np.int64]  # [node]
    parents: NDArray[np.int32]  # [node]: NONE for the root
    moves: NDArray[np.int32]  # [node]: the move that leads here
    depths: NDArray[np.int32]  # [node]: plies from the root
    below: NDArray[np.int32]  # [node]: the next node of its bucket, or NONE
    slots: NDArray[np.int32]  # the transposition table; its length is a power of two
    buckets: NDArray[np.int32]  # [distance]: the latest node that waits, or NONE
    best: NDArray[np.float64]  # [0]: the best score, -inf before any
    mask: NDArray[np.int64]  # [width]: the bits that belong to the key
    exchangeable: NDArray[np.int8]  # see `Shortcuts`
    guide: Guide
    state: State
    child: State
    legal: Moves
    joint: Moves
    out: Scores
    # Constants.
    bases: int
    step: int
    restore: int
    distance: int
    top_score: float
    greedy: int
    ignores_clock: int  # whether equal keys may be positions at different times


@inlined
def load(rules: Rules, store: StateStore, node: int) -> None:
    """Set `state` to a node's position."""
    width = len(store.mask)
    words = store.words[node * width : (node + 1) * width]
    if store.restore:
        _restore(store.restore, (rules.constants, store.state, words))
    else:
        copy_to(store.state, words, width)


@inlined
def key_of(store: StateStore, state: State, at: int) -> int:
    """Write the words of a position where node `at` has its own; return its key."""
    width = len(store.mask)
    for i in range(width):
        store.words[at * width + i] = state[i] if i < store.bases else state[store.step]
    return masked_key(store.words, at, store.mask)


@inlined
def masked_key(words: NDArray[np.int64], node: int, mask: NDArray[np.int64]) -> int:
    """Return the key of a node by the words that a mask leaves."""
    width = len(mask)
    mixed = np.int64(width)
    for i in range(width):
        mixed = (mixed ^ (words[node * width + i] & mask[i])) * np.int64(-7046029254386353131)
        mixed ^= (mixed >> 29) & np.int64(0x7FFFFFFFF)
    return mixed  # type: ignore[return-value]


@inlined
def slot_of(slots: NDArray[np.int32], keys: NDArray[np.int64], key: int) -> int:
    """Return the slot of a key in a transposition table, or the one where it would be."""
    mask = len(slots) - 1
    slot = key & mask
    while slots[slot] != NONE and keys[slots[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@inlined
def distance_of(rules: Rules, store: StateStore, state: State, node: int) -> int:
    """Return how far a position, which is node `node`, seems to be from the best score."""
    guide = store.guide
    if len(guide.mask) > 0:
        slot = slot_of(guide.slots, guide.keys, masked_key(store.words, node, guide.mask))
        return guide.distances[guide.slots[slot]] if guide.slots[slot] != NONE else BUCKETS
    return _distance(store.distance, (rules.constants, state)) if store.distance else 0


@inlined
def is_known(store: StateStore, key: int, depth: int) -> bool:
    """Return whether a position is known, and as early if that may matter.

    If not, enter the next node into the table.
    """
    slot = slot_of(store.slots, store.keys, key)
    known = store.slots[slot]
    if known != NONE and (store.depths[known] <= depth or not store.ignores_clock):
        return True
    store.slots[slot] = store.meta[NODES]
    return False


@inlined
def add(rules: Rules, store: StateStore, state: State, parent: int, move: int) -> int:
    """Add a position unless it is known; return a status."""
    meta = store.meta
    node = meta[NODES]
    key = key_of(store, state, node)
    depth = store.depths[parent] + 1 if parent != NONE else 0
    if is_known(store, key, depth):
        return Status.OK
    meta[NODES] = node + 1
    store.keys[node] = key
    store.parents[node] = parent
    store.moves[node] = move
    store.depths[node] = depth
    if contract.turn(rules, state) == TERMINAL:
        contract.scores(rules, state, store.out)
        if not contract.are_scores(store.out, rules.players):
            return Status.BAD_SCORE
        store.below[node] = node  # never waits
        if store.out[0] > store.best[0]:
            store.best[0] = store.out[0]
            meta[BEST] = node
    elif store.greedy:
        bucket = min(BUCKETS - 1, distance_of(rules, store, state, node))
        store.below[node] = store.buckets[bucket]
        store.buckets[bucket] = node
        meta[LOWEST] = min(meta[LOWEST], bucket)
    else:
        store.below[node] = NONE
    return Status.OK


@inlined
def is_out_of_order(store: StateStore, node: int, move: int) -> bool:
    """Return whether a move could have been played before the one that leads to a node."""
    before = store.moves[node]
    return len(store.exchangeable) > 0 and move < before and store.exchangeable[move, before] != 0


@inlined
def next_node(store: StateStore) -> int:
    """Return the next node to expand, or NONE."""
    meta = store.meta
    if store.greedy:
        while meta[LOWEST] < BUCKETS and store.buckets[meta[LOWEST]] == NONE:
            meta[LOWEST] += 1
        return store.buckets[meta[LOWEST]] if meta[LOWEST] < BUCKETS else NONE
    while meta[CURSOR] < meta[NODES] and store.below[meta[CURSOR]] == meta[CURSOR]:
        meta[CURSOR] += 1
    return meta[CURSOR] if meta[CURSOR] < meta[NODES] else NONE


@compiled
def expand_states(rules: Rules, store: StateStore, until: int) -> int:
    """Expand nodes up to a total of `until`, all, or the best score; return a status."""
    meta = store.meta
    while meta[EXPANDED] < until and not meta[COMPLETE]:
        if meta[NODES] + rules.max_moves + 1 > len(store.keys):
            return Status.NEED_MEMORY
        node = next_node(store)
        if node == NONE or store.best[0] >= store.top_score:
            meta[COMPLETE] = 1
            return Status.OK
        if store.depths[node] >= rules.max_plies:
            return Status.TOO_LONG
        if store.greedy:
            store.buckets[meta[LOWEST]] = store.below[node]
        else:
            meta[CURSOR] += 1
        meta[EXPANDED] += 1
        load(rules, store, node)
        count = contract.legal(rules, store.state, 0, store.legal)
        if count > rules.max_moves:
            return Status.TOO_MANY
        if count <= 0:
            return Status.NO_MOVE
        for i in range(count):
            move = store.legal[i]
            if not 0 <= move < rules.num_codes:
                return Status.BAD_CODE
            if is_out_of_order(store, node, move):
                continue
            copy_to(store.child, store.state, rules.state_words)
            play_one(rules, store.child, store.joint, move)
            status = add(rules, store, store.child, node, move=move)
            if status != Status.OK:
                return status
    return Status.OK


@compiled
def add_root(rules: Rules, store: StateStore, root: State) -> int:
    """Add the first node."""
    copy_to(store.state, root, rules.state_words)
    return add(rules, store, store.state, NONE, move=0)  # no move comes before move 0


@compiled
def enter_all(store: StateStore) -> None:
    """Fill the transposition table with all nodes."""
    for slot in range(len(store.slots)):
        store.slots[slot] = NONE
    for node in range(store.meta[NODES]):
        # Of equal positions the latest is the earliest reached.
        store.slots[slot_of(store.slots, store.keys, store.keys[node])] = node


class StateSearch:
    """An exhaustive search of the positions after one position, in one order.

    It proves its result unless it takes `shortcuts`.
    """

    def __init__(
        self,
        position: Position,
        order: str,
        memory: int,
        shortcuts: Shortcuts | None = None,
        guide: Guide = NO_GUIDE,
    ) -> None:
        game = position.game
        self.name, self.rules = game.name, game.rules
        compact = compact_state(game)
        self.order = order
        self.is_full = False
        self._memory = memory
        self.is_proof = shortcuts is None
        shortcuts = shortcuts or Shortcuts(full_mask(compact), NO_EXCHANGES)
        mask = shortcuts.mask
        self.store = StateStore(
            meta=np.zeros(META, np.int64),
            buckets=np.full(BUCKETS, NONE, np.int32),
            best=np.full(1, -np.inf),
            mask=mask,
            exchangeable=shortcuts.exchangeable,
            guide=guide,
            state=np.zeros(self.rules.state_words, np.int64),
            child=np.zeros(self.rules.state_words, np.int64),
            legal=contract.new_moves(self.rules),
            joint=contract.new_joint(self.rules),
            out=np.zeros(self.rules.players),
            bases=compact.bases,
            step=compact.step,
            restore=compact.restore,
            distance=compact.distance,
            top_score=compact.top_score,
            greedy=int(order == GREEDY),
            ignores_clock=int(not self.is_proof),
            **_node_arrays(len(mask), max(FIRST_NODES, 2 * (self.rules.max_moves + 2))),
        )
        self.store.slots[:] = NONE
        self.store.meta[BEST] = NONE
        call_kernel(
            lambda: add_root(self.rules, self.store, position.state), self._fault, self._grow
        )

    @property
    def expanded(self) -> int:
        """How many positions have been expanded."""
        return int(self.store.meta[EXPANDED])

    @property
    def nodes(self) -> int:
        """How many positions have been found."""
        return int(self.store.meta[NODES])

    @property
    def is_complete(self) -> bool:
        """Whether the best score of all was found, or every position has been expanded."""
        return bool(self.store.meta[COMPLETE])

    def advance(self, until: int) -> None:
        """Expand positions until the total is `until`, all are expanded, or the memory is full."""
        while not self.is_full and not call_kernel(
            lambda: expand_states(self.rules, self.store, until), self._fault, self._grow
        ):
            pass

    @property
    def best(self) -> tuple[float, list[int]] | None:
        """The best score so far and the codes of its moves, or None."""
        node = int(self.store.meta[BEST])
        if node == NONE:
            return None
        codes = []
        while self.store.parents[node] != NONE:
            codes.append(int(self.store.moves[node]))
            node = int(self.store.parents[node])
        return float(self.store.best[0]), codes[::-1]

    def _grow(self, status: Status) -> None:
        store = self.store
        capacity, width = 2 * len(store.keys), len(store.mask)
        if capacity * node_bytes(width) > self._memory:
            self.is_full = True
            return
        larger = _node_arrays(width, capacity)
        for name, array in larger.items():
            if name != "slots":
                old = getattr(store, name)
                array[: len(old)] = old
        self.store = store._replace(**larger)
        enter_all(self.store)

    def _fault(self, status: Status) -> Exception:
        return contract_fault(status, self.name, self.rules)


def node_bytes(width: int) -> int:
    """Return the memory of one node with this many words."""
    return 8 * width + 8 + 4 * 4 + 2 * 4


def _node_arrays(width: int, capacity: int) -> dict[str, Any]:
    capacity = 1 << (capacity - 1).bit_length()
    return {
        "words": np.zeros(capacity * width, np.int64),
        "keys": np.zeros(capacity, np.int64),
        "parents": np.zeros(capacity, np.int32),
        "moves": np.zeros(capacity, np.int32),
        "depths": np.zeros(capacity, np.int32),
        "below": np.zeros(capacity, np.int32),
        "slots": np.zeros(2 * capacity, np.int32),
    }
