"""Simulations in batches: several descents first, then all their playouts, then all backups.

A game that can play many playouts at once is served with many positions at once. Within a batch
every descent leaves a virtual loss on its way, a playout that nobody has won, so that the next one
goes elsewhere; it is taken back before the true results are counted. With one leaf a batch and one
playout a leaf this is the search of `simulate`, to the last visit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core import contract
from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.core.status import Status
from graven.search.descend import descend
from graven.search.plan import Plan
from graven.search.simulate import DONE, STOP, finish, play_out, reserve
from graven.search.tree import (
    DEPTH,
    LENGTH,
    SHAPE,
    STEPS,
    Float64,
    Int32,
    Int64,
    Record,
    Tree,
    UInt32,
    trace_capacity,
)


class Batch(NamedTuple):
    """Room for the descents of a batch, each as in `Record`, and for what `many` writes."""

    leaves: int  # at most so many descents
    each: int  # so many playouts from each leaf
    many: int  # whether the game's `many` plays them; else the playout policy, one after another
    states: Int64
    paths: Int32
    edges: Int32
    at: Int32
    begun: UInt32  # the traces of the descents
    shapes: Int64
    scratch: Int64
    traces: UInt32  # the traces of the playouts
    lengths: Int64
    scores: Float64


def new_batch(rules: Rules, leaves: int, each: int, many: bool) -> Batch:
    """Room for batches of `leaves` descents with `each` playouts."""
    depth, playouts = rules.max_plies + 2, leaves * each if many else 1
    return Batch(
        leaves=leaves,
        each=each,
        many=int(many),
        states=np.zeros(leaves * rules.state_words, np.int64),
        paths=np.zeros(leaves * depth, np.int32),
        edges=np.zeros(leaves * depth * rules.players, np.int32),
        at=np.zeros(leaves * depth, np.int32),
        begun=np.zeros(leaves * trace_capacity(rules), np.uint32),
        shapes=np.zeros(leaves * SHAPE, np.int64),
        scratch=np.zeros(rules.batch_scratch if many else 1, np.int64),
        traces=np.zeros(playouts * trace_capacity(rules), np.uint32),
        lengths=np.zeros(playouts, np.int64),
        scores=np.zeros(playouts * rules.players, np.float64),
    )


def batch_bytes(rules: Rules, leaves: int, each: int, many: bool) -> int:
    """How much memory `new_batch` takes, about."""
    depth, trace = rules.max_plies + 2, 4 * trace_capacity(rules)
    leaf = 8 * rules.state_words + 4 * depth * (2 + rules.players) + trace
    playout = trace + 8 + 8 * rules.players if many else 0
    return leaves * (leaf + each * playout) + 8 * rules.batch_scratch


@compiled
def simulate_batches(
    rules: Rules,
    tree: Tree,
    plan: Plan,
    record: Record,
    batch: Batch,
    control: Int64,
    until: int,
    goal: int,
) -> int:
    """Run batches until `control[DONE]` reaches `until`, or STOP, or something is amiss.

    Only `goal` makes a batch smaller than usual: where a search pauses must not change it.
    """
    rng = record.rng
    while control[DONE] < until and control[STOP] == 0:
        left = goal - control[DONE]
        each = min(batch.each, left)
        leaves = min(batch.leaves, left // each)
        status = reserve(tree, plan, record, leaves * each)
        if status != Status.OK:
            return status
        gathered = 0
        while gathered < leaves and status == Status.OK:
            before = rng[0]
            status = descend(rules, tree, plan, record, rng)
            if status == Status.OK:
                put_aside(rules, record, batch, gathered)
                count_ahead(rules, tree, record, 1)
                gathered += 1
            else:
                rng[0] = before
        if gathered == 0:
            return status
        for leaf in range(gathered):
            take_up(rules, record, batch, leaf)
            count_ahead(rules, tree, record, -1)
        if batch.many:
            status = spend_many(rules, tree, plan, record, batch, control, gathered, each)
        else:
            status = spend_one_by_one(rules, tree, plan, record, batch, control, gathered, each)
        if status != Status.OK:
            return status
    return Status.OK


@inlined
def put_aside(rules: Rules, record: Record, batch: Batch, leaf: int) -> None:
    """Keep a descent for later."""
    depth, players, capacity = len(record.path), rules.players, len(record.trace)
    for i in range(SHAPE):
        batch.shapes[leaf * SHAPE + i] = record.shape[i]
    for i in range(rules.state_words):
        batch.states[leaf * rules.state_words + i] = record.state[i]
    for i in range(record.shape[DEPTH]):
        batch.paths[leaf * depth + i] = record.path[i]
        batch.at[leaf * depth + i] = record.at[i]
    for i in range(record.shape[STEPS] * players):
        batch.edges[leaf * depth * players + i] = record.edges[i]
    for i in range(record.shape[LENGTH]):
        batch.begun[leaf * capacity + i] = record.trace[i]


@inlined
def take_up(rules: Rules, record: Record, batch: Batch, leaf: int) -> None:
    """The record of a descent that was put aside, as it was."""
    depth, players, capacity = len(record.path), rules.players, len(record.trace)
    for i in range(SHAPE):
        record.shape[i] = batch.shapes[leaf * SHAPE + i]
    for i in range(record.shape[DEPTH]):
        record.path[i] = batch.paths[leaf * depth + i]
        record.at[i] = batch.at[leaf * depth + i]
    for i in range(record.shape[STEPS] * players):
        record.edges[i] = batch.edges[leaf * depth * players + i]
    for i in range(record.shape[LENGTH]):
        record.trace[i] = batch.begun[leaf * capacity + i]


@inlined
def count_ahead(rules: Rules, tree: Tree, record: Record, playouts: int) -> None:
    """Count playouts without a score at every node and edge of the path."""
    players = rules.players
    for depth in range(record.shape[DEPTH]):
        tree.visits[record.path[depth]] += playouts
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        low = 0 if turn == SIMULTANEOUS else turn
        high = players if turn == SIMULTANEOUS else turn + 1
        for player in range(low, high):
            tree.counts[record.edges[depth * players + player]] += playouts


@inlined
def spend_many(
    rules: Rules,
    tree: Tree,
    plan: Plan,
    record: Record,
    batch: Batch,
    control: Int64,
    leaves: int,
    each: int,
) -> int:
    """Let the game play all playouts at once, and count them."""
    players, stride = rules.players, len(record.trace)
    status = contract.batch_playouts(
        rules,
        batch.states,
        leaves,
        each,
        batch.scratch,
        batch.traces[: leaves * each * stride],
        batch.lengths,
        batch.scores,
        record.rng,
    )
    if status != Status.OK:
        return Status.TOO_LONG
    for leaf in range(leaves):
        take_up(rules, record, batch, leaf)
        begun = record.shape[LENGTH]
        for playout in range(leaf * each, (leaf + 1) * each):
            length = batch.lengths[playout]
            if begun + length > len(record.trace):
                return Status.TOO_LONG
            for i in range(length):
                record.trace[begun + i] = batch.traces[playout * stride + i]
            for player in range(players):
                record.scores[player] = batch.scores[playout * players + player]
            record.shape[LENGTH] = begun + length
            finish(rules, tree, plan, record, control)
    return Status.OK


@inlined
def spend_one_by_one(
    rules: Rules,
    tree: Tree,
    plan: Plan,
    record: Record,
    batch: Batch,
    control: Int64,
    leaves: int,
    each: int,
) -> int:
    """Play the playouts of the batch one after another, and count them.

    If one fails or needs memory, the rest of the batch is dropped: nothing of it was counted.
    """
    for playout in range(leaves * each):
        leaf = playout // each
        take_up(rules, record, batch, leaf)
        for i in range(rules.state_words):
            record.state[i] = batch.states[leaf * rules.state_words + i]
        before = record.rng[0]
        status = play_out(rules, tree, plan, record, control)
        if status != Status.OK:
            record.rng[0] = before
            return status
    return Status.OK
