"""Reading the tree after a search: what is known of the root's moves, and which is best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graven.core.contract import EVERYBODY, NOBODY, Rules
from graven.core.rng import below, generator
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
    place = root * rules.players + player
    first, degree, table = int(tree.first[place]), int(tree.degree[place]), int(tree.table[root])
    known = []
    for edge in range(first, first + degree) if first != NONE else ():
        code = int(tree.moves[edge])
        entry = 2 * ((table * rules.players + player) * rules.codes + code)
        seen, total = (tree.amaf[entry], tree.amaf[entry + 1]) if table != NONE else (0, 0.0)
        visits = int(tree.counts[edge])
        known.append(Arm(code, visits, float(tree.sums[edge]), int(seen), float(total)))
    return known


def final_move(known: list[Arm], rule: str, seed: int) -> Arm | None:
    """The move to play: most playouts (then mean) or best mean (then playouts); ties by chance."""
    visited = [arm for arm in known if arm.visits]
    if not visited:
        return None
    keys = [(a.visits, a.mean) if rule == "visits" else (a.mean, a.visits) for a in visited]
    best = max(keys)
    ties = [arm for arm, key in zip(visited, keys, strict=True) if key == best]
    return ties[below(generator(seed), len(ties))]


def main_line(rules: Rules, tree: Tree, limit: int = 30) -> list[tuple[int, int]]:
    """(player, move) of the most visited moves from the root on, while single players move."""
    line: list[tuple[int, int]] = []
    node = int(tree.meta[ROOT])
    while node != NONE and len(line) < limit:
        player = int(tree.turns[node])
        if player in (NOBODY, EVERYBODY):
            break
        place = node * rules.players + player
        first, degree = int(tree.first[place]), int(tree.degree[place])
        if first == NONE:
            break
        edge = first + int(np.argmax(tree.counts[first : first + degree]))
        if not tree.counts[edge]:
            break
        line.append((player, int(tree.moves[edge])))
        node = int(tree.children[edge])
    return line
