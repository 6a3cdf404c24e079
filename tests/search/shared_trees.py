"""What must hold in a tree that threads have searched together, whatever their timing."""

from __future__ import annotations

import numpy as np

from graven.core.contract import SIMULTANEOUS
from graven.search import tree as arrays

TOLERANCE = 1e-9


def check_tree(search, playouts):
    """Check that no playout is lost anywhere, and that sums belong to their counts.

    Every simulation ends its path at one node: what the node has more playouts than its edges.
    """
    tree, players = search.tree, search.rules.players
    nodes, edges = int(tree.meta[arrays.NODES]), int(tree.meta[arrays.EDGES])
    root, turns = int(tree.meta[arrays.ROOT]), tree.turns[:nodes].astype(np.int64)
    visits = tree.visits[:nodes].astype(np.int64)
    assert visits[root] == playouts
    places = np.arange(nodes) * players + np.maximum(turns, 0)
    first, degree = tree.first[places].astype(np.int64), tree.degree[places].astype(np.int64)
    assert not (first == arrays.LISTING).any()
    listed = first >= 0
    begin, end = first[listed], first[listed] + degree[listed]
    # How many nodes an edge belongs to.
    begun, ended = (np.bincount(places, minlength=edges + 1) for places in (begin, end))
    owners = np.cumsum(begun - ended)[:edges]
    assert owners.max(initial=0) <= 1
    counts = np.where(owners > 0, tree.counts[:edges], 0).astype(np.int64)
    sums = np.where(owners > 0, tree.sums[:edges], 0.0)
    assert (counts >= 0).all()
    assert (sums >= -TOLERANCE).all()
    assert (sums <= counts + TOLERANCE).all()
    passed = np.zeros(nodes, np.int64)
    before = np.concatenate([[0], np.cumsum(counts)])
    passed[listed] = before[end] - before[begin]
    ended = visits - passed
    assert (ended >= 0).all()
    if tree.meta[arrays.CLOSED]:  # paths may end with an edge that leads out of the tree
        assert ended.sum() <= playouts
    else:
        assert ended.sum() == playouts
    children = np.where(owners > 0, tree.children[:edges], arrays.NONE)
    if not tree.meta[arrays.CLOSED] and not (turns == SIMULTANEOUS).any():
        has_child = children >= 0
        into = np.bincount(children[has_child], counts[has_child], minlength=nodes).astype(np.int64)
        into[root] += playouts
        assert (into == visits).all()
