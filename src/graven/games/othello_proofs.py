"""What is certain in an endgame of Othello: few empty squares are searched to the end.

`proof_moves` searches a position with at most SEARCHED empty squares by alpha-beta for the sign of
the difference of discs. Squares in regions with an odd number of empty squares come first (parity):
the player who moves there first usually has the last move there. The regions are approximated by
quadrants.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, Moves, Scores, State
from graven.games.othello_bitboards import (
    BOARD,
    COLUMNS,
    DISCS,
    LEGAL,
    SQUARES,
    flipped_discs,
    legal_squares,
)

SEARCHED = 7
QUADRANTS = 4
# A row of the search: discs of the player to move and of the opponent, legal squares to try (of odd
# and of even quadrants), the best value so far, the window, and whether the opponent has passed.
OWN, OPPONENT, ODD, EVEN, BEST, LOW, HIGH, PASSED, ROW = range(9)
# A pass may precede every disc, and two passes end the game.
SCRATCH = QUADRANTS + ROW * (2 * SEARCHED + 3)


@inlined
def set_quadrants(constants: Constants, quadrants: NDArray[np.int64]) -> None:
    """Write the bitboards of the four quadrants."""
    columns, squares = constants[COLUMNS], constants[SQUARES]
    left = np.int64(0)
    for row in range(squares // columns):
        left |= ((np.int64(1) << (columns // 2)) - 1) << (row * columns)
    upper = (np.int64(1) << (squares // columns // 2 * columns)) - 1
    quadrants[0], quadrants[1] = left & upper, ~left & upper
    quadrants[2], quadrants[3] = left & ~upper, ~left & ~upper


@inlined
def set_row(row: NDArray[np.int64], own: int, opponent: int, low: int, high: int) -> None:
    """Begin a row of the search."""
    row[OWN], row[OPPONENT], row[LOW], row[HIGH] = own, opponent, low, high
    row[ODD], row[EVEN], row[BEST] = 0, 0, -1


@compiled
def endgame_value(constants: Constants, own: int, opponent: int, scratch: NDArray[np.int64]) -> int:
    """Return the result for the player to move with best play: 1, 0 or -1."""
    set_quadrants(constants, scratch)
    depth, value, is_new = 0, 0, True
    row = scratch[QUADRANTS : QUADRANTS + ROW]
    set_row(row, own, opponent, -1, high=1)
    row[PASSED] = 0
    while depth >= 0:
        row = scratch[QUADRANTS + depth * ROW : QUADRANTS + (depth + 1) * ROW]
        own, opponent = row[OWN], row[OPPONENT]
        below = scratch[QUADRANTS + (depth + 1) * ROW : QUADRANTS + (depth + 2) * ROW]
        if is_new:
            empty = constants[BOARD] & ~(own | opponent)
            legal = legal_squares(constants, own, opponent) if empty else 0
            if legal == 0 and (row[PASSED] or empty == 0):
                ahead = bits.count(own) - bits.count(opponent)
                value = 1 if ahead > 0 else -1 if ahead < 0 else 0
                is_new = False
                depth -= 1
                continue
            if legal == 0:
                set_row(below, opponent, own, -row[HIGH], high=-row[LOW])
                below[PASSED] = 1
                depth += 1
                continue
            odd = np.int64(0)
            for i in range(QUADRANTS):
                odd |= scratch[i] if bits.count(empty & scratch[i]) & 1 else 0
            row[ODD], row[EVEN] = legal & odd, legal & ~odd
        else:
            row[BEST] = max(row[BEST], -value)
        squares = row[ODD] if row[ODD] else row[EVEN]
        if squares == 0 or row[BEST] >= row[HIGH]:
            value = row[BEST]
            is_new = False
            depth -= 1
            continue
        disc = squares & -squares
        row[ODD] &= ~disc
        row[EVEN] &= ~disc
        changed = flipped_discs(constants, own, opponent, disc)
        set_row(
            below,
            opponent & ~changed,
            own | disc | changed,
            -row[HIGH],
            high=-max(row[LOW], row[BEST]),
        )
        below[PASSED] = 0
        is_new = True
        depth += 1
    return value


def proof_moves(
    constants: Constants,
    state: State,
    player: int,
    moves: Moves,
    bounds: Scores,
    scratch: NDArray[np.int64],
) -> int:
    """Search a position with few empty squares; list the legal moves of any other."""
    own, opponent = state[DISCS + player], state[DISCS + 1 - player]
    bounds[0], bounds[1] = 0.0, 1.0
    if bits.count(own | opponent) + SEARCHED >= constants[SQUARES]:
        value = endgame_value(constants, own, opponent, scratch)
        bounds[0] = bounds[1] = 0.5 * (1 + value)
        return 0
    remaining, count = state[LEGAL], 0
    if remaining == 0:
        moves[0] = constants[SQUARES]
        return 1
    while remaining:
        moves[count] = bits.lowest(remaining)
        remaining &= remaining - 1
        count += 1
    return count
