"""Replay moves of one-player games, which may be illegal."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import TERMINAL, Moves, Rules, Scores, State

# Results of `replay`.
ILLEGAL, UNFINISHED, FINISHED = -1, 0, 1


class ReplayBuffers(NamedTuple):
    """Scratch for the moves of one position, a joint move and the scores."""

    legal: Moves
    joint: Moves
    out: Scores


@compiled
def copy_to(target: NDArray[Any], source: NDArray[Any], count: int) -> None:
    """Copy the first `count` elements; unlike slice assignment, allocate nothing."""
    for i in range(count):
        target[i] = source[i]


@compiled
def play_one(rules: Rules, state: State, joint: Moves, move: int) -> None:
    """Play the only player's move."""
    joint[0] = move
    contract.play(rules, state, joint)


@compiled
def replay(rules: Rules, state: State, moves: Moves, buffers: ReplayBuffers) -> int:
    """Play moves and return ILLEGAL, UNFINISHED or FINISHED (with the score in `out`)."""
    for ply in range(moves.size):
        if contract.turn(rules, state) == TERMINAL:
            return ILLEGAL
        count = contract.legal(rules, state, 0, buffers.legal)
        is_legal = False
        for i in range(count):
            is_legal |= buffers.legal[i] == moves[ply]
        if not is_legal:
            return ILLEGAL
        play_one(rules, state, buffers.joint, moves[ply])
    if contract.turn(rules, state) != TERMINAL:
        return UNFINISHED
    contract.scores(rules, state, buffers.out)
    return FINISHED


def replayed(rules: Rules, root: State, moves: list[int]) -> tuple[State, float | None]:
    """Return the state after moves, and its score if the game is over.

    Raise ValueError if a move is illegal.
    """
    state = root.copy()
    codes = np.array(moves, dtype=np.int32)
    if codes.size > rules.max_plies or (
        codes.size and not 0 <= codes.min() <= codes.max() < rules.num_codes
    ):
        raise ValueError
    buffers = ReplayBuffers(
        legal=contract.new_moves(rules),
        joint=contract.new_joint(rules),
        out=np.zeros(rules.players),
    )
    result = replay(rules, state, codes, buffers)
    if result == ILLEGAL:
        raise ValueError
    return state, float(buffers.out[0]) if result == FINISHED else None
