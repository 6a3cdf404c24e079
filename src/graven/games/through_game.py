"""Games of two armies that only move forward: their rules, move text and board put together."""

from __future__ import annotations

from graven.core import bits
from graven.core.contract import State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.games import through_bitboards, through_rules
from graven.games.boards import VACANT, Board, Pieces, as_text, cell_name
from graven.games.svg_boards import as_svg


def game(
    name: str,
    pieces: Pieces,
    rows: int,
    columns: int,
    directions: list[tuple[int, int, bool]],
) -> Game:
    """A game of two armies whose pieces move in these directions (see `build_constants`)."""
    cells = rows * columns
    # No piece moves on from the far row, so a side's pieces from its first and second row make
    # at most rows - 2 and rows - 3 moves each, and then one of all moves wins.
    plies = 2 * columns * (2 * rows - 5) + 1
    moving = through_bitboards if cells <= 64 else through_rules
    return Game(
        name=name,
        players=2,
        functions=RuleFunctions(
            start=through_rules.start,
            turn=through_rules.turn,
            legal=moving.legal,
            play=moving.play,
            scores=through_rules.scores,
            sample=moving.sample,
            key=through_rules.key,
            feature=through_rules.feature,
            is_playout_move=moving.allowed,
            playout_moves_with_features=moving.coded,
        ),
        bounds=Bounds(
            state_words=through_rules.words(rows, columns),
            num_codes=through_rules.WAYS * cells,
            max_moves=2 * columns * len(directions),
            max_plies=plies,
            num_features=2 * through_rules.WAYS * cells,
        ),
        constants=through_rules.build_constants(rows, columns, directions),
        display=Display(
            player_names=("White", "Black"),
            format_move=lambda player, code: _move_text(player, code, rows, columns, directions),
            render=lambda state, colour: as_text(
                _board(name, pieces, rows, columns, state), colour
            ),
            svg=lambda state: as_svg(_board(name, pieces, rows, columns, state)),
        ),
        options={"size": f"{rows}x{columns}"},
    )


def _move_text(
    player: int, code: int, rows: int, columns: int, directions: list[tuple[int, int, bool]]
) -> str:
    """From-square and to-square; a code that leads off the board shows its direction instead."""
    cell, way = divmod(code, through_rules.WAYS)
    row, column = divmod(cell, columns)
    if way < len(directions):
        ahead, aside, _ = directions[way]
        row, column = row + (ahead if player == 0 else -ahead), column + aside
        if 0 <= row < rows and 0 <= column < columns:
            return cell_name(cell, columns) + cell_name(row * columns + column, columns)
    return f"{cell_name(cell, columns)}-{way}"


def _board(name: str, pieces: Pieces, rows: int, columns: int, state: State) -> Board:
    """The pieces, as `boards` draws them."""
    board = bits.words_for(rows * columns)
    owners = [VACANT] * (rows * columns)
    for player in range(2):
        for cell in range(rows * columns):
            if int(state[through_rules.BOARDS + player * board + cell // 64]) >> cell % 64 & 1:
                owners[cell] = player
    return Board(name, rows, columns, owners, pieces)
