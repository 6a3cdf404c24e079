"""The tree as a struct of arrays, and the record of one simulation.

A node is a position. Its moves are edges, listed only when the node is visited a second time
(most never are). Edges hold what is known of a move: playouts and the sum of the mover's scores.
With transpositions a position has one node however it was reached, found by its key.

AMAF tables exist only where they are read (DESIGN, idea 3): at the root, and at nodes with more
than `ref` playouts. Until then a node only remembers which simulations passed it: a chain of
`passes` into the kept traces, from which its table is built when it is first needed.

Traces are unsigned, so that Numba need not ask whether an index taken from them is negative.

`meta` counts what is in use; capacities are the arrays' lengths. Nobody outside `search/` indexes
into these arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.core.rng import Rng, generator

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
UInt32 = NDArray[np.uint32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

# Sentinels.
NONE = -1
NO_SUCH = -3  # in `turns`: a player that the game does not have
LOST = -2  # in `passed`: a pass could not be kept, so no exact table can be built any more

# What `meta` holds.
NODES, EDGES, TABLES, PASSES, SIMULATIONS, TRACED, ROOT, CLOSED, STAMP, META = range(10)


class Tree(NamedTuple):
    """All arrays of a tree. `node`, `edge` and so on stand for an index into the group."""

    meta: Int64
    slots: Int32  # hash table: a node or NONE; its length is a power of two
    # nodes
    keys: Int64
    visits: Int32
    turns: Int8  # a player, TERMINAL or SIMULTANEOUS
    first: Int32  # [node * players + player]: first edge, NONE until listed
    degree: Int32  # [node * players + player]: how many edges
    table: Int32  # AMAF table or NONE
    passed: Int32  # newest pass, NONE or LOST
    # edges
    moves: Int32
    counts: Int32
    sums: Float64
    children: Int32  # node or NONE
    codes: UInt32  # the move's feature code; empty unless the playouts learn by features
    # AMAF tables: [(table * players * codes + player * codes + move) * 2]: playouts, sum of scores
    amaf: Float64
    # passes: which simulation, where in its trace, the next older pass
    pass_simulation: Int32
    pass_at: Int32
    pass_next: Int32
    # kept simulations: where a trace starts ([simulations + 1] long), every player's score
    trace_start: Int64
    trace_scores: Float64
    traces: UInt32  # player * codes + move, ply after ply
    # scratch space
    seen: Int64  # [players * codes]: the stamp of the last trace that had this move
    distinct: UInt32  # the different moves of a trace
    worth: Float64  # the score each of them counts
    values: Float64  # what a tree policy thinks of each edge


class Record(NamedTuple):
    """One simulation: the nodes passed, what was played, how it ended."""

    root: Int64  # the state at the root
    state: Int64  # the state as the simulation goes on
    path: Int32  # nodes, root first
    edges: Int32  # [depth * players + player]: the edge taken below path[depth]
    at: Int32  # [depth]: how long the trace was at path[depth]
    trace: UInt32  # player * codes + move, ply after ply
    scores: Float64  # by player
    shape: Int64  # see below
    rng: Rng  # the random number generator of the search
    moves: Int32  # scratch: legal moves
    joint: Int32  # scratch: a move of each player


# What `Record.shape` holds: nodes on the path, edges taken (one more than nodes - 1 if the playout
# began outside the tree), trace entries, the AMAF table that the last node read (or NONE), and the
# one that the playout may read (or NONE).
DEPTH, STEPS, LENGTH, TABLE, POOL, SHAPE = range(6)

_I8, _I32, _U32, _I64, _F64 = (
    types.Array(kind, 1, "C")
    for kind in (types.int8, types.int32, types.uint32, types.int64, types.float64)
)
TREE = types.NamedTuple(
    [_I64, _I32, _I64, _I32, _I8]
    + [_I32] * 4
    + [_I32, _I32, _F64, _I32, _U32]
    + [_F64]
    + [_I32] * 3
    + [_I64, _F64, _U32]
    + [_I64, _U32, _F64, _F64],
    Tree,
)
RECORD = types.NamedTuple(
    [_I64, _I64] + [_I32] * 3 + [_U32, _F64, _I64, contract.RNG, _I32, _I32], Record
)


def new_record(rules: Rules) -> Record:
    """Room for one simulation."""
    depth = rules.max_plies + 2
    return Record(
        root=np.zeros(rules.state_words, np.int64),
        state=np.zeros(rules.state_words, np.int64),
        path=np.zeros(depth, np.int32),
        edges=np.zeros(depth * rules.players, np.int32),
        at=np.zeros(depth, np.int32),
        trace=np.zeros(trace_capacity(rules), np.uint32),
        scores=np.zeros(rules.players, np.float64),
        shape=np.zeros(SHAPE, np.int64),
        rng=generator(0),
        moves=contract.new_moves(rules),
        joint=np.full(rules.players, NONE, np.int32),
    )


def trace_capacity(rules: Rules) -> int:
    """The longest trace: every player may move at every ply."""
    return (rules.max_plies + 1) * rules.players


# How much memory a group of arrays gets at first, 8 MiB but for these, unless the limit is low.
# Pages that are never touched cost nothing, while growing step by step took a seventh of a search
# of 10,000 playouts. Nodes get less, since their hash table has to be emptied for every search.
FIRST_BYTES = {"nodes": 1 << 19}


def _power_of_two(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


class Room:
    """A tree that grows, group by group, up to a limit in bytes."""

    def __init__(self, rules: Rules, limit: int) -> None:
        codes = rules.players * rules.num_codes
        self.limit = limit
        # Each group's arrays, with the entries each of them has for one unit of the group.
        self._groups = {
            "nodes": {
                "keys": 1,
                "visits": 1,
                "turns": 1,
                "first": rules.players,
                "degree": rules.players,
                "table": 1,
                "passed": 1,
            },
            "edges": {
                "moves": 1,
                "counts": 1,
                "sums": 1,
                "children": 1,
                "codes": int(rules.feature != 0),
            },
            "tables": {"amaf": 2 * codes},
            "passes": {"pass_simulation": 1, "pass_at": 1, "pass_next": 1},
            "simulations": {"trace_start": 1, "trace_scores": rules.players},
            "traces": {"traces": 1},
        }
        least = {
            "nodes": 512,
            "edges": 2 * rules.players * rules.max_moves,
            "tables": 2,
            "passes": 2 * (rules.max_plies + 2),
            "simulations": 512,
            "traces": 2 * trace_capacity(rules),
        }
        kinds = dict(zip(Tree._fields, TREE.types, strict=True))
        dtypes = {name: np.dtype(str(kind.dtype)) for name, kind in kinds.items()}
        arrays: dict[str, Any] = {
            "meta": np.zeros(META, np.int64),
            "seen": np.zeros(codes, np.int64),
            "distinct": np.zeros(codes + 1, dtypes["distinct"]),
            "worth": np.zeros(codes + 1, np.float64),
            "values": np.zeros(max(1, rules.max_moves), np.float64),
        }
        for group, members in self._groups.items():
            unit = sum(per_unit * dtypes[name].itemsize for name, per_unit in members.items())
            first = min(FIRST_BYTES.get(group, 8 << 20), limit // 16)
            units = _power_of_two(max(least[group], first // unit))
            for name, per_unit in members.items():
                arrays[name] = np.empty(units * per_unit, dtypes[name])
        arrays["slots"] = np.full(2 * len(arrays["keys"]), NONE, np.int32)
        self.tree = Tree(**arrays)
        self.full = False  # whether the limit has stopped the tree from growing

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take."""
        return sum(array.nbytes for array in self.tree)

    def clear(self) -> None:
        """Forget everything but the room itself."""
        self.full = False
        self.tree.meta[:] = 0
        self.tree.slots[:] = NONE
        self.tree.seen[:] = 0

    def close(self) -> None:
        """Let nothing more into the tree: searches go on in the tree as it is."""
        self.tree.meta[CLOSED] = 1

    def group_bytes(self, group: str) -> int:
        """How much memory a group takes; doubling it takes as much again."""
        names = [*self._groups[group], *(["slots"] if group == "nodes" else [])]
        return sum(getattr(self.tree, name).nbytes for name in names)

    def grow(self, group: str) -> None:
        """Double one group; where the limit forbids it, the tree is closed."""
        if self.nbytes + self.group_bytes(group) > self.limit:
            self.full = True
            self.close()
            return
        members = self._groups[group]
        arrays = self.tree._asdict()
        for name in members:
            old = arrays[name]
            arrays[name] = np.empty(2 * len(old), old.dtype)
            arrays[name][: len(old)] = old
        if group == "nodes":
            arrays["slots"] = np.full(2 * len(arrays["slots"]), NONE, np.int32)
        self.tree = Tree(**arrays)
        if group == "nodes":
            rehash(self.tree)


@inlined
def find(tree: Tree, key: int) -> int:
    """The node with this key, or NONE."""
    mask = len(tree.slots) - 1
    slot = key & mask
    while tree.slots[slot] != NONE:
        if tree.keys[tree.slots[slot]] == key:
            return tree.slots[slot]
        slot = (slot + 1) & mask
    return NONE


@inlined
def enter(tree: Tree, node: int) -> None:
    """Make a node findable by its key."""
    mask = len(tree.slots) - 1
    slot = tree.keys[node] & mask
    while tree.slots[slot] != NONE:
        slot = (slot + 1) & mask
    tree.slots[slot] = node


@compiled
def rehash(tree: Tree) -> None:
    """Enter all nodes into an empty hash table."""
    for node in range(tree.meta[NODES]):
        enter(tree, node)


@inlined
def new_node(tree: Tree, players: int, key: int, turn: int) -> int:
    """A node without playouts, or NONE if there is no room."""
    node = tree.meta[NODES]
    if node >= len(tree.keys):
        return NONE
    tree.meta[NODES] = node + 1
    tree.keys[node] = key
    tree.visits[node] = 0
    tree.turns[node] = turn if SIMULTANEOUS <= turn < players else NO_SUCH
    for player in range(players):
        tree.first[node * players + player] = NONE
        tree.degree[node * players + player] = 0
    tree.table[node] = NONE
    tree.passed[node] = NONE
    enter(tree, node)
    return node
