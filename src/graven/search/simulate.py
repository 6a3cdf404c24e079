"""The loop: simulation after simulation, each a descent, a playout and a backup."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled, inlined
from graven.core.contract import Rules
from graven.core.rng import Rng
from graven.search.backup import backup, build_table
from graven.search.descend import descend
from graven.search.plan import (
    NEED_PASSES,
    NEED_SIMULATIONS,
    NEED_TABLES,
    NEED_TRACES,
    OK,
    Learner,
    Plan,
    call_learn,
    call_playout,
)
from graven.search.tree import (
    CLOSED,
    LENGTH,
    NODES,
    NONE,
    PASSES,
    ROOT,
    SIMULATIONS,
    TRACED,
    Record,
    Tree,
    new_node,
)

# What `control` holds: set STOP from any thread to end the search after the simulation under way;
# simulations done, and the plies of all of them.
STOP, DONE, PLIES, CONTROL = range(4)


@compiled
def simulate(
    rules: Rules,
    tree: Tree,
    plan: Plan,
    record: Record,
    learner: Learner,
    control: NDArray[np.int64],
    rng: Rng,
    playouts: int,
) -> int:
    """Run simulations until `control[DONE]` reaches `playouts`, or STOP, or something is amiss."""
    while control[DONE] < playouts and control[STOP] == 0:
        before = rng[0]
        status = room_for(tree, plan, record, 1)
        if status == OK:
            status = descend(rules, tree, plan, record, rng)
        if status != OK:
            rng[0] = before
            return status
        status = play_out(rules, tree, plan, record, learner, control, rng)
        if status != OK:
            rng[0] = before
            return status
    return OK


@inlined
def play_out(
    rules: Rules,
    tree: Tree,
    plan: Plan,
    record: Record,
    learner: Learner,
    control: NDArray[np.int64],
    rng: Rng,
) -> int:
    """From the leaf that a descent has reached: play to the end, learn, and count it."""
    status = call_playout(plan.playout, (rules, tree, record, learner, rng))
    if status != OK:
        return status
    if plan.learn:
        call_learn(plan.learn, (rules, tree, record, learner))
    count(rules, tree, plan, record, control)
    return OK


@inlined
def count(rules: Rules, tree: Tree, plan: Plan, record: Record, control: NDArray[np.int64]) -> None:
    """Spend a finished record on the tree."""
    backup(rules, tree, plan, record)
    control[DONE] += 1
    control[PLIES] += record.shape[LENGTH]


@inlined
def room_for(tree: Tree, plan: Plan, record: Record, playouts: int) -> int:
    """Whether so many more simulations can be kept, however long they get."""
    if plan.passes and not tree.meta[CLOSED]:
        if tree.meta[PASSES] + playouts * len(record.path) > len(tree.pass_next):
            return NEED_PASSES
        if tree.meta[SIMULATIONS] + playouts + 1 > len(tree.trace_start):
            return NEED_SIMULATIONS
        if tree.meta[TRACED] + playouts * len(record.trace) > len(tree.traces):
            return NEED_TRACES
    return OK


@compiled
def plant(rules: Rules, tree: Tree, plan: Plan, record: Record) -> int:
    """Put the record's root state at the root of the tree, which may be empty."""
    if tree.meta[NODES] == 0:
        turn = contract.turn(rules, record.root)
        key = contract.key(rules, record.root)
        tree.meta[ROOT] = new_node(tree, rules.players, key, turn)
    root = tree.meta[ROOT]
    if plan.amaf and tree.table[root] == NONE and build_table(rules, tree, root) == NONE:
        return NEED_TABLES
    return OK
