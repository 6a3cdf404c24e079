"""Playing known moves, and random ones: what the methods share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import TERMINAL, Moves, Rules, Scores, State
from graven.core.rng import Rng
from graven.core.status import Status

ILLEGAL = -1  # `replay`: a move is not legal


@compiled
def copy_to(to: NDArray[Any], source: NDArray[Any], count: int) -> None:
    """Copy the first `count` elements; assigning slices would allocate, which kernels do not."""
    for i in range(count):
        to[i] = source[i]


@compiled
def play_one(rules: Rules, state: State, joint: Moves, move: int) -> None:
    """Play the only player's move."""
    joint[0] = move
    contract.play(rules, state, joint)


@compiled
def replay(rules: Rules, state: State, line: Moves, legal: Moves, joint: Moves, out: Scores) -> int:
    """Play moves that may not be legal; whether the game is over then (its score in `out`)."""
    for ply in range(line.size):
        if contract.turn(rules, state) == TERMINAL:
            return ILLEGAL
        count = contract.legal(rules, state, 0, legal)
        found = False
        for i in range(count):
            found |= legal[i] == line[ply]
        if not found:
            return ILLEGAL
        play_one(rules, state, joint, line[ply])
    if contract.turn(rules, state) != TERMINAL:
        return 0
    contract.scores(rules, state, out)
    return 1


@compiled
def finish_at_random(
    rules: Rules,
    state: State,
    line: NDArray[np.int32],
    length: int,
    legal: Moves,
    joint: Moves,
    out: Scores,
    rng: Rng,
) -> int:
    """Play random moves to the end, after the first `length` of `line`; the length, or a fault.

    Faults are negative: -1 - status.
    """
    while contract.turn(rules, state) != TERMINAL:
        if length >= rules.max_plies:
            return -1 - Status.TOO_LONG
        move = contract.sample(rules, state, 0, legal, rng)
        if move < 0:
            return -1 - Status.NO_MOVE
        if move >= rules.num_codes:
            return -1 - Status.BAD_CODE
        line[length] = move
        length += 1
        play_one(rules, state, joint, move)
    contract.scores(rules, state, out)
    return length


def replayed(rules: Rules, root: State, moves: list[int]) -> tuple[State, float | None]:
    """The position after moves, and its score if the game is over; ValueError if one is illegal."""
    state, out = root.copy(), np.zeros(rules.players)
    line = np.array(moves, dtype=np.int32)
    if line.size > rules.max_plies or (
        line.size and not 0 <= line.min() <= line.max() < rules.num_codes
    ):
        raise ValueError
    legal, joint = contract.new_moves(rules), contract.new_joint(rules)
    over = replay(rules, state, line, legal, joint, out)
    if over == ILLEGAL:
        raise ValueError
    return state, float(out[0]) if over else None
