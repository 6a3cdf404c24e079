"""Build Breakthrough and Knightthrough: rule functions, bounds, move texts and drawing."""

from __future__ import annotations

from collections.abc import Sequence

from graven.core import bits
from graven.core.contract import State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.games import through_bitboards, through_rollout, through_rules
from graven.games.boards import VACANT, Pieces, SquareBoard, as_text, cell_name
from graven.games.svg_boards import as_svg
from graven.games.through_rules import NUM_DIRECTIONS, Direction


def game(
    name: str, *, pieces: Pieces, size: tuple[int, int], directions: Sequence[Direction]
) -> Game:
    """Return a game on a board of `size` (rows, columns) with these directions of movement."""
    rows, columns = size
    cells = rows * columns
    board_words = bits.words_for(cells)
    # A piece stops at the far row, so the pieces of a player's first and second row make at most
    # rows - 2 and rows - 3 moves each without winning; one more move wins.
    plies = 2 * columns * (2 * rows - 5) + 1
    rules = through_bitboards if cells <= 64 else through_rules

    def format_move(player: int, code: int) -> str:
        """Origin and target square; for a code that leads off the board, origin and direction."""
        cell, direction = divmod(code, NUM_DIRECTIONS)
        row, column = divmod(cell, columns)
        if direction < len(directions):
            ahead, aside, _ = directions[direction]
            row, column = row + (ahead if player == 0 else -ahead), column + aside
            if 0 <= row < rows and 0 <= column < columns:
                return cell_name(cell, columns) + cell_name(row * columns + column, columns)
        return f"{cell_name(cell, columns)}-{direction}"

    def board(state: State) -> SquareBoard:
        owners = [VACANT] * cells
        for player in range(2):
            first_word = through_rules.BITBOARDS + player * board_words
            for cell in range(cells):
                if int(state[first_word + cell // 64]) >> cell % 64 & 1:
                    owners[cell] = player
        return SquareBoard(title=name, rows=rows, columns=columns, owners=owners, pieces=pieces)

    return Game(
        name=name,
        players=2,
        functions=RuleFunctions(
            start=through_rules.start,
            turn=through_rules.turn,
            legal=rules.legal,
            play=rules.play,
            scores=through_rules.scores,
            sample=rules.sample,
            key=through_rules.key,
            feature=through_rules.feature,
            is_playout_move=rules.is_playout_move,
            playout_moves_with_features=rules.playout_moves_with_features,
            rollout=through_rollout.rollout if cells <= 64 else None,
        ),
        bounds=Bounds(
            state_words=through_rules.words(rows, columns),
            num_codes=NUM_DIRECTIONS * cells,
            max_moves=2 * columns * len(directions),
            max_plies=plies,
            num_features=2 * NUM_DIRECTIONS * cells,
        ),
        constants=through_rules.build_constants(rows, columns, directions),
        display=Display(
            player_names=("White", "Black"),
            format_move=format_move,
            render=lambda state, colour: as_text(board(state), colour),
            svg=lambda state: as_svg(board(state)),
        ),
        options={"size": f"{rows}x{columns}"},
    )
