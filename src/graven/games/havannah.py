"""Havannah: on a hexagon of hexagons, close a ring, or join two corners or three sides.

A ring goes around one or more cells, whether these are empty or whoever's. Corners belong to no
side. A full board without any of these is a draw.

State: see `chains`. What a chain touches: corners (bits 0 to 5) and sides (bits 6 to 11).

The grid's columns are such that all rows begin half a cell further right than the row above; the
hexagon is what lies between two diagonals. OpenSpiel's letters, which we use, name the other
diagonals, and its numbers the rows.
"""

from __future__ import annotations

from string import ascii_lowercase

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import Constants, Moves, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Display
from graven.games import hex_chains
from graven.games.hex_boards import Honeycomb, as_svg, as_text
from graven.games.hex_chains import COLOUR, POINTS, TURN, WIDTH, WINNER, root_of
from graven.games.registry import Family, Option

SMALLEST, LARGEST = 3, 19
CORNERS, SIDES = 6, 6
ALL_AROUND = 63
LETTERS = [*ascii_lowercase, *(f"a{letter}" for letter in ascii_lowercase)]


@inlined
def neighbour(point: int, width: int, way: int) -> int:
    """The cells around a point in a circle, `way` 0 to 5: left, above, and so on clockwise."""
    step = width - 1 if way % 3 == 2 else width if way % 3 == 1 else 1
    return point - step if way < 3 else point + step


@inlined
def own_around(state: State, points: int, point: int, width: int, player: int) -> int:
    """Which of the six cells around are the player's, as bits in the order of `neighbour`."""
    at, found, bit = points + point, 0, 1
    for near in (at - 1, at - width, at - width + 1, at + 1, at + width, at + width - 1):
        found |= bit * (state[index(near)] & COLOUR == player)
        bit <<= 1
    return found


@inlined
def turned_left(around: int) -> int:
    """The bits of a circle, each in the place of the next."""
    return ((around << 1) | (around >> 5)) & ALL_AROUND


@inlined
def turned_right(around: int) -> int:
    """The bits of a circle, each in the place of the one before."""
    return ((around >> 1) | (around << 5)) & ALL_AROUND


@inlined
def closes_ring(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a stone on an empty point would close a ring.

    Own stones around the point come in runs. If two runs already belong to one chain, the stone
    closes a loop that has a gap between the runs inside. If the gaps around it are less than two,
    it shuts in nothing new, but what is shut in may be stones of the chain itself; then some of
    them has six others around it, and it lies in the middle of a run of three.
    """
    points, width = constants[POINTS], constants[WIDTH]
    around = own_around(state, points, point, width, player)
    starts = around & ~turned_left(around)
    if starts & (starts - 1):
        seen, more = -1, -1  # the roots of the first two runs: there are at most three
        for way in range(6):
            if starts >> way & 1:
                root = root_of(state, points, neighbour(point, width, way))
                if root in (seen, more):
                    return True
                seen, more = root, seen
    middles = around & turned_left(around) & turned_right(around)
    for way in range(6):
        if middles >> way & 1:
            middle = neighbour(point, width, way)
            back = 1 << (way + 3) % 6  # where the new stone will be
            if own_around(state, points, middle, width, player) | back == ALL_AROUND:
                return True
    return False


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Put the stone; a ring, a bridge or a fork wins."""
    player = state[TURN]
    code = int(joint[player])
    point = hex_chains.take(constants, state, player, code)
    ring = closes_ring(constants, state, player, point)
    touched = hex_chains.join(constants, state, player, code, point)
    corners = bits.count(touched & ((1 << CORNERS) - 1))
    sides = bits.count(touched >> CORNERS)
    if ring or corners >= 2 or sides >= 3:
        state[WINNER] = player


def cells_of(size: int) -> list[tuple[int, int]]:
    """The (row, column) of every cell, row by row from the top."""
    span = range(2 * size - 1)
    return [
        (row, column) for row in span for column in span if size - 1 <= row + column <= 3 * size - 3
    ]


def touches(size: int, row: int, column: int) -> int:
    """The bit of the corner or side on which a cell lies, if any."""
    far, sum_ = 2 * size - 2, row + column
    # The six sides in a circle from the top, clockwise.
    lies = (
        row == 0,
        column == far,
        sum_ == 3 * size - 3,
        row == far,
        column == 0,
        sum_ == size - 1,
    )
    sides = [side for side, there in enumerate(lies) if there]
    if len(sides) == 2:
        return 1 << (sides[1] if sides != [0, 5] else 0)
    return 1 << (CORNERS + sides[0]) if sides else 0


def make(size: int | str = 8) -> Game:
    """Havannah on a board with that many cells along each side."""
    text = str(size).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise _wrong(size)
    edge = int(text)
    if not SMALLEST <= edge <= LARGEST:
        raise _wrong(size)
    cells, width = cells_of(edge), 2 * edge
    names = [f"{LETTERS[row + column - (edge - 1)]}{row + 1}" for row, column in cells]

    def picture(state: State) -> Honeycomb:
        owners = hex_chains.owners(game.constants, state)
        lines: list[list[int]] = [[] for _ in range(2 * edge - 1)]
        called: list[list[str]] = [[] for _ in range(2 * edge - 1)]
        for (row, _), owner, name in zip(cells, owners, names, strict=True):
            lines[row].append(owner)
            called[row].append(name)
        indents = [abs(row - (edge - 1)) for row in range(2 * edge - 1)]
        return Honeycomb("havannah", lines, indents, LETTERS[: 2 * edge - 1], names=called)

    game = hex_chains.game(
        "havannah",
        edge,
        width,
        points=[(row + 1) * width + column + 1 for row, column in cells],
        touches=[touches(edge, *cell) for cell in cells],
        play=play,
        display=Display(
            player_names=("White", "Black"),
            format_move=lambda player, code: names[code],
            render=lambda state, colour: as_text(picture(state), colour),
            svg=lambda state: as_svg(picture(state)),
        ),
    )
    return game


def _wrong(size: int | str) -> UsageError:
    return UsageError(
        f"size must be the number of cells along a side, from {SMALLEST} to {LARGEST}: not {size}."
    )


FAMILY = Family(
    name="havannah",
    summary="close a ring, or join two corners or three sides, of a hexagon",
    options={"size": Option(8, f"{SMALLEST} to {LARGEST} cells along a side")},
    make=make,
)
