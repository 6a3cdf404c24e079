"""Build Breakthrough and Knightthrough: rule functions, bounds, move texts and drawing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from graven.core import bits
from graven.core.contract import TERMINAL, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunction, RuleFunctions
from graven.core.position import Position
from graven.games import position_text, through_bitboards, through_rollout, through_rules
from graven.games.boards import LETTERS, VACANT, Pieces, SquareBoard, as_text, cell_name
from graven.games.svg_boards import as_svg
from graven.games.through_rules import NUM_DIRECTIONS, Direction

NAMES = ("White", "Black")
# The pieces of a one-liner, White's in upper case as in chess: Fairy-Stockfish's start position of
# Breakthrough is pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w.
FEN_LETTERS = {"pawns": "Pp", "knights": "Nn"}


def game(
    name: str,
    *,
    pieces: Pieces,
    size: tuple[int, int],
    directions: Sequence[Direction],
    prior: RuleFunction | None = None,
    evaluate: RuleFunction | None = None,
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
            rollout=through_rollout.rollout_of(rows, columns, tuple(directions)),
            prior=prior,
            evaluate=evaluate,
            winning_move=rules.winning_move,
            defence=rules.defence,
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
            player_names=NAMES,
            format_move=format_move,
            render=lambda state, colour: (
                as_text(board(state), colour)
                + "\n"
                + position_text.turn_line(
                    state[through_rules.WINNER] != TERMINAL, state[through_rules.TURN], NAMES
                )
            ),
            svg=lambda state: as_svg(board(state)),
            parse_position=partial(parse_position, size=size, pieces=pieces),
        ),
        options={"size": f"{rows}x{columns}"},
        fuse_playouts=True,
    )


def parse_position(game: Game, text: str, size: tuple[int, int], pieces: Pieces) -> Position:
    """Read a position from a drawn board with the player to move, or from a line like FEN."""
    rows, columns = size
    letters, names = LETTERS[pieces], ("w", "b")
    fen = position_text.read_fen(text, rows, columns, FEN_LETTERS[pieces])
    if fen is not None:
        letters = FEN_LETTERS[pieces]
        owners = position_text.owners_of([*reversed(fen[0])], letters)
        player = names.index(fen[1].lower()) if fen[1].lower() in names else None
    else:
        lines = position_text.read_rows(text, [columns] * rows, letters)
        owners = position_text.owners_of(lines, letters)
        player = position_text.player_to_move(text, NAMES)
    cells = position_text.by_player(owners, 2)
    winners = [
        player
        for player, (first, last) in enumerate(
            (((rows - 1) * columns, rows * columns), (0, columns))
        )
        if not cells[1 - player] or any(first <= cell < last for cell in cells[player])
    ]
    if len(winners) > 1:
        raise UsageError("both players have won in this position.")
    if player is None and not winners:
        raise UsageError(
            "the text does not say whose turn it is: end it with a line 'White to move' or 'Black "
            "to move' (in a line like FEN, with ' w' or ' b')."
        )
    turn = 1 - winners[0] if winners else int(player or 0)
    state = np.zeros(game.state_words, dtype=np.int64)
    state[through_rules.TURN] = turn
    state[through_rules.WINNER] = winners[0] if winners else TERMINAL
    board_words, keys = bits.words_for(rows * columns), game.constants[through_rules.KEYS]
    key = game.constants[keys + 2 * rows * columns] if turn else np.int64(0)
    for player, own in enumerate(cells):
        if len(own) > 2 * columns:
            raise UsageError(f"{NAMES[player]} has {len(own)} pieces, more than {2 * columns}.")
        for cell in own:
            word = through_rules.BITBOARDS + player * board_words + cell // 64
            state[word] |= np.int64(1) << np.int64(cell % 64)
            key ^= game.constants[keys + player * rows * columns + cell]
    state[through_rules.KEY] = key
    return Position(game, state)
