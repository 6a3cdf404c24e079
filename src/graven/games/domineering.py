"""Domineering: one player places vertical dominoes, the other horizontal. Unable to move loses.

The vertical player, 0, moves first. A move's code is the cell of the domino's lower or left half.

State: player to move, whether the game is over, Zobrist key, the free cells as a bitboard followed
by an empty word, and the cells of vertical dominoes as a bitboard (for drawing only). Bit
`row * columns + column` of a bitboard is a cell.

The legal moves are computed from the bitboard of free cells: one shift and two ands for 64 cells.

The key covers the free cells and the player to move. Who placed which domino does not affect the
rest of the game, so such positions have equal keys. With key=dominoes they have different keys, as
in a program whose key covers all that is on the board.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.position import Position
from graven.core.rng import Rng, below, derive
from graven.games import domineering_batches, domineering_proofs, position_text
from graven.games.boards import VACANT, SizeRange, SquareBoard, as_text, cell_name
from graven.games.domineering_layout import (
    AROUND,
    BOARD_WORDS,
    CELLS,
    FREE,
    HEAD,
    INSIDE,
    KEY,
    KEYS,
    OVER,
    STEP,
    TURN,
)
from graven.games.registry import Family, GameOption
from graven.games.svg_boards import as_svg

NEIGHBOURS = 6
# The cells around a vertical domino as (rows up, columns right) from its code: beyond its two ends,
# then along its two sides. For a horizontal domino, swap up and right.
VERTICAL_NEIGHBOURS = ((-1, 0), (2, 0), (0, -1), (1, -1), (0, 1), (1, 1))

ZOBRIST_SEED = 1974
_ODD = -7046029254386353131
CELLS_KEY, DOMINOES_KEY = "cells", "dominoes"


def build_constants(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the constants of a board."""
    cells, board_words = rows * columns, bits.words_for(rows * columns)
    directions = np.zeros((2, INSIDE + board_words), dtype=np.int64)
    # Cells off the board are the first bit of the empty word after the free cells: never free.
    around = np.full((2, cells, NEIGHBOURS), 64 * board_words)
    for player, (up, right) in enumerate(((1, 0), (0, 1))):
        directions[player, STEP] = up * columns + right
        for cell in range(cells):
            row, column = divmod(cell, columns)
            if row + up < rows and column + right < columns:
                directions[player, INSIDE + cell // 64] |= np.int64(1) << np.int64(cell % 64)
            for i, (above, aside) in enumerate(VERTICAL_NEIGHBOURS):
                if player == 1:
                    above, aside = aside, above
                if 0 <= row + above < rows and 0 <= column + aside < columns:
                    around[player, cell, i] = (row + above) * columns + column + aside
    keys = np.array([derive(ZOBRIST_SEED, i) for i in range(cells + 1)], dtype=np.uint64)
    head = np.zeros(HEAD, dtype=np.int64)
    head[CELLS], head[BOARD_WORDS], head[KEYS] = cells, board_words, HEAD + directions.size
    head[AROUND] = head[KEYS] + keys.size
    return np.concatenate([head, directions.reshape(-1), keys.view(np.int64), around.reshape(-1)])


def start(constants: Constants, state: State) -> None:
    """Set an empty board."""
    state[:] = 0
    for cell in range(constants[CELLS]):
        state[FREE + (cell >> 6)] |= np.int64(1) << (cell & 63)


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL if this player has no legal move."""
    return state[TURN] if state[OVER] == 0 else TERMINAL


@inlined
def _legal_bits(constants: Constants, state: State, player: int, word: int) -> int:
    """Return the codes of a player's legal moves in one bitboard word."""
    direction = HEAD + player * (INSIDE + constants[BOARD_WORDS])
    step = constants[direction + STEP]
    free = state[FREE + word]
    beyond = bits.down(free, step) | (state[FREE + word + 1] << (64 - step))
    return free & beyond & constants[direction + INSIDE + word]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal moves by code."""
    count = 0
    for word in range(constants[BOARD_WORDS]):
        remaining = _legal_bits(constants, state, player, word)
        count = bits.append(moves, count, remaining, 1, 64 * word)
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Count the legal moves, draw an index, and return the move with this index."""
    total = 0
    for word in range(constants[BOARD_WORDS]):
        total += bits.count(_legal_bits(constants, state, player, word))
    if total == 0:
        return -1
    skip = below(rng, total)
    for word in range(constants[BOARD_WORDS]):
        legal_bits = _legal_bits(constants, state, player, word)
        count = bits.count(legal_bits)
        if skip < count:
            return 64 * word + bits.nth(legal_bits, skip)
        skip -= count
    return -1


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the domino and test whether the opponent can move."""
    player = state[TURN]
    enemy = 1 - player
    board_words, keys = constants[BOARD_WORDS], constants[KEYS]
    low = int(joint[player])
    high = low + constants[HEAD + player * (INSIDE + board_words) + STEP]
    low_bit, high_bit = np.int64(1) << (low & 63), np.int64(1) << (high & 63)
    state[FREE + (low >> 6)] ^= low_bit
    state[FREE + (high >> 6)] ^= high_bit
    if player == 0:
        vertical = FREE + board_words + 1
        state[vertical + (low >> 6)] ^= low_bit
        state[vertical + (high >> 6)] ^= high_bit
    state[KEY] ^= (
        constants[keys + low] ^ constants[keys + high] ^ constants[keys + constants[CELLS]]
    )
    state[TURN] = enemy
    legal_bits, word = 0, 0
    while legal_bits == 0 and word < board_words:
        legal_bits = _legal_bits(constants, state, enemy, word)
        word += 1
    state[OVER] = legal_bits == 0


def play_with_owners(constants: Constants, state: State, joint: Moves) -> None:
    """Place the domino; the key depends on which cells vertical dominoes cover."""
    player = state[TURN]
    play(constants, state, joint)
    if player == 0:
        state[KEY] ^= constants[constants[KEYS] + int(joint[0])] * _ODD


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give 1 to the player who moved last, 0 to the other."""
    out[0] = 1.0 if state[TURN] == 1 else 0.0
    out[1] = 1.0 - out[0]


def zobrist_key(constants: Constants, state: State) -> int:
    """Return the Zobrist key, which `play` updates."""
    return state[KEY]


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """Return the move and which of the six cells around are free (Cazenave 2016, section 3).

    64 * move + one bit per cell, 1 if it is free, in the order of VERTICAL_NEIGHBOURS.
    """
    around = constants[AROUND] + NEIGHBOURS * (player * constants[CELLS] + move)
    code = 64 * move
    for i in range(NEIGHBOURS):
        cell = constants[around + i]
        code += (bits.down(state[FREE + (cell >> 6)], cell & 63) & 1) << i
    return code


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether both cells of the domino are free."""
    return (bits.down(_legal_bits(constants, state, player, move >> 6), move & 63) & 1) != 0


def parse_position(game: Game, text: str, size: tuple[int, int]) -> Position:
    """Read a position from a drawn board of `size` (rows, columns)."""
    rows, columns = size
    cells = "".join(position_text.read_rows(text, [columns] * rows, "^v<>"))
    dominoes: list[list[int]] = [[], []]
    paired = set()
    for player, (first, second, step) in enumerate((("v", "^", columns), ("<", ">", 1))):
        for cell, symbol in enumerate(cells):
            if symbol == first and cells[cell + step : cell + step + 1] == second:
                dominoes[player].append(cell)
                paired |= {cell, cell + step}
    for cell, symbol in enumerate(cells):
        if symbol in "^v<>" and cell not in paired:
            raise UsageError(f"{cell_name(cell, columns)} is half a domino: {symbol!r}.")
    return position_text.placed(game, dominoes)


SIZES = SizeRange(rows=(2, 26), columns=(2, 26))


def make(size: int | str = 8, key: str = CELLS_KEY) -> Game:
    """Return Domineering on a board of this size."""
    if key not in (CELLS_KEY, DOMINOES_KEY):
        raise UsageError(f"domineering: key must be {CELLS_KEY} or {DOMINOES_KEY}, got {key}.")
    owners = key == DOMINOES_KEY
    rows, columns = SIZES.parse(size)
    cells, board_words = rows * columns, bits.words_for(rows * columns)

    def format_move(player: int, code: int) -> str:
        row, column = divmod(code, columns)
        first = cell_name(code, columns)
        if (row if player == 0 else column) == (rows if player == 0 else columns) - 1:
            return f"{first}-"  # leads off the board: never legal
        return first + cell_name(code + (columns if player == 0 else 1), columns)

    def board(state: State) -> SquareBoard:
        covered_by = []
        for cell in range(cells):
            word, bit = divmod(cell, 64)
            free = int(state[FREE + word]) >> bit & 1
            vertical = int(state[FREE + board_words + 1 + word]) >> bit & 1
            covered_by.append(VACANT if free else 1 - vertical)
        return SquareBoard(
            title="domineering", rows=rows, columns=columns, owners=covered_by, pieces="dominoes"
        )

    return Game(
        name="domineering",
        players=2,
        functions=RuleFunctions(
            start=start,
            turn=turn,
            legal=legal,
            play=play_with_owners if owners else play,
            scores=scores,
            sample=sample,
            key=zobrist_key,
            feature=feature,
            is_playout_move=is_playout_move,
            batch_playouts=domineering_batches.batches_of(rows, columns),
            proof_moves=(
                domineering_proofs.proof_moves if cells <= domineering_proofs.MAX_CELLS else None
            ),
        ),
        bounds=Bounds(
            state_words=FREE + 2 * board_words + 1,
            num_codes=cells,
            max_moves=cells - min(rows, columns),
            max_plies=cells // 2,
            num_features=64 * cells,
            batch_scratch=domineering_batches.SCRATCH,
        ),
        constants=build_constants(rows, columns),
        display=Display(
            player_names=("Vertical", "Horizontal"),
            format_move=format_move,
            render=lambda state, colour: as_text(board(state), colour),
            svg=lambda state: as_svg(board(state)),
            parse_position=partial(parse_position, size=(rows, columns)),
        ),
        options={"size": f"{rows}x{columns}", **({"key": key} if owners else {})},
    )


FAMILY = Family(
    name="domineering",
    summary="vertical against horizontal dominoes: a player who cannot move loses",
    options={
        "size": GameOption("8x8", str(SIZES)),
        "key": GameOption(CELLS_KEY, "equal positions: of covered cells, or of dominoes"),
    },
    make=make,
)
