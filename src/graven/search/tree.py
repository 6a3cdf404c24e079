"""The tree as a struct of arrays, and the record of one simulation.

A node is a position. Its moves are edges, listed only when the node is visited a second time
(most never are), and then only those that are tried, if these are few (`few_edges`). An edge has
the playouts of its move and the sum of the mover's scores. With transpositions a position has one
node however it was reached, found by its key.

AMAF tables, and the traces of simulations that they are built from, are explained in `amaf`.

Moves in lists take 16 bits if the game has few enough of them, else 32; those in stored traces 8 to
32 bits (`stored_traces`).

`meta` counts the units in use of each group; their capacity is the arrays' length. Only modules of
`search` index into these arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled, inlined
from graven.core.contract import CHANCE, Rules
from graven.core.rng import Rng
from graven.core.status import Status
from graven.search.layout import (
    SPARE,
    ArrayLayout,
    Float64,
    Int8,
    Int32,
    Int64,
    Size,
    UInt8,
    UInt16,
    UInt32,
    arrays_of,
    by_player,
    new_arrays,
    numba_type,
)
from graven.search.select.selection import value_capacity
from graven.search.tree_memory import return_buffer, take_buffer

FEW = 4  # the edges of a node that does not have all of them, see `few_edges`
PACKED, WIDE = 1, 2  # words of an entry of AMAF tables: one integer or two floats, see `amaf`
BLOCK = 64  # simulations of a block of `permutations`: the bits of a word

# An entry of a packed AMAF table: playouts in the low half of the word, twice the sum in the high.
POINTS_SHIFT = 32
PLAYOUTS_MASK = (1 << POINTS_SHIFT) - 1
MOST_PACKED = 1 << 29  # playouts of a root with packed tables

# Special values.
NONE = -1
MOST_BYTE_CODES = 1 << 10  # with more, a number in stored traces takes two or four bytes
NO_SUCH = -4  # in `turns`: a player that the game does not have
LOST = -2  # in `newest_link`: a trace could not be stored, so no exact table can be built any more

# Entries of `meta`: how many units of each group are in use, the root's node, whether the tree is
# closed (nothing new may enter), and a number that is different for every trace counted.
# SCORE_SUM says what is known about the sum of all players' scores: see `score_bounds`; RECORDED is
# the number of simulations in the blocks of `permutations`, USES that of all simulations where the
# search notes when nodes were used: see `recycling`. FREE_BLOCK is one more than the first edge of
# a block that no node uses, or 0; `counts` of that edge is that of the next one: see `few_edges`.
# LEVEL_KEY changes the keys of new nodes: see `two_levels`.
NODES, EDGES, TABLES, LINKS, SIMULATIONS, TRACED, ROOT, CLOSED, STAMP, SCORE_SUM = range(10)
BLOCKS, RECORDED, USES, FREE_BLOCK, LISTS, LEVEL_KEY, META = range(10, 17)

# Entries of `Record.shape`: nodes on the path, edges taken (one more than nodes - 1 if the playout
# began outside the tree), trace entries, the AMAF table that the last node reads (or NONE), and the
# one that the playout may read (or NONE).
DEPTH, STEPS, LENGTH, TABLE, POOL, SHAPE = range(6)

# Entries of `Record.halving`: the playouts of the search or 0 if unknown, the arms left, and the
# arms at the beginning; see `root_halving`.
BUDGET, ARMS, FIELD, HALVING = range(4)


def all_codes(rules: Rules) -> int:
    """Return the number of different trace entries."""
    return rules.players * rules.num_codes


def words_of_code(codes: int) -> int:
    """Return how many 16-bit words a number below `codes` takes in lists."""
    return 1 if codes <= 1 << 16 else 2


def depth_capacity(rules: Rules) -> int:
    """Return the length of the longest path."""
    return rules.max_plies + 2


def edge_capacity(rules: Rules) -> int:
    """Return the edges of the longest path: every player may have one at every depth."""
    return depth_capacity(rules) * rules.players


def trace_capacity(rules: Rules) -> int:
    """Return the length of the longest trace: every player may move at every ply."""
    return (rules.max_plies + 1) * rules.players


def reread_capacity(rules: Rules) -> int:
    """Return the length of the memory that a stored trace is read to, eight entries at a time."""
    return trace_capacity(rules) + 8


@inlined
def place_words(rules: Rules) -> int:
    """Return how many 16-bit words a place in a trace takes."""
    return 1 if (rules.max_plies + 1) * rules.players < 1 << 16 else 2


def _place_words(rules: Rules) -> int:
    return int(place_words.py_func(rules))  # type: ignore[attr-defined]


@inlined
def trace_bytes(rules: Rules) -> int:
    """Return the bytes of a unit of `traces`: an entry, or its low 8 bits."""
    codes = rules.players * rules.num_codes
    if codes <= MOST_BYTE_CODES:
        return 1
    return 2 if codes <= 1 << 16 else 4


def _trace_bytes(rules: Rules) -> int:
    return int(trace_bytes.py_func(rules))  # type: ignore[attr-defined]


def selection_values(rules: Rules) -> int:
    """Return the size of the scratch memory of selection."""
    return 3 * value_capacity(rules.max_moves)


def _if_features(rules: Rules) -> int:
    return int(rules.feature != 0)


def _if_shared(rules: Rules) -> int:
    return rules.num_codes if rules.shared_points else 0


def _if_bounds(rules: Rules) -> int:
    return int(rules.score_bounds != 0)


def _bounds_by_player(rules: Rules) -> int:
    return rules.players if rules.score_bounds else 0


def _if_amaf(rules: Rules) -> int:
    return int(rules.amaf != 0)


def _wide_entries(rules: Rules) -> int:
    return 2 * all_codes(rules) if rules.amaf == WIDE else 0


def _packed_entries(rules: Rules) -> int:
    return all_codes(rules) if rules.amaf == PACKED else 0


def _wide_scores(rules: Rules) -> int:
    return rules.players if rules.amaf != PACKED else 0


def _half_points(rules: Rules) -> int:
    return rules.players if rules.amaf == PACKED else 0


def _if_few_edges(rules: Rules) -> int:
    return int(rules.few_edges != 0)


def _list_words(rules: Rules) -> int:
    return rules.few_edges


def open_capacity(rules: Rules) -> int:
    """Return the length of copies of a node's open edges."""
    return value_capacity(rules.max_moves) if rules.score_bounds or rules.few_edges else 0


def _if_squares(rules: Rules) -> int:
    return int(rules.squares != 0)


def _if_permutations(rules: Rules) -> int:
    return int(rules.permutations != 0)


def _permuted_entries(rules: Rules) -> int:
    return 2 * _if_permutations(rules)


def _block_words(rules: Rules) -> int:
    return all_codes(rules) * _if_permutations(rules)


def _block_players(rules: Rules) -> int:
    return rules.players * _if_permutations(rules)


def _block_scores(rules: Rules) -> int:
    return BLOCK * _block_players(rules)


def _if_regrets(rules: Rules) -> int:
    return int(rules.regrets != 0)


def _if_chance(rules: Rules) -> int:
    return int(rules.chance != 0)


def _if_priors(rules: Rules) -> int:
    return int(rules.prior != 0)


def _if_last_use(rules: Rules) -> int:
    return int(rules.last_use != 0)


def _totals_of_table(rules: Rules) -> int:
    return (rules.players + 1) * int(rules.criticality != 0)


def _if_implicit(rules: Rules) -> int:
    return int(rules.implicit != 0)


class Tree(NamedTuple):
    """All arrays of a tree; an array of a group is indexed by unit, or by unit * players + player.

    A group grows as one. The arrays without a group have a fixed length.
    """

    meta: Annotated[Int64, Size(lambda rules: META)]
    # Transposition table: a node or NONE by key; its length is a power of two.
    slots: Annotated[Int32, Size(lambda rules: 2, group="nodes")]
    # Nodes.
    keys: Annotated[Int64, Size(group="nodes")]  # Zobrist key, or a hash of the path to the node
    visits: Annotated[Int32, Size(group="nodes")]  # playouts
    turns: Annotated[Int8, Size(group="nodes")]  # a player, TERMINAL, SIMULTANEOUS, CHANCE, NO_SUCH
    # [node * players + player]: first edge, NONE until listed; number of edges. Outcomes of chance
    # are listed as the edges of player 0.
    first: Annotated[Int32, Size(by_player, group="nodes", refers="edges")]
    degree: Annotated[Int32, Size(by_player, group="nodes")]
    # The list of its moves if a node has edges for some of them only, see `few_edges`, or NONE.
    listed_at: Annotated[Int32, Size(_if_few_edges, group="nodes", refers="lists")]
    table: Annotated[Int32, Size(_if_amaf, group="nodes", refers="tables")]  # AMAF table or NONE
    newest_link: Annotated[Int32, Size(_if_amaf, group="nodes", refers="links")]  # or NONE or LOST
    # Score bounds of nodes, see `score_bounds`; `lower` and `upper`: [node * players + player].
    bounded: Annotated[Int8, Size(_if_bounds, group="nodes")]  # 0 if nothing is known
    lower: Annotated[Float64, Size(_bounds_by_player, group="nodes")]
    upper: Annotated[Float64, Size(_bounds_by_player, group="nodes")]
    proof_edge: Annotated[Int32, Size(_if_bounds, group="nodes", refers="edges")]  # or NONE
    plies_left: Annotated[Int32, Size(_if_bounds, group="nodes")]  # to the end, of a proven node
    skips: Annotated[Int32, Size(_if_bounds, group="nodes")]  # edges that selection skips
    counted: Annotated[Int32, Size(_if_permutations, group="nodes")]  # see `permutations`
    last_use: Annotated[Int64, Size(_if_last_use, group="nodes")]  # see `recycling`
    # Edges.
    moves: Annotated[Int32, Size(group="edges")]
    counts: Annotated[Int32, Size(group="edges")]  # playouts
    sums: Annotated[Float64, Size(group="edges")]  # sum of the mover's scores
    children: Annotated[Int32, Size(group="edges", refers="nodes")]  # node or NONE
    codes: Annotated[UInt32, Size(_if_features, group="edges")]  # the move's feature code
    skipped: Annotated[Int8, Size(_if_bounds, group="edges")]  # see `score_bounds`
    squares: Annotated[Float64, Size(_if_squares, group="edges")]  # sum of the squared scores
    # At simultaneous moves, see `regret_matching`: regrets, and the sum of the strategies.
    regrets: Annotated[Float64, Size(_if_regrets, group="edges")]
    strategies: Annotated[Float64, Size(_if_regrets, group="edges")]
    chances: Annotated[Float64, Size(_if_chance, group="edges")]  # probability of an outcome
    priors: Annotated[Float64, Size(_if_priors, group="edges")]  # the move's prior
    implicit: Annotated[Float64, Size(_if_implicit, group="edges")]  # see `implicit_minimax`
    # Permutation statistics: [2 * edge] playouts, [2 * edge + 1] sum of scores; see `permutations`.
    permuted: Annotated[Float64, Size(_permuted_entries, group="edges")]
    # Lists of moves: how many there are, then the moves; each one word, or two: see `in_words`.
    lists: Annotated[UInt16, Size(_list_words, group="lists")]
    # AMAF tables, see `amaf`: one of these is empty. [(table * players * codes + player * codes +
    # move) * 2]: playouts, then the sum of scores.
    amaf: Annotated[Float64, Size(_wide_entries, group="tables")]
    # [table * players * codes + player * codes + move]: both as two halves of a word.
    packed_amaf: Annotated[Int64, Size(_packed_entries, group="tables")]
    # [table * (players + 1)]: simulations; after it, each player's scores. See `criticality`.
    table_totals: Annotated[Float64, Size(_totals_of_table, group="tables")]
    # Links of a node to the stored simulations that visited it: which simulation, where in its
    # trace, the next older link.
    link_simulation: Annotated[Int32, Size(group="links", refers="simulations")]
    link_at: Annotated[UInt16, Size(_place_words, group="links")]
    link_next: Annotated[Int32, Size(group="links", refers="links")]
    # Stored simulations: where the trace starts (and the one before ends); every player's score, or
    # twice that with packed tables.
    trace_start: Annotated[Int64, Size(group="simulations")]
    trace_scores: Annotated[Float64, Size(_wide_scores, group="simulations")]
    trace_points: Annotated[UInt8, Size(_half_points, group="simulations")]
    # player * codes + move, ply after ply: see `stored_traces`.
    traces: Annotated[UInt8, Size(_trace_bytes, group="traces")]
    # Blocks of simulations, one for each bit of a word, see `permutations`: in which a move was
    # played, [block * all_codes + player * codes + move]; in which a player had the score 1, or one
    # between 0 and 1, [block * players + player]; [(block * BLOCK + bit) * players + player].
    played_in: Annotated[Int64, Size(_block_words, group="blocks")]
    won_in: Annotated[Int64, Size(_block_players, group="blocks")]
    shared_in: Annotated[Int64, Size(_block_players, group="blocks")]
    block_scores: Annotated[Float64, Size(_block_scores, group="blocks")]
    # Scratch.
    seen: Annotated[Int64, Size(all_codes)]  # the stamp of the last trace with this move or point
    distinct: Annotated[UInt32, Size(lambda rules: all_codes(rules) + 1)]  # moves of a trace
    distinct_at: Annotated[Int64, Size(_if_shared)]  # [point]: where it is in `distinct`
    worth: Annotated[Float64, Size(lambda rules: all_codes(rules) + 1)]  # the score each counts
    gains: Annotated[Int64, Size(lambda rules: all_codes(rules) + 1)]  # what each adds if packed
    gain_of: Annotated[Int64, Size(by_player)]  # [player]: what a move of the player adds if packed
    score_of: Annotated[Float64, Size(by_player)]  # [player]: of a stored simulation
    reread: Annotated[UInt32, Size(lambda rules: 2 * reread_capacity(rules))]  # two stored traces
    score_sum: Annotated[Float64, Size(_if_bounds)]  # of all players in the first simulation


class Record(NamedTuple):
    """One simulation: the nodes visited, what was played, how it ended."""

    root: Annotated[Int64, Size(lambda rules: rules.state_words)]  # the state at the root
    state: Annotated[Int64, Size(lambda rules: rules.state_words)]  # the current state
    path: Annotated[Int32, Size(depth_capacity)]  # nodes, root first
    # [depth * players + player]: the edge taken below path[depth]
    edges: Annotated[Int32, Size(edge_capacity)]
    # [depth * players + player]: with which probability it was drawn at simultaneous moves
    odds: Annotated[Float64, Size(lambda rules: _if_regrets(rules) * edge_capacity(rules))]
    at: Annotated[Int32, Size(depth_capacity)]  # [depth]: the length of the trace at path[depth]
    trace: Annotated[UInt32, Size(trace_capacity)]  # player * codes + move, ply after ply
    scores: Annotated[Float64, Size(by_player)]
    shape: Annotated[Int64, Size(lambda rules: SHAPE)]  # see above
    rng: Annotated[Rng, Size()]  # the random number generator of the search
    moves: Annotated[Int32, Size(contract.move_capacity)]  # scratch: legal moves
    joint: Annotated[Int32, Size(by_player, fill=NONE)]  # scratch: a move of each player
    values: Annotated[Float64, Size(selection_values)]  # scratch: of a node's edges
    # Sequential halving: the edges of the root that are left, and how many playouts each of them is
    # to have at the end of the round.
    halving: Annotated[Int64, Size(lambda rules: HALVING)]
    arms: Annotated[Int32, Size(lambda rules: rules.max_moves)]
    targets: Annotated[Int64, Size(lambda rules: rules.max_moves)]
    # Scratch: the edges of a node that selection does not skip, and copies of their statistics.
    open_edges: Annotated[Int32, Size(open_capacity)]
    open_moves: Annotated[Int32, Size(open_capacity)]
    open_counts: Annotated[Int32, Size(open_capacity)]
    open_sums: Annotated[Float64, Size(open_capacity)]
    open_squares: Annotated[Float64, Size(lambda rules: _if_squares(rules) * open_capacity(rules))]
    open_permuted: Annotated[
        Float64, Size(lambda rules: _permuted_entries(rules) * open_capacity(rules))
    ]
    # Scratch: blocks with simulations that contain the moves of the path, and which these are.
    matching: Annotated[Int64, Size(lambda rules: BLOCK * _if_permutations(rules))]
    matching_blocks: Annotated[Int64, Size(lambda rules: BLOCK * _if_permutations(rules))]
    open_priors: Annotated[Float64, Size(lambda rules: _if_priors(rules) * open_capacity(rules))]
    open_implicit: Annotated[
        Float64, Size(lambda rules: _if_implicit(rules) * open_capacity(rules))
    ]
    # Scratch of `implicit_minimax`: a position after a move, and its evaluation.
    next_state: Annotated[Int64, Size(lambda rules: _if_implicit(rules) * rules.state_words)]
    evaluation: Annotated[Float64, Size(lambda rules: _if_implicit(rules) * rules.players)]
    # A position enters the tree with this playout of the move to it; see `recycling`.
    expand: Annotated[Int64, Size()]
    muted: Annotated[Int64, Size()]  # whether the node's selection ignores AMAF, see `amaf`


TREE, RECORD = numba_type(Tree), numba_type(Record)


def new_record(rules: Rules) -> Record:
    """Return a record for the longest simulation."""
    return Record(**new_arrays(Record, rules))


@dataclass(frozen=True)
class Group:
    """Arrays that grow together: their units in use are meta[count].

    `least` is how many units the group has at first, unless `first_bytes` is more. Pages that are
    never touched cost nothing, while growing step by step took a seventh of a search of 10,000
    playouts.
    """

    name: str
    count: int
    need: Status  # how a kernel asks for more units
    least: Callable[[Rules], int]
    first_bytes: int = 8 << 20

    @cached_property
    def arrays(self) -> list[ArrayLayout]:
        """The group's arrays."""
        return [array for array in arrays_of(Tree) if array.size.group == self.name]

    def capacity(self, rules: Rules, tree: Tree) -> int:
        """Return how many units the arrays of a tree have space for; 0 if there are no arrays."""
        return min(
            (
                len(getattr(tree, array.name)) // array.size.entries(rules)
                for array in self.arrays
                if array.name != SLOTS and array.size.entries(rules)
            ),
            default=0,
        )

    def unit_bytes(self, rules: Rules) -> int:
        """Return the memory of one unit, without the transposition table."""
        return sum(
            array.size.entries(rules) * array.dtype.itemsize
            for array in self.arrays
            if array.name != SLOTS
        )


SLOTS = "slots"  # rebuilt, not copied, when its group grows or is pruned

GROUPS = {
    group.name: group
    for group in (
        # Few bytes at first: the transposition table has to be cleared for every search.
        Group("nodes", NODES, Status.NEED_NODES, lambda rules: 512, first_bytes=1 << 19),
        Group("edges", EDGES, Status.NEED_EDGES, lambda rules: 2 * rules.players * rules.max_moves),
        Group("lists", LISTS, Status.NEED_LISTS, lambda rules: 2 * rules.max_moves + 2),
        Group("tables", TABLES, Status.NEED_TABLES, lambda rules: 2),
        Group("links", LINKS, Status.NEED_LINKS, lambda rules: 2 * depth_capacity(rules)),
        Group("simulations", SIMULATIONS, Status.NEED_SIMULATIONS, lambda rules: 512),
        Group("blocks", BLOCKS, Status.NEED_BLOCKS, lambda rules: 4),
        Group("traces", TRACED, Status.NEED_TRACES, lambda rules: 2 * trace_capacity(rules)),
    )
}
NEEDED = {group.need: group for group in GROUPS.values()}


def _power_of_two(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


class TreeArena:
    """The memory of a tree, which grows, group by group, up to a limit in bytes.

    If `max_nodes` is not 0, it has no more nodes than that.

    The arrays of groups are the beginnings of buffers that may be longer: memory of an earlier
    search. How a tree grows does not depend on that.
    """

    def __init__(self, rules: Rules, limit: int, max_nodes: int = 0) -> None:
        self.limit = limit
        self.max_nodes = max_nodes
        self._rules = rules
        self.full = False  # whether the limit has stopped the tree from growing
        self._more_bytes = 0
        self.grown = False
        self._buffers: dict[str, Any] = {}
        arrays: dict[str, Any] = new_arrays(Tree, rules)
        for group in GROUPS.values():
            # A search with bounds begins with as many nodes as one without: growth takes time.
            unit_bytes = group.unit_bytes(rules._replace(score_bounds=0))
            first = min(group.first_bytes, limit // 16) // max(1, unit_bytes)
            units = self._within_limit(group, _power_of_two(max(group.least(rules), first)))
            for array in group.arrays:
                length = self._length(array, units)
                buffer = take_buffer(array.name, array.dtype, length)
                self._buffers[array.name] = buffer
                arrays[array.name] = buffer[:length]
        arrays[SLOTS][:] = NONE
        self.tree = Tree(**arrays)
        self.nbytes = self._count_bytes()

    def __del__(self) -> None:
        buffers = self.__dict__.pop("_buffers", {})
        self.__dict__.pop("tree", None)
        while buffers and callable(return_buffer):  # None while the interpreter ends
            return_buffer(*buffers.popitem())

    def _within_limit(self, group: Group, units: int) -> int:
        """Return how many units a group may have if it is to have so many."""
        most = self.max_nodes if group.count == NODES else 0
        return min(units, most) if most else units

    def _length(self, array: ArrayLayout, units: int) -> int:
        """Return the length of an array of so many units."""
        if array.name == SLOTS:
            units = _power_of_two(units)
        return units * array.size.entries(self._rules)

    def _count_bytes(self) -> int:
        """Return how much memory the arrays take."""
        return self._more_bytes + sum(array.nbytes for array in self.tree)

    def use(self, arrays: dict[str, Any], more_bytes: int) -> None:
        """Replace arrays of the tree by others, which the arena does not own.

        `more_bytes` is the memory of what belongs to them without being part of the tree.
        """
        self.tree = self.tree._replace(**arrays)
        self._more_bytes = more_bytes
        self.nbytes = self._count_bytes()

    def clear(self) -> None:
        """Remove everything from the tree."""
        self.full = False
        self.tree.meta[:] = 0
        self.tree.slots[:] = NONE
        self.tree.seen[:] = 0

    def close(self) -> None:
        """Let nothing more enter the tree: searches go on in the tree as it is."""
        self.tree.meta[CLOSED] = 1

    def reopen(self) -> None:
        """Let a closed tree grow again: units of it have been removed."""
        self.full = False
        self.tree.meta[CLOSED] = 0

    def group_bytes(self, group: Group) -> int:
        """How much memory a group takes; doubling it takes as much again."""
        return sum(getattr(self.tree, array.name).nbytes for array in group.arrays)

    def grow(self, group: Group) -> None:
        """Double one group; where the limit forbids it, the tree is closed."""
        present = group.capacity(self._rules, self.tree)
        units = self._within_limit(group, 2 * present)
        if units == present or self.nbytes + self.group_bytes(group) > self.limit:
            self.full = True
            self.close()
            return
        self.grown = True
        larger: dict[str, Any] = {}
        for array in group.arrays:
            old = getattr(self.tree, array.name)
            buffer, length = self._buffers[array.name], self._length(array, units)
            if len(buffer) < length + SPARE:
                buffer = take_buffer(array.name, array.dtype, length)
                if array.name != SLOTS:
                    buffer[: len(old)] = old
                self._buffers[array.name] = buffer
            larger[array.name] = buffer[:length]
        self.tree = self.tree._replace(**larger)
        self.nbytes = self._count_bytes()
        if SLOTS in larger:
            rehash(self.tree)

    def widened_bytes(self, rules: Rules) -> int:
        """Return how much memory the tree would take with the AMAF tables of other rules."""
        units = {name: group.capacity(self._rules, self.tree) for name, group in GROUPS.items()}
        return self.nbytes + sum(
            units[name] * (GROUPS[name].unit_bytes(rules) - GROUPS[name].unit_bytes(self._rules))
            for name in ("tables", "simulations")
        )

    def widen(self, rules: Rules) -> None:
        """Replace packed AMAF tables by wide ones, which `rules` have; the content stays."""
        old, capacity = self.tree, {}
        for name in ("tables", "simulations"):
            capacity[name] = GROUPS[name].capacity(self._rules, old)
        self._rules = rules
        changed: dict[str, Any] = {}
        for name, units in capacity.items():
            for array in GROUPS[name].arrays:
                length = self._length(array, units)
                if length != len(getattr(old, array.name)):
                    buffer = take_buffer(array.name, array.dtype, length)
                    self._buffers[array.name] = buffer
                    changed[array.name] = buffer[:length]
        used = int(old.meta[TABLES]) * all_codes(rules)
        words = old.packed_amaf[:used]
        changed["amaf"][: 2 * used : 2] = words & PLAYOUTS_MASK
        changed["amaf"][1 : 2 * used : 2] = (words >> POINTS_SHIFT) / 2
        used = int(old.meta[SIMULATIONS]) * rules.players
        changed["trace_scores"][:used] = old.trace_points[:used] / 2
        self.tree = old._replace(**changed)
        self.nbytes = self._count_bytes()
        if self.nbytes > self.limit:
            self.full = True
            self.close()


@inlined
def read_list(rules: Rules, tree: Tree, at: int) -> int:
    """Return a number in the lists of moves."""
    if rules.few_edges == 1:
        return int(tree.lists[at])
    return int(in_words(tree.lists)[at])


@inlined
def in_words(array: UInt16) -> UInt32:
    """Return an array whose numbers take two words each, as these numbers."""
    return array.view(np.uint32)


def listed_moves(rules: Rules, tree: Tree, node: int) -> NDArray[Any]:
    """Return the list of moves of a node that has edges for some of them only."""
    lists = tree.lists if rules.few_edges == 1 else tree.lists.view(np.uint32)
    at = int(tree.listed_at[node])
    return lists[at + 1 : at + 1 + int(lists[at])]


@inlined
def number_of_moves(rules: Rules, tree: Tree, node: int) -> int:
    """Return how many moves the player to move has at a node whose moves have been listed."""
    if rules.few_edges and tree.listed_at[node] != NONE:
        return read_list(rules, tree, tree.listed_at[node])
    return tree.degree[node * rules.players + tree.turns[node]]


@inlined
def find(tree: Tree, key: int) -> int:
    """Return the node with this key, or NONE."""
    mask = len(tree.slots) - 1
    slot = key & mask
    while tree.slots[slot] != NONE:
        if tree.keys[tree.slots[slot]] == key:
            return tree.slots[slot]
        slot = (slot + 1) & mask
    return NONE


@inlined
def enter(tree: Tree, node: int) -> None:
    """Enter a node into the transposition table."""
    mask = len(tree.slots) - 1
    slot = tree.keys[node] & mask
    while tree.slots[slot] != NONE:
        slot = (slot + 1) & mask
    tree.slots[slot] = node


@compiled
def rehash(tree: Tree) -> None:
    """Fill the transposition table with all nodes."""
    for slot in range(len(tree.slots)):
        tree.slots[slot] = NONE
    for node in range(tree.meta[NODES]):
        enter(tree, node)


@inlined
def new_node(tree: Tree, players: int, key: int, turn: int) -> int:
    """Return a new node without playouts, or NONE if the group is full."""
    node = tree.meta[NODES]
    if node >= len(tree.keys):
        return NONE
    tree.meta[NODES] = node + 1
    describe_node(tree, players, node, key, turn=turn)
    clear_node(tree, node)
    enter(tree, node)
    return node


@inlined
def describe_node(tree: Tree, players: int, node: int, key: int, turn: int) -> None:
    """Write what a new node is: a position, whose moves are not listed yet."""
    tree.keys[node] = key
    tree.turns[node] = turn if CHANCE <= turn < players else NO_SUCH
    for player in range(players):
        tree.first[node * players + player] = NONE
        tree.degree[node * players + player] = 0
    if node < len(tree.listed_at):
        tree.listed_at[node] = NONE


@inlined
def clear_node(tree: Tree, node: int) -> None:
    """Write the statistics of a node without playouts."""
    tree.visits[node] = 0
    if node < len(tree.table):
        tree.table[node] = NONE
        tree.newest_link[node] = NONE
    if node < len(tree.bounded):
        tree.bounded[node] = 0
        tree.skips[node] = 0
        tree.proof_edge[node] = NONE
    if node < len(tree.counted):
        tree.counted[node] = 0
    if node < len(tree.last_use):
        tree.last_use[node] = tree.meta[USES]


@inlined
def clear_edges(tree: Tree, first: int, count: int) -> None:
    """Write the statistics of edges without playouts."""
    # One loop for each array, over slices: vector instructions fill them.
    counts, sums = tree.counts[first : first + count], tree.sums[first : first + count]
    for i in range(count):
        counts[i] = 0
    for i in range(count):
        sums[i] = 0.0
    if len(tree.skipped) > 0:
        skipped = tree.skipped[first : first + count]
        for i in range(count):
            skipped[i] = 0
    if len(tree.squares) > 0:
        squares = tree.squares[first : first + count]
        for i in range(count):
            squares[i] = 0.0
    if len(tree.regrets) > 0:
        regrets = tree.regrets[first : first + count]
        strategies = tree.strategies[first : first + count]
        for i in range(count):
            regrets[i] = 0.0
        for i in range(count):
            strategies[i] = 0.0
    if len(tree.permuted) > 0:
        permuted = tree.permuted[2 * first : 2 * (first + count)]
        for i in range(2 * count):
            permuted[i] = 0.0
