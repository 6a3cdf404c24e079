"""Batched playouts by a policy, played one by one as `core.value_draws` describes."""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.contract import GREEDY, SIMULTANEOUS, TERMINAL
from graven.core.rng import draw, generator


def draw_number(stream, number):
    """The draw of a playout's random stream after so many others."""
    rng = generator(stream)
    for _ in range(number):
        draw(rng)
    return int(draw(rng))


def by_weight(weights, bits):
    """An index, by weight and 64 random bits."""
    least, reached = sum(weights) * ((bits >> 11) / 2**53), 0.0
    for at, weight in enumerate(weights):
        reached += weight
        if reached > least:
            return at
    return len(weights) - 1


def one_of(candidates, bits):
    """One of some candidates, by the upper 32 of 64 random bits."""
    return candidates[(bits >> 32) * len(candidates) >> 32]


def is_below(bits, probability):
    """Whether the lower 32 of 64 random bits are below a part of 2**32."""
    return bits % 2**32 < int(probability * 2**32)


class ValuePlayouts:
    """The policy of a batch: `values` by player and move."""

    def __init__(self, rules, rule, epsilon, values):
        self.rules, self.rule, self.epsilon = rules, rule, epsilon
        self.values = np.asarray(values).reshape(rules.players, -1)

    def batch(self, states, playouts_per_leaf, rng):
        """The trace and the scores of every playout: the streams are drawn in their order."""
        count = len(states) * playouts_per_leaf
        streams = [int(draw(rng)) for _ in range(count)]
        return [
            self.playout(states[number // playouts_per_leaf].copy(), stream)
            for number, stream in enumerate(streams)
        ]

    def playout(self, state, stream):
        rules, trace, ply = self.rules, [], 0
        while (turn := contract.turn(rules, state)) != TERMINAL:
            joint = contract.new_joint(rules)
            for player in range(rules.players) if turn == SIMULTANEOUS else [turn]:
                bits = draw_number(stream, ply * rules.players + player)
                joint[player] = self.choose(state, player, bits)
                trace.append((player, int(joint[player])))
            contract.play(rules, state, joint)
            ply += 1
        scores = np.zeros(rules.players)
        contract.scores(rules, state, scores)
        return trace, scores.tolist()

    def choose(self, state, player, bits):
        moves = contract.new_moves(self.rules)
        count = contract.playout_moves(self.rules, state, player, moves)
        legal = sorted(int(move) for move in moves[:count])
        values = {move: float(self.values[player, move]) for move in legal}
        total = sum(values.values())
        if self.rule == GREEDY or total < 1e-280:
            explores = self.rule == GREEDY and is_below(bits, self.epsilon)
            top = max(values.values())
            candidates = [move for move in legal if explores or values[move] == top]
            candidates.sort(key=lambda move: (-values[move], move))
            return one_of(candidates, bits)
        return legal[by_weight(list(values.values()), bits)]
