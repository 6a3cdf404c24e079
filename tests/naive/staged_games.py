"""Random games of a few stages in which players move simultaneously or in turn, and solutions.

For each position it is drawn at random whether the game ends, who moves, how many moves each player
has, and the scores at the end. In the first position all move simultaneously.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, RuleFunctions
from tests.naive.matrix_games import solve

ROWS, MOST_MOVES, GRADES = 997, 3, 4
HEADER = 2  # constants: players, stages; then tables of ROWS entries

# State: stages played, and a number for the moves so far. Tables: who moves (or the game ends),
# the moves of each player, the score of each player in parts of GRADES.


def staged_start(constants, state):
    state[0] = 0
    state[1] = 1


def staged_turn(constants, state):
    if state[0] >= constants[1]:
        return TERMINAL
    if state[0] == 0:
        return SIMULTANEOUS
    return constants[HEADER + state[1] % ROWS]


def staged_legal(constants, state, player, moves):
    count = constants[HEADER + (1 + player) * ROWS + state[1] % ROWS]
    for i in range(count):
        moves[i] = i
    return count


def staged_play(constants, state, joint):
    turn = staged_turn(constants, state)
    number = state[1]
    for player in range(constants[0]):
        move = joint[player] if turn in (SIMULTANEOUS, player) else 0
        number = number * MOST_MOVES + move + 1
    state[0] += 1
    state[1] = number


def staged_scores(constants, state, out):
    for player in range(constants[0]):
        row = 1 + constants[0] + player
        out[player] = constants[HEADER + row * ROWS + state[1] % ROWS] / GRADES


class StagedGame:
    """A random game and its solutions; with `constant` all scores together are always 1."""

    def __init__(self, seed, players=2, stages=2, constant=True, ends=0.1, in_turn=0.2):
        self.players, self.stages, self.constant = players, stages, constant
        rng = np.random.default_rng(seed)
        kinds = [TERMINAL, SIMULTANEOUS, *range(players)]
        shares = [ends, 1.0 - ends - in_turn, *[in_turn / players] * players]
        turns = rng.choice(kinds, ROWS, p=shares)
        moves = rng.integers(1, MOST_MOVES + 1, (players, ROWS))
        moves[:2] = rng.integers(2, MOST_MOVES + 1, (2, ROWS))
        scores = rng.integers(0, GRADES + 1, (players, ROWS))
        if constant:
            cuts = np.sort(rng.integers(0, GRADES + 1, (players - 1, ROWS)), axis=0)
            ends_of_parts = np.vstack([cuts, np.full((1, ROWS), GRADES)])
            scores = np.diff(ends_of_parts, axis=0, prepend=0)
        self.constants = [players, stages, *turns, *moves.ravel(), *scores.ravel()]
        self.game = Game(
            name="staged",
            players=players,
            functions=RuleFunctions(
                start=staged_start,
                turn=staged_turn,
                legal=staged_legal,
                play=staged_play,
                scores=staged_scores,
            ),
            bounds=Bounds(
                state_words=2, num_codes=MOST_MOVES, max_moves=MOST_MOVES, max_plies=stages
            ),
            constants=self.constants,
        )
        self.equilibrium = cache(self._equilibrium)
        self.guaranteed = cache(self._guaranteed)
        self.most = cache(self._most)
        self.pure = cache(self._pure)

    def turn(self, state):
        return int(staged_turn(self.constants, state))

    def scores(self, state):
        out = np.zeros(self.players)
        staged_scores(self.constants, state, out)
        return out

    def moves(self, state):
        """The moves of every player; one that does not choose has one."""
        turn, lists = self.turn(state), []
        for player in range(self.players):
            scratch = np.zeros(MOST_MOVES, int)
            count = staged_legal(self.constants, state, player, scratch)
            lists.append(range(count) if turn in (SIMULTANEOUS, player) else range(1))
        return lists

    def after(self, state, joint):
        following = list(state)
        staged_play(self.constants, following, joint)
        return tuple(following)

    def children(self, state):
        return {joint: self.after(state, joint) for joint in product(*self.moves(state))}

    def _equilibrium(self, state):
        """The first player's score in the equilibrium of two players with a constant sum."""
        if self.turn(state) == TERMINAL:
            return self.scores(state)[0]
        return solve(self._matrix(state, self.equilibrium))[0]

    def _matrix(self, state, value):
        rows, columns = self.moves(state)
        return [[value(self.after(state, (a, b))) for b in columns] for a in rows]

    def _guaranteed(self, state, player):
        """What one move after another guarantees a player against any play of the others."""
        if self.turn(state) == TERMINAL:
            return self.scores(state)[player]
        worst = {}
        for joint, child in self.children(state).items():
            score = self.guaranteed(child, player)
            worst[joint[player]] = min(score, worst.get(joint[player], score))
        return max(worst.values())

    def _most(self, state, player):
        """The greatest score of a player in any play."""
        if self.turn(state) == TERMINAL:
            return self.scores(state)[player]
        return max(self.most(child, player) for child in self.children(state).values())

    def _pure(self, state):
        """What one move guarantees the first of two players, and what one of the other allows."""
        if self.turn(state) == TERMINAL:
            return (self.scores(state)[0],) * 2
        low = np.array(self._matrix(state, lambda child: self.pure(child)[0]))
        high = np.array(self._matrix(state, lambda child: self.pure(child)[1]))
        return float(low.min(axis=1).max()), float(high.max(axis=0).min())
