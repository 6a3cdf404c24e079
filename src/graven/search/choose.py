"""Reading the tree after a search: what is known of the root's moves, and which is best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.core.rng import below, generator
from graven.search import amaf
from graven.search.tree import NONE, ROOT, Tree

FINAL = ("visits", "mean")


@dataclass(frozen=True)
class Arm:
    """One move of one player at the root. `amaf_sum` and `amaf_visits` are 0 without AMAF."""

    code: int
    visits: int
    sum: float
    amaf_visits: int
    amaf_sum: float

    @property
    def mean(self) -> float:
        """The mean score of its playouts; 0 without any."""
        return self.sum / self.visits if self.visits else 0.0


def arms(rules: Rules, tree: Tree, player: int) -> list[Arm]:
    """What is known of a player's moves at the root, in the order of the edges."""
    root = int(tree.meta[ROOT])
    first = int(tree.first[root * rules.players + player])
    if first == NONE:
        return []
    edges = slice(first, first + int(tree.degree[root * rules.players + player]))
    codes, table = tree.moves[edges], int(tree.table[root])
    if table == NONE:
        seen, totals = np.zeros(len(codes), np.int64), np.zeros(len(codes))
    else:
        visits, sums = amaf.statistics(rules, tree, table, player)
        seen, totals = visits[codes].astype(np.int64), sums[codes]
    columns = (codes, tree.counts[edges], tree.sums[edges], seen, totals)
    return [Arm(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def final_move(known: list[Arm], rule: str, seed: int) -> Arm | None:
    """The move to play: most playouts (then mean) or best mean (then playouts); ties by chance."""
    visited = [arm for arm in known if arm.visits]
    if not visited:
        return None
    keys = [(a.visits, a.mean) if rule == "visits" else (a.mean, a.visits) for a in visited]
    best = max(keys)
    ties = [arm for arm, key in zip(visited, keys, strict=True) if key == best]
    return ties[below(generator(seed), len(ties))]


def main_line(rules: Rules, tree: Tree, best: int | None, limit: int = 30) -> list[tuple[int, int]]:
    """(player, move) from the root on, while single players move: `best`, then the most visited."""
    line: list[tuple[int, int]] = []
    node = int(tree.meta[ROOT])
    while node != NONE and len(line) < limit:
        player = int(tree.turns[node])
        if player in (TERMINAL, SIMULTANEOUS):
            break
        place = node * rules.players + player
        first, degree = int(tree.first[place]), int(tree.degree[place])
        if first == NONE:
            break
        if not line and best is not None:
            edge = first + tree.moves[first : first + degree].tolist().index(best)
        else:
            edge = first + int(np.argmax(tree.counts[first : first + degree]))
        if not tree.counts[edge]:
            break
        line.append((player, int(tree.moves[edge])))
        node = int(tree.children[edge])
    return line
