"""The board of Go: stones of up to four colours, and the neighbours of every point.

State: see `stone_groups`. In SIZE, every point has from bit NEIGHBOUR_SHIFT on how many of its four
neighbours have each colour, are empty or are off the board. The game's lists are those of
`go_captures`. The point of a move code is `constants[POINT_OF + code]`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import Constants, State
from graven.games.stone_groups import (
    BOARD_CONSTANTS,
    CELL,
    CELLS,
    COLOUR_MASK,
    EMPTY,
    HEAD_SHIFT,
    INITIAL_STATE,
    INITIAL_WORDS,
    KEY,
    KEYS,
    LIBERTIES,
    LISTS,
    SIZE,
    SIZE_BITS,
    STRIDE,
    TURN_KEY,
    WIDTH,
    add_to_group,
    check_liberty_bits,
    empty_board,
    merge_neighbours,
    points,
    pseudo_liberty,
    width_of,
    words,
    zobrist_keys,
)

# The neighbour counts in a SIZE: four bits for each colour, then EMPTY and EDGE.
NEIGHBOUR_SHIFT, NEIGHBOUR_BITS, NEIGHBOUR_MASK = SIZE_BITS, 4, 15

# Layout of `constants`: the shared words (see `stone_groups`), the words below, four words of the
# game from GAME_CONSTANTS on, the point of each code, the Zobrist keys of each point's stones, the
# code of each point, the initial state, and the playout patterns.
COLOURS, CODE_OF, PATTERNS, GAME_CONSTANTS = range(BOARD_CONSTANTS, BOARD_CONSTANTS + 4)
POINT_OF = GAME_CONSTANTS + 4


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

    initial = empty_board(rows, columns, game_words)
    for step in (-width_of(columns), -1, 1, width_of(columns)):
        colours_there = initial[CELL + STRIDE * (grid + step)]
        initial[SIZE + STRIDE * grid] += np.left_shift(
            1, NEIGHBOUR_SHIFT + NEIGHBOUR_BITS * colours_there
        )
    initial = np.concatenate([initial, lists])
    *keys, turn_key = zobrist_keys(colours * cells + 1)
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


@inlined
def neighbour_count(colour: int) -> int:
    """Return the summand in a SIZE for one neighbour of a colour (or EMPTY, or EDGE)."""
    return np.int64(1) << (NEIGHBOUR_SHIFT + NEIGHBOUR_BITS * colour)  # type: ignore[return-value]


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
    add_to_group(state, player, point, group, gained)
    friends = state[index(SIZE + STRIDE * point)] >> (NEIGHBOUR_SHIFT + NEIGHBOUR_BITS * player)
    if friends & NEIGHBOUR_MASK > 1:
        merge_neighbours(constants, state, player, point)
    state[KEY] ^= constants[index(constants[KEYS] + constants[COLOURS] * code + player)]
    return captures


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
