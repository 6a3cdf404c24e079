"""Othello's state and constants, and its moves on bitboards."""

from __future__ import annotations

import numpy as np

from graven.core.bits import down
from graven.core.compile import inlined
from graven.core.contract import Constants

# Layout of a state.
TURN, DISCS, LEGAL, OVER, WORDS = 0, 1, 3, 4, 5

# Layout of `constants`: number of squares, bitboard of all squares, bitboard without the first and
# last column, number of columns, each player's initial discs, three random odd numbers for the key.
SQUARES, BOARD, INNER, COLUMNS, INITIAL, MIX = 0, 1, 2, 3, 4, 6
LONGEST_LINE = 6  # the most discs that a move can flip in one direction on eight squares


@inlined
def shifted(word: int, step: int) -> int:
    """Shift a bitboard by `step` bits, up or (negative) down."""
    return word << step if step > 0 else down(word, -step)


@inlined
def flippable_run(constants: Constants, from_: int, enemy: int, step: int) -> int:
    """Return the enemy discs in unbroken lines from some squares in one direction.

    Horizontal and diagonal steps must not wrap to another row, so they exclude the first and last
    column.
    """
    through = (
        enemy
        if step == constants[COLUMNS] or step == -constants[COLUMNS]
        else enemy & constants[INNER]
    )
    squares = shifted(from_, step) & through
    for _ in range(LONGEST_LINE - 1):
        squares |= shifted(squares, step) & through
    return squares


@inlined
def legal_squares(constants: Constants, own: int, enemy: int) -> int:
    """Return the squares where a disc flips at least one enemy disc."""
    free, squares, columns = constants[BOARD] & ~(own | enemy), np.int64(0), constants[COLUMNS]
    for step in (1, columns - 1, columns, columns + 1):
        squares |= shifted(flippable_run(constants, own, enemy, step), step)
        squares |= shifted(flippable_run(constants, own, enemy, -step), -step)
    return squares & free


@inlined
def flipped_discs(constants: Constants, own: int, enemy: int, disc: int) -> int:
    """Return the enemy discs that a disc on a free square flips."""
    squares, columns = np.int64(0), constants[COLUMNS]
    for distance in (1, columns - 1, columns, columns + 1):
        for step in (distance, -distance):
            line = flippable_run(constants, disc, enemy, step)
            squares |= line if shifted(line, step) & own else 0
    return squares  # type: ignore[return-value]
