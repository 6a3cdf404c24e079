"""Havannah: on a hexagon of hexagons, form a ring, a bridge (two corners) or a fork (three sides).

A ring surrounds one or more cells, empty or occupied by any player. Corners belong to no side. A
full board without a winner is a draw.

State: see `hex_chains`. Contacts: corners (bits 0 to 5) and sides (bits 6 to 11).

Every row of the grid begins half a cell further to the right than the row above; the hexagon lies
between two diagonals. Cell names are OpenSpiel's: letters for the other diagonals, numbers for the
rows.
"""

from __future__ import annotations

from functools import partial
from string import ascii_lowercase

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import Constants, Moves, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Display
from graven.games import hex_chains
from graven.games.hex_boards import HexBoard, as_svg, as_text
from graven.games.hex_chains import (
    ALL_AROUND,
    POINTS,
    TURN,
    WIDTH,
    WINNER,
    neighbour,
    own_neighbours,
    rotated_left,
)
from graven.games.registry import Family, GameOption

MIN_SIZE, MAX_SIZE = 3, 19
CORNERS, SIDES = 6, 6
LETTERS = [*ascii_lowercase, *(f"a{letter}" for letter in ascii_lowercase)]


@inlined
def rotated_right(around: int) -> int:
    """Rotate six bits to the right by one."""
    return ((around >> 1) | (around << 5)) & ALL_AROUND


@inlined
def surrounds_stone(
    constants: Constants, state: State, player: int, point: int, around: int
) -> bool:
    """Whether a stone on a point surrounds a stone of its own chain.

    That stone then has six own neighbours and lies in the middle of a run of three.
    """
    points, width = constants[POINTS], constants[WIDTH]
    middles = around & rotated_left(around) & rotated_right(around)
    while middles:
        direction = bits.lowest(middles)
        middles &= middles - 1
        middle = neighbour(point, width, direction)
        back = 1 << (direction + 3) % 6  # the direction of the new stone
        if own_neighbours(state, points, middle, width, player=player) | back == ALL_AROUND:
            return True
    return False


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the stone; a ring, a bridge or a fork wins.

    The own stones around the point form runs. If two runs belong to the same chain, the stone
    closes a loop that surrounds a gap between the runs.
    """
    player = state[TURN]
    code = int(joint[player])
    point = hex_chains.occupy(constants, state, player, code)
    around = own_neighbours(state, constants[POINTS], point, constants[WIDTH], player=player)
    ring = surrounds_stone(constants, state, player, point, around=around)
    contact, loop = hex_chains.connect(constants, state, player, code, point=point, around=around)
    corners = bits.count(contact & ((1 << CORNERS) - 1))
    sides = bits.count(contact >> CORNERS)
    if ring or loop or corners >= 2 or sides >= 3:
        state[WINNER] = player


def cells_of(size: int) -> list[tuple[int, int]]:
    """Return the (row, column) of every cell, row by row from the top."""
    span = range(2 * size - 1)
    return [
        (row, column) for row in span for column in span if size - 1 <= row + column <= 3 * size - 3
    ]


def contact_of(size: int, row: int, column: int) -> int:
    """Return the contact bit of a cell: of its corner or side, or 0 for an inner cell."""
    far, sum_ = 2 * size - 2, row + column
    # The six sides, clockwise from the top.
    on_side = (
        row == 0,
        column == far,
        sum_ == 3 * size - 3,
        row == far,
        column == 0,
        sum_ == size - 1,
    )
    sides = [side for side, is_on in enumerate(on_side) if is_on]
    if len(sides) == 2:
        return 1 << (sides[1] if sides != [0, 5] else 0)
    return 1 << (CORNERS + sides[0]) if sides else 0


def make(size: int | str = 8) -> Game:
    """Return Havannah on a board with this number of cells along each side."""
    text = str(size).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise _size_error(size)
    edge = int(text)
    if not MIN_SIZE <= edge <= MAX_SIZE:
        raise _size_error(size)
    cells, width = cells_of(edge), 2 * edge
    row_lengths = [2 * edge - 1 - abs(row - (edge - 1)) for row in range(2 * edge - 1)]
    names = [f"{LETTERS[row + column - (edge - 1)]}{row + 1}" for row, column in cells]

    def board(state: State) -> HexBoard:
        owners = hex_chains.owners(game.constants, state)
        owner_rows: list[list[int]] = [[] for _ in range(2 * edge - 1)]
        row_names: list[list[str]] = [[] for _ in range(2 * edge - 1)]
        for (row, _), owner, name in zip(cells, owners, names, strict=True):
            owner_rows[row].append(owner)
            row_names[row].append(name)
        indents = [abs(row - (edge - 1)) for row in range(2 * edge - 1)]
        letters = LETTERS[: 2 * edge - 1]
        return HexBoard(
            "havannah", owner_rows, indents, letters, names=row_names, colours=("white", "black")
        )

    game = hex_chains.game(
        "havannah",
        edge,
        width,
        points=[(row + 1) * width + column + 1 for row, column in cells],
        contacts=[contact_of(edge, *cell) for cell in cells],
        play=play,
        fixed_board=True,
        display=Display(
            player_names=("White", "Black"),
            format_move=lambda player, code: names[code],
            render=lambda state, colour: as_text(board(state), colour),
            svg=lambda state: as_svg(board(state)),
            parse_position=partial(hex_chains.parse_position, lengths=row_lengths),
        ),
    )
    return game


def _size_error(size: int | str) -> UsageError:
    return UsageError(
        f"size must be the number of cells along a side, from {MIN_SIZE} to {MAX_SIZE}, got {size}."
    )


FAMILY = Family(
    name="havannah",
    summary="close a ring, or connect two corners or three sides, of a hexagon",
    options={"size": GameOption(8, f"{MIN_SIZE} to {MAX_SIZE} cells along a side")},
    make=make,
)
