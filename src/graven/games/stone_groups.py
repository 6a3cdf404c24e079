"""Groups of stones and their pseudo-liberties on a padded board: shared by Go, NoGo and Atarigo.

The board is padded with a border, so that every point has four neighbours. Move codes count the
points row by row from the bottom, without the border.

State: eight words (player to move, Zobrist key, up to six words of the game), then four words per
point, then the game's lists. The words of a point:

    CELL       (head << HEAD_SHIFT) + colour, where `head` is the point of the stone that represents
               the group; empty and border points have head 0, an unused border point
    NEXT       the next stone in the group's circular list; for empty points: see `nogo_board`
    LIBERTIES  for a head: the group's pseudo-liberties, packed as described at `pseudo_liberty`
    SIZE       for a head: the number of stones in the group, in SIZE_BITS bits; above them: see
               `go_board`
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import Constants, State
from graven.core.rng import derive
from graven.games.boards import VACANT, SquareBoard

# A stone's colour is the number of its player.
MAX_COLOURS = 4
EMPTY, EDGE = range(MAX_COLOURS, MAX_COLOURS + 2)
COLOUR_MASK, HEAD_SHIFT = 7, 3  # the two parts of a CELL
SIZE_BITS = 32  # of a SIZE, for the number of stones
SIZE_MASK = (1 << SIZE_BITS) - 1

# Layout of a state: the first words, then the words of point 0; STRIDE words per point.
TURN, KEY, GAME_WORDS = range(3)
CELL, NEXT, LIBERTIES, SIZE = range(8, 12)
STRIDE = 4

# `adjacent_colours` shifts the bit of a group in atari by this.
ATARI_SHIFT = 8

# Layout of `constants`: the first words; the game's follow.
CELLS, WIDTH, LISTS, KEYS, TURN_KEY, INITIAL_STATE, INITIAL_WORDS, BOARD_CONSTANTS = range(8)

COUNT_BITS, SUM_BITS, SQUARE_BITS = 11, 20, 28
COUNT_MASK, SUM_MASK = (1 << COUNT_BITS) - 1, (1 << SUM_BITS) - 1
MAX_SIDE = 19  # the longest side for which these bits suffice; `check_liberty_bits` tests it

ZOBRIST_SEED = 2012


def width_of(columns: int) -> int:
    """Return the distance between a point and the one above it; one border point ends a row."""
    return columns + 1


def points(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the point of each code on the padded grid."""
    cell = np.arange(rows * columns)
    return (cell // columns + 1) * width_of(columns) + cell % columns + 1


def check_liberty_bits(board: NDArray[np.int64]) -> None:
    """Assert that the packed pseudo-liberties of the largest group on these points fit."""
    max_count, max_point = 4 * board.size, int(board[-1])
    assert max_count < 1 << COUNT_BITS
    assert max_count * max_point < 1 << SUM_BITS
    assert max_count * max_point * max_point < 1 << SQUARE_BITS
    assert COUNT_BITS + SUM_BITS + SQUARE_BITS < 64


def words(rows: int, columns: int) -> int:
    """Return the number of state words before the game's lists."""
    return CELL + STRIDE * ((rows + 2) * width_of(columns) + 1)


def empty_board(rows: int, columns: int, game_words: Sequence[int]) -> NDArray[np.int64]:
    """Return the words of an initial state before the game's lists.

    The words of the points are those of the shared layout; a game adds its own.
    """
    board = np.zeros(words(rows, columns), dtype=np.int64)
    board[GAME_WORDS : GAME_WORDS + len(game_words)] = game_words
    board[CELL::STRIDE] = EDGE
    board[CELL + STRIDE * points(rows, columns)] = EMPTY
    return board


def zobrist_keys(number: int) -> NDArray[np.int64]:
    """Return so many Zobrist keys, the same for every game."""
    keys = np.array([derive(ZOBRIST_SEED, i) for i in range(number)], dtype=np.uint64)
    return keys.view(np.int64)


def start(constants: Constants, state: State) -> None:
    """Set an empty board; Black moves first."""
    for i in range(constants[INITIAL_WORDS]):
        state[index(i)] = constants[index(constants[INITIAL_STATE] + i)]


@inlined
def pseudo_liberty(point: int) -> int:
    """Return one pseudo-liberty: 1, the point and its square, packed into one word.

    A group's word is the sum over its stones and their empty neighbours, so merging two groups adds
    two words. A point adjacent to several stones of the group counts several times.
    """
    return point * ((point << (COUNT_BITS + SUM_BITS)) + (1 << COUNT_BITS)) + 1


@inlined
def adjacent_colours(constants: Constants, state: State, point: int) -> int:
    """Return the colours around an empty point as bits `1 << colour`.

    The bit is ATARI_SHIFT higher for a group in atari, whose only liberty is this point. All its
    pseudo-liberties are then this point, so its word is a multiple of the point's word. Otherwise
    their variance is positive, and either their sum or their squares differ: the test is exact.
    """
    width, one = constants[WIDTH], pseudo_liberty(point)
    colours = np.int64(0)
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        packed = state[index(LIBERTIES + STRIDE * (cell >> HEAD_SHIFT))]
        in_atari = (packed & COUNT_MASK) * one == packed
        colours |= np.int64(1) << ((cell & COLOUR_MASK) + ATARI_SHIFT * in_atari)
    return colours  # type: ignore[return-value]


@inlined
def single_liberty(state: State, head: int) -> int:
    """Return the only liberty of a group, or 0 if it has several.

    A point is adjacent to at most four stones, so more than four pseudo-liberties mean several
    liberties.
    """
    packed = state[index(LIBERTIES + STRIDE * head)]
    count = packed & COUNT_MASK
    if count == 0 or count > 4:
        return 0
    point = ((packed >> COUNT_BITS) & SUM_MASK) // count
    return point if count * pseudo_liberty(point) == packed else 0


@inlined
def add_to_group(state: State, player: int, point: int, group: int, gained: np.int64) -> None:
    """Place a stone on a point and add it, with its pseudo-liberties, to a group.

    If `group` is the point itself, the stone becomes a group.
    """
    state[index(NEXT + STRIDE * point)] = point
    state[index(SIZE + STRIDE * point)] &= ~SIZE_MASK
    state[index(LIBERTIES + STRIDE * point)] = 0
    state[index(CELL + STRIDE * point)] = (group << HEAD_SHIFT) + player
    after = state[index(NEXT + STRIDE * group)]
    state[index(NEXT + STRIDE * group)] = point
    state[index(NEXT + STRIDE * point)] = after
    state[index(SIZE + STRIDE * group)] += 1
    state[index(LIBERTIES + STRIDE * group)] += gained


@inlined
def merge_neighbours(constants: Constants, state: State, player: int, point: int) -> None:
    """Merge the group of a new stone with the player's groups below, left and right of it.

    The stone must be in the group above it, if that is the player's.
    """
    width, group = constants[WIDTH], state[index(CELL + STRIDE * point)] >> HEAD_SHIFT
    for adjacent in (point - width, point - 1, point + 1):
        cell = state[index(CELL + STRIDE * adjacent)]
        if cell & COLOUR_MASK == player and cell >> HEAD_SHIFT != group:
            group = _merge(state, group, cell >> HEAD_SHIFT)


@inlined
def _merge(state: State, first: int, second: int) -> int:
    """Merge two groups into the larger one and return its head."""
    large, small = first, second
    if (
        state[index(SIZE + STRIDE * first)] & SIZE_MASK
        < state[index(SIZE + STRIDE * second)] & SIZE_MASK
    ):
        large, small = second, first
    cell = state[index(CELL + STRIDE * large)]
    stone = small
    while True:
        state[index(CELL + STRIDE * stone)] = cell
        stone = state[index(NEXT + STRIDE * stone)]
        if stone == small:
            break
    # Exchanging the successors of two stones joins two circular lists.
    after = state[index(NEXT + STRIDE * large)]
    state[index(NEXT + STRIDE * large)] = state[index(NEXT + STRIDE * small)]
    state[index(NEXT + STRIDE * small)] = after
    state[index(SIZE + STRIDE * large)] += state[index(SIZE + STRIDE * small)] & SIZE_MASK
    state[index(LIBERTIES + STRIDE * large)] += state[index(LIBERTIES + STRIDE * small)]
    return large


def board(name: str, rows: int, columns: int, state: State) -> SquareBoard:
    """Return the stones of a state, to draw."""
    colours = state[CELL + STRIDE * points(rows, columns)] & COLOUR_MASK
    owners = [int(colour) if colour < EMPTY else VACANT for colour in colours]
    return SquareBoard(title=name, rows=rows, columns=columns, owners=owners, pieces="stones")
