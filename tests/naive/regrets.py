"""Regret matching at simultaneous moves, slow and plain: see `graven.search.regret_matching`."""

from __future__ import annotations

import math

from graven.core.rng import uniform


class NaiveRegrets:
    def __init__(self, gamma, least):
        self.gamma, self.least = gamma, least

    def draws(self, node, player):
        """Whether the node has enough playouts: before, the tree policy selects."""
        return node.visits >= self.least * len(node.moves[player])

    def strategy(self, node, player):
        """The probability of each move that is not dominated, in proportion to positive regret."""
        moves = [move for move in node.moves[player] if node.is_open(player, move)]
        positive = {move: max(node.regret.get((player, move), 0.0), 0.0) for move in moves}
        total = sum(positive.values())
        if total == 0.0:
            return {move: 1.0 / len(moves) for move in moves}
        return {move: regret / total for move, regret in positive.items()}

    def draw(self, node, player, rng):
        """A move, and the probability with which it was drawn."""
        strategy = self.strategy(node, player)
        if len(node.moves[player]) == 1:
            return node.moves[player][0], 1.0
        gamma = min(1.0, self.gamma * math.sqrt(math.sqrt(len(strategy) / (node.visits + 1))))
        threshold = uniform(rng)
        chances = {m: (1.0 - gamma) * p + gamma / len(strategy) for m, p in strategy.items()}
        for drawn, chance in chances.items():
            threshold -= chance
            if threshold < 0.0:
                return drawn, chance
        return drawn, chance

    def add(self, node, joint, player, score, chance):
        """Count a simulation before its move counts it: the player's was drawn with `chance`."""
        if len(node.moves[player]) == 1:
            return
        drawn = joint[player]
        chances = self.strategy(node, player)
        strategy = {move: chances.get(move, 0.0) for move in node.moves[player]}
        known = len(node.moves) == 2 and bool(node.table)
        estimates = {}
        for move in strategy:
            if known:
                estimates[move] = self.known_estimate(node, joint, player, move, score, chance)
                continue
            mean = mean_of(node, player, move)
            estimates[move] = mean
            if move == drawn:
                estimates[move] = mean + (score - mean) / chance if chance else score
        expected = score
        if chance or known:
            expected = sum(strategy[move] * estimates[move] for move in strategy)
        for move in strategy:
            place = player, move
            regret = node.visits * (estimates[move] - expected)
            node.regret[place] = node.regret.get(place, 0.0) + regret
            if chance:
                weighted = node.visits * strategy[move]
                node.strategies[place] = node.strategies.get(place, 0.0) + weighted

    def known_estimate(self, node, joint, player, move, score, chance):
        """What a move would have scored against the opponent's strategy, by the table."""
        opponent = 1 - player
        value = sum(
            probability * score_after(node, player, move, reply)
            for reply, probability in self.strategy(node, opponent).items()
            if probability > 0.0
        )
        if move == joint[player]:
            error = score - score_after(node, player, move, joint[opponent])
            value += error / chance if chance else error
        return value


def mean_of(node, player, move):
    count, total = (values.get((player, move), 0) for values in (node.count, node.total))
    return total / count if count else 0.5


def score_after(node, player, move, reply):
    """The proven score after a joint move; the move's mean where there is none."""
    child = node.table.get((move, reply) if player == 0 else (reply, move))
    if child is not None and child.bounds is not None:
        low, high = child.bounds[player]
        if low >= high:
            return low
    return mean_of(node, player, move)
