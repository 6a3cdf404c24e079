"""What must hold in trees that threads have searched together, whatever their timing."""

from __future__ import annotations

import numpy as np

from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.search import tree as arrays
from graven.search.shared_arrays import KEY, NODE_WORDS, SHARED_NODES
from graven.search.two_levels import LEFT, MOST_NODES

TOLERANCE = 1e-9


def shared_keys(search):
    """Return the keys of the nodes that the threads share."""
    count = min(int(search.shared.allocated[SHARED_NODES]), len(search.shared.slots) // 2)
    return np.unique(search.shared.nodes[KEY : count * NODE_WORDS : NODE_WORDS])


def listed_edges(tree, players, nodes):
    """Return all edges of the first nodes of a tree, and the node of each."""
    turns = tree.turns[:nodes]
    owners, edges = [], []
    for player in range(players):
        movers = np.flatnonzero((turns.clip(0) == player) | (turns == SIMULTANEOUS))
        places = movers * players + player
        first, degree = tree.first[places].astype(np.int64), tree.degree[places].astype(np.int64)
        degree[first < 0] = 0
        offset = np.arange(degree.sum()) - np.repeat(np.cumsum(degree) - degree, degree)
        owners.append(np.repeat(movers, degree))
        edges.append(np.repeat(first, degree) + offset)
    return np.concatenate(owners), np.concatenate(edges)


def below_leaves(search, places, size):
    """Return how many simulations ended below each node in a second level, which was removed.

    Every node that a thread has added to the first level, and the root, had a second level of
    `inner` simulations, the one that added it included; the thread's last one may have been cut.
    """
    below = np.zeros(size, np.int64)
    for member, place in zip(search.members, places, strict=True):
        level = member.level
        if level is None or level.now[MOST_NODES] == 0:  # it has made no simulation
            continue
        is_over = member.tree.turns[: len(place)] == TERMINAL
        below[place] += np.where(is_over, 0, level.inner - 1)
        last = level.descent.path[level.descent.shape[arrays.DEPTH] - 1]
        below[place[last]] -= level.now[LEFT]
    return below


def check_tree(search, playouts):
    """Check that no playout is lost anywhere, and that sums belong to their counts.

    A shared node has the playouts of all threads in every tree that has it. Of the others a tree
    has the playouts of its own thread. Every simulation ends its path at one node: what the node
    has more playouts than its edges. In searches of two levels that node may have been removed:
    then the leaf has more playouts of its edges than its children have.
    """
    players, codes = search.rules.players, search.rules.num_codes
    trees = [member.tree for member in search.members]
    root = int(search.tree.meta[arrays.ROOT])
    assert search.tree.visits[root] == playouts
    keys = [tree.keys[: int(tree.meta[arrays.NODES])] for tree in trees]
    visits = [
        tree.visits[: len(each)].astype(np.int64) for tree, each in zip(trees, keys, strict=True)
    ]
    all_keys, places = np.unique(np.concatenate(keys), return_inverse=True)
    places = np.split(places, np.cumsum([len(each) for each in keys])[:-1])
    is_shared = np.isin(all_keys, shared_keys(search))
    edges = []
    for tree, place, each in zip(trees, places, visits, strict=True):
        assert len(np.unique(place)) == len(place)
        owner, edge = listed_edges(tree, players, len(each))
        counts, sums = tree.counts[edge].astype(np.int64), tree.sums[edge]
        assert (counts >= 0).all()
        assert (sums >= -TOLERANCE).all()
        assert (sums <= counts + TOLERANCE).all()
        passed = np.bincount(owner, counts, minlength=len(each)).astype(np.int64)
        passed //= np.where(tree.turns[: len(each)] == SIMULTANEOUS, players, 1)
        assert (each >= passed).all()
        child = tree.children[edge]
        edges.append(
            (
                place[owner] * codes + tree.moves[edge],
                counts,
                np.where(child >= 0, place[child], arrays.NONE),
            )
        )
    # Paths in a full tree may end with an edge that leads out of it, and not all of its nodes have
    # space for the edges of others; nodes where players move simultaneously have other keys.
    full = any(tree.meta[arrays.CLOSED] for tree in trees)
    turns = [tree.turns[: len(each)] for tree, each in zip(trees, keys, strict=True)]
    if full or any((each == SIMULTANEOUS).any() for each in turns):
        return
    total = merged(np.concatenate(places), np.concatenate(visits), is_shared, len(all_keys))
    names, inverse = np.unique(np.concatenate([each[0] for each in edges]), return_inverse=True)
    owners = names // codes
    counts = merged(
        inverse, np.concatenate([each[1] for each in edges]), is_shared[owners], len(names)
    )
    children = np.full(len(names), arrays.NONE)
    np.maximum.at(children, inverse, np.concatenate([each[2] for each in edges]))
    passed = np.bincount(owners, counts, minlength=len(total)).astype(np.int64)
    assert (total >= passed).all()
    removed = below_leaves(search, places, len(total))
    assert (removed >= 0).all()
    assert (total - passed).sum() + removed.sum() == playouts
    has_child = children >= 0
    into = np.bincount(children[has_child], counts[has_child], minlength=len(total))
    into[places[0][root]] += playouts
    if search.level is None:
        assert (into == total).all()
        return
    assert (into >= total).all()
    # Of nodes whose children have no other parent, all playouts are known.
    parents = np.bincount(children[has_child], minlength=len(total))
    shares = np.bincount(owners[has_child], parents[children[has_child]] > 1, minlength=len(total))
    kept = np.bincount(owners[has_child], total[children[has_child]], minlength=len(total))
    alone = shares == 0
    assert alone.sum() > len(total) // 2
    assert (passed - kept == removed)[alone].all()


def merged(places, numbers, is_shared, size):
    """Add up what threads have counted; of what they share, all must have counted the same."""
    lowest, highest = np.full(size, np.iinfo(np.int64).max), np.zeros(size, np.int64)
    np.minimum.at(lowest, places, numbers)
    np.maximum.at(highest, places, numbers)
    assert (lowest == highest)[is_shared].all()
    sums = np.bincount(places, numbers, minlength=size).astype(np.int64)
    return np.where(is_shared, highest, sums)
