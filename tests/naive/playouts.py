"""Slow and obvious playout policies, written from the papers, that the kernels must agree with.

Each has `choose`, which returns a move, and `learn`, which gets a simulation: its plies, each a
list of `Choice`, and the scores. They share the game's rules and the random numbers with the
kernels, and nothing else.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from graven.core import contract
from graven.core.contract import GREEDY, SIMULTANEOUS, WEIGHTED
from graven.core.rng import below, uniform
from tests.naive.value_playouts import by_weight, draw_number, is_below, one_of


@dataclass
class Choice:
    player: int
    moves: list[int]
    codes: list[int]
    move: int
    in_tree: bool

    @property
    def code(self):
        return self.codes[self.moves.index(self.move)]


def codes_of(rules, state, mover, moves, features):
    if not features:
        return list(moves)
    codes = np.zeros(len(moves), np.uint32)
    contract.features(rules, state, mover, np.array(moves, np.int32), len(moves), codes)
    return [int(code) for code in codes]


def draw(weights, rng):
    """An index, by weight: first one of four columns, then a place in it, by one random number."""
    columns = [sum(weights[i::4]) for i in range(4)]
    upto = [columns[0], columns[0] + columns[1]]
    upto.append(upto[1] + columns[2])
    left = uniform(rng) * (upto[2] + columns[3])
    column = sum(left >= reached for reached in upto)
    left -= upto[column - 1] if column else 0.0
    reached, passed = 0.0, 0
    for weight in weights[column::4]:
        reached += weight
        passed += left >= reached
    return min(column + 4 * passed, len(weights) - 1)


def draw_in_order(weights, rng):
    """An index, by weight: the weights are subtracted from a random part of their sum."""
    left = uniform(rng) * sum(weights)
    for at, weight in enumerate(weights):
        if left < weight:
            return at
        left -= weight
    return len(weights) - 1


def best(values, rng):
    top = max(values)
    equal = [i for i, value in enumerate(values) if value == top]
    return equal[below(rng, len(equal))] if len(equal) > 1 else equal[0]


class Uniform:
    features = False

    def choose(self, search, state, mover, moves, codes, plies):
        scratch = contract.new_moves(search.rules)
        return contract.sample(search.rules, state, mover, scratch, search.rng)

    def learn(self, plies, scores):
        pass

    def learn_later(self, simulation, known):
        """Learn from another thread's simulation, of which `known` plies are in this tree."""
        self.learn(simulation.plies, simulation.scores)

    def settle(self):
        """Use what was learned, if that is done after a batch."""


class Mast(Uniform):
    """Means by player and code; `k` for Gibbs sampling, `epsilon` for greedy playouts."""

    def __init__(
        self,
        k=None,
        epsilon=None,
        features=False,
        unseen=None,
        batch=0,
        batch_decay=0.5,
        joint=False,
    ):
        self.k, self.epsilon, self.features, self.joint = k, epsilon, features, joint
        self.unseen = unseen if unseen is not None else (0.0 if epsilon is None else 1.0)
        self.batch, self.batch_decay = batch, batch_decay
        self.games, self.wins = defaultdict(float), defaultdict(float)
        self.policy = {}
        self.learned = 0

    def choose(self, search, state, mover, moves, codes, plies):
        turn = contract.turn(search.rules, state)
        if self.epsilon is not None and not (self.joint and turn == SIMULTANEOUS and mover > 0):
            self.explores = uniform(search.rng) < self.epsilon
        if self.epsilon is not None and self.explores:
            return super().choose(search, state, mover, moves, codes, plies)
        means = [self.policy.get((mover, code), self.unseen) for code in codes]
        if self.epsilon is not None:
            return moves[best(means, search.rng)]
        return moves[draw([math.exp(self.k * mean) for mean in means], search.rng)]

    def value_policy(self, rules):
        """How a batch chooses moves: the rule, epsilon, and the value of each player's moves."""
        means = [
            [self.policy.get((player, move), self.unseen) for move in range(rules.num_codes)]
            for player in range(rules.players)
        ]
        if self.epsilon is not None:
            return GREEDY, self.epsilon, means
        return WEIGHTED, 0.0, [[math.exp(self.k * mean) for mean in row] for row in means]

    def learn(self, plies, scores):
        played = [(choice.player, choice.code) for ply in plies for choice in ply]
        for player, code in played:
            self.games[player, code] += 1
            self.wins[player, code] += scores[player]
        for key in played:
            self.policy[key] = self.wins[key] / self.games[key]
        self.learned += 1
        if self.batch and self.learned % self.batch == 0:
            self.keep(self.batch_decay)

    def keep(self, part):
        for table in (self.games, self.wins):
            for key in table:
                table[key] *= part


class Nst(Uniform):
    """Means of sequences: the player's move after what was played in the plies before."""

    def __init__(self, n=3, k=None, epsilon=None, least=7, unseen=1.0):
        self.n, self.k, self.epsilon, self.least, self.unseen = n, k, epsilon, least, unseen
        self.games, self.wins = defaultdict(float), defaultdict(float)

    def grams(self, plies, player, move):
        """The sequences of one to n plies that end with this move after these plies."""
        history = [tuple((choice.player, choice.move) for choice in ply) for ply in plies]
        for length in range(1, min(self.n, len(plies) + 1) + 1):
            yield (tuple(history[len(history) - length + 1 :]), player, move)

    def choose(self, search, state, mover, moves, codes, plies):
        if self.epsilon is not None and uniform(search.rng) < self.epsilon:
            return super().choose(search, state, mover, moves, codes, plies)
        values = self.values(mover, moves, plies)
        if self.epsilon is not None:
            return moves[best(values, search.rng)]
        top = max(self.k * value for value in values)
        weights = [math.exp(self.k * value - top) for value in values]
        return moves[draw_in_order(weights, search.rng)]

    def choose_in_batch(self, search, mover, moves, plies, bits):
        values = self.values(mover, moves, plies)
        if self.epsilon is None:
            weights = [math.exp(self.k * (value - max(values))) for value in values]
            return moves[by_weight(weights, bits)]
        explores = is_below(bits, self.epsilon)
        top = max(values)
        return one_of([m for m, v in zip(moves, values, strict=True) if explores or v == top], bits)

    def values(self, mover, moves, plies):
        values = []
        for move in moves:
            single, *longer = self.grams(plies, mover, move)
            games = self.games.get(single, 0)
            means = [self.wins[single] / games if games else self.unseen]
            for gram in longer:
                if self.games.get(gram, 0) >= self.least:
                    means.append(self.wins[gram] / self.games[gram])
            values.append(sum(means) / len(means))
        return values

    def learn(self, plies, scores):
        for at, ply in enumerate(plies):
            for choice in ply:
                for gram in self.grams(plies[:at], choice.player, choice.move):
                    self.games[gram] += 1
                    self.wins[gram] += scores[choice.player]


class Ppa(Uniform):
    """Cazenave 2016, algorithms 3 and 4; with `shared` all players have one policy.

    With `batches` it learns after a batch: what it learns from is added by `settle`.
    """

    def __init__(self, alpha, features=False, shared=False, batches=False):
        self.alpha, self.features, self.shared = alpha, features, shared
        self.batches = batches
        self.policy, self.pending = defaultdict(float), defaultdict(float)

    def choose(self, search, state, mover, moves, codes, plies):
        owner = 0 if self.shared else mover
        weights = [math.exp(self.policy[owner, code]) for code in codes]
        return moves[draw(weights, search.rng)]

    def choose_in_batch(self, search, mover, moves, plies, bits):
        owner = 0 if self.shared else mover
        weights = [math.exp(self.policy[owner, move]) for move in moves]
        return moves[by_weight(weights, bits)]

    def settle(self):
        for key, change in self.pending.items():
            self.policy[key] += change
        self.pending.clear()

    def learn(self, plies, scores):
        changes = defaultdict(float)
        for ply in plies:
            for choice in ply:
                player = choice.player
                if scores[player] != max(scores) or min(scores) == max(scores):
                    continue
                owner = 0 if self.shared else player
                changes[owner, choice.code] += self.alpha
                weights = [math.exp(self.policy[owner, code]) for code in choice.codes]
                # The kernel sums a playout's weights in columns, those of the tree one by one.
                z = sum(weights)
                if not choice.in_tree and not self.batches:
                    columns = [sum(weights[i::4]) for i in range(4)]
                    z = ((columns[0] + columns[1]) + columns[2]) + columns[3]
                for code, weight in zip(choice.codes, weights, strict=True):
                    changes[owner, code] -= self.alpha / z * weight
        learned = self.pending if self.batches else self.policy
        for key, change in changes.items():
            learned[key] += change

    def learn_later(self, simulation, known):
        """Of the plies in the tree, only those that this tree has: others are not listed here."""
        in_tree = sum(ply[0].in_tree for ply in simulation.plies)
        self.learn(simulation.plies[:known] + simulation.plies[in_tree:], simulation.scores)


class Npa(Nst):
    """Sironi, Cazenave and Winands 2021: logits of sequences, updated by every player's score."""

    def __init__(self, alpha, n=3, least=7, discount=1.0):
        self.alpha, self.n, self.least, self.discount = alpha, n, least, discount
        self.policy, self.updates = defaultdict(float), defaultdict(int)

    def choose(self, search, state, mover, moves, codes, plies):
        values = []
        for move in moves:
            single, *longer = self.grams(plies, mover, move)
            logits = [self.policy.get(single, 0.0)]
            logits += [
                self.policy[gram] for gram in longer if self.updates.get(gram, 0) >= self.least
            ]
            values.append(sum(logits) / len(logits))
        return moves[draw_in_order([math.exp(v - max(values)) for v in values], search.rng)]

    def learn(self, plies, scores):
        self.learn_from(plies, scores, range(len(plies)))

    def learn_later(self, simulation, known):
        """Of the plies in the tree, only those that this tree has: others are not listed here."""
        plies = simulation.plies
        in_tree = sum(ply[0].in_tree for ply in plies)
        self.learn_from(plies, simulation.scores, [*range(known), *range(in_tree, len(plies))])

    def learn_from(self, plies, scores, learned):
        changes = defaultdict(float)
        for at in learned:
            for choice in plies[at]:
                rate = self.alpha * scores[choice.player] * self.discount ** (len(plies) - 1 - at)
                if rate == 0.0 or len(choice.moves) == 1:
                    continue
                of_each_move = [self.grams(plies[:at], choice.player, m) for m in choice.moves]
                for grams in zip(*of_each_move, strict=True):  # of one length
                    weights = [math.exp(self.policy[gram]) for gram in grams]
                    for move, gram, weight in zip(choice.moves, grams, weights, strict=True):
                        changes[gram] += rate * ((move == choice.move) - weight / sum(weights))
                        self.updates[gram] += 1
        for gram, change in changes.items():
            self.policy[gram] += change


class Lgrf(Uniform):
    """Baier and Drake 2010: replies to the last one or two moves, forgotten when they lose."""

    def __init__(self, order=2):
        self.order = order
        self.replies = {}

    def choose(self, search, state, mover, moves, codes, plies):
        played = [(choice.player, choice.move) for ply in plies for choice in ply]
        for length in range(self.order, 0, -1):
            if len(played) >= length:
                reply = self.replies.get((tuple(played[-length:]), mover))
                if reply in moves:
                    return reply
        return super().choose(search, state, mover, moves, codes, plies)

    def learn(self, plies, scores):
        played = [(choice.player, choice.move) for ply in plies for choice in ply]
        for at, (player, move) in enumerate(played):
            for length in range(1, min(self.order, at) + 1):
                key = (tuple(played[at - length : at]), player)
                if scores[player] < max(scores):
                    if self.replies.get(key) == move:
                        del self.replies[key]
                elif min(scores) < max(scores):
                    self.replies[key] = move


class PoolRave(Uniform):
    """Rimmel et al. 2010, algorithm 1: `reference` is the last node with enough playouts."""

    def __init__(self, p, size, least, shared=False):
        self.p, self.size, self.least, self.shared = p, size, least, shared

    def choose(self, search, state, mover, moves, codes, plies):
        pool = self.pool(search.pool_node(self.least), mover)
        if pool and uniform(search.rng) < self.p:
            move = pool[below(search.rng, len(pool))]
            if move in moves:
                return move
        return super().choose(search, state, mover, moves, codes, plies)

    def choose_in_batch(self, search, mover, moves, plies, bits):
        pool = self.pool(search.pool, mover)
        if pool and is_below(bits, self.p) and one_of(pool, bits) in moves:
            return one_of(pool, bits)
        return one_of(moves, draw_number(bits, 0))

    def pool(self, node, mover):
        if node is None:
            return []
        if self.shared and node.turn >= 0:
            mover = node.turn
        known = [
            (-node.amaf_total[key] / count, key[1])
            for key, count in node.amaf_count.items()
            if key[0] == mover
        ]
        return [move for _, move in sorted(known)[: self.size]]


class ContextPoolRave(PoolRave):
    """Of two moves of the pool, the better reply to the move before."""

    def __init__(self, p, size, least, context):
        super().__init__(p, size, least)
        self.context = context
        self.replies = {}  # by (before, move): how often, and the sum of scores

    def choose(self, search, state, mover, moves, codes, plies):
        pool = self.pool(search.pool_node(self.least), mover)
        if pool and uniform(search.rng) < self.p:
            drawn = [pool[below(search.rng, len(pool))] for _ in range(2)]
            played = [(choice.player, choice.move) for ply in plies for choice in ply]
            if played and contract.turn(search.rules, state) != SIMULTANEOUS:
                drawn.sort(key=lambda move: -self.value(played[-1], move))
            if drawn[0] in moves:
                return drawn[0]
        return Uniform.choose(self, search, state, mover, moves, codes, plies)

    def value(self, before, move):
        count, total = self.replies.get((before, move), (0, 0.0))
        return (total + 0.5 * self.context) / (count + self.context)

    def learn(self, plies, scores):
        played = [(choice.player, choice.move) for ply in plies for choice in ply]
        for before, (player, move) in pairwise(played):
            count, total = self.replies.get((before, move), (0, 0.0))
            self.replies[before, move] = count + 1, total + scores[player]
