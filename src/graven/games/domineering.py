"""Domineering: one player lays dominoes upright, the other flat. Who cannot lay one loses.

The upright player, 0, moves first. A move's code is the cell of the domino's lower or left half.

State: whose turn, whether the game is over, the position key, the free cells as a bitboard with
an empty word after it, and the cells under upright dominoes as a bitboard, which only the drawing
needs. Bit `row * columns + column` of a bitboard is a cell.

With bitboards the places for a domino need no bookkeeping: they are the free cells whose
neighbour above (or to the right) is free, one shift and two ands for 64 cells.

The key knows which cells are free and whose turn it is. Who laid which domino makes no difference
to the rest of the game, so positions that differ in that alone are one position to a search.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below, derive
from graven.games.boards import VACANT, Board, SizeRange, as_text, cell_name
from graven.games.registry import Family, Option
from graven.games.svg_boards import as_svg

# The head of `tables`; then for each player the step from a domino's code to its other half, and
# the cells where that does not leave the board; then Zobrist keys; then the cells around each
# player's dominoes, NEIGHBOURS of them.
CELLS, BOARD, KEYS, AROUND, HEAD = range(5)
STEP, INSIDE = 0, 1
NEIGHBOURS = 6
# From the code of an upright domino, in rows up and columns right: the cells before and after its
# ends, then those along its two sides. For a flat domino up and right change places.
UPRIGHT_NEIGHBOURS = ((-1, 0), (2, 0), (0, -1), (1, -1), (0, 1), (1, 1))
# The state's words before the bitboards.
TURN, OVER, KEY, FREE = range(4)

ZOBRIST_SEED = 1974


def build_constants(rows: int, columns: int) -> NDArray[np.int64]:
    """Tables for a board."""
    cells, board = rows * columns, bits.words_for(rows * columns)
    ways = np.zeros((2, INSIDE + board), dtype=np.int64)
    # A cell off the board is the first bit of the empty word behind the free cells: never free.
    around = np.full((2, cells, NEIGHBOURS), 64 * board)
    for player, (up, right) in enumerate(((1, 0), (0, 1))):
        ways[player, STEP] = up * columns + right
        for cell in range(cells):
            row, column = divmod(cell, columns)
            if row + up < rows and column + right < columns:
                ways[player, INSIDE + cell // 64] |= np.int64(1) << np.int64(cell % 64)
            for i, (above, aside) in enumerate(UPRIGHT_NEIGHBOURS):
                if player == 1:
                    above, aside = aside, above
                if 0 <= row + above < rows and 0 <= column + aside < columns:
                    around[player, cell, i] = (row + above) * columns + column + aside
    keys = np.array([derive(ZOBRIST_SEED, i) for i in range(cells + 1)], dtype=np.uint64)
    head = np.zeros(HEAD, dtype=np.int64)
    head[CELLS], head[BOARD], head[KEYS] = cells, board, HEAD + ways.size
    head[AROUND] = head[KEYS] + keys.size
    return np.concatenate([head, ways.reshape(-1), keys.view(np.int64), around.reshape(-1)])


def start(constants: Constants, state: State) -> None:
    """An empty board."""
    state[:] = 0
    for cell in range(constants[CELLS]):
        state[FREE + (cell >> 6)] |= np.int64(1) << (cell & 63)


def turn(constants: Constants, state: State) -> int:
    """The player to move; nobody once that player cannot."""
    return state[TURN] if state[OVER] == 0 else TERMINAL


@inlined
def _places(constants: Constants, state: State, player: int, word: int) -> int:
    """The codes of a player's legal moves in one word of the board."""
    way = HEAD + player * (INSIDE + constants[BOARD])
    step = constants[way + STEP]
    free = state[FREE + word]
    beyond = bits.down(free, step) | (state[FREE + word + 1] << (64 - step))
    return free & beyond & constants[way + INSIDE + word]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """From the lowest code up."""
    count = 0
    for word in range(constants[BOARD]):
        left = _places(constants, state, player, word)
        while left:
            moves[count] = 64 * word + bits.lowest(left)
            count += 1
            left &= left - 1
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Count the places, draw a number, and find the place it stands for."""
    total = 0
    for word in range(constants[BOARD]):
        total += bits.count(_places(constants, state, player, word))
    if total == 0:
        return -1
    skip = below(rng, total)
    for word in range(constants[BOARD]):
        places = _places(constants, state, player, word)
        here = bits.count(places)
        if skip < here:
            return 64 * word + bits.nth(places, skip)
        skip -= here
    return -1


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Lay the domino, and see whether the other player can answer."""
    player = state[TURN]
    enemy = 1 - player
    board, keys = constants[BOARD], constants[KEYS]
    low = int(joint[player])
    high = low + constants[HEAD + player * (INSIDE + board) + STEP]
    low_bit, high_bit = np.int64(1) << (low & 63), np.int64(1) << (high & 63)
    state[FREE + (low >> 6)] ^= low_bit
    state[FREE + (high >> 6)] ^= high_bit
    if player == 0:
        upright = FREE + board + 1
        state[upright + (low >> 6)] ^= low_bit
        state[upright + (high >> 6)] ^= high_bit
    state[KEY] ^= (
        constants[keys + low] ^ constants[keys + high] ^ constants[keys + constants[CELLS]]
    )
    state[TURN] = enemy
    places, word = 0, 0
    while places == 0 and word < board:
        places = _places(constants, state, enemy, word)
        word += 1
    state[OVER] = places == 0


def scores(constants: Constants, state: State, out: Scores) -> None:
    """One point for the player who moved last."""
    out[0] = 1.0 if state[TURN] == 1 else 0.0
    out[1] = 1.0 - out[0]


def key(constants: Constants, state: State) -> int:
    """The Zobrist key, kept up to date by `play`."""
    return state[KEY]


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """The move, and which of the six cells around the domino are free (Cazenave 2016, section 3).

    64 * move + one bit a cell, 1 if it is free, in the order of UPRIGHT_NEIGHBOURS.
    """
    around = constants[AROUND] + NEIGHBOURS * (player * constants[CELLS] + move)
    code = 64 * move
    for i in range(NEIGHBOURS):
        cell = constants[around + i]
        code += (bits.down(state[FREE + (cell >> 6)], cell & 63) & 1) << i
    return code


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether there is a place for the domino."""
    return (bits.down(_places(constants, state, player, move >> 6), move & 63) & 1) != 0


SIZES = SizeRange(rows=(2, 26), columns=(2, 26))


def make(size: int | str = 8) -> Game:
    """Domineering on a board of that size."""
    rows, columns = SIZES.parse(size)
    cells, board = rows * columns, bits.words_for(rows * columns)

    def move_text(player: int, code: int) -> str:
        row, column = divmod(code, columns)
        first = cell_name(code, columns)
        if (row if player == 0 else column) == (rows if player == 0 else columns) - 1:
            return f"{first}-"  # leads off the board: never legal
        return first + cell_name(code + (columns if player == 0 else 1), columns)

    def picture(state: State) -> Board:
        owners = []
        for cell in range(cells):
            word, bit = divmod(cell, 64)
            free = int(state[FREE + word]) >> bit & 1
            upright = int(state[FREE + board + 1 + word]) >> bit & 1
            owners.append(VACANT if free else 1 - upright)
        return Board("domineering", rows, columns, owners, "dominoes")

    return Game(
        name="domineering",
        players=2,
        functions=RuleFunctions(
            start=start,
            turn=turn,
            legal=legal,
            play=play,
            scores=scores,
            sample=sample,
            key=key,
            feature=feature,
            is_playout_move=allowed,
        ),
        bounds=Bounds(
            state_words=FREE + 2 * board + 1,
            num_codes=cells,
            max_moves=cells - min(rows, columns),
            max_plies=cells // 2,
            num_features=64 * cells,
        ),
        constants=build_constants(rows, columns),
        display=Display(
            player_names=("Vertical", "Horizontal"),
            format_move=move_text,
            render=lambda state, colour: as_text(picture(state), colour),
            svg=lambda state: as_svg(picture(state)),
        ),
        options={"size": f"{rows}x{columns}"},
    )


FAMILY = Family(
    name="domineering",
    summary="dominoes laid upright against dominoes laid flat: who cannot lay one loses",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
