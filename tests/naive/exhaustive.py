"""Plain exhaustive search with alpha-beta cuts: what a player can reach, whatever the others do.

No transposition table, no move ordering, no playouts: it shares only the rules with the package.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from graven.core import contract
from graven.core.contract import TERMINAL

MOST_POSITIONS = 20_000_000


class TooLargeError(Exception):
    """The search would visit more positions than allowed."""


@njit
def _value(rules, states, moves, joint, scores, left, depth, low, high, hero, friendly):
    """The hero's score below states[depth]; `friendly`: all players move in the hero's favour.

    NaN when `left[0]` positions have been visited.
    """
    turn = contract.turn(rules, states[depth])
    if turn == TERMINAL:
        contract.scores(rules, states[depth], scores)
        return scores[hero]
    left[0] -= 1
    if left[0] < 0:
        return math.nan
    count = contract.legal(rules, states[depth], turn, moves[depth])
    best = -1.0 if turn == hero or friendly else 2.0
    for i in range(count):
        states[depth + 1][:] = states[depth]
        joint[:] = -1
        joint[turn] = moves[depth][i]
        contract.play(rules, states[depth + 1], joint)
        value = _value(
            rules, states, moves, joint, scores, left, depth + 1, low, high, hero, friendly
        )
        if left[0] < 0:
            return math.nan
        if turn == hero or friendly:
            best = max(best, value)
            low = max(low, best)
        else:
            best = min(best, value)
            high = min(high, best)
        if low >= high:
            break
    return best


def _search(position, hero, friendly, most):
    rules = position.game.rules
    rows = rules.max_plies + 2
    states = np.zeros((rows, rules.state_words), np.int64)
    states[0] = position.state
    moves = np.zeros((rows, contract.move_capacity(rules)), np.int32)
    joint, scores = contract.new_joint(rules), np.zeros(rules.players)
    left = np.full(1, most, np.int64)
    value = _value(rules, states, moves, joint, scores, left, 0, -1.0, 2.0, hero, friendly)
    if math.isnan(value):
        raise TooLargeError
    return value


def guaranteed_score(position, player, most=MOST_POSITIONS):
    """The greatest score that the player can reach against any play of the others."""
    return _search(position, player, False, most)


def greatest_score(position, player, most=MOST_POSITIONS):
    """The greatest score that the player has in any terminal position that can be reached."""
    return _search(position, player, True, most)
