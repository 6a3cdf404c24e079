"""NMCS and NRPA as in the papers: recursive, on the contract's functions, in plain Python."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from graven.core import contract
from graven.core.contract import TERMINAL
from graven.core.position import Position
from graven.core.rng import generator, uniform


class Puzzle:
    """A one-player game as functions of its states, and the random numbers of a search."""

    def __init__(self, position: Position, seed: int) -> None:
        self.rules = position.game.rules
        self.root = position.state.copy()
        self.rng = generator(seed)
        self.playouts = 0

    def over(self, state) -> bool:
        return contract.turn(self.rules, state) == TERMINAL

    def legal(self, state) -> list[int]:
        moves = contract.new_moves(self.rules)
        return moves[: contract.legal(self.rules, state, 0, moves)].tolist()

    def play(self, state, move):
        after = state.copy()
        contract.play(self.rules, after, np.array([move], dtype=np.int32))
        return after

    def score(self, state) -> float:
        out = np.zeros(1)
        contract.scores(self.rules, state, out)
        return float(out[0])

    def random_move(self, state) -> int:
        return contract.sample(self.rules, state, 0, contract.new_moves(self.rules), self.rng)

    def feature(self, state, move) -> int:
        code = np.zeros(1, dtype=np.uint32)
        contract.features(self.rules, state, 0, np.array([move], dtype=np.int32), 1, code)
        return int(code[0])


def nmcs(puzzle: Puzzle, state, level: int, path: tuple[int, ...] = ()):
    """Return (score, moves from the root) of the best game."""
    if level == 0:
        while not puzzle.over(state):
            move = puzzle.random_move(state)
            state, path = puzzle.play(state, move), (*path, move)
        puzzle.playouts += 1
        return puzzle.score(state), path
    best = None
    while not puzzle.over(state):
        for move in puzzle.legal(state):
            result = nmcs(puzzle, puzzle.play(state, move), level - 1, (*path, move))
            if best is None or result[0] > best[0]:
                best = result
        move = best[1][len(path)]
        state, path = puzzle.play(state, move), (*path, move)
    return best or (puzzle.score(state), path)


class Nrpa:
    """Cazenave 2016, algorithms 1 and 2."""

    def __init__(
        self, puzzle, iterations, alpha, features, bias=0.0, stabilise=1, repetitions=0
    ) -> None:
        self.bias, self.stabilise, self.repetitions = bias, stabilise, repetitions
        self.puzzle, self.iterations, self.alpha = puzzle, iterations, alpha
        self.features = features
        self.top: dict[int, float] = {}  # the policy of the highest level, as it ended

    def code(self, state, move) -> int:
        return self.puzzle.feature(state, move) if self.features else move

    def value(self, policy, state, move) -> float:
        """The exponential of a move's weight, and of its bias in GNRPA."""
        value = math.exp(policy[self.code(state, move)])
        if self.bias:
            prior = np.zeros(1)
            moves = np.array([move], dtype=np.int32)
            contract.priors(self.puzzle.rules, state, 0, moves, 1, prior)
            value *= math.exp(self.bias * float(prior[0]))
        return value

    def playout(self, policy):
        puzzle, state, path = self.puzzle, self.puzzle.root, ()
        while not puzzle.over(state):
            moves = puzzle.legal(state)
            values = [self.value(policy, state, move) for move in moves]
            chosen = moves[-1]
            if len(moves) > 1:
                total = 0.0
                for value in values:
                    total += value
                left = uniform(puzzle.rng) * total
                for move, value in zip(moves, values, strict=True):
                    left -= value
                    if left < 0:
                        chosen = move
                        break
            state, path = puzzle.play(state, chosen), (*path, chosen)
        puzzle.playouts += 1
        return puzzle.score(state), path

    def adapt(self, policy, sequence):
        polp = policy.copy()
        state = self.puzzle.root
        for move in sequence:
            polp[self.code(state, move)] += self.alpha
            z = 0.0
            for m in self.puzzle.legal(state):
                z += self.value(policy, state, m)
            for m in self.puzzle.legal(state):
                polp[self.code(state, m)] -= self.alpha * (self.value(policy, state, m) / z)
            state = self.puzzle.play(state, move)
        return polp

    def search(self, level: int, policy=None):
        policy = defaultdict(float) if policy is None else policy
        if level == 0:
            return self.playout(policy)
        best, sequence, repeats = -math.inf, None, 0
        for _ in range(self.iterations):
            for _ in range(self.stabilise if level == 1 else 1):
                result, new = self.search(level - 1, policy.copy())
                if result >= best:
                    repeats = repeats + 1 if new == sequence else 0
                    best, sequence = result, new
            policy = self.adapt(policy, sequence)
            if self.repetitions and repeats >= self.repetitions:
                break
        self.top = policy
        return best, sequence
