"""The calls of a game's rules by the naive search: moves, chance, moves that win at once."""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.contract import TERMINAL
from graven.core.rng import uniform
from tests.naive.playouts import Choice, codes_of


class RuleCalls:
    def legal(self, state, mover):
        moves = contract.new_moves(self.rules)
        return [int(m) for m in moves[: contract.tree_moves(self.rules, state, mover, moves)]]

    def sensible(self, state, mover):
        moves = contract.new_moves(self.rules)
        return [int(m) for m in moves[: contract.playout_moves(self.rules, state, mover, moves)]]

    def choice(self, state, mover, moves, move, in_tree):
        codes = codes_of(self.rules, state, mover, moves, self.playout.features)
        return Choice(mover, moves, codes, int(move), in_tree)

    def outcomes(self, state):
        codes, chances = contract.new_moves(self.rules), np.zeros(self.rules.max_moves)
        count = contract.outcomes(self.rules, state, codes, chances)
        return {int(codes[i]): float(chances[i]) for i in range(count)}

    def draw(self, outcomes):
        threshold = uniform(self.rng)
        for outcome, probability in outcomes.items():
            threshold -= probability
            if threshold < 0:
                return outcome
        return outcome

    def play_outcome(self, state, outcome):
        joint = np.full(self.rules.players, -1, np.int32)
        joint[0] = outcome
        contract.play(self.rules, state, joint)

    def decisive_move(self, state, turn):
        """A move that wins at once, or prevents the opponent's; which of several the game says."""
        if self.decisive == "off" or turn < 0:
            return -1
        move = contract.winning_move(self.rules, state, turn)
        wins = [won for won in self.legal(state, turn) if self.wins(state, turn, won)]
        assert move in wins if wins else move == -1
        if move < 0 and self.decisive == "defend":
            threat = contract.winning_move(self.rules, state, 1 - turn)
            if threat >= 0:
                scratch = contract.new_moves(self.rules)
                move = contract.defence(self.rules, state, turn, threat, scratch, self.rng)
        return move

    def wins(self, state, mover, move):
        after, scores = state.copy(), np.zeros(self.rules.players)
        joint = np.full(self.rules.players, -1, np.int32)
        joint[mover] = move
        contract.play(self.rules, after, joint)
        if contract.turn(self.rules, after) != TERMINAL:
            return False
        contract.scores(self.rules, after, scores)
        return scores[mover] == 1.0
