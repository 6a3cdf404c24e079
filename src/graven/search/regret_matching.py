"""Regret matching: how players draw their moves where they move simultaneously.

A tree policy that follows the greatest value is predictable, and two players who follow one in step
may never try some joint moves: at the prisoner's dilemma they try silent with silent and confess
with confess only, and prefer the first. With `simultaneous=regret` each player draws a move at
random instead, with a probability in proportion to its positive regret: how much more the player
would have scored so far with this move than with the strategies used (Hart and Mas-Colell 2000;
in a search tree Lisý, Kovařík, Lanctot and Bošanský 2013, and Tak, Lanctot and Winands 2014). The
average of the strategies converges to an equilibrium where two players' scores have a constant sum;
in other games moves that are dominated disappear.

A node of few playouts knows too little for that: until it has `regret_min` playouts for each of the
player's moves, the tree policy selects the move. Regrets are kept from the beginning, strategies
from the first draw on.

With probability gamma * (m / (N + 1)) ** 0.25 the move is any of the m moves instead; N are the
playouts of the node. What a move would have scored is estimated without bias from the one that was
drawn:

    estimate(a) = mean(a) + [a was drawn] * (score - mean(a)) / probability(a)

where mean(a) is the mean of the playouts before, 0.5 if there are none: it reduces the variance
(Schmid et al. 2019) and its error cancels out. Regrets and strategies of the n-th playout of a node
have weight n (Brown and Sandholm 2019), because the first playouts know little of what follows.

A move that the solver skips (`joint_bounds`) is not drawn, and m are those that are left.
"""

from __future__ import annotations

from math import sqrt

from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.rng import uniform
from graven.search.joint_bounds import SELECTED
from graven.search.plan import state_at
from graven.search.score_bounds import OPEN
from graven.search.tree import Tree

UNKNOWN_MEAN = 0.5  # of a move without playouts


def draws(state: int, node: int, mover: int, depth: int) -> bool:
    """Return whether a player's move is drawn; store that it has no probability if it is not."""
    search = state_at(state)
    tree, players = search.tree, search.rules.players
    search.record.odds[depth * players + mover] = SELECTED
    return tree.visits[node] >= search.plan.regret_min * tree.degree[node * players + mover]


def draw_by_regret(state: int, node: int, mover: int, depth: int) -> int:
    """Return the edge of a player's move at a node, and store the probability of the draw."""
    search = state_at(state)
    tree, record, players = search.tree, search.record, search.rules.players
    first, count = tree.first[node * players + mover], tree.degree[node * players + mover]
    if count == 1:
        return first
    rules = search.rules
    total, moves = positive_regret(rules, tree, first, count)
    gamma = min(1.0, search.plan.gamma * sqrt(sqrt(moves / (tree.visits[node] + 1))))
    left = uniform(record.rng)
    drawn, chance = first, 0.0
    for edge in range(first, first + count):
        if may_draw(rules, tree, edge):
            drawn = edge
            chance = (1.0 - gamma) * strategy_of(rules, tree, edge, moves, total=total)
            chance += gamma / moves
            left -= chance
            if left < 0.0:
                break
    record.odds[depth * players + mover] = chance
    return drawn


@inlined
def may_draw(rules: Rules, tree: Tree, edge: int) -> bool:
    """Return whether no other move is proven to be at least as good as that of an edge."""
    return rules.score_bounds == 0 or tree.skipped[edge] == OPEN


@inlined
def positive_regret(rules: Rules, tree: Tree, first: int, count: int) -> tuple[float, int]:
    """Return the sum of the positive regrets of those edges that may be drawn, and their number."""
    total, moves = 0.0, 0
    for edge in range(first, first + count):
        if may_draw(rules, tree, edge):
            total += max(tree.regrets[edge], 0.0)
            moves += 1
    return total, moves


@inlined
def strategy_of(rules: Rules, tree: Tree, edge: int, moves: int, total: float) -> float:
    """Return the probability of an edge; `positive_regret` returns `total` and `moves`.

    Without positive regrets all edges that may be drawn have the same.
    """
    if not may_draw(rules, tree, edge):
        return 0.0
    return max(tree.regrets[edge], 0.0) / total if total > 0.0 else 1.0 / moves


@inlined
def estimate_of(tree: Tree, edge: int, drawn: int, score: float, chance: float) -> float:
    """Return what an edge would have scored where `drawn` was drawn with probability `chance`."""
    mean = tree.sums[edge] / tree.counts[edge] if tree.counts[edge] else UNKNOWN_MEAN
    if edge != drawn:
        return mean
    return score if chance == SELECTED else mean + (score - mean) / chance


def add_regrets(state: int, depth: int) -> None:
    """Add a simulation to regrets and strategies at simultaneous moves of its path.

    To be called when the node counts the simulation, and its edges do not yet.
    """
    search = state_at(state)
    rules, tree, record, players = search.rules, search.tree, search.record, search.rules.players
    node = record.path[depth]
    weight = float(tree.visits[node])
    for player in range(players):
        first, count = tree.first[node * players + player], tree.degree[node * players + player]
        if count == 1:
            continue
        place = depth * players + player
        drawn, score, chance = record.edges[place], record.scores[player], record.odds[place]
        expected = score
        if chance != SELECTED:
            total, moves = positive_regret(rules, tree, first, count)
            expected = 0.0
            for edge in range(first, first + count):
                strategy = strategy_of(rules, tree, edge, moves, total=total)
                tree.strategies[edge] += weight * strategy
                expected += strategy * estimate_of(tree, edge, drawn, score, chance=chance)
        for edge in range(first, first + count):
            estimate = estimate_of(tree, edge, drawn, score, chance=chance)
            tree.regrets[edge] += weight * (estimate - expected)
