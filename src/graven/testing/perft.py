"""Perft: the number of move sequences of a given length, to compare implementations of rules."""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.compile import allocating
from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules, State
from graven.core.errors import UsageError
from graven.core.position import Position


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of exactly `depth` moves from a position.

    A game that ends earlier does not count. Games with simultaneous moves are not supported.
    """
    if depth < 0:
        raise UsageError(f"perft: depth must be at least 0, got {depth}.")
    count = int(_count(position.game.rules, position.state.copy(), depth))
    if count < 0:
        raise UsageError(
            f"perft does not support simultaneous moves, which {position.game.name} has."
        )
    return count


@allocating
def _count(rules: Rules, root: State, depth: int) -> int:
    """Count depth first, without recursion: a position and its remaining moves for each level."""
    if depth == 0:
        return 1
    states = np.empty((depth, rules.state_words), dtype=np.int64)
    moves = np.empty((depth, rules.max_moves), dtype=np.int32)
    left = np.full(depth, -1, dtype=np.int64)
    joint = np.full(rules.players, -1, dtype=np.int32)
    states[0] = root
    level, total = 0, 0
    while level >= 0:
        player = contract.turn(rules, states[level])
        if player == SIMULTANEOUS:
            return -1
        if left[level] < 0:
            left[level] = 0
            if player != TERMINAL:
                left[level] = contract.legal(rules, states[level], player, moves[level])
        if left[level] == 0 or level == depth - 1:
            total += left[level]
            left[level] = -1
            level -= 1
            continue
        left[level] -= 1
        joint[player] = moves[level, left[level]]
        states[level + 1] = states[level]
        level += 1
        contract.play(rules, states[level], joint)
    return total
