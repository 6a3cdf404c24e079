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

Two players need no estimate of a joint move whose score the solver has proven: the node's table
(`joint_bounds`) has it. There mean(a) is replaced by

    known(a) = the sum over the opponent's moves b of strategy(b) * score(a, b)

and in the correction by score(a, b) of the opponent's present b, so that nothing is left to correct
where the score is known; score(a, b) is mean(a) where it is not. In a matrix game of one round all
scores are known soon. Every playout is then an exact iteration of regret matching, one player after
the other, whatever moves were drawn, also in a batch; a few thousand solve it.

A move that the solver skips (`joint_bounds`) is not drawn, and m are those that are left.
"""

from __future__ import annotations

from math import sqrt

from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.rng import uniform
from graven.search.joint_bounds import SELECTED, has_bounds
from graven.search.plan import SearchState, state_at
from graven.search.score_bounds import OPEN
from graven.search.tree import NONE, Tree

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
def mean_of(tree: Tree, edge: int) -> float:
    """Return the mean of an edge's playouts."""
    return tree.sums[edge] / tree.counts[edge] if tree.counts[edge] else UNKNOWN_MEAN


@inlined
def estimate_of(tree: Tree, edge: int, drawn: int, score: float, chance: float) -> float:
    """Return what an edge would have scored where `drawn` was drawn with probability `chance`."""
    mean = mean_of(tree, edge)
    if edge != drawn:
        return mean
    return score if chance == SELECTED else mean + (score - mean) / chance


@inlined
def score_after(tree: Tree, node: int, player: int, move: int, reply: int) -> float:
    """Return a player's proven score after a joint move of two players, else the move's mean.

    The player's move and the opponent's are numbers from 0; the node has a table of joint moves.
    """
    row, column = (move, reply) if player == 0 else (reply, move)
    child = tree.joint_children[tree.joint_at[node] + row * tree.degree[2 * node + 1] + column]
    if has_bounds(2, tree, child):
        place = 2 * child + player
        if tree.lower[place] >= tree.upper[place]:
            return tree.lower[place]
    return mean_of(tree, tree.first[2 * node + player] + move)


@inlined
def known_estimate(
    search: SearchState, depth: int, player: int, edge: int, total: float, moves: int
) -> float:
    """Return what an edge would have scored against the opponent's strategy.

    `total` and `moves` are those of the opponent's `positive_regret`.
    """
    rules, tree, record = search.rules, search.tree, search.record
    node, place = record.path[depth], 2 * depth + player
    move, replies = edge - tree.first[2 * node + player], tree.first[2 * node + 1 - player]
    value = 0.0
    for reply in range(tree.degree[2 * node + 1 - player]):
        strategy = strategy_of(rules, tree, replies + reply, moves, total=total)
        if strategy > 0.0:
            value += strategy * score_after(tree, node, player, move, reply)
    if edge == record.edges[place]:
        reply = record.edges[2 * depth + 1 - player] - replies
        error = record.scores[player] - score_after(tree, node, player, move, reply)
        chance = record.odds[place]
        value += error if chance == SELECTED else error / chance
    return value


def add_regrets(state: int, depth: int) -> None:
    """Add a simulation to regrets and strategies at simultaneous moves of its path.

    To be called when the node counts the simulation, and its edges do not yet.
    """
    search = state_at(state)
    rules, tree, record, players = search.rules, search.tree, search.record, search.rules.players
    node = record.path[depth]
    weight = float(tree.visits[node])
    known = players == 2 and rules.score_bounds != 0 and tree.joint_at[node] != NONE
    for player in range(players):
        first, count = tree.first[node * players + player], tree.degree[node * players + player]
        if count == 1:
            continue
        place = depth * players + player
        drawn, score, chance = record.edges[place], record.scores[player], record.odds[place]
        total, moves = positive_regret(rules, tree, first, count)
        other_total, others = 0.0, 0
        if known:
            other = 2 * node + 1 - player
            other_total, others = positive_regret(
                rules, tree, tree.first[other], tree.degree[other]
            )
        expected = score
        if chance != SELECTED or known:
            expected = 0.0
            for edge in range(first, first + count):
                strategy = strategy_of(rules, tree, edge, moves, total=total)
                if chance != SELECTED:
                    tree.strategies[edge] += weight * strategy
                if known:
                    expected += strategy * known_estimate(
                        search, depth, player, edge, total=other_total, moves=others
                    )
                else:
                    expected += strategy * estimate_of(tree, edge, drawn, score, chance=chance)
        for edge in range(first, first + count):
            if known:
                estimate = known_estimate(
                    search, depth, player, edge, total=other_total, moves=others
                )
            else:
                estimate = estimate_of(tree, edge, drawn, score, chance=chance)
            tree.regrets[edge] += weight * (estimate - expected)
