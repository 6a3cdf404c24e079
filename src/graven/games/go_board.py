"""The board of Go: stones of up to four colours, groups and pseudo-liberties.

The board is padded with a border, so that every point has four neighbours. The point of a move
code is `constants[POINT_OF + code]`; codes count row by row from the bottom, without the border.

State: eight words (player to move, Zobrist key of the stones, six words of the game), then four
words per point, then the game's lists (see `go_captures`). The words of a point:

    CELL       (head << HEAD_SHIFT) + colour, where `head` is the point of the stone that represents
               the group; empty and border points have head 0, an unused border point
    NEXT       the next stone in the group's circular list
    LIBERTIES  for a head: the group's pseudo-liberties, packed as by `stone_groups.pseudo_liberty`
    SIZE       for a head: the number of stones in the group; for every point, from bit
               NEIGHBOUR_SHIFT on: how many of its four neighbours have each colour, are empty or
               are off the board
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
from graven.games.stone_groups import (
    COUNT_MASK,
    check_liberty_bits,
    points,
    pseudo_liberty,
    width_of,
)

# A stone's colour is the number of its player.
MAX_COLOURS = 4
EMPTY, EDGE = range(4, 6)
COLOUR_MASK, HEAD_SHIFT = 7, 3  # the two parts of a CELL
# The neighbour counts in a SIZE: four bits for each colour, then EMPTY and EDGE.
NEIGHBOUR_SHIFT, NEIGHBOUR_BITS, NEIGHBOUR_MASK = 32, 4, 15
SIZE_MASK = (1 << NEIGHBOUR_SHIFT) - 1

# Layout of a state: the first words, then the words of point 0; STRIDE words per point.
TURN, KEY, GAME_WORDS = range(3)
CELL, NEXT, LIBERTIES, SIZE = range(8, 12)
STRIDE = 4

# `adjacent_colours` shifts the bit of a group in atari by this.
ATARI_SHIFT = 8

# Layout of `constants`: the first words, four words of the game from GAME_CONSTANTS on, the point
# of each code, the Zobrist keys of each point's stones, the code of each point, the initial state,
# and the playout patterns.
CELLS, WIDTH, LISTS, COLOURS, KEYS, TURN_KEY = range(6)
CODE_OF, INITIAL_STATE, INITIAL_WORDS, PATTERNS, GAME_CONSTANTS = range(6, 11)
POINT_OF = GAME_CONSTANTS + 4

ZOBRIST_SEED = 2012


def words(rows: int, columns: int) -> int:
    """Return the number of state words before the game's lists."""
    return CELL + STRIDE * ((rows + 2) * width_of(columns) + 1)


def build_constants(
    rows: int,
    columns: int,
    *,
    game_words: Sequence[int],
    lists: NDArray[np.int64],
    colours: int,
    game_constants: Sequence[int],
    patterns: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the constants of a board.

    `game_words` and `lists` are the game's part of the initial state. `game_constants` are the
    words from index GAME_CONSTANTS on; `patterns` begins at index constants[PATTERNS].
    """
    cells, grid = rows * columns, points(rows, columns)
    check_liberty_bits(grid)

    initial = np.zeros(words(rows, columns), dtype=np.int64)
    initial[GAME_WORDS : GAME_WORDS + len(game_words)] = game_words
    initial[CELL::STRIDE] = EDGE
    initial[CELL + STRIDE * grid] = EMPTY
    for step in (-width_of(columns), -1, 1, width_of(columns)):
        colours_there = initial[CELL + STRIDE * (grid + step)]
        initial[SIZE + STRIDE * grid] += np.left_shift(
            1, NEIGHBOUR_SHIFT + NEIGHBOUR_BITS * colours_there
        )
    initial = np.concatenate([initial, lists])
    seeds = [derive(ZOBRIST_SEED, i) for i in range(colours * cells + 1)]
    *keys, turn_key = np.array(seeds, dtype=np.uint64).view(np.int64)
    code_of = np.zeros(int(grid[-1]) + 1, dtype=np.int64)
    code_of[grid] = np.arange(cells)

    head = np.zeros(POINT_OF, dtype=np.int64)
    head[CELLS], head[WIDTH], head[LISTS] = cells, width_of(columns), words(rows, columns)
    head[COLOURS], head[TURN_KEY] = colours, turn_key
    head[KEYS] = POINT_OF + cells
    head[CODE_OF] = head[KEYS] + colours * cells
    head[INITIAL_STATE], head[INITIAL_WORDS] = head[CODE_OF] + code_of.size, initial.size
    head[GAME_CONSTANTS : GAME_CONSTANTS + len(game_constants)] = game_constants
    head[PATTERNS] = head[INITIAL_STATE] + initial.size
    return np.concatenate([head, grid, keys, code_of, initial, patterns])


def start(constants: Constants, state: State) -> None:
    """Set an empty board; Black moves first."""
    for i in range(constants[INITIAL_WORDS]):
        state[i] = constants[constants[INITIAL_STATE] + i]


@inlined
def neighbour_count(colour: int) -> int:
    """Return the summand in a SIZE for one neighbour of a colour (or EMPTY, or EDGE)."""
    return np.int64(1) << (NEIGHBOUR_SHIFT + NEIGHBOUR_BITS * colour)  # type: ignore[return-value]


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
def place_stone(constants: Constants, state: State, player: int, code: int) -> bool:
    """Place a stone on an empty point and merge groups.

    Return whether the stone takes the last liberty of an enemy group, which stays on the board.
    """
    point, width = constants[index(POINT_OF + code)], constants[WIDTH]
    one = pseudo_liberty(point)
    gained, group, captures = np.int64(0), point, False
    change = neighbour_count(player) - neighbour_count(EMPTY)
    # Branch-free, because branches would be unpredictable: the liberties of head 0 (empty and
    # border points) have no meaning, and the stone first joins the last own group in the loop, or
    # becomes a group.
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        colour, head = cell & COLOUR_MASK, cell >> HEAD_SHIFT
        left = state[index(LIBERTIES + STRIDE * head)] - one
        state[index(LIBERTIES + STRIDE * head)] = left
        captures |= (left == 0) & (colour != player) & (colour < EMPTY)
        state[index(SIZE + STRIDE * adjacent)] += change
        gained += pseudo_liberty(adjacent) * (cell == EMPTY)
        group = head if colour == player else group
    state[index(NEXT + STRIDE * point)] = point
    state[index(SIZE + STRIDE * point)] &= ~SIZE_MASK
    state[index(LIBERTIES + STRIDE * point)] = 0
    state[index(CELL + STRIDE * point)] = (group << HEAD_SHIFT) + player
    after = state[index(NEXT + STRIDE * group)]
    state[index(NEXT + STRIDE * group)] = point
    state[index(NEXT + STRIDE * point)] = after
    state[index(SIZE + STRIDE * group)] += 1
    state[index(LIBERTIES + STRIDE * group)] += gained
    friends = state[index(SIZE + STRIDE * point)] >> (NEIGHBOUR_SHIFT + NEIGHBOUR_BITS * player)
    if friends & NEIGHBOUR_MASK > 1:
        # An own group above the point is already `group`, so three neighbours remain.
        for adjacent in (point - width, point - 1, point + 1):
            cell = state[index(CELL + STRIDE * adjacent)]
            if cell & COLOUR_MASK == player and cell >> HEAD_SHIFT != group:
                group = _merge(state, group, cell >> HEAD_SHIFT)
    state[KEY] ^= constants[index(constants[KEYS] + constants[COLOURS] * code + player)]
    return captures


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


@inlined
def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """Return the move and its four neighbours as one code (Cazenave 2016, section 3).

    256 * move + the neighbours below, left, right and above, two bits each from the lowest:
    0 own, 1 enemy, 2 empty, 3 edge.
    """
    point, width = constants[index(POINT_OF + move)], constants[WIDTH]
    code, shift = 256 * move, 0
    for adjacent in (point - width, point - 1, point + 1, point + width):
        colour = state[index(CELL + STRIDE * adjacent)] & COLOUR_MASK
        code += (colour - 2 if colour >= EMPTY else int(colour != player)) << shift
        shift += 2
    return code


def board(name: str, rows: int, columns: int, state: State) -> SquareBoard:
    """Return the stones of a state, to draw."""
    colours = state[CELL + STRIDE * points(rows, columns)] & COLOUR_MASK
    owners = [int(colour) if colour < EMPTY else VACANT for colour in colours]
    return SquareBoard(title=name, rows=rows, columns=columns, owners=owners, pieces="stones")
