"""Does AMAF order the moves of a tree's positions as their own playouts do?

AMAF helps where a move is worth about the same now and later in the game. Where it is not, as with
columns in Connect Four, AMAF's order of the moves says nothing about the order of their means. One
position has too few moves with enough playouts to tell, so all often visited nodes are counted.
"""

from __future__ import annotations

import numpy as np

from graven.core.contract import CHANCE, Rules
from graven.search.tree import NODES, NONE, Tree

# Nodes with at least so many playouts, the most visited ones; and of these the moves with so many.
NODE_VISITS, MAX_NODES, MOVE_VISITS = 100, 200, 10
# A difference of means below so many standard errors says nothing about the order of two moves.
STANDARD_ERRORS = 1.5
MIN_PAIRS = 100
# Below this AMAF is of no use: see docs/default-agent.md for the values of several games.
MISLEADING = 0.15


def misleads(agreement: float | None) -> bool:
    """Return whether AMAF orders moves hardly better than chance, or against their means."""
    return agreement is not None and agreement < MISLEADING


def amaf_agreement(rules: Rules, tree: Tree) -> float | None:
    """Return Kendall's rank correlation, from -1 to 1, of AMAF values and means.

    It counts all pairs of moves of the most visited nodes whose means differ significantly. None
    with fewer than MIN_PAIRS.
    """
    if not rules.amaf:
        return None
    agree = differ = 0
    for node in _often_visited(tree):
        for player in range(rules.players):
            mine, others = _count_pairs(rules, tree, node, player)
            agree, differ = agree + mine, differ + others
    pairs = agree + differ
    return (agree - differ) / pairs if pairs >= MIN_PAIRS else None


def _often_visited(tree: Tree) -> list[int]:
    """Return the most visited nodes that have an AMAF table and moves."""
    nodes = int(tree.meta[NODES])
    visits = tree.visits[:nodes]
    chosen = np.flatnonzero(
        (visits >= NODE_VISITS) & (tree.table[:nodes] != NONE) & (tree.turns[:nodes] != CHANCE)
    )
    chosen = chosen[np.argsort(-visits[chosen], kind="stable")]
    return [int(node) for node in chosen[:MAX_NODES]]


def _count_pairs(rules: Rules, tree: Tree, node: int, player: int) -> tuple[int, int]:
    """Return how many significant pairs of a node's moves AMAF orders alike, and otherwise."""
    place = node * rules.players + player
    first, degree = int(tree.first[place]), int(tree.degree[place])
    if first < 0 or degree < 2:
        return 0, 0
    edges = slice(first, first + degree)
    counts, sums = tree.counts[edges], tree.sums[edges]
    table = (int(tree.table[node]) * rules.players + player) * rules.num_codes
    entries = 2 * (table + tree.moves[edges].astype(np.int64))
    amaf_counts, amaf_sums = tree.amaf[entries], tree.amaf[entries + 1]
    tried = (counts >= MOVE_VISITS) & (amaf_counts > 0)
    if np.count_nonzero(tried) < 2:
        return 0, 0
    counts, amaf = counts[tried], amaf_sums[tried] / amaf_counts[tried]
    means = sums[tried] / counts
    # A score from 0 to 1 has a variance of at most 1/4.
    errors = 0.5 * np.sqrt(1 / counts[:, None] + 1 / counts)
    differences = means[:, None] - means
    significant = np.abs(differences) >= STANDARD_ERRORS * errors
    products = (differences * (amaf[:, None] - amaf))[significant]
    # Every pair is there twice.
    return int(np.count_nonzero(products > 0)) // 2, int(np.count_nonzero(products < 0)) // 2
