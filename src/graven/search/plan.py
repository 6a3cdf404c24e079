"""The plan of a search and all that its kernels work on, and the signatures of playout policies.

A tree policy is one function with the signature SELECT, described in `select.selection`.

A playout policy is one function with the signature PLAYOUT, which plays the record's state to the
end, appends to its trace and writes its scores; and, if it learns, one with the signature LEARN,
which gets the finished record. Both receive the address of the `SearchState`. In its plan is the
policy's memory as a handle (`core.handles`), which their compiled entries unpack: the kernel passes
it on and never looks inside.

A `Search` writes its state to memory whenever a part of it is replaced; the kernels receive the
address of that memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core.compile import caller, compiled
from graven.core.contract import CODES, RNG, RULES, SCORES, WORDS, Rules
from graven.core.handles import HANDLE
from graven.core.struct_memory import ADDRESS, WORD_BYTES, stored, words_of, writer
from graven.search.layout import Int64
from graven.search.record_log import RECORD_LOG, RecordLog
from graven.search.select.selection import EDGE_ARRAYS, EdgeArrays
from graven.search.shared_arrays import SHARED_ARRAYS, SharedArrays
from graven.search.tree import RECORD, TREE, Record, Tree
from graven.search.tuning_arrays import TUNING_ARRAYS, TuningArrays

_int = types.int64

PLAYOUT = _int(ADDRESS)
LEARN = types.void(ADDRESS)
# A batch of playouts by a policy: the rules, the fields of `LeafPlayouts`, the policy's memory, and
# the address of its function that chooses one move, if it has one.
PLAY_BATCH = _int(RULES, WORDS, _int, _int, WORDS, CODES, WORDS, SCORES, RNG, HANDLE, _int)
SETTLE = types.void(RULES, HANDLE)
READY = _int(RULES, HANDLE)
BEGIN_LEAF = types.void(ADDRESS, _int, _int)  # the leaf, and the playouts of each
call_playout, call_learn = caller(PLAYOUT), caller(LEARN)
call_play_batch, call_settle = caller(PLAY_BATCH), caller(SETTLE)
call_ready, call_begin_leaf = caller(READY), caller(BEGIN_LEAF)


class Plan(NamedTuple):
    """The policies and options of a search. Functions are addresses."""

    params: NDArray[np.float64]  # the parameters of the tree policy
    logs: NDArray[np.float64]  # [n]: log(n), see `select.selection`
    select: int
    select_muted: int  # the same without AMAF; 0 if the search never ignores AMAF
    playout: int
    learn: int  # 0 if the playout policy does not learn
    rollout: int  # whether the game's `rollout` plays instead of `playout`
    memory: int  # the handle of the playout policy's memory
    amaf: int  # whether there are AMAF tables, and the words of their entries
    tables: int  # a node has a table once it has more playouts than this
    pool: int  # the playout may read the table of the last node with more playouts than this
    store_traces: int  # whether traces are stored, with a link at every node without a table
    amaf_all: int  # whether AMAF counts every occurrence of a move
    amaf_playout: int  # whether AMAF counts the moves of the playout only
    amaf_distance: int  # whether moves weigh less the later they were played
    credit_creation: int  # whether the simulation that adds a node counts in it
    transpositions: int  # whether equal positions share a node
    solver: int  # whether nodes have score bounds
    shared: int  # whether threads share the top of the tree
    levels: int  # whether the search has two levels, see `two_levels`
    tuned: int  # how many parameters tune themselves, see `self_tuning`
    halving: int  # whether sequential halving selects at the root
    # Addresses: of the search's state, and of the arrays that the tree policy reads, of the tree's
    # edges and of the copies of a node's edges that are not skipped.
    state: int
    listed_edges: int
    open_edges: int
    regret_min: int  # playouts of each move before moves are drawn, see `regret_matching`
    widen_first: int  # moves that can be selected from the start, see `widening`
    gamma: float  # exploration at simultaneous moves, see there
    amaf_off: float  # with which probability selection at a node ignores AMAF
    widen: float  # playouts until the next move can be selected; 0: all moves
    widen_growth: float


_FLOATS = types.Array(types.float64, 1, "C")
_REALS = 4  # the numbers at the end that are not whole
PLAN = types.NamedTuple(
    [_FLOATS] * 2 + [_int] * (len(Plan._fields) - 2 - _REALS) + [types.float64] * _REALS, Plan
)


class Steps(NamedTuple):
    """Addresses of the optional steps of a simulation; 0: the search does not take it.

    A kernel that called them directly would be compiled with all of them, which takes longer than
    compiling the rest. Each is compiled with the first search that takes it: see `steps`.
    """

    build_table: int
    update_tables: int
    select_open: int
    update_bounds: int
    combine_joint: int
    deviate: int
    select_arm: int
    list_outcomes: int
    draw_edge: int
    draws: int
    draw_by_regret: int
    add_regrets: int
    count_permutations: int
    record_simulation: int
    exchange: int
    log_simulation: int
    select_apart: int
    note_use: int
    mute_amaf: int
    order_moves: int
    width: int
    evaluate_moves: int
    update_minimax: int
    select_few: int
    list_all: int
    try_move: int
    copy_moves: int
    count_in_tables: int
    read_totals: int
    choose_parameters: int
    set_parameters: int
    reward_parameters: int


STEPS = types.NamedUniTuple(_int, len(Steps._fields), Steps)

# Signatures of steps: they receive the address of the search's state, and then nodes, players,
# depths or counts.
STATE_STEP = types.void(ADDRESS)
NODE_STEP = types.void(ADDRESS, _int)
PLACE_STEP = types.void(ADDRESS, _int, _int)
RANGE_STEP = types.void(ADDRESS, _int, _int, _int)
NODE_CHOICE = _int(ADDRESS, _int)
PLACE_CHOICE = _int(ADDRESS, _int, _int)
DEPTH_CHOICE = _int(ADDRESS, _int, _int, _int)
call_state_step, call_node_step = caller(STATE_STEP), caller(NODE_STEP)
call_place_step, call_range_step = caller(PLACE_STEP), caller(RANGE_STEP)
call_node_choice, call_place_choice = caller(NODE_CHOICE), caller(PLACE_CHOICE)
call_depth_choice = caller(DEPTH_CHOICE)


class SearchState(NamedTuple):
    """All that the kernels of a search work on."""

    rules: Rules
    tree: Tree
    plan: Plan
    record: Record  # of the simulation under way
    control: Int64  # see `simulate`
    log: RecordLog  # of the simulations that other threads are to add to their trees
    shared: SharedArrays  # of a tree that threads share
    tuning: TuningArrays  # of parameters that tune themselves
    steps: Steps


STATE = types.NamedTuple(
    [RULES, TREE, PLAN, RECORD, WORDS, RECORD_LOG, SHARED_ARRAYS, TUNING_ARRAYS, STEPS], SearchState
)
state_at, write_state = stored(STATE), writer(STATE)
write_edges = writer(EDGE_ARRAYS)

STATE_WORDS, EDGE_WORDS = words_of(STATE), words_of(EDGE_ARRAYS)


def state_addresses(memory: int) -> tuple[int, int, int]:
    """Return the addresses in memory of STATE_WORDS and twice EDGE_WORDS for those in `Plan`."""
    edges = memory + STATE_WORDS * WORD_BYTES
    return memory, edges, edges + EDGE_WORDS * WORD_BYTES


@compiled
def save_state(search: SearchState) -> None:
    """Write a search's state, and the arrays that its tree policy reads, where its plan says."""
    tree, plan, record = search.tree, search.plan, search.record
    write_state(plan.state, search)
    listed = EdgeArrays(
        params=plan.params,
        rng=record.rng,
        moves=tree.moves,
        counts=tree.counts,
        sums=tree.sums,
        amaf=tree.amaf,
        packed_amaf=tree.packed_amaf,
        values=record.values,
        squares=tree.squares,
        priors=tree.priors,
        permuted=tree.permuted,
        implicit=tree.implicit,
    )
    write_edges(plan.listed_edges, listed)
    skipping = EdgeArrays(
        params=plan.params,
        rng=record.rng,
        moves=record.open_moves,
        counts=record.open_counts,
        sums=record.open_sums,
        amaf=tree.amaf,
        packed_amaf=tree.packed_amaf,
        values=record.values,
        squares=record.open_squares,
        priors=record.open_priors,
        permuted=record.open_permuted,
        implicit=record.open_implicit,
    )
    write_edges(plan.open_edges, skipping)


# No node ever has more playouts than this: `ref` = NEVER reads the root's table only.
NEVER = (1 << 31) - 1
