"""Captures, eyes and superko of Go, on top of `go_board`.

The game's words of a state (see `go_board`): COUNT, the number of empty points; PASSES, the number
of consecutive passes; PLY, the number of moves played; LAST_MOVE, the code of the previous move.
The game's lists: the empty points; for each point its index in this list; a bitboard of the points
where a stone has been captured; a Bloom filter of BLOOM_WORDS words that contains every key in the
history; the history, which has the Zobrist key of the stones after every ply, from ply 0.

Positional superko: a move may not repeat an earlier position (a simple ko is the shortest case). A
repeated position contains the new stone, so an earlier stone on this point has been captured. The
history is therefore tested only at such points, and searched only if the Bloom filter contains the
key.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index, words_for
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, State
from graven.core.rng import Rng, below
from graven.games.go_board import (
    CODE_OF,
    COLOURS,
    GAME_CONSTANTS,
    NEIGHBOUR_BITS,
    NEIGHBOUR_SHIFT,
    neighbour_count,
)
from graven.games.stone_groups import (
    ATARI_SHIFT,
    CELL,
    CELLS,
    COLOUR_MASK,
    COUNT_MASK,
    EDGE,
    EMPTY,
    GAME_WORDS,
    HEAD_SHIFT,
    KEY,
    KEYS,
    LIBERTIES,
    LISTS,
    MAX_COLOURS,
    MAX_SIDE,
    NEXT,
    SIZE,
    STRIDE,
    WIDTH,
    adjacent_colours,
    pseudo_liberty,
)

COUNT, PASSES, PLY, LAST_MOVE = range(GAME_WORDS, GAME_WORDS + 4)

# The game's constants: maximum number of plies, White's komi rounded down, whether komi is an
# integer, and the index of the history in a state.
MAX_PLIES, KOMI, KOMI_IS_INTEGER, HISTORY = range(GAME_CONSTANTS, GAME_CONSTANTS + 4)

NO_MOVE = -1
CAPTURED_WORDS = words_for((MAX_SIDE + 1) * (MAX_SIDE + 2))
BLOOM_WORDS = 64  # a power of two

# The bits of all groups in atari in the result of `adjacent_colours`.
IN_ATARI = ((1 << MAX_COLOURS) - 1) << ATARI_SHIFT


def build_lists(points: NDArray[np.int64], plies: int) -> NDArray[np.int64]:
    """Return the words from the list of empty points to the history, at the start of a game."""
    list_indices = np.zeros(points[-1] + 1, dtype=np.int64)
    list_indices[points] = np.arange(points.size)
    rest = np.zeros(CAPTURED_WORDS + BLOOM_WORDS + plies + 1, dtype=np.int64)
    rest[CAPTURED_WORDS] = 1  # the empty board, whose key is 0
    return np.concatenate([points, list_indices, rest])


@inlined
def is_eye(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether an empty point with only own stones around it is an eye of the player.

    Enemy stones may be on at most one of the four diagonal points; at the edge of the board, on
    none.
    """
    width = constants[WIDTH]
    enemies, edges = 0, 0
    for adjacent in (point - width - 1, point - width + 1, point + width - 1, point + width + 1):
        colour = state[index(CELL + STRIDE * adjacent)] & COLOUR_MASK
        edges |= colour == EDGE
        enemies += (colour != player) & (colour < EMPTY)
    return enemies + edges < 2


@inlined
def is_playout_point(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether playouts may play this empty point: legal and not an eye of the player."""
    counts = state[index(SIZE + STRIDE * point)] >> NEIGHBOUR_SHIFT
    if (counts >> (NEIGHBOUR_BITS * EMPTY)) & 15 == 0:
        friends = (counts >> (NEIGHBOUR_BITS * player)) & 15
        surrounded = friends + ((counts >> (NEIGHBOUR_BITS * EDGE)) & 15) == 4
        if surrounded and is_eye(constants, state, player, point):
            return False
    return is_legal_point(constants, state, player, point)


@inlined
def is_legal_point(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a stone on an empty point is legal."""
    counts = state[index(SIZE + STRIDE * point)] >> NEIGHBOUR_SHIFT
    if (counts >> (NEIGHBOUR_BITS * EMPTY)) & 15 == 0:
        colours_around = adjacent_colours(constants, state, point)
        if colours_around & (IN_ATARI ^ (1 << (player + ATARI_SHIFT)) | (1 << player)) == 0:
            return False
    return not (
        was_captured(constants, state, point) and repeats_position(constants, state, player, point)
    )


@compiled
def sample_move(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random playout move, or the pass if there is none.

    Rejected points move to the end of the list of empty points.
    """
    first, remaining = constants[LISTS], state[COUNT]
    while remaining > 0:
        at = below(rng, remaining)
        point = state[index(first + at)]
        if is_playout_point(constants, state, player, point):
            return constants[index(constants[CODE_OF] + point)]
        remaining -= 1
        moved = state[index(first + remaining)]
        set_list_entry(constants, state, moved, at)
        set_list_entry(constants, state, point, remaining)
    return constants[CELLS]


@inlined
def set_list_entry(constants: Constants, state: State, point: int, at: int) -> None:
    """Store a point at an index of the list of empty points."""
    first = constants[LISTS]
    state[index(first + at)] = point
    state[index(first + constants[CELLS] + point)] = at


@inlined
def remove_from_list(constants: Constants, state: State, point: int) -> None:
    """Remove a point from the list of empty points; the last point replaces it."""
    first, last = constants[LISTS], state[COUNT] - 1
    at = state[index(first + constants[CELLS] + point)]
    set_list_entry(constants, state, state[index(first + last)], at)
    state[COUNT] = last


@inlined
def was_captured(constants: Constants, state: State, point: int) -> bool:
    """Whether a stone on this point has been captured in this game."""
    word = state[index(constants[HISTORY] - BLOOM_WORDS - CAPTURED_WORDS + (point >> 6))]
    return (word >> (point & 63)) & 1 != 0


@compiled
def repeats_position(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a move (not suicide) repeats an earlier position: positional superko."""
    width, code = constants[WIDTH], constants[index(constants[CODE_OF] + point)]
    keys, colours, one = constants[KEYS], constants[COLOURS], pseudo_liberty(point)
    key = state[KEY] ^ constants[index(keys + colours * code + player)]
    first, second, third = np.int64(0), np.int64(0), np.int64(0)
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        colour, head = cell & COLOUR_MASK, cell >> HEAD_SHIFT
        packed = state[index(LIBERTIES + STRIDE * head)]
        if colour == player or colour >= EMPTY or (packed & COUNT_MASK) * one != packed:
            continue
        if head in (first, second, third):
            continue  # a group adjacent twice is captured once
        first, second, third = head, first, second
        stone = head
        while True:
            key ^= constants[
                index(keys + colours * constants[index(constants[CODE_OF] + stone)] + colour)
            ]
            stone = state[index(NEXT + STRIDE * stone)]
            if stone == head:
                break
    if not may_have_occurred(constants, state, key):
        return False
    ply = state[PLY]
    while ply >= 0 and state[index(constants[HISTORY] + ply)] != key:
        ply -= 1
    return ply >= 0


@inlined
def may_have_occurred(constants: Constants, state: State, key: int) -> bool:
    """Whether the Bloom filter contains a key; if not, the position is new."""
    word = state[index(constants[HISTORY] - BLOOM_WORDS + ((key >> 6) & (BLOOM_WORDS - 1)))]
    return (word >> (key & 63)) & 1 != 0


@inlined
def record_position(constants: Constants, state: State) -> None:
    """Add the position after a ply to the history."""
    ply, key = state[PLY] + 1, state[KEY]
    state[PLY] = ply
    state[index(constants[HISTORY] + ply)] = key
    bloom_word = constants[HISTORY] - BLOOM_WORDS + ((key >> 6) & (BLOOM_WORDS - 1))
    state[index(bloom_word)] |= np.int64(1) << (key & 63)


@compiled
def capture_groups(constants: Constants, state: State, player: int, point: int) -> None:
    """Remove the enemy groups without liberties that are adjacent to the new stone.

    All are determined first: with several colours, removing one group gives liberties to another.
    """
    width = constants[WIDTH]
    captured, neighbour_bit = 0, 1
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        colour = cell & COLOUR_MASK
        dead = state[index(LIBERTIES + STRIDE * (cell >> HEAD_SHIFT))] == 0
        captured |= neighbour_bit * ((colour != player) & (colour < EMPTY) & dead)
        neighbour_bit <<= 1
    neighbour_bit = 1
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        if captured & neighbour_bit and cell != EMPTY:
            remove_group(constants, state, cell & COLOUR_MASK, cell >> HEAD_SHIFT)
        neighbour_bit <<= 1


@compiled
def remove_group(constants: Constants, state: State, colour: int, head: int) -> None:
    """Remove a group from the board; adjacent groups gain its points as liberties."""
    width, captured = constants[WIDTH], constants[HISTORY] - BLOOM_WORDS - CAPTURED_WORDS
    stone, count, key = head, state[COUNT], state[KEY]
    change = neighbour_count(EMPTY) - neighbour_count(colour)
    while True:
        code = constants[index(constants[CODE_OF] + stone)]
        key ^= constants[index(constants[KEYS] + constants[COLOURS] * code + colour)]
        set_list_entry(constants, state, stone, count)
        count += 1
        state[index(captured + (stone >> 6))] |= np.int64(1) << (stone & 63)
        state[index(CELL + STRIDE * stone)] = EMPTY
        one = pseudo_liberty(stone)
        # Empty and border points have head 0, whose liberties have no meaning.
        for adjacent in (stone - width, stone - 1, stone + 1, stone + width):
            adjacent_head = state[index(CELL + STRIDE * adjacent)] >> HEAD_SHIFT
            state[index(LIBERTIES + STRIDE * adjacent_head)] += one
            state[index(SIZE + STRIDE * adjacent)] += change
        stone = state[index(NEXT + STRIDE * stone)]
        if stone == head:
            break
    state[COUNT], state[KEY] = count, key
