"""Othello on bitboards: a disc must flip at least one enemy disc; a player who cannot move passes.

A square is bit row * columns + column, counted from a1 at the top left, and the code of the move
there. The last code is the pass, the only move if no disc can be placed.

State: player to move, each player's discs, the legal squares of the player to move, and whether the
game is over.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from graven.core import bits
from graven.core.bits import down, nth
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.position import Position
from graven.core.rng import Rng, below, derive
from graven.games import othello_batches, othello_hooks, othello_proofs, position_text
from graven.games.boards import LETTERS, VACANT, SizeRange, SquareBoard, as_text, cell_name
from graven.games.othello_bitboards import (
    DISCS,
    INITIAL,
    LEGAL,
    MIX,
    OVER,
    SQUARES,
    TURN,
    WORDS,
    flipped_discs,
    legal_squares,
)
from graven.games.registry import Family, GameOption
from graven.games.svg_boards import as_svg

PASS = "pass"
NAMES = ("Black", "White")


def build_constants(rows: int, columns: int) -> list[int]:
    """Return the constants of a board with at most 64 squares."""
    all_squares = [(row, column) for row in range(rows) for column in range(columns)]
    down, right = rows // 2, columns // 2

    def bitboard(squares: list[tuple[int, int]]) -> int:
        return _signed(sum(1 << (row * columns + column) for row, column in squares))

    return [
        rows * columns,
        bitboard(all_squares),
        bitboard([square for square in all_squares if 0 < square[1] < columns - 1]),
        columns,
        bitboard([(down - 1, right), (down, right - 1)]),
        bitboard([(down - 1, right - 1), (down, right)]),
        *(_signed(derive(1971, number) | 1) for number in range(3)),
    ]


def _signed(word: int) -> int:
    return int(np.uint64(word).astype(np.int64))


def start(constants: Constants, state: State) -> None:
    """Set four discs in the middle; Black moves first."""
    state[TURN], state[OVER] = 0, 0
    state[DISCS], state[DISCS + 1] = constants[INITIAL], constants[INITIAL + 1]
    state[LEGAL] = legal_squares(constants, state[DISCS], state[DISCS + 1])


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL if neither player can place a disc."""
    return TERMINAL if state[OVER] else state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal squares, or the pass."""
    remaining = state[LEGAL]
    if remaining == 0:
        moves[0] = constants[SQUARES]
        return 1
    return bits.append(moves, 0, remaining)


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random legal square, or the pass."""
    if state[LEGAL] == 0:
        return constants[SQUARES]
    return nth(state[LEGAL], below(rng, bits.count(state[LEGAL])))


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the square is legal; the pass, if no square is."""
    if move == constants[SQUARES]:
        return state[LEGAL] == 0
    return down(state[LEGAL], move) & 1 != 0


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the disc and flip enemy discs, or pass."""
    player = state[TURN]
    enemy = 1 - player
    code = int(joint[player])
    own, enemy_discs = state[DISCS + player], state[DISCS + enemy]
    if code < constants[SQUARES]:
        disc = np.int64(1) << code
        changed = flipped_discs(constants, own, enemy_discs, disc)  # type: ignore[arg-type]
        own, enemy_discs = own | disc | changed, enemy_discs & ~changed
    state[DISCS + player], state[DISCS + enemy] = own, enemy_discs
    state[TURN] = enemy
    state[LEGAL] = legal_squares(constants, enemy_discs, own)
    if state[LEGAL] == 0:
        state[OVER] = np.int64(legal_squares(constants, own, enemy_discs) == 0)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give 1 for more discs, 0.5 for an equal number."""
    ahead = bits.count(state[DISCS]) - bits.count(state[DISCS + 1])
    out[0] = 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0
    out[1] = 1.0 - out[0]


def key(constants: Constants, state: State) -> int:
    """Return a hash of the discs and the player to move."""
    mixed = state[DISCS] * constants[MIX]
    mixed = (mixed ^ down(mixed, 29)) * constants[MIX + 1] + state[DISCS + 1] * constants[MIX + 2]
    mixed = (mixed ^ down(mixed, 32)) * constants[MIX]
    return (mixed ^ down(mixed, 29)) + state[TURN] * constants[MIX + 1]


class EvenSizeRange(SizeRange):
    """A range of even numbers of rows and columns."""

    def __str__(self) -> str:
        return f"{super().__str__()}, both even"

    def _contains(self, rows: int, columns: int) -> bool:
        return rows % 2 == columns % 2 == 0 and super()._contains(rows, columns)


SIZES = EvenSizeRange(rows=(4, 8), columns=(4, 8))


def make(size: int | str = 8) -> Game:
    """Return Othello on a board of this size."""
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
            is_playout_move=is_playout_move,
            prior=othello_hooks.prior,
            evaluate=othello_hooks.evaluate,
            proof_moves=othello_proofs.proof_moves,
            batch_playouts=othello_batches.batches_of(rows, columns),
        ),
        bounds=Bounds(
            state_words=WORDS,
            num_codes=squares + 1,
            max_moves=squares - 4,
            # A disc follows each pass, and the first four squares are occupied from the start.
            max_plies=2 * (squares - 4),
            batch_scratch=othello_batches.SCRATCH,
            proof_scratch=othello_proofs.SCRATCH,
        ),
        constants=build_constants(rows, columns),
        display=Display(
            player_names=NAMES,
            format_move=lambda player, code: PASS if code == squares else cell_name(code, columns),
            render=lambda state, colour: (
                as_text(_board(rows, columns, state), colour)
                + "\n"
                + position_text.turn_line(bool(state[OVER]), state[TURN], NAMES)
            ),
            svg=lambda state: as_svg(_board(rows, columns, state)),
            parse_position=partial(parse_position, size=(rows, columns)),
        ),
        options={"size": f"{rows}x{columns}"},
    )


def _board(rows: int, columns: int, state: State) -> SquareBoard:
    """Return the discs of a state, to draw."""
    owners = [VACANT] * (rows * columns)
    for player in range(2):
        for square in range(rows * columns):
            if int(state[DISCS + player]) >> square & 1:
                owners[square] = player
    return SquareBoard(title="othello", rows=rows, columns=columns, owners=owners, pieces="discs")


def parse_position(game: Game, text: str, size: tuple[int, int]) -> Position:
    """Read a position from a drawn board with the player to move, or from a line.

    A line has the squares from a1 on, then a space and the player to move, with X or * for Black, O
    for White and - for empty squares: as in files of Othello test positions.
    """
    rows, columns = size
    letters, words = LETTERS["discs"], text.split()
    if words and len(words[0]) == rows * columns:
        line = words[0].upper().replace("*", "X")
        if set(line) - set(letters + position_text.EMPTY):
            raise UsageError(f"a square is one of X, O, - in {words[0]!r}.")
        owners = position_text.owners_of([line], letters)
        side = (words[1] if len(words) > 1 else "").upper().replace("*", "X")
        player = {"X": 0, "B": 0, "O": 1, "W": 1}.get(side[:1])
    else:
        lines = position_text.read_rows(text, [columns] * rows, letters)
        owners = position_text.owners_of(lines, letters)
        player = position_text.player_to_move(text, NAMES)
    over = "game is over" in text
    if player is None and not over:
        raise UsageError(
            "the text does not say whose turn it is: end it with a line 'Black to move' or 'White "
            "to move' (in a line of squares, with ' X' or ' O')."
        )
    state = game.start().state.copy()
    for owner, squares in enumerate(position_text.by_player(owners, 2)):
        state[DISCS + owner] = _signed(sum(1 << square for square in squares))
    # As if the opponent had passed: this finds the legal squares.
    mover = 1 if over else 1 - (player or 0)
    state[TURN] = mover
    position_text.play_code(game, state, mover, rows * columns)
    return Position(game, state)


FAMILY = Family(
    name="othello",
    summary="place discs that flip lines of enemy discs; the most discs win",
    options={"size": GameOption("8x8", str(SIZES))},
    make=make,
)
