"""Hex: the first player joins top and bottom, the second left and right. There are no draws.

State: see `chains`. What a chain touches: the top (bit 0), the bottom (1), the left side (2), the
right one (3).
"""

from __future__ import annotations

from graven.core.contract import Constants, Moves, State
from graven.core.game import Game
from graven.core.game_parts import Display
from graven.games import hex_chains
from graven.games.boards import SizeRange, cell_name
from graven.games.hex_boards import Honeycomb, as_svg, as_text
from graven.games.hex_chains import TURN, WINNER
from graven.games.registry import Family, Option


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Put the stone; whoever joins both sides wins."""
    player = state[TURN]
    code = int(joint[player])
    point = hex_chains.take(constants, state, player, code)
    touched = hex_chains.join(constants, state, player, code, point)
    both = 3 << (2 * player)
    if touched & both == both:
        state[WINNER] = player


SIZES = SizeRange(rows=(2, 26), columns=(2, 26))


def make(size: int | str = 11) -> Game:
    """Hex on a board of that size."""
    rows, columns = SIZES.parse(size)
    width = columns + 1
    every = [(row, column) for row in range(rows) for column in range(columns)]

    def picture(state: State) -> Honeycomb:
        owners = hex_chains.owners(game.constants, state)
        lines = [owners[row * columns : (row + 1) * columns] for row in range(rows)]
        letters = [cell_name(column, columns)[0] for column in range(columns)]
        names = [[f"{letter}{row + 1}" for letter in letters] for row in range(rows)]
        return Honeycomb("hex", lines, list(range(rows)), letters, sides=True, names=names)

    game = hex_chains.game(
        "hex",
        f"{rows}x{columns}",
        width,
        points=[(row + 1) * width + column + 1 for row, column in every],
        touches=[
            (row == 0) + 2 * (row == rows - 1) + 4 * (column == 0) + 8 * (column == columns - 1)
            for row, column in every
        ],
        play=play,
        display=Display(
            player_names=("Black", "White"),
            format_move=lambda player, code: cell_name(code, columns),
            render=lambda state, colour: as_text(picture(state), colour),
            svg=lambda state: as_svg(picture(state)),
        ),
    )
    return game


FAMILY = Family(
    name="hex",
    summary="join your two sides of a board of hexagons",
    options={"size": Option("11x11", str(SIZES))},
    make=make,
)
