"""The board of Go: stones of up to four colours, groups and liberties, as in `stones`.

The board is padded with a border, so that every point has four neighbours. The point of a move
code is `tables[POINT_OF + code]`; codes count row by row from the bottom, without the border.

State: a head of eight words (whose turn, the key of the stones, and six of the game's own), then
four words a point, then the lists (see `captures`). A point's words:

    CELL       8 * head + colour, where `head` is the point that stands for the stone's group;
               for an empty or border point `head` is 0, a border point nobody looks at
    NEXT       the next stone of the group; the last one leads back to the first
    LIBERTIES  for a head: the group's pseudo-liberties, packed as in `stones.liberty`
    SIZE       for a head: how many stones the group has; and for every point, from bit NEAR on,
               how many of its four neighbours are of each colour, empty or off the board
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import Constants, State
from graven.core.rng import derive
from graven.games.boards import VACANT, Board
from graven.games.stone_groups import (
    COUNT_BITS,
    COUNT_MASK,
    SQUARE_BITS,
    SUM_BITS,
    liberty,
    points,
    width_of,
)

# A stone's colour is the number of its player: up to four of them.
MOST_COLOURS = 4
EMPTY, EDGE = range(4, 6)
COLOUR, HEAD = 7, 3  # the mask of the colour in a CELL, and how far to shift for the head
# Where the neighbours are counted in a SIZE, four bits each: colours, empty, off the board.
NEAR, NEAR_BITS = 32, 4
SIZE_MASK = (1 << NEAR) - 1

# The state's head; then where the words of point 0 begin, and how far points lie apart.
TURN, KEY, OWN = range(3)
CELL, NEXT, LIBERTIES, SIZE = range(8, 12)
APART = 4

# How much higher `surroundings` puts the bit of a group that is down to its last liberty.
LAST = 8

# The head of `tables`, with four words of the game's own from RULE on; then the point of each
# code, the keys of each point's stones, the code of each point, and the initial state.
CELLS, WIDTH, LISTS, COLOURS, KEYS, TURN_KEY, CODE_OF, IMAGE, IMAGE_WORDS, MORE, RULE = range(11)
POINT_OF = RULE + 4

ZOBRIST_SEED = 2012


def words(rows: int, columns: int) -> int:
    """How many words of a state the head and the points take: a game's lists begin there."""
    return CELL + APART * ((rows + 2) * width_of(columns) + 1)


def build_constants(
    rows: int,
    columns: int,
    own: Sequence[int],
    lists: NDArray[np.int64],
    colours: int,
    rule: Sequence[int],
    more: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Tables for an empty board.

    `own` and `lists` are the game's own words of the first state, `rule` and `more` its own words
    of the tables: `more` begins at `tables[MORE]`.
    """
    cells, grid = rows * columns, points(rows, columns)
    most, far = 4 * cells, int(grid[-1])
    assert most < 1 << COUNT_BITS
    assert most * far < 1 << SUM_BITS
    assert most * far * far < 1 << SQUARE_BITS
    assert COUNT_BITS + SUM_BITS + SQUARE_BITS < 64

    image = np.zeros(words(rows, columns), dtype=np.int64)
    image[OWN : OWN + len(own)] = own
    image[CELL::APART] = EDGE
    image[CELL + APART * grid] = EMPTY
    for step in (-width_of(columns), -1, 1, width_of(columns)):
        colours_there = image[CELL + APART * (grid + step)]
        image[SIZE + APART * grid] += np.left_shift(1, NEAR + NEAR_BITS * colours_there)
    image = np.concatenate([image, lists])
    seeds = [derive(ZOBRIST_SEED, i) for i in range(colours * cells + 1)]
    *keys, turn_key = np.array(seeds, dtype=np.uint64).view(np.int64)
    code_of = np.zeros(far + 1, dtype=np.int64)
    code_of[grid] = np.arange(cells)

    head = np.zeros(POINT_OF, dtype=np.int64)
    head[CELLS], head[WIDTH], head[LISTS] = cells, width_of(columns), words(rows, columns)
    head[COLOURS], head[TURN_KEY] = colours, turn_key
    head[KEYS] = POINT_OF + cells
    head[CODE_OF] = head[KEYS] + colours * cells
    head[IMAGE], head[IMAGE_WORDS] = head[CODE_OF] + far + 1, image.size
    head[RULE : RULE + len(rule)] = rule
    head[MORE] = head[IMAGE] + image.size
    return np.concatenate([head, grid, keys, code_of, image, more])


def start(constants: Constants, state: State) -> None:
    """An empty board; Black moves first."""
    for i in range(constants[IMAGE_WORDS]):
        state[i] = constants[constants[IMAGE] + i]


@inlined
def neighbour(colour: int) -> int:
    """One neighbour of a colour (or EMPTY, or EDGE), as it is counted in a SIZE."""
    return np.int64(1) << (NEAR + NEAR_BITS * colour)  # type: ignore[return-value]


@inlined
def surroundings(constants: Constants, state: State, point: int) -> int:
    """What lies around an empty point, as a set of bits: `1 << colour`, LAST bits higher for
    a group that has no other liberty than this point.

    All pseudo-liberties of such a group are this point, so its word is a multiple of the
    point's. If they are not all the same, their variance is positive and either their sum or
    their squares give it away: so there are no false alarms.
    """
    width, one = constants[WIDTH], liberty(point)
    found = np.int64(0)
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + APART * near)]
        packed = state[index(LIBERTIES + APART * (cell >> HEAD))]
        last = (packed & COUNT_MASK) * one == packed
        found |= np.int64(1) << ((cell & COLOUR) + LAST * last)
    return found  # type: ignore[return-value]


@inlined
def put(constants: Constants, state: State, player: int, code: int) -> bool:
    """Put a stone on an empty point and join groups.

    Returns whether that takes the last liberty of an enemy group, which stays on the board.
    """
    point, width = constants[index(POINT_OF + code)], constants[WIDTH]
    one = liberty(point)
    gained, group, captures = np.int64(0), point, False
    change = neighbour(player) - neighbour(EMPTY)
    # Without branches, which nobody could predict here: head 0, of empty points and the border,
    # may lose what it never had, and the stone first joins the last own group it finds, or else
    # itself.
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + APART * near)]
        colour, head = cell & COLOUR, cell >> HEAD
        left = state[index(LIBERTIES + APART * head)] - one
        state[index(LIBERTIES + APART * head)] = left
        captures |= (left == 0) & (colour != player) & (colour < EMPTY)
        state[index(SIZE + APART * near)] += change
        gained += liberty(near) if cell == EMPTY else 0
        group = head if colour == player else group
    state[index(NEXT + APART * point)] = point
    state[index(SIZE + APART * point)] &= ~SIZE_MASK
    state[index(LIBERTIES + APART * point)] = 0
    state[index(CELL + APART * point)] = (group << HEAD) + player
    after = state[index(NEXT + APART * group)]
    state[index(NEXT + APART * group)] = point
    state[index(NEXT + APART * point)] = after
    state[index(SIZE + APART * group)] += 1
    state[index(LIBERTIES + APART * group)] += gained
    # A group above the point would be `group` by now, so only three are left to look at.
    for near in (point - width, point - 1, point + 1):
        cell = state[index(CELL + APART * near)]
        if cell & COLOUR == player and cell >> HEAD != group:
            group = _join(state, group, cell >> HEAD)
    state[KEY] ^= constants[index(constants[KEYS] + constants[COLOURS] * code + player)]
    return captures


@inlined
def _join(state: State, one: int, other: int) -> int:
    """Make two groups one, and return its head: the larger group's, so that few stones change."""
    large, small = one, other
    if (
        state[index(SIZE + APART * one)] & SIZE_MASK
        < state[index(SIZE + APART * other)] & SIZE_MASK
    ):
        large, small = other, one
    cell = state[index(CELL + APART * large)]
    stone = small
    while True:
        state[index(CELL + APART * stone)] = cell
        stone = state[index(NEXT + APART * stone)]
        if stone == small:
            break
    # Exchanging the successors of two stones turns two circles into one.
    after = state[index(NEXT + APART * large)]
    state[index(NEXT + APART * large)] = state[index(NEXT + APART * small)]
    state[index(NEXT + APART * small)] = after
    state[index(SIZE + APART * large)] += state[index(SIZE + APART * small)] & SIZE_MASK
    state[index(LIBERTIES + APART * large)] += state[index(LIBERTIES + APART * small)]
    return large


@inlined
def feature_of(constants: Constants, state: State, player: int, move: int) -> int:
    """The move and its four neighbours, each own, enemy, empty or edge (Cazenave 2016, section 3).

    256 * move + the neighbours below, left, right and above, two bits each from the lowest:
    0 own, 1 enemy, 2 empty, 3 edge.
    """
    point, width = constants[index(POINT_OF + move)], constants[WIDTH]
    code, shift = 256 * move, 0
    for near in (point - width, point - 1, point + 1, point + width):
        colour = state[index(CELL + APART * near)] & COLOUR
        code += (colour - 2 if colour >= EMPTY else int(colour != player)) << shift
        shift += 2
    return code


def board(name: str, rows: int, columns: int, state: State) -> Board:
    """The stones, as `boards` draws them."""
    colours = state[CELL + APART * points(rows, columns)] & COLOUR
    owners = [int(colour) if colour < EMPTY else VACANT for colour in colours]
    return Board(name, rows, columns, owners, "stones")
