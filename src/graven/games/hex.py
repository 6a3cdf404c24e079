"""Hex: the first player connects top and bottom, the second left and right. There are no draws.

State: see `hex_chains`. Contacts: top (bit 0), bottom (1), left side (2), right side (3).
"""

from __future__ import annotations

from functools import partial

from graven.core.contract import Constants, Moves, State
from graven.core.game import Game
from graven.core.game_parts import Display
from graven.games import hex_batches, hex_chains, hex_connections
from graven.games.boards import SizeRange, cell_name
from graven.games.hex_boards import HexBoard, as_svg, as_text
from graven.games.hex_chains import POINTS, TURN, WIDTH, WINNER, own_neighbours
from graven.games.registry import Family, GameOption


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the stone; a chain that connects the player's two sides wins."""
    player = state[TURN]
    code = int(joint[player])
    point = hex_chains.occupy(constants, state, player, code)
    around = own_neighbours(state, constants[POINTS], point, constants[WIDTH], player=player)
    contact, _ = hex_chains.connect(constants, state, player, code, point=point, around=around)
    both = 3 << (2 * player)
    if contact & both == both:
        state[WINNER] = player


SIZES = SizeRange(rows=(2, 26), columns=(2, 26))


def make(size: int | str = 11) -> Game:
    """Return Hex on a board of this size."""
    rows, columns = SIZES.parse(size)
    width = columns + 1
    cells = [(row, column) for row in range(rows) for column in range(columns)]

    connects = len(cells) <= hex_connections.MAX_CELLS

    def board(state: State) -> HexBoard:
        owners = hex_chains.owners(game.constants, state)
        owner_rows = [owners[row * columns : (row + 1) * columns] for row in range(rows)]
        letters = [cell_name(column, columns)[0] for column in range(columns)]
        names = [[f"{letter}{row + 1}" for letter in letters] for row in range(rows)]
        return HexBoard("hex", owner_rows, list(range(rows)), letters, names=names, sides=True)

    game = hex_chains.game(
        "hex",
        f"{rows}x{columns}",
        width,
        points=[(row + 1) * width + column + 1 for row, column in cells],
        contacts=[
            (row == 0) + 2 * (row == rows - 1) + 4 * (column == 0) + 8 * (column == columns - 1)
            for row, column in cells
        ],
        play=play,
        display=Display(
            player_names=("Black", "White"),
            format_move=lambda player, code: cell_name(code, columns),
            render=lambda state, colour: as_text(board(state), colour),
            svg=lambda state: as_svg(board(state)),
            parse_position=partial(hex_chains.parse_position, lengths=[columns] * rows),
        ),
        proof_moves=hex_connections.proof_moves if connects else None,
        proof_scratch=hex_connections.scratch_words(len(cells)) if connects else 1,
        batch_playouts=hex_batches.batches_of(rows, columns),
        batch_scratch=hex_batches.scratch_words(rows, columns),
    )
    return game


FAMILY = Family(
    name="hex",
    summary="connect your two sides of a board of hexagons",
    options={"size": GameOption("11x11", str(SIZES))},
    make=make,
)
