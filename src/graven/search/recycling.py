"""Recycling nodes: when a tree is full, the nodes that matter least make space for new ones.

The idea is GRAVER's (Rautureau, Cazenave and Piette 2026, "Generalized rapid action value
estimation in memory-constrained environments", arXiv 2602.23318), here for every tree policy; how
it is done is our own. The nodes with the fewest playouts go first: those of the moves that lead to
a node, since a node that comes back has none of its own. Among equal ones the least recently used
goes first; a node's last use is the number of the last simulation through it, or of the one that
added it. After simultaneous moves, whose edges do not lead to children, the last use alone decides.

Without the solver, from then on a position enters the tree only with one playout more than the
nodes removed had (`record.expand`). Otherwise it would be removed again at once, and would take the
place of nodes that have statistics. With the solver, positions enter at once: a proof needs the
ends of games in the tree, whose moves often have few playouts.

Nodes are removed a quarter at a time, in place, as for a reused tree: one pass over the arrays
costs little for each node, and every array stays without gaps. Nodes that stay keep their
statistics and AMAF tables, and the traces of simulations from which such a table can still be
built; all other traces are removed. A removed node that is reached again is a new node without
playouts; the edge that leads to it still has its own. A node that can no longer be reached from the
root goes as well. The children of nodes that stay also stay if they have score bounds, which
selection and the proofs of `score_bounds` refer to.

If a quarter is not enough, because arrays other than those of nodes are full, half of what is left
is removed, and so on. Permutation statistics are not those of nodes: if these are full, edges keep
what they have counted, and the recorded simulations are dropped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core.compile import compiled
from graven.core.contract import SIMULTANEOUS, Rules
from graven.search.layout import Int32, Int64
from graven.search.permutations import forget_simulations
from graven.search.plan import state_at
from graven.search.reuse import keep_units, units_of
from graven.search.score_bounds import BOUNDED
from graven.search.tree import BLOCKS, CLOSED, DEPTH, NODES, NONE, ROOT, SIMULATIONS, USES, Tree
from graven.search.tree_arena import Group
from graven.search.tree_nodes import joint_moves

REACHED = 1  # a mark of `unmark_unreachable`


def note_use(state: int) -> None:
    """Note that a finished simulation has used the nodes of its path."""
    search = state_at(state)
    tree, record = search.tree, search.record
    tree.meta[USES] += 1
    for depth in range(record.shape[DEPTH]):
        tree.last_use[record.path[depth]] = tree.meta[USES]


def recycle(rules: Rules, tree: Tree, group: Group, transpositions: bool) -> int | None:
    """Remove the nodes with the fewest playouts until a quarter of a group is free.

    Return the most playouts that a removed node had, 0 if none was removed by its playouts. Return
    None, and change nothing, if that is impossible: the root alone takes more, or nodes are known
    by the number of their parent, as below simultaneous moves without transpositions.
    """
    if group.count == BLOCKS:
        forget_simulations(tree)
        tree.meta[CLOSED] = 0
        return 0
    count = int(tree.meta[NODES])
    if not transpositions and (tree.turns[:count] == SIMULTANEOUS).any():
        return None
    playouts, last_use = playouts_of(rules.players, tree), tree.last_use[:count]
    order = np.lexsort((last_use, playouts))
    most = group.capacity(rules, tree) * 3 // 4
    keep = count * 3 // 4
    while keep > 0:
        last = order[count - keep - 1]  # the last node that goes
        marks = worthy_units(rules, tree, Worth(playouts, last_use), int(last))
        if units_kept(tree, marks, group) <= most:
            removed = int(playouts[last])
            keep_units(rules, tree, marks)
            return removed
        keep //= 2
    return None


class Worth(NamedTuple):
    """By which nodes are removed: the playouts of each, then the last use."""

    playouts: Int64
    last_use: Int64


def playouts_of(players: int, tree: Tree) -> Int64:
    """Return the playouts of the moves that lead to each node; 0 for all after simultaneous moves.

    The root has more than any other.
    """
    playouts = np.zeros(tree.meta[NODES], np.int64)
    if not (tree.turns[: len(playouts)] == SIMULTANEOUS).any():
        add_playouts(players, tree, playouts)
    playouts[tree.meta[ROOT]] = np.iinfo(np.int64).max
    return playouts


@compiled
def add_playouts(players: int, tree: Tree, playouts: Int64) -> None:
    """Add the playouts of every edge to its child."""
    for place in range(len(playouts) * players):
        for edge in range(tree.first[place], tree.first[place] + tree.degree[place]):
            if tree.children[edge] != NONE:
                playouts[tree.children[edge]] += tree.counts[edge]


def worthy_units(rules: Rules, tree: Tree, worth: Worth, last: int) -> dict[str, Int32]:
    """Return the marks of all units that stay if nodes worth more than the node `last` stay."""
    nodes = np.full(tree.meta[NODES], NONE, np.int32)
    playouts, last_use = worth.playouts, worth.last_use
    more = playouts > playouts[last]
    nodes[more | ((playouts == playouts[last]) & (last_use > last_use[last]))] = 0
    nodes[tree.meta[ROOT]] = 0
    if not (tree.turns[: len(nodes)] == SIMULTANEOUS).any():
        unmark_unreachable(rules.players, tree, nodes, np.empty_like(nodes))
    if len(tree.bounded):
        mark_bounded(rules.players, tree, nodes)
    return units_of(rules, tree, nodes)


@compiled
def unmark_unreachable(players: int, tree: Tree, nodes: Int32, stack: Int32) -> None:
    """Remove the marks of nodes that the root cannot reach through marked nodes.

    Marks are 0; `stack` is scratch, as long as `nodes`.
    """
    stack[0] = tree.meta[ROOT]
    nodes[tree.meta[ROOT]] = REACHED
    waiting = 1
    while waiting:
        waiting -= 1
        for place in range(stack[waiting] * players, (stack[waiting] + 1) * players):
            for edge in range(tree.first[place], tree.first[place] + tree.degree[place]):
                child = tree.children[edge]
                if child != NONE and nodes[child] == 0:
                    nodes[child] = REACHED
                    stack[waiting] = child
                    waiting += 1
    for node in range(len(nodes)):
        nodes[node] = 0 if nodes[node] == REACHED else NONE


def units_kept(tree: Tree, marks: dict[str, Int32], group: Group) -> int:
    """Return how many units of a group have a mark."""
    if group.name != "traces":
        return int(np.count_nonzero(marks[group.name] != NONE))
    lengths = np.diff(tree.trace_start[: tree.meta[SIMULATIONS] + 1])
    return int(lengths[marks["simulations"] != NONE].sum())


@compiled
def mark_bounded(players: int, tree: Tree, nodes: Int32) -> None:
    """Mark the children of nodes marked 0 that have score bounds, with 1."""
    for node in range(len(nodes)):
        mover = tree.turns[node]
        if nodes[node] == 0 and tree.joint_at[node] != NONE:
            begin = tree.joint_at[node]
            for entry in range(begin, begin + joint_moves(players, tree, node)):
                child = tree.joint_children[entry]
                if child != NONE and nodes[child] == NONE and tree.bounded[child] == BOUNDED:
                    nodes[child] = 1
        if nodes[node] != 0 or mover < 0 or tree.first[node * players + mover] < 0:
            continue
        first = tree.first[node * players + mover]
        for edge in range(first, first + tree.degree[node * players + mover]):
            child = tree.children[edge]
            if child != NONE and nodes[child] == NONE and tree.bounded[child] == BOUNDED:
                nodes[child] = 1
