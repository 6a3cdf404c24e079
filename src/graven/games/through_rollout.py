"""Whole uniform playouts of Breakthrough and Knightthrough on boards of at most 64 squares.

The same moves, drawn with the same random numbers, as `through_bitboards.sample` and `play`. Both
bitboards and the random number generator stay in registers, no Zobrist key is computed, and the
board is a constant of the compiled code: it is compiled for each size.

A move is drawn without a branch: each direction deposits one bit into its targets, at a place that
only one direction has. The place is counted modulo 64, so that a player must have at most 64 moves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Codes, Constants, Scores, State
from graven.core.rng import STEP as RNG_STEP
from graven.core.rng import Rng, mixed, scaled
from graven.core.status import Status
from graven.games.through_rules import (
    BITBOARDS,
    CAPTURES,
    NUM_DIRECTIONS,
    SOURCE,
    STEP,
    TURN,
    WINNER,
    Direction,
    build_constants,
    direction_offset,
)

NEXT = np.uint64(1)

MAX_MOVES = 64


class RandomMove(NamedTuple):
    """A move drawn at random: bits of its target and origin square (0 for none), its direction."""

    target: int
    origin: int
    direction: int


@inlined
def targets_in(steps: Any, own: int, enemy: int, player: int, direction: int) -> int:
    """Return the target squares of a player's moves in one direction."""
    step, captures, source = steps[direction]
    leaving = own & source
    reached = leaving << step if player == 0 else bits.down(leaving, step)
    return reached & ~own & (captures | ~enemy)


@inlined
def origin_of(steps: Any, target: int, player: int, direction: int) -> int:
    """Return the origin square of a target, both as a bit."""
    step = steps[direction][0]
    return bits.down(target, step) if player == 0 else target << step


@inlined
def draw_move(steps: Any, own: int, enemy: int, player: int, random: np.uint64) -> RandomMove:
    """Return the move that `through_bitboards.sample` would draw with these 64 random bits."""
    first = targets_in(steps, own, enemy, player, direction=0)
    second = targets_in(steps, own, enemy, player, direction=1)
    third = targets_in(steps, own, enemy, player, direction=2)
    fourth = targets_in(steps, own, enemy, player, direction=3)
    n1 = bits.count(first)
    n2 = n1 + bits.count(second)
    n3 = n2 + bits.count(third)
    draw = scaled(random, n3 + bits.count(fourth))
    # All but one of these are 0: the place is beyond the number of targets.
    to1 = bits.nth_bit(first, draw & 63)
    to2 = bits.nth_bit(second, (draw - n1) & 63)
    to3 = bits.nth_bit(third, (draw - n2) & 63)
    to4 = bits.nth_bit(fourth, (draw - n3) & 63)
    origin = origin_of(steps, to1, player, 0) | origin_of(steps, to2, player, 1)
    origin |= origin_of(steps, to3, player, 2) | origin_of(steps, to4, player, 3)
    direction = (to2 != 0) + 2 * (to3 != 0) + 3 * (to4 != 0)
    return RandomMove(to1 | to2 | to3 | to4, origin, direction)


@cache
def rollout_of(
    rows: int, columns: int, directions: tuple[Direction, ...]
) -> Callable[..., int] | None:
    """Return the `rollout` for a board, or None if the general one is faster or needed."""
    cells = rows * columns
    if cells > 64 or 2 * columns * len(directions) > MAX_MOVES or not bits.deposits_fast():
        return None
    constants = build_constants(rows, columns, directions)
    offset = direction_offset.py_func  # type: ignore[attr-defined]
    white_steps, black_steps = (
        tuple(
            tuple(int(constants[offset(player, way) + word]) for word in (STEP, CAPTURES, SOURCE))
            for way in range(NUM_DIRECTIONS)
        )
        for player in range(2)
    )
    bottom = (1 << columns) - 1
    top = int(np.int64(bottom) << np.int64(cells - columns))

    def rollout(constants: Constants, state: State, trace: Codes, out: Scores, rng: Rng) -> int:
        white, black, word = state[BITBOARDS], state[BITBOARDS + 1], rng[0]
        length: Any = np.uint64(0)  # unsigned indices are not tested for being negative
        winner, white_first = state[WINNER], state[TURN] == 0
        while winner == TERMINAL:
            if white_first:
                word += RNG_STEP
                move = draw_move(white_steps, white, black, 0, random=mixed(word))
                if move.target == 0:
                    return -Status.NO_MOVE
                white ^= move.target | move.origin
                black &= ~move.target
                trace[length] = NUM_DIRECTIONS * bits.lowest(move.origin) + move.direction
                length += NEXT
                if (move.target & top) != 0 or black == 0:
                    winner = 0
                    break
            white_first = True
            word += RNG_STEP
            move = draw_move(black_steps, black, white, 1, random=mixed(word))
            if move.target == 0:
                return -Status.NO_MOVE
            black ^= move.target | move.origin
            white &= ~move.target
            trace[length] = NUM_DIRECTIONS * (cells + bits.lowest(move.origin)) + move.direction
            length += NEXT
            if (move.target & bottom) != 0 or white == 0:
                winner = 1
        rng[0] = word
        out[0] = 1.0 if winner == 0 else 0.0
        out[1] = 1.0 - out[0]
        return np.int64(length)  # type: ignore[return-value]

    return rollout
