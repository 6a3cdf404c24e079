"""Othello on bitboards: a disc must turn at least one enemy disc over; who cannot, passes.

A square is the bit row * columns + column, counted from a1 at the top left, and that is also the
code of a move there; the last code is the pass, which is the only move where no disc can be laid.

State: whose turn it is, the discs of each player, the squares where the player to move can lay a
disc, and whether the game is over.
"""

from __future__ import annotations

import numpy as np

from graven.core import bits
from graven.core.bits import down, nth
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below, derive
from graven.games.boards import VACANT, Board, SizeRange, as_text, cell_name
from graven.games.registry import Family, Option
from graven.games.svg_boards import as_svg

TURN, DISCS, OPEN, OVER, WORDS = 0, 1, 3, 4, 5

# Constants: how many squares, the squares of the board, those not in the first or last column, how
# many columns; the initial discs of each player; then two random numbers for the key.
SQUARES, BOARD, INNER, COLUMNS, INITIAL, MIX = 0, 1, 2, 3, 4, 6
LONGEST_LINE = 6  # discs that one move can turn over in one direction on eight squares

PASS = "pass"


def build_constants(rows: int, columns: int) -> list[int]:
    """Tables for a board of these measures, at most 64 squares."""
    every = [(row, column) for row in range(rows) for column in range(columns)]
    down, right = rows // 2, columns // 2

    def board(squares: list[tuple[int, int]]) -> int:
        return _signed(sum(1 << (row * columns + column) for row, column in squares))

    return [
        rows * columns,
        board(every),
        board([square for square in every if 0 < square[1] < columns - 1]),
        columns,
        board([(down - 1, right), (down, right - 1)]),
        board([(down - 1, right - 1), (down, right)]),
        *(_signed(derive(1971, number) | 1) for number in range(3)),
    ]


def _signed(word: int) -> int:
    return int(np.uint64(word).astype(np.int64))


@inlined
def shifted(word: int, step: int) -> int:
    """All squares moved by so many bits, forwards or backwards."""
    return word << step if step > 0 else down(word, -step)


@inlined
def reached(constants: Constants, from_: int, enemy: int, step: int) -> int:
    """The enemy discs in unbroken lines from some squares in one direction.

    Steps to the side must not go from one row to the next: they stay off the first and last column.
    """
    through = (
        enemy
        if step == constants[COLUMNS] or step == -constants[COLUMNS]
        else enemy & constants[INNER]
    )
    found = shifted(from_, step) & through
    for _ in range(LONGEST_LINE - 1):
        found |= shifted(found, step) & through
    return found


@inlined
def open_squares(constants: Constants, own: int, enemy: int) -> int:
    """Where a disc would turn over at least one of the enemy's."""
    free, found, columns = constants[BOARD] & ~(own | enemy), np.int64(0), constants[COLUMNS]
    for side in (1, columns - 1, columns, columns + 1):
        found |= shifted(reached(constants, own, enemy, side), side)
        found |= shifted(reached(constants, own, enemy, -side), -side)
    return found & free


@inlined
def turned(constants: Constants, own: int, enemy: int, disc: int) -> int:
    """The enemy discs that a disc on a free square turns over."""
    found, columns = np.int64(0), constants[COLUMNS]
    for side in (1, columns - 1, columns, columns + 1):
        for step in (side, -side):
            line = reached(constants, disc, enemy, step)
            found |= line if shifted(line, step) & own else 0
    return found  # type: ignore[return-value]


def start(constants: Constants, state: State) -> None:
    """Four discs in the middle; Black moves first."""
    state[TURN], state[OVER] = 0, 0
    state[DISCS], state[DISCS + 1] = constants[INITIAL], constants[INITIAL + 1]
    state[OPEN] = open_squares(constants, state[DISCS], state[DISCS + 1])


def turn(constants: Constants, state: State) -> int:
    """The player to move; nobody when neither can lay a disc."""
    return TERMINAL if state[OVER] else state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The open squares, or the pass."""
    left, count = state[OPEN], 0
    if left == 0:
        moves[0] = constants[SQUARES]
        return 1
    while left:
        moves[count] = bits.lowest(left)
        left &= left - 1
        count += 1
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """One of the open squares, or the pass."""
    if state[OPEN] == 0:
        return constants[SQUARES]
    return nth(state[OPEN], below(rng, bits.count(state[OPEN])))


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the square is open; a pass, if none is."""
    if move == constants[SQUARES]:
        return state[OPEN] == 0
    return down(state[OPEN], move) & 1 != 0


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Lay the disc and turn others over, or pass."""
    player = state[TURN]
    enemy = 1 - player
    code = int(joint[player])
    own, other = state[DISCS + player], state[DISCS + enemy]
    if code < constants[SQUARES]:
        disc = np.int64(1) << code
        changed = turned(constants, own, other, disc)  # type: ignore[arg-type]
        own, other = own | disc | changed, other & ~changed
    state[DISCS + player], state[DISCS + enemy] = own, other
    state[TURN] = enemy
    state[OPEN] = open_squares(constants, other, own)
    if state[OPEN] == 0:
        state[OVER] = np.int64(open_squares(constants, own, other) == 0)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """A point for more discs, half a point for as many."""
    ahead = bits.count(state[DISCS]) - bits.count(state[DISCS + 1])
    out[0] = 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0
    out[1] = 1.0 - out[0]


def key(constants: Constants, state: State) -> int:
    """A mix of the discs and the turn."""
    mixed = state[DISCS] * constants[MIX]
    mixed = (mixed ^ down(mixed, 29)) * constants[MIX + 1] + state[DISCS + 1] * constants[MIX + 2]
    mixed = (mixed ^ down(mixed, 32)) * constants[MIX]
    return (mixed ^ down(mixed, 29)) + state[TURN] * constants[MIX + 1]


class Even(SizeRange):
    """Even numbers of rows and columns."""

    def __str__(self) -> str:
        return f"{super().__str__()}, both even"

    def _holds(self, rows: int, columns: int) -> bool:
        return rows % 2 == columns % 2 == 0 and super()._holds(rows, columns)


SIZES = Even(rows=(4, 8), columns=(4, 8))


def make(size: int | str = 8) -> Game:
    """Othello on a board of that size."""
    rows, columns = SIZES.parse(size)
    squares = rows * columns
    return Game(
        name="othello",
        players=2,
        functions=RuleFunctions(
            start=start,
            turn=turn,
            legal=legal,
            play=play,
            scores=scores,
            sample=sample,
            key=key,
            is_playout_move=allowed,
        ),
        bounds=Bounds(
            state_words=WORDS,
            num_codes=squares + 1,
            max_moves=squares - 4,
            # Each pass is followed by a disc, and no disc can be laid on the first four squares.
            max_plies=2 * (squares - 4),
        ),
        constants=build_constants(rows, columns),
        display=Display(
            player_names=("Black", "White"),
            format_move=lambda player, code: PASS if code == squares else cell_name(code, columns),
            render=lambda state, colour: as_text(_board(rows, columns, state), colour),
            svg=lambda state: as_svg(_board(rows, columns, state)),
        ),
        options={"size": f"{rows}x{columns}"},
    )


def _board(rows: int, columns: int, state: State) -> Board:
    """The discs, as `boards` draws them."""
    owners = [VACANT] * (rows * columns)
    for player in range(2):
        for square in range(rows * columns):
            if int(state[DISCS + player]) >> square & 1:
                owners[square] = player
    return Board("othello", rows, columns, owners, "discs")


FAMILY = Family(
    name="othello",
    summary="lay discs that turn enemy lines over; the most discs win",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
