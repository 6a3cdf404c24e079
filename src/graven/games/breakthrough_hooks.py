"""What a move and a position of Breakthrough look like: `prior` and `evaluate` of the contract.

Both are simple, hand-written guesses; docs/hooks.md has what they are worth.
"""

from __future__ import annotations

from math import exp

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import Constants, Scores, State
from graven.games.through_rules import (
    BITBOARDS,
    BOARD_WORDS,
    CELLS,
    COLUMNS,
    NUM_DIRECTIONS,
    TURN,
    destination,
)

# Of `prior`: a move to the first row, what the way to the last row adds, a capture, and a move to a
# square where the pawn can be captured without loss.
FIRST, AHEAD, CAPTURE, HANGING = 0.15, 0.35, 0.4, -0.3
# Of `evaluate`: the weight of a pawn, and of the square of its distance from its own first row.
PAWN, ADVANCE = 0.4, 0.01


@inlined
def pawn_at(constants: Constants, state: State, player: int, row: int, column: int) -> int:
    """Return 1 if a player has a pawn on a square, else 0; also for squares off the board."""
    columns = constants[COLUMNS]
    if row < 0 or column < 0 or column >= columns or row * columns >= constants[CELLS]:
        return 0
    square = row * columns + column
    board = BITBOARDS + player * constants[BOARD_WORDS]
    return bits.down(state[board + (square >> 6)], square & 63) & 1


@inlined
def progress(constants: Constants, player: int, row: int) -> int:
    """Return how many rows a row is from a player's first one."""
    return row if player == 0 else constants[CELLS] // constants[COLUMNS] - 1 - row


def prior(constants: Constants, state: State, player: int, move: int) -> float:
    """Prefer wins, captures and advanced pawns to pawns that can be captured."""
    columns = constants[COLUMNS]
    last = constants[CELLS] // columns - 1
    origin, target = move // NUM_DIRECTIONS, destination(constants, player, move)
    row, column = target // columns, target % columns
    ahead = progress(constants, player, row)
    if ahead == last:
        return 1.0
    forward = 1 if player == 0 else -1
    attackers, defenders = 0, 0
    for aside in (-1, 1):
        attackers += pawn_at(constants, state, 1 - player, row + forward, column=column + aside)
        defenders += pawn_at(constants, state, player, row - forward, column=column + aside)
    if origin % columns != column:  # it leaves a square from which it would defend
        defenders -= 1
    guess = FIRST + AHEAD * ahead / last
    if pawn_at(constants, state, 1 - player, row, column=column):
        guess += CAPTURE
    if attackers > defenders:
        guess += HANGING
    return min(1.0, max(0.0, guess))


def evaluate(constants: Constants, state: State, out: Scores) -> None:
    """Count pawns and how far they have come; a pawn before the last row wins if it may move."""
    columns = constants[COLUMNS]
    last = constants[CELLS] // columns - 1
    lead, mover = 0.0, state[TURN]
    wins = False
    for player in range(2):
        sign = 1.0 if player == mover else -1.0
        board = BITBOARDS + player * constants[BOARD_WORDS]
        for word in range(constants[BOARD_WORDS]):
            pawns = state[board + word]
            while pawns:
                square = 64 * word + bits.lowest(pawns)
                pawns &= pawns - 1
                ahead = progress(constants, player, square // columns)
                lead += sign * (PAWN + ADVANCE * ahead * ahead)
                wins |= player == mover and ahead == last - 1
    expected = 1.0 if wins else 1.0 / (1.0 + exp(-lead))
    out[mover] = expected
    out[1 - mover] = 1.0 - expected
