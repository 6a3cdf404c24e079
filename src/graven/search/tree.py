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

from typing import Annotated, NamedTuple

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.rng import Rng
from graven.search.layout import (
    Float64,
    Int8,
    Int32,
    Int64,
    Size,
    UInt8,
    UInt16,
    UInt32,
    by_player,
    new_arrays,
    numba_type,
)
from graven.search.select.selection import value_capacity

FEW = 4  # the edges of a node that does not have all of them, see `few_edges`
MOST_JOINT = 256  # the joint moves of a node with a table of its children, see `joint_bounds`
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
# LEVEL_KEY changes the keys of new nodes: see `two_levels`. JOINT_SIZE is the most joint moves that
# a node with a table of them can have, 0 before there are simultaneous moves: see `joint_bounds`.
NODES, EDGES, TABLES, LINKS, SIMULATIONS, TRACED, ROOT, CLOSED, STAMP, SCORE_SUM = range(10)
BLOCKS, RECORDED, USES, FREE_BLOCK, LISTS, LEVEL_KEY, JOINTS, JOINT_SIZE, META = range(10, 19)

# Entries of `Record.shape`: nodes on the path, edges taken (one more than nodes - 1 if the playout
# began outside the tree), trace entries, the AMAF table that the last node reads (or NONE), the one
# that the playout may read (or NONE), and the trace entries when the playout began.
DEPTH, STEPS, LENGTH, TABLE, POOL, BEGUN, SHAPE = range(7)

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
    # The table of joint moves of a node with simultaneous moves, see `joint_bounds`, or NONE.
    joint_at: Annotated[Int32, Size(_if_bounds, group="nodes", refers="joints")]
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
    # Tables of joint moves: the child of each, or NONE; see `joint_bounds`.
    joint_children: Annotated[Int32, Size(_if_bounds, group="joints", refers="nodes")]
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
