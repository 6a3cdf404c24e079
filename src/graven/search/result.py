"""The result of a search, read from its tree: statistics of the root's moves, the best of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.core.rng import below, generator
from graven.search import amaf
from graven.search.tree import NONE, ROOT, Tree


class RootStatistics(NamedTuple):
    """One move of one player at the root. The AMAF fields are 0 without AMAF."""

    code: int
    visits: int
    total: float  # sum of the player's scores
    amaf_visits: int
    amaf_total: float

    @property
    def mean(self) -> float:
        """The mean score of its playouts; 0 without any."""
        return self.total / self.visits if self.visits else 0.0


def root_statistics(rules: Rules, tree: Tree, player: int) -> list[RootStatistics]:
    """Return the statistics of a player's moves at the root, in the order of the edges."""
    root = int(tree.meta[ROOT])
    first = int(tree.first[root * rules.players + player])
    if first == NONE:
        return []
    edges = slice(first, first + int(tree.degree[root * rules.players + player]))
    codes, table = tree.moves[edges], int(tree.table[root])
    if table == NONE:
        amaf_visits, amaf_totals = np.zeros(len(codes), np.int64), np.zeros(len(codes))
    else:
        visits, totals = amaf.statistics(rules, tree, table, player)
        amaf_visits, amaf_totals = visits[codes].astype(np.int64), totals[codes]
    columns = (codes, tree.counts[edges], tree.sums[edges], amaf_visits, amaf_totals)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return list(map(RootStatistics._make, rows))


def final_move(moves: list[RootStatistics], rule: str, seed: int) -> RootStatistics | None:
    """Return the move to play by the option `final_move`; None if no move has playouts.

    "visits": most playouts, then the best mean; "mean": the best mean, then most playouts. Ties are
    broken at random.
    """
    visited = [move for move in moves if move.visits]
    if not visited:
        return None
    by_visits = rule == "visits"
    keys = [(m.visits, m.mean) if by_visits else (m.mean, m.visits) for m in visited]
    best = max(keys)
    ties = [move for move, key in zip(visited, keys, strict=True) if key == best]
    return ties[below(generator(seed), len(ties))]


def principal_variation(
    rules: Rules, tree: Tree, best: int | None, limit: int = 30
) -> list[tuple[int, int]]:
    """Return (player, move) from the root on: `best`, if given, then the most visited moves.

    It ends at a terminal node, at simultaneous moves, or where a move has no playouts.
    """
    variation: list[tuple[int, int]] = []
    node = int(tree.meta[ROOT])
    while node != NONE and len(variation) < limit:
        player = int(tree.turns[node])
        if player in (TERMINAL, SIMULTANEOUS):
            break
        place = node * rules.players + player
        first, degree = int(tree.first[place]), int(tree.degree[place])
        if first == NONE:
            break
        if not variation and best is not None:
            edge = first + tree.moves[first : first + degree].tolist().index(best)
        else:
            edge = first + int(np.argmax(tree.counts[first : first + degree]))
        if not tree.counts[edge]:
            break
        variation.append((player, int(tree.moves[edge])))
        node = int(tree.children[edge])
    return variation
