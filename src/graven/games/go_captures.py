"""What Go adds to `goban`: captures, eyes, and positions that may not come back (superko).

The head's own words of a state (see `goban`) are COUNT, how many points are empty; PASSES, how
many players have passed in a row; PLY, how many moves have been played; LAST_MOVE, the code of
the move before. The game's list holds the empty points, then for each point its place on it. After
it come the points where a stone was ever captured, as bits; a sieve of SIEVE words, which has a bit
for every key in the history; and the history: the key of the stones after every ply, from ply 0.

A player may not bring back an earlier position (positional superko; a simple ko is the shortest
case). A position that comes back has the new stone, so an earlier stone on that point was captured
since: only at such points the history has to be looked at, and searched only where the sieve does
not tell at once that the position is new.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index, words_for
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, State
from graven.core.rng import Rng, below
from graven.games import go_board
from graven.games.go_board import (
    APART,
    CELL,
    CELLS,
    CODE_OF,
    COLOUR,
    COLOURS,
    EDGE,
    EMPTY,
    HEAD,
    KEY,
    KEYS,
    LAST,
    LIBERTIES,
    LISTS,
    NEAR,
    NEAR_BITS,
    NEXT,
    OWN,
    RULE,
    SIZE,
    WIDTH,
    neighbour,
    surroundings,
)
from graven.games.stone_groups import COUNT_MASK, LARGEST, liberty

COUNT, PASSES, PLY, LAST_MOVE = range(OWN, OWN + 4)

# The game's own words of the tables: the most plies, White's komi rounded down, whether it was a
# whole number, and where in a state the history begins.
CAP, KOMI, WHOLE, HISTORY = range(RULE, RULE + 4)

NO_MOVE = -1
TAKEN = words_for((LARGEST + 1) * (LARGEST + 2))
SIEVE = 64  # a power of two

# Sets of bits as `surroundings` gives them.
CAUGHT = ((1 << go_board.MOST_COLOURS) - 1) << LAST


def build_lists(points: NDArray[np.int64], plies: int) -> NDArray[np.int64]:
    """The list of empty points and all that follows it, at the start of a game."""
    places = np.zeros(points[-1] + 1, dtype=np.int64)
    places[points] = np.arange(points.size)
    rest = np.zeros(TAKEN + SIEVE + plies + 1, dtype=np.int64)
    rest[TAKEN] = 1  # the empty board, whose key is 0
    return np.concatenate([points, places, rest])


@inlined
def is_eye(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether an empty point, all of whose neighbours are the player's, is an eye.

    Enemies hold at most one of its four diagonal points; none at the edge of the board, where there
    are fewer.
    """
    width = constants[WIDTH]
    enemies, edges = 0, 0
    for near in (point - width - 1, point - width + 1, point + width - 1, point + width + 1):
        colour = state[index(CELL + APART * near)] & COLOUR
        edges |= colour == EDGE
        enemies += (colour != player) & (colour < EMPTY)
    return enemies + edges < 2


@inlined
def wanted(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a playout may play this empty point: legal, and no eye of the player."""
    near = state[index(SIZE + APART * point)] >> NEAR
    if (near >> (NEAR_BITS * EMPTY)) & 15 == 0:
        friends = (near >> (NEAR_BITS * player)) & 15
        shut = friends + ((near >> (NEAR_BITS * EDGE)) & 15) == 4
        if shut and is_eye(constants, state, player, point):
            return False
    return allowed(constants, state, player, point)


@inlined
def allowed(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether the rules allow a stone on an empty point."""
    near = state[index(SIZE + APART * point)] >> NEAR
    if (near >> (NEAR_BITS * EMPTY)) & 15 == 0:
        around = surroundings(constants, state, point)
        if around & (CAUGHT ^ (1 << (player + LAST)) | (1 << player)) == 0:
            return False
    return not (
        was_captured(constants, state, point) and comes_back(constants, state, player, point)
    )


@compiled
def draw(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """A random wanted point, or else the pass; points not wanted move to the end of the list."""
    listed, left = constants[LISTS], state[COUNT]
    while left > 0:
        at = below(rng, left)
        point = state[index(listed + at)]
        if wanted(constants, state, player, point):
            return constants[index(constants[CODE_OF] + point)]
        left -= 1
        moved = state[index(listed + left)]
        put_on_list(constants, state, moved, at)
        put_on_list(constants, state, point, left)
    return constants[CELLS]


@inlined
def put_on_list(constants: Constants, state: State, point: int, at: int) -> None:
    """Let a point be the n-th on the list of empty points."""
    listed = constants[LISTS]
    state[index(listed + at)] = point
    state[index(listed + constants[CELLS] + point)] = at


@inlined
def take_off_list(constants: Constants, state: State, point: int) -> None:
    """Take a point off the list of empty points; the last one moves to its place."""
    listed, last = constants[LISTS], state[COUNT] - 1
    at = state[index(listed + constants[CELLS] + point)]
    put_on_list(constants, state, state[index(listed + last)], at)
    state[COUNT] = last


@inlined
def was_captured(constants: Constants, state: State, point: int) -> bool:
    """Whether a stone on this point was ever captured."""
    word = state[index(constants[HISTORY] - SIEVE - TAKEN + (point >> 6))]
    return (word >> (point & 63)) & 1 != 0


@compiled
def comes_back(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a move that is no suicide would bring back an earlier position."""
    width, code = constants[WIDTH], constants[index(constants[CODE_OF] + point)]
    keys, colours, one = constants[KEYS], constants[COLOURS], liberty(point)
    key = state[KEY] ^ constants[index(keys + colours * code + player)]
    first, second, third = np.int64(0), np.int64(0), np.int64(0)
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + APART * near)]
        colour, head = cell & COLOUR, cell >> HEAD
        packed = state[index(LIBERTIES + APART * head)]
        if colour == player or colour >= EMPTY or (packed & COUNT_MASK) * one != packed:
            continue
        if head in (first, second, third):
            continue  # a group that touches the point twice is captured once
        first, second, third = head, first, second
        stone = head
        while True:
            key ^= constants[
                index(keys + colours * constants[index(constants[CODE_OF] + stone)] + colour)
            ]
            stone = state[index(NEXT + APART * stone)]
            if stone == head:
                break
    if not sieved(constants, state, key):
        return False
    ply = state[PLY]
    while ply >= 0 and state[index(constants[HISTORY] + ply)] != key:
        ply -= 1
    return ply >= 0


@inlined
def sieved(constants: Constants, state: State, key: int) -> bool:
    """Whether the sieve holds a key: if not, the position is new."""
    word = state[index(constants[HISTORY] - SIEVE + ((key >> 6) & (SIEVE - 1)))]
    return (word >> (key & 63)) & 1 != 0


@inlined
def remember(constants: Constants, state: State) -> None:
    """Note the position after a ply."""
    ply, key = state[PLY] + 1, state[KEY]
    state[PLY] = ply
    state[index(constants[HISTORY] + ply)] = key
    state[index(constants[HISTORY] - SIEVE + ((key >> 6) & (SIEVE - 1)))] |= np.int64(1) << (
        key & 63
    )


@compiled
def capture(constants: Constants, state: State, player: int, point: int) -> None:
    """Take the enemy groups beside the stone just put off the board, those without liberties.

    All at once: with several colours, taking one would give another its liberties back.
    """
    width = constants[WIDTH]
    doomed, side = 0, 1
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + APART * near)]
        colour = cell & COLOUR
        dead = state[index(LIBERTIES + APART * (cell >> HEAD))] == 0
        doomed |= side * ((colour != player) & (colour < EMPTY) & dead)
        side <<= 1
    side = 1
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + APART * near)]
        if doomed & side and cell != EMPTY:
            remove(constants, state, cell & COLOUR, cell >> HEAD)
        side <<= 1


@compiled
def remove(constants: Constants, state: State, colour: int, head: int) -> None:
    """Take a group off the board; the groups beside it gain its points as liberties."""
    width, taken = constants[WIDTH], constants[HISTORY] - SIEVE - TAKEN
    stone, count, key = head, state[COUNT], state[KEY]
    change = neighbour(EMPTY) - neighbour(colour)
    while True:
        code = constants[index(constants[CODE_OF] + stone)]
        key ^= constants[index(constants[KEYS] + constants[COLOURS] * code + colour)]
        put_on_list(constants, state, stone, count)
        count += 1
        state[index(taken + (stone >> 6))] |= np.int64(1) << (stone & 63)
        state[index(CELL + APART * stone)] = EMPTY
        one = liberty(stone)
        # Empty points and the border have head 0, to whose liberties nobody looks.
        for near in (stone - width, stone - 1, stone + 1, stone + width):
            state[index(LIBERTIES + APART * (state[index(CELL + APART * near)] >> HEAD))] += one
            state[index(SIZE + APART * near)] += change
        stone = state[index(NEXT + APART * stone)]
        if stone == head:
            break
    state[COUNT], state[KEY] = count, key
