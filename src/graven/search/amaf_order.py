"""Does AMAF order the moves of a tree's positions as their own playouts do?

AMAF helps where a move is worth about the same now and later in the game. Where it is not, as with
columns in Connect Four, AMAF's order of the moves says nothing about the order of their means. One
position has too few moves with enough playouts to tell, so all often visited nodes are counted.

Two statistics are needed. The agreement compares AMAF with the means of the moves that were tried.
A search tries mostly moves of high AMAF, so that among these AMAF may say little although it has
separated them from the bad ones. The rank measures that: where the most visited moves stand in
AMAF's order of all moves. The playouts that begin with the move are left out of it, since AMAF
contains them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.contract import CHANCE, Rules
from graven.search.amaf import statistics_of
from graven.search.node_moves import moves_of
from graven.search.tree import NODES, NONE, Tree

# Nodes with at least so many playouts, the most visited ones; and of these the moves with so many.
NODE_VISITS, MAX_NODES, MOVE_VISITS = 100, 200, 10
# A difference of means below so many standard errors says nothing about the order of two moves.
STANDARD_ERRORS = 1.5
MIN_PAIRS = 100
# A rank is known of moves with so many later playouts, at nodes with so many of these moves; their
# mean with so many nodes.
LATER_VISITS, RANKED_MOVES, MIN_RANKS = 5, 3, 20
# Below both AMAF is of no use: see docs/default-agent.md for the values of several games.
MISLEADING_AGREEMENT, MISLEADING_RANK = 0.2, 0.6


class AmafOrder(NamedTuple):
    """How AMAF orders moves. None where too little is known.

    `agreement` is Kendall's rank correlation, from -1 to 1, of AMAF values and means, over all
    pairs of moves of the most visited nodes whose means differ significantly. `rank` is the mean,
    over these nodes, of the rank of the most visited move by the AMAF value of the playouts that
    do not begin with it: 1 if it is the best of the node's moves, 0 the worst, 0.5 by chance.
    """

    agreement: float | None = None
    rank: float | None = None

    @property
    def misleads(self) -> bool:
        """Whether AMAF orders moves hardly better than chance, or against their means."""
        return (
            self.agreement is not None
            and self.rank is not None
            and self.agreement < MISLEADING_AGREEMENT
            and self.rank < MISLEADING_RANK
        )


def amaf_order(rules: Rules, tree: Tree) -> AmafOrder:
    """Return how AMAF orders the moves of a tree."""
    if not rules.amaf:
        return AmafOrder()
    agree = differ = 0
    ranks = []
    for node in _often_visited(tree):
        for player in range(rules.players):
            moves = _moves(rules, tree, node, player)
            if moves is None:
                continue
            mine, others = _count_pairs(moves)
            agree, differ = agree + mine, differ + others
            rank = _rank_of_most_visited(moves)
            if rank is not None:
                ranks.append(rank)
    pairs = agree + differ
    return AmafOrder(
        (agree - differ) / pairs if pairs >= MIN_PAIRS else None,
        sum(ranks) / len(ranks) if len(ranks) >= MIN_RANKS else None,
    )


class _Moves(NamedTuple):
    """The playouts of a node's moves, and their entries in its AMAF table."""

    counts: NDArray[np.int32]
    sums: NDArray[np.float64]
    amaf_counts: NDArray[np.float64]
    amaf_sums: NDArray[np.float64]


def _often_visited(tree: Tree) -> list[int]:
    """Return the most visited nodes that have an AMAF table and moves."""
    nodes = int(tree.meta[NODES])
    visits = tree.visits[:nodes]
    chosen = np.flatnonzero(
        (visits >= NODE_VISITS) & (tree.table[:nodes] != NONE) & (tree.turns[:nodes] != CHANCE)
    )
    chosen = chosen[np.argsort(-visits[chosen], kind="stable")]
    return [int(node) for node in chosen[:MAX_NODES]]


def _moves(rules: Rules, tree: Tree, node: int, player: int) -> _Moves | None:
    """Return the statistics of one player's moves; None if there are fewer than two."""
    place = node * rules.players + player
    first, degree = int(tree.first[place]), int(tree.degree[place])
    if first < 0 or degree < 1:
        return None
    moves = moves_of(rules, tree, node, slice(first, first + degree))
    if len(moves.codes) < 2:
        return None
    table = (int(tree.table[node]) * rules.players + player) * rules.num_codes
    entries = statistics_of(rules, tree, table + moves.codes.astype(np.int64))
    counts, sums = moves.of(tree.counts, 0), moves.of(tree.sums, 0)
    return _Moves(counts, sums, *entries)


def _count_pairs(moves: _Moves) -> tuple[int, int]:
    """Return how many significant pairs of a node's moves AMAF orders alike, and otherwise."""
    tried = (moves.counts >= MOVE_VISITS) & (moves.amaf_counts > 0)
    if np.count_nonzero(tried) < 2:
        return 0, 0
    counts, amaf = moves.counts[tried], moves.amaf_sums[tried] / moves.amaf_counts[tried]
    means = moves.sums[tried] / counts
    # A score from 0 to 1 has a variance of at most 1/4.
    errors = 0.5 * np.sqrt(1 / counts[:, None] + 1 / counts)
    differences = means[:, None] - means
    significant = np.abs(differences) >= STANDARD_ERRORS * errors
    products = (differences * (amaf[:, None] - amaf))[significant]
    # Every pair is there twice.
    return int(np.count_nonzero(products > 0)) // 2, int(np.count_nonzero(products < 0)) // 2


def _rank_of_most_visited(moves: _Moves) -> float | None:
    """Return the rank, from 0 to 1, of a node's most visited move by AMAF of later playouts."""
    later = moves.amaf_counts - moves.counts
    known = later >= LATER_VISITS
    best = int(np.argmax(moves.counts))
    number = int(np.count_nonzero(known))
    if number < RANKED_MOVES or not known[best]:
        return None
    values = (moves.amaf_sums - moves.sums)[known] / later[known]
    own = (moves.amaf_sums[best] - moves.sums[best]) / later[best]
    below, equal = np.count_nonzero(values < own), np.count_nonzero(values == own) - 1
    return float((below + equal / 2) / (number - 1))
