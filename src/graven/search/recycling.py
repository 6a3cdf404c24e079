"""Recycling nodes: when a tree is full, its least recently used nodes make space for new ones.

The idea is GRAVER's (Rautureau, Cazenave and Piette 2026, "Generalized rapid action value
estimation in memory-constrained environments", arXiv 2602.23318), here for every tree policy; how
it is done is our own. A node's last use is the number of the last simulation through it, or of the
one that added it. Every node that a simulation used was reached through nodes of the same
simulation, so the nodes used since any moment are a tree with the same root.

Nodes are removed a quarter at a time, in place, as for a reused tree: one pass over the arrays
costs little for each node, and every array stays without gaps. Nodes that stay keep their
statistics and AMAF tables, and the traces of simulations from which such a table can still be
built; all other traces are removed. A removed node that is reached again is a new node without
playouts; the edge that leads to it still has its own. The children of nodes that stay also stay if
they have score bounds, which selection and the proofs of `score_bounds` refer to.

If a quarter is not enough, because arrays other than those of nodes are full, half of what is left
is removed, and so on. Permutation statistics are not those of nodes: if these are full, edges keep
what they have counted, and the recorded simulations are dropped.
"""

from __future__ import annotations

import numpy as np

from graven.core.compile import compiled
from graven.core.contract import SIMULTANEOUS, Rules
from graven.search.layout import Int32
from graven.search.permutations import forget_simulations
from graven.search.plan import state_at
from graven.search.reuse import keep_units, units_of
from graven.search.tree import (
    BLOCKS,
    CLOSED,
    DEPTH,
    NODES,
    NONE,
    ROOT,
    SIMULATIONS,
    USES,
    Group,
    Tree,
)


def note_use(state: int) -> None:
    """Note that a finished simulation has used the nodes of its path."""
    search = state_at(state)
    tree, record = search.tree, search.record
    tree.meta[USES] += 1
    for depth in range(record.shape[DEPTH]):
        tree.last_use[record.path[depth]] = tree.meta[USES]


def recycle(rules: Rules, tree: Tree, group: Group, transpositions: bool) -> bool:
    """Remove the least recently used nodes until a quarter of a group is free.

    Return False, and change nothing, if that is impossible: the root alone takes more, or nodes are
    known by the number of their parent, as below simultaneous moves without transpositions.
    """
    if group.count == BLOCKS:
        forget_simulations(tree)
        tree.meta[CLOSED] = 0
        return True
    count = int(tree.meta[NODES])
    if not transpositions and (tree.turns[:count] == SIMULTANEOUS).any():
        return False
    most = group.capacity(rules, tree) * 3 // 4
    keep = count * 3 // 4
    while keep > 0:
        place = count - keep - 1  # of the last node that goes, in the order of use
        marks = recent_units(rules, tree, np.partition(tree.last_use[:count], place)[place] + 1)
        if units_kept(tree, marks, group) <= most:
            keep_units(rules, tree, marks)
            return True
        keep //= 2
    return False


def recent_units(rules: Rules, tree: Tree, since: int) -> dict[str, Int32]:
    """Return the marks of all units that stay if nodes used since a simulation stay."""
    nodes = np.full(tree.meta[NODES], NONE, np.int32)
    mark_recent(tree, since, nodes)
    if len(tree.bounded):
        mark_bounded(rules.players, tree, nodes)
    return units_of(rules, tree, nodes)


def units_kept(tree: Tree, marks: dict[str, Int32], group: Group) -> int:
    """Return how many units of a group have a mark."""
    if group.name != "traces":
        return int(np.count_nonzero(marks[group.name] != NONE))
    lengths = np.diff(tree.trace_start[: tree.meta[SIMULATIONS] + 1])
    return int(lengths[marks["simulations"] != NONE].sum())


@compiled
def mark_recent(tree: Tree, since: int, nodes: Int32) -> None:
    """Mark the root and the nodes used since a simulation."""
    for node in range(len(nodes)):
        if tree.last_use[node] >= since:
            nodes[node] = 0
    nodes[tree.meta[ROOT]] = 0


@compiled
def mark_bounded(players: int, tree: Tree, nodes: Int32) -> None:
    """Mark the children of nodes marked 0 that have score bounds, with 1."""
    for node in range(len(nodes)):
        mover = tree.turns[node]
        if nodes[node] != 0 or mover < 0 or tree.first[node * players + mover] < 0:
            continue
        first = tree.first[node * players + mover]
        for edge in range(first, first + tree.degree[node * players + mover]):
            child = tree.children[edge]
            if child != NONE and nodes[child] == NONE and tree.bounded[child]:
                nodes[child] = 1
