"""Simulations in batches: several descents first, then all their playouts, then all backups.

A game with bit-parallel playouts plays from many leaves at once. Within a batch every descent
leaves a virtual loss on its path, a playout with score 0, so that the next one goes elsewhere; it
is removed before the results are backed up. With one leaf a batch and one playout a leaf this is
the search of `simulate`, visit for visit.

A learning playout policy learns from each playout before the next one, or, with learn_after=batch,
from all playouts after the batch (`policy.BatchLearning`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from graven.core import contract
from graven.core.compile import address, caller, compiled, inlined
from graven.core.contract import CODES, SCORES, WORDS, Rules
from graven.core.status import Status
from graven.core.struct_memory import ADDRESS, stored
from graven.search.descend import descend
from graven.search.joint_bounds import has_joint_space, joint_nodes
from graven.search.layout import Float64, Int64, UInt32, arrays_of, new_arrays
from graven.search.options import SearchOptions
from graven.search.plan import (
    SearchState,
    call_begin_leaf,
    call_learn,
    call_play_batch,
    call_ready,
    call_settle,
    state_at,
)
from graven.search.playout.by_values import scratch_words
from graven.search.playout.entry import BatchAddresses
from graven.search.simulate import DONE, STOP, finish, play_out, reserve
from graven.search.tree import (
    BEGUN,
    DEPTH,
    LENGTH,
    RECORD,
    ROOT,
    SHAPE,
    STEPS,
    Record,
    trace_capacity,
)
from graven.search.tree_nodes import choosers

# The fields of a record that a descent fills.
OF_DESCENT = {"state", "path", "edges", "odds", "at", "trace", "shape"}


class Batch(NamedTuple):
    """Buffers for the descents of a batch, and for the playouts of the game's `many`."""

    leaves: int  # the most descents
    playouts_per_leaf: int
    growth: int  # a batch has at most one playout for each `growth` of the root's; 0: no limit
    at_once: int  # whether all playouts are played before the first is backed up
    play_all: int  # the address of `play_at_once` or `play_in_turn`
    # The policy's compiled functions if it learns after a batch, else 0: see `BatchAddresses`.
    play: int
    choose: int
    ready: int
    begin: int
    learn: int
    settle: int
    descents: Record  # OF_DESCENT: `leaves` records one after another; other fields are empty
    scratch: Int64  # [scratch]
    traces: UInt32  # [playout * trace_capacity]: player * codes + move
    lengths: Int64  # [playout]: of the traces
    scores: Float64  # [playout * players + player]


BATCH = types.NamedTuple([types.int64] * 11 + [RECORD, WORDS, CODES, WORDS, SCORES], Batch)
batch_at = stored(BATCH)

# Playing a batch: the addresses of the search's state and of the batch, its leaves and the playouts
# of each.
PLAY_ALL = types.int64(ADDRESS, ADDRESS, types.int64, types.int64)
call_play_all = caller(PLAY_ALL)


def new_batch(
    rules: Rules, options: SearchOptions, at_once: bool, learning: BatchAddresses
) -> Batch:
    """Return buffers for batches."""
    leaves, playouts_per_leaf = options.batch_leaves, options.playouts_per_leaf
    playouts = leaves * playouts_per_leaf if at_once else 1
    filled, empty = new_arrays(Record, rules, leaves), new_arrays(Record, rules, 0)
    return Batch(
        leaves=leaves,
        playouts_per_leaf=playouts_per_leaf,
        growth=options.batch_growth,
        at_once=int(at_once),
        play_all=address(play_at_once if at_once else play_in_turn, PLAY_ALL),
        **learning._asdict(),
        descents=Record(**empty | {name: filled[name] for name in OF_DESCENT}),
        scratch=np.zeros(scratch_words(rules) if at_once else 1, np.int64),
        traces=np.zeros(playouts * trace_capacity(rules), np.uint32),
        lengths=np.zeros(playouts, np.int64),
        scores=np.zeros(playouts * rules.players, np.float64),
    )


def batch_bytes(rules: Rules, leaves: int, playouts_per_leaf: int, at_once: bool) -> int:
    """Return how much memory `new_batch` takes, about."""
    leaf = sum(
        array.dtype.itemsize * array.size.entries(rules)
        for array in arrays_of(Record)
        if array.name in OF_DESCENT
    )
    playout = 4 * trace_capacity(rules) + 8 + 8 * rules.players if at_once else 0
    scratch = 8 * scratch_words(rules) if at_once else 0
    return leaves * (leaf + playouts_per_leaf * playout) + scratch


@compiled
def simulate_batches(state: int, at: int, until: int, goal: int) -> int:
    """Run batches until `control[DONE]` reaches `until`, or STOP, or a status but OK.

    `at` is the address of the `Batch`. Only `goal` makes a batch smaller than usual: where a search
    pauses must not change it.
    """
    search, batch = state_at(state), batch_at(at)
    rng, control = search.record.rng, search.control
    while control[DONE] < until and control[STOP] == 0:
        left = goal - control[DONE]
        leaves, playouts = batch_shape(search, batch, left)
        status = reserve(search, leaves * playouts)
        if status == Status.OK and batch.ready:
            status = call_ready(batch.ready, (search.rules, search.plan.memory))
        if status != Status.OK:
            return status
        gathered, nodes, start = 0, 0, rng[0]
        while gathered < leaves and status == Status.OK:
            before = rng[0]
            search.shared.waiting[0] = gathered
            status = descend(search)
            if status == Status.OK:
                copy_descent(search.record, 0, batch.descents, gathered)
                add_virtual_loss(search, 1)
                nodes += joint_nodes(search)
                gathered += 1
            else:
                rng[0] = before
        search.shared.waiting[0] = 0
        if gathered == 0:
            return status
        has_space = has_joint_space(search, nodes)
        for leaf in range(gathered):
            copy_path(batch.descents, leaf, search.record, 0)
            add_virtual_loss(search, -1)
            if batch.begin and has_space:
                call_begin_leaf(batch.begin, (state, leaf, playouts))
        if not has_space:  # repeat the batch
            rng[0] = start
            return Status.NEED_JOINTS
        status = call_play_all(batch.play_all, (state, at, gathered, playouts))
        if status != Status.OK:
            return status
    return Status.OK


@inlined
def batch_shape(search: SearchState, batch: Batch, left: int) -> tuple[int, int]:
    """Return the leaves and the playouts of each leaf of the next batch.

    `left` is the number of playouts left. While the tree is small, leaves come before playouts.
    """
    playouts = min(batch.playouts_per_leaf, left)
    if batch.growth:
        tree = search.tree
        left = min(left, max(1, tree.visits[tree.meta[ROOT]] // batch.growth))
        playouts = min(playouts, max(1, left // batch.leaves))
    return min(batch.leaves, left // playouts), playouts


@inlined
def copy_descent(source: Record, at: int, target: Record, to: int) -> None:
    """Copy what a descent has filled of record `at` of the source to record `to` of the target."""
    words = min(len(source.state), len(target.state))
    for i in range(words):
        target.state[to * words + i] = source.state[at * words + i]
    copy_path(source, at, target, to)


@inlined
def copy_path(source: Record, at: int, target: Record, to: int) -> None:
    """Copy the same without the state, which can be large."""
    # The capacities of one record: either the source or the target is just one.
    path = min(len(source.path), len(target.path))
    edges = min(len(source.edges), len(target.edges))
    trace = min(len(source.trace), len(target.trace))
    for i in range(SHAPE):
        target.shape[to * SHAPE + i] = source.shape[at * SHAPE + i]
    for i in range(source.shape[at * SHAPE + DEPTH]):
        target.path[to * path + i] = source.path[at * path + i]
        target.at[to * path + i] = source.at[at * path + i]
    for i in range(source.shape[at * SHAPE + STEPS] * (edges // path)):
        target.edges[to * edges + i] = source.edges[at * edges + i]
    if min(len(source.odds), len(target.odds)):
        for i in range(source.shape[at * SHAPE + STEPS] * (edges // path)):
            target.odds[to * edges + i] = source.odds[at * edges + i]
    for i in range(source.shape[at * SHAPE + LENGTH]):
        target.trace[to * trace + i] = source.trace[at * trace + i]


@inlined
def add_virtual_loss(search: SearchState, playouts: int) -> None:
    """Count playouts with score 0 at every node and edge of the path."""
    tree, record, players = search.tree, search.record, search.rules.players
    for depth in range(record.shape[DEPTH]):
        tree.visits[record.path[depth]] += playouts
    for depth in range(record.shape[STEPS]):
        low, high = choosers(tree.turns[record.path[depth]], players)
        for player in range(low, high):
            tree.counts[record.edges[depth * players + player]] += playouts


def play_at_once(state: int, at: int, leaves: int, playouts_per_leaf: int) -> int:
    """Play all playouts of the batch at once, learn from them, and back them up."""
    search, batch = state_at(state), batch_at(at)
    record, players = search.record, search.rules.players
    stride = len(record.trace)
    traces = batch.traces[: leaves * playouts_per_leaf * stride]
    if batch.play:
        status = call_play_batch(
            batch.play,
            (
                search.rules,
                batch.descents.state,
                leaves,
                playouts_per_leaf,
                batch.scratch,
                traces,
                batch.lengths,
                batch.scores,
                record.rng,
                search.plan.memory,
                batch.choose,
            ),
        )
        if status != Status.OK:
            return status
    else:
        status = contract.batch_playouts(
            search.rules,
            batch.descents.state,
            leaves,
            playouts_per_leaf,
            scratch=batch.scratch,
            traces=traces,
            lengths=batch.lengths,
            out=batch.scores,
            rng=record.rng,
        )
        if status != Status.OK:
            return Status.TOO_LONG
    for leaf in range(leaves):
        copy_path(batch.descents, leaf, record, 0)
        begun = record.shape[BEGUN] = record.shape[LENGTH]
        for playout in range(leaf * playouts_per_leaf, (leaf + 1) * playouts_per_leaf):
            length = batch.lengths[playout]
            if begun + length > stride:
                return Status.TOO_LONG
            for i in range(length):
                record.trace[begun + i] = batch.traces[playout * stride + i]
            for player in range(players):
                record.scores[player] = batch.scores[playout * players + player]
            if not contract.are_scores(record.scores, players):
                return Status.BAD_SCORE
            record.shape[LENGTH] = begun + length
            if batch.learn:
                call_learn(batch.learn, (search.plan.state,))
            finish(search)
    if batch.settle:
        call_settle(batch.settle, (search.rules, search.plan.memory))
    return Status.OK


def play_in_turn(state: int, at: int, leaves: int, playouts_per_leaf: int) -> int:
    """Play the playouts of the batch one after another, and back them up.

    If one fails or needs memory, the rest of the batch is dropped: nothing of it was counted.
    """
    search, batch = state_at(state), batch_at(at)
    rng = search.record.rng
    for playout in range(leaves * playouts_per_leaf):
        copy_descent(batch.descents, playout // playouts_per_leaf, search.record, 0)
        before = rng[0]
        status = play_out(search)
        if status != Status.OK:
            rng[0] = before
            return status
    return Status.OK
