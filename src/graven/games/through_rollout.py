"""Whole uniform playouts of Breakthrough and Knightthrough on boards of at most 64 squares.

The same moves, drawn with the same random numbers, as `through_bitboards.sample` and `play`. Both
bitboards and the random number generator stay in registers, no Zobrist key is computed, and the
loop plays the moves of both players one after the other, so that the player is a constant.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Codes, Constants, Scores, State
from graven.core.rng import STEP as RNG_STEP
from graven.core.rng import Rng, mixed, scaled
from graven.core.status import Status
from graven.games.through_bitboards import targets_of
from graven.games.through_rules import (
    BITBOARDS,
    CELLS,
    COLUMNS,
    NUM_DIRECTIONS,
    STEP,
    TURN,
    WINNER,
    direction_offset,
)

NEXT = np.uint64(1)


class RandomMove(NamedTuple):
    """A move drawn at random: the bit of its target square, its distance and direction."""

    target: int  # 0 if there is no move
    step: int
    direction: int


@inlined
def draw_move(
    constants: Constants, own: int, enemy: int, player: int, random: np.uint64
) -> RandomMove:
    """Return the move that `through_bitboards.sample` would draw with these 64 random bits."""
    first = targets_of(constants, own, enemy, player, 0)
    second = targets_of(constants, own, enemy, player, 1)
    third = targets_of(constants, own, enemy, player, 2)
    fourth = targets_of(constants, own, enemy, player, 3)
    n1 = bits.count(first)
    n2 = n1 + bits.count(second)
    n3 = n2 + bits.count(third)
    total = n3 + bits.count(fourth)
    if total == 0:
        return RandomMove(0, 0, 0)
    draw = scaled(random, total)
    step1 = constants[direction_offset(player, 0) + STEP]
    step2 = constants[direction_offset(player, 1) + STEP]
    step3 = constants[direction_offset(player, 2) + STEP]
    step4 = constants[direction_offset(player, 3) + STEP]
    # Conditional moves instead of branches: the direction is random, so branches mispredict.
    skip, squares, step, way = draw, first, step1, 0
    skip, squares, step, way = (
        (draw - n1, second, step2, 1) if draw >= n1 else (skip, squares, step, way)
    )
    skip, squares, step, way = (
        (draw - n2, third, step3, 2) if draw >= n2 else (skip, squares, step, way)
    )
    skip, squares, step, way = (
        (draw - n3, fourth, step4, 3) if draw >= n3 else (skip, squares, step, way)
    )
    return RandomMove(bits.nth_bit(squares, skip), step, way)


def rollout(constants: Constants, state: State, trace: Codes, out: Scores, rng: Rng) -> int:
    """Play to the end and write the scores; return the number of moves written to `trace`."""
    cells, columns = constants[CELLS], constants[COLUMNS]
    white, black, word = state[BITBOARDS], state[BITBOARDS + 1], rng[0]
    bottom = (np.int64(1) << columns) - 1
    top = bottom << (cells - columns)
    length: Any = np.uint64(0)  # unsigned indices are not tested for being negative
    winner, white_first = state[WINNER], state[TURN] == 0
    while winner == TERMINAL:
        if white_first:
            word += RNG_STEP
            move = draw_move(constants, white, black, 0, mixed(word))
            target = move.target
            if target == 0:
                return -Status.NO_MOVE
            white ^= target | bits.down(target, move.step)
            black &= ~target
            origin = bits.lowest(target) - move.step
            trace[length] = NUM_DIRECTIONS * origin + move.direction
            length += NEXT
            if (target & top) != 0 or black == 0:
                winner = 0
                break
        white_first = True
        word += RNG_STEP
        move = draw_move(constants, black, white, 1, mixed(word))
        target = move.target
        if target == 0:
            return -Status.NO_MOVE
        black ^= target | (target << move.step)
        white &= ~target
        origin = bits.lowest(target) + move.step
        trace[length] = NUM_DIRECTIONS * (cells + origin) + move.direction
        length += NEXT
        if (target & bottom) != 0 or white == 0:
            winner = 1
    rng[0] = word
    out[0] = 1.0 if winner == 0 else 0.0
    out[1] = 1.0 - out[0]
    return np.int64(length)  # type: ignore[return-value]
