"""Searches of two levels: a new node is evaluated by a search below it that leaves no nodes.

The first level is the tree that stays. A descent in it ends, as always, by adding a node, the leaf.
The simulation that adds it and the next `inner` - 1 ones all go through that leaf and search below
it, in the second level. Each of them is a simulation like any other: it is counted at every node
and edge from the root to its end, and in their AMAF tables. Then the nodes below the leaf are
removed. The leaf stays, with its edges and their playouts, and with its AMAF table.

The arrays of a tree only grow at their ends while a search runs, so that removing the second level
is going back to where they ended when the leaf was added. What the leaf keeps was added first: its
edges, because the second simulation lists them before it adds a node, and its table, because no
node below it has as many playouts. With the leaf's table no stored trace is needed any more.

Nodes of the second level have keys of their own (LEVEL_KEY): if one of them were a node of the
first level, this node would get children that are removed. Among themselves equal positions share
a node, as in the first level.

Threads of `parallel=sync` exchange their simulations between two second levels. Of a simulation of
a second level the others get the path to the leaf, the leaf's edge, the scores and the trace: all
that stays of it. A node that they add, and one that a descent passes because another thread is
assumed to play from it, gets its table at once, so that it needs no stored trace either. Threads of
`parallel=tree` share no nodes of the second level, and exchange nothing during it.

With inner = 1, and with more `inner` than playouts, this is the search of `simulate`, visit for
visit: in the latter case the leaf is the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from graven.core.compile import compiled, inlined
from graven.core.contract import TERMINAL, WORDS, Rules
from graven.core.status import Status
from graven.core.struct_memory import stored
from graven.search import amaf
from graven.search.batch import OF_DESCENT, copy_descent
from graven.search.descend import descend, descend_from
from graven.search.layout import Int64, new_arrays
from graven.search.plan import (
    SearchState,
    call_node_step,
    call_state_step,
    state_at,
)
from graven.search.record_log import AHEAD, LEAF_DEPTH, LOGGED, UNTIL
from graven.search.simulate import DONE, STOP, play_out, reserve
from graven.search.tree import (
    DEPTH,
    EDGES,
    LEVEL_KEY,
    LINKS,
    NODES,
    NONE,
    RECORD,
    SIMULATIONS,
    STEPS,
    TABLES,
    TRACED,
    Record,
    Tree,
)

# Entries of `SecondLevel.now`: the leaf or NONE, the simulations that are left to it, how many
# edges and tables there were when it was added, and the most nodes that the tree had at a time.
LEAF, LEFT, EDGES_BEFORE, TABLES_BEFORE, MOST_NODES, NOW = range(6)

# Any number with about as many ones as zeros.
_SECOND = 0x5DEECE66D1CE4E5B


class SecondLevel(NamedTuple):
    """The second level of a search."""

    inner: int  # simulations through a leaf, the one that added it included
    now: Int64  # see above
    descent: Record  # OF_DESCENT: the descent to the leaf; other fields are empty


SECOND_LEVEL = types.NamedTuple([types.int64, WORDS, RECORD], SecondLevel)
level_at = stored(SECOND_LEVEL)


def new_level(rules: Rules, inner: int) -> SecondLevel:
    """Return the second level of a search that has not begun."""
    filled, empty = new_arrays(Record, rules, 1), new_arrays(Record, rules, 0)
    level = SecondLevel(
        inner,
        np.zeros(NOW, np.int64),
        Record(**empty | {name: filled[name] for name in OF_DESCENT}),
    )
    level.now[LEAF] = NONE
    return level


@compiled
def simulate_levels(state: int, at: int, until: int, goal: int) -> int:
    """Run simulations until `control[DONE]` reaches `until`, or STOP, or a status but OK.

    `at` is the address of the `SecondLevel`. In a round of several threads, `goal` is that number
    at the end of the round: a second level that might not fit is not begun, and the round ends.
    """
    search, level = state_at(state), level_at(at)
    rng, control, now = search.record.rng, search.control, level.now
    while control[DONE] < until and control[STOP] == 0:
        if now[LEAF] != NONE and now[LEFT] == 0:
            status = end_level(state, at)
            if status != Status.OK:
                return status
        before = rng[0]
        below = now[LEAF] != NONE
        if search.log.active and not below and is_last_level(search, level, goal):
            search.log.position[UNTIL] = control[DONE]
            return Status.OK
        status = reserve(search, 1)
        if status == Status.OK:
            status = descend_below(search, level) if below else descend(search)
        if status == Status.OK:
            if not below:
                copy_descent(search.record, 0, level.descent, 0)
            status = play_out(search)
        if status != Status.OK:
            rng[0] = before
            return status
        if below:
            now[LEFT] -= 1
        else:
            begin_level(search, level)
    return Status.OK


@inlined
def is_last_level(search: SearchState, level: SecondLevel, goal: int) -> bool:
    """Return whether the thread has simulated in this round, and its next level might not fit."""
    return search.log.position[LOGGED] > 0 and search.control[DONE] + level.inner > goal


@inlined
def descend_below(search: SearchState, level: SecondLevel) -> int:
    """Take the path to the leaf, read the AMAF tables on it, and descend from there."""
    tree, plan, record = search.tree, search.plan, search.record
    copy_descent(level.descent, 0, record, 0)
    amaf.start_reading(tree, record)
    if search.log.active:
        search.log.position[AHEAD] = 0
    if plan.tuned:
        call_state_step(search.steps.choose_parameters, (plan.state,))
    last = record.shape[DEPTH] - 1
    for depth in range(last):
        if plan.tuned:
            mover = max(tree.turns[record.path[depth]], 0)
            call_node_step(search.steps.set_parameters, (plan.state, mover))
        if plan.amaf:
            status = amaf.read_table(search, record.path[depth])
            if status != Status.OK:
                return status
    return descend_from(search, record.path[last], last, record.at[last])


@inlined
def begin_level(search: SearchState, level: SecondLevel) -> None:
    """Let the next simulations go through the node that the last one has added, if it did.

    A descent of a thread may pass a new node, and end below it without another one.
    """
    tree, now, shape = search.tree, level.now, level.descent.shape
    leaf = level.descent.path[shape[DEPTH] - 1]
    stops = shape[STEPS] < shape[DEPTH]
    if stops and tree.visits[leaf] == 1 and tree.turns[leaf] != TERMINAL:
        now[LEAF], now[LEFT] = leaf, level.inner - 1
        now[EDGES_BEFORE], now[TABLES_BEFORE] = tree.meta[EDGES], tree.meta[TABLES]
        tree.meta[LEVEL_KEY] = _SECOND
        if search.log.active:
            search.log.position[LEAF_DEPTH] = shape[DEPTH]


@compiled
def end_level(state: int, at: int) -> int:
    """Remove the nodes below the leaf; NEED_TABLES if there is no space for the leaf's table."""
    search, level = state_at(state), level_at(at)
    players, tree, now = search.rules.players, search.tree, level.now
    leaf = now[LEAF]
    if leaf == NONE:
        return Status.OK
    if search.plan.store_traces:
        status = amaf.make_table(search, leaf)
        if status != Status.OK:
            return status
    now[MOST_NODES] = max(now[MOST_NODES], tree.meta[NODES])
    for node in range(tree.meta[NODES] - 1, leaf, -1):
        leave(tree, node)
    edges = now[EDGES_BEFORE]
    for place in range(leaf * players, (leaf + 1) * players):
        if tree.degree[place] > 0:
            edges = max(edges, tree.first[place] + tree.degree[place])
    for edge in range(now[EDGES_BEFORE], edges):
        tree.children[edge] = NONE
    tree.meta[NODES], tree.meta[EDGES] = leaf + 1, edges
    if search.plan.amaf:
        # The root has a table before the level begins.
        tree.meta[TABLES] = now[TABLES_BEFORE] + (tree.table[leaf] >= now[TABLES_BEFORE])
        tree.meta[LINKS] = tree.meta[SIMULATIONS] = tree.meta[TRACED] = 0
    tree.meta[LEVEL_KEY] = 0
    now[LEAF] = NONE
    if search.log.active:
        search.log.position[LEAF_DEPTH] = 0
    return Status.OK


@inlined
def leave(tree: Tree, node: int) -> None:
    """Remove the node that was entered last from the transposition table."""
    mask = len(tree.slots) - 1
    slot = tree.keys[node] & mask
    while tree.slots[slot] != node:
        slot = (slot + 1) & mask
    tree.slots[slot] = NONE
