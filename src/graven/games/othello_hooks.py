"""What a move and a position of Othello look like: `prior` and `evaluate` of the contract.

Both are simple, hand-written guesses; docs/hooks.md has what they are worth.
"""

from __future__ import annotations

from math import exp

import numpy as np

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import Constants, Scores, State
from graven.games.othello_bitboards import COLUMNS, DISCS, SQUARES, legal_squares

# Of `prior`: a corner, other squares of the edge, squares beside an empty corner, the one that
# touches it diagonally, and all others.
CORNER, EDGE, BESIDE, DIAGONAL, OTHER = 1.0, 0.55, 0.15, 0.05, 0.4
# Of `evaluate`: the weights of a corner, of a disc diagonally beside an empty corner, and of the
# difference of moves as a share of all moves.
CORNER_LEAD, DIAGONAL_LEAD, MOBILITY_LEAD = 1.0, -0.5, 2.0


@inlined
def corner_of(constants: Constants, number: int) -> int:
    """Return one of the four corners."""
    columns = constants[COLUMNS]
    row = 0 if number < 2 else constants[SQUARES] // columns - 1
    return row * columns + (0 if number % 2 == 0 else columns - 1)


@inlined
def disc_at(discs: int, square: int) -> int:
    """Return 1 if a bitboard has a disc on a square, else 0."""
    return bits.down(discs, square) & 1


def prior(constants: Constants, state: State, player: int, move: int) -> float:
    """Prefer corners and edges to squares beside an empty corner."""
    columns = constants[COLUMNS]
    if move == constants[SQUARES]:
        return OTHER
    rows = constants[SQUARES] // columns
    row, column = move // columns, move % columns
    for number in range(4):
        corner = corner_of(constants, number)
        down, right = abs(row - corner // columns), abs(column - corner % columns)
        if down == 0 and right == 0:
            return CORNER
        if down <= 1 and right <= 1 and not disc_at(state[DISCS] | state[DISCS + 1], corner):
            return DIAGONAL if down + right == 2 else BESIDE
    on_edge = row == 0 or column == 0 or row == rows - 1 or column == columns - 1
    return EDGE if on_edge else OTHER


def evaluate(constants: Constants, state: State, out: Scores) -> None:
    """Compare corners, discs beside empty corners and numbers of moves."""
    columns = constants[COLUMNS]
    black, white = state[DISCS], state[DISCS + 1]
    lead = 0.0
    for number in range(4):
        corner = corner_of(constants, number)
        row, column = corner // columns, corner % columns
        inner = (row + 1 if row == 0 else row - 1) * columns + (
            column + 1 if column == 0 else column - 1
        )
        taken = disc_at(black, corner) - disc_at(white, corner)
        lead += CORNER_LEAD * taken
        if not disc_at(black | white, corner):
            lead += DIAGONAL_LEAD * (disc_at(black, inner) - disc_at(white, inner))
    own = bits.count(legal_squares(constants, black, white))
    other = bits.count(legal_squares(constants, white, black))
    lead += MOBILITY_LEAD * (own - other) / np.int64(own + other + 1)
    out[0] = 1.0 / (1.0 + exp(-lead))
    out[1] = 1.0 - out[0]
