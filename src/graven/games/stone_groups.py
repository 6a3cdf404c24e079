"""Stones, groups, liberties and lists of points: what NoGo and Atarigo share.

The board is padded with a border, so that every point has four neighbours. The point of a move
code is `tables[POINT_OF + code]`; codes count row by row from the bottom, without the border.

State: a head of four words (whose turn, the position key, and two of the game's own), then four
words a point, then the game's lists (see `drop`). A point's words:

    CELL       4 * head + colour, where `head` is the point that stands for the stone's group;
               for an empty or border point `head` is 0, a border point nobody looks at
    NEXT       the next stone of the group; the last one leads back to the first. For an empty
               point: the colours below, left, right and above, two bits each from the lowest
    LIBERTIES  for a head: the group's pseudo-liberties, packed as described at `liberty`
    SIZE       for a head: how many stones the group has
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import inlined
from graven.core.contract import Codes, Constants, Moves, State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunction, RuleFunctions
from graven.core.rng import derive
from graven.games.boards import POINT_LETTERS, VACANT, Board, as_text, cell_name
from graven.games.svg_boards import as_svg

# A stone's colour is the number of its player.
BLACK, WHITE, EMPTY, EDGE = range(4)

# The state's head; then where the words of point 0 begin, and how far points lie apart.
TURN, KEY, OWN = range(3)
CELL, NEXT, LIBERTIES, SIZE = range(4, 8)
APART = 4

# How much higher `surroundings` puts the bit of a group that is down to its last liberty.
LAST = 4

# The head of `tables`, then the point of each code, the keys of each point's stones, and the
# initial state.
CELLS, WIDTH, LISTS, KEYS, TURN_KEY, IMAGE, IMAGE_WORDS, POINT_OF = range(8)

COUNT_BITS, SUM_BITS, SQUARE_BITS = 11, 20, 28
COUNT_MASK, SUM_MASK = (1 << COUNT_BITS) - 1, (1 << SUM_BITS) - 1
LARGEST = 19  # the longest side for which they suffice; `build_constants` checks

ZOBRIST_SEED = 2012


def width_of(columns: int) -> int:
    """How many points lie between a point and the one above it: one border point ends a row."""
    return columns + 1


def points(rows: int, columns: int) -> NDArray[np.int64]:
    """The point of each code on the padded grid."""
    cell = np.arange(rows * columns)
    return (cell // columns + 1) * width_of(columns) + cell % columns + 1


def words(rows: int, columns: int) -> int:
    """How many words of a state the head and the points take: a game's lists begin there."""
    return CELL + APART * ((rows + 2) * width_of(columns) + 1)


def build_constants(
    rows: int, columns: int, own: tuple[int, int], lists: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Tables for an empty board; `own` and `lists` are the game's own words of the first state."""
    cells, board = rows * columns, points(rows, columns)
    most, far = 4 * cells, int(board[-1])
    assert most < 1 << COUNT_BITS
    assert most * far < 1 << SUM_BITS
    assert most * far * far < 1 << SQUARE_BITS
    assert COUNT_BITS + SUM_BITS + SQUARE_BITS < 64

    head_width = width_of(columns)
    image = np.zeros(words(rows, columns), dtype=np.int64)
    image[OWN : OWN + 2] = own
    image[CELL::APART] = EDGE
    image[CELL + APART * board] = EMPTY
    for shift, step in enumerate((-head_width, -1, 1, head_width)):
        image[NEXT + APART * board] += image[CELL + APART * (board + step)] << 2 * shift
    image = np.concatenate([image, lists])
    keys = np.array([derive(ZOBRIST_SEED, i) for i in range(2 * cells + 1)], dtype=np.uint64)

    head = np.zeros(POINT_OF, dtype=np.int64)
    head[CELLS], head[WIDTH], head[LISTS] = cells, width_of(columns), words(rows, columns)
    head[KEYS] = POINT_OF + cells
    head[TURN_KEY] = keys.view(np.int64)[-1]
    head[IMAGE], head[IMAGE_WORDS] = head[KEYS] + 2 * cells, image.size
    return np.concatenate([head, board, keys.view(np.int64)[:-1], image])


def start(constants: Constants, state: State) -> None:
    """An empty board; Black moves first."""
    for i in range(constants[IMAGE_WORDS]):
        state[i] = constants[constants[IMAGE] + i]


@inlined
def liberty(point: int) -> int:
    """One pseudo-liberty: a one, the point's number and its square, side by side in one word.

    A group's word is the sum of these over its stones and their empty neighbours, so joining two
    groups adds two words. A point next to several stones of the group counts several times.
    """
    return point * ((point << (COUNT_BITS + SUM_BITS)) + (1 << COUNT_BITS)) + 1


@inlined
def surroundings(constants: Constants, state: State, point: int) -> int:
    """What lies around an empty point, as a set of bits: `1 << colour`, four bits higher for
    a group that has no other liberty than this point.

    All pseudo-liberties of such a group are this point, so its word is a multiple of the
    point's. If they are not all the same, their variance is positive and either their sum or
    their squares give it away: so there are no false alarms.
    """
    width, one = constants[WIDTH], liberty(point)
    found = np.int64(0)
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[CELL + APART * near]
        packed = state[LIBERTIES + APART * (cell >> 2)]
        last = (packed & COUNT_MASK) * one == packed
        found |= np.int64(1) << ((cell & 3) + LAST * last)
    return found  # type: ignore[return-value]


@inlined
def last_liberty(state: State, head: int) -> int:
    """The only liberty of a group, or 0 if it has several; the border's and empty points' head, 0,
    has none.

    A point is a liberty of at most four stones, so a group with more pseudo-liberties has others.
    """
    packed = state[LIBERTIES + APART * head]
    count = packed & COUNT_MASK
    if count == 0 or count > 4:
        return 0
    point = ((packed >> COUNT_BITS) & SUM_MASK) // count
    return point if count * liberty(point) == packed else 0


@inlined
def place(constants: Constants, state: State, player: int, code: int) -> bool:
    """Put a stone on an empty point, join groups, and give the turn to the other player.

    Returns whether that takes the last liberty of an enemy group, which stays on the board.
    """
    point, width = constants[POINT_OF + code], constants[WIDTH]
    one = liberty(point)
    gained, group, captures = np.int64(0), point, False
    # What an empty neighbour sees change: the one below sees it above, and so on.
    change = np.int64(player - EMPTY) << 6
    # Without branches, which nobody could predict here: head 0, of empty points and the border,
    # may lose what it never had, and the stone first joins the last own group it finds, or else
    # itself.
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[CELL + APART * near]
        left = state[LIBERTIES + APART * (cell >> 2)] - one
        state[LIBERTIES + APART * (cell >> 2)] = left
        captures |= (left == 0) & (cell & 3 == 1 - player)
        gained += liberty(near) if cell == EMPTY else 0
        state[NEXT + APART * near] += change if cell == EMPTY else 0
        change >>= 2
        group = cell >> 2 if cell & 3 == player else group
    state[NEXT + APART * point] = point
    state[SIZE + APART * point] = 0
    state[LIBERTIES + APART * point] = 0
    state[CELL + APART * point] = 4 * group + player
    after = state[NEXT + APART * group]
    state[NEXT + APART * group] = point
    state[NEXT + APART * point] = after
    state[SIZE + APART * group] += 1
    state[LIBERTIES + APART * group] += gained
    # A group above the point would be `group` by now, so only three are left to look at.
    for near in (point - width, point - 1, point + 1):
        cell = state[CELL + APART * near]
        if cell & 3 == player and cell >> 2 != group:
            group = _join(state, group, cell >> 2)
    state[KEY] ^= constants[constants[KEYS] + 2 * code + player] ^ constants[TURN_KEY]
    state[TURN] = 1 - player
    return captures


@inlined
def _join(state: State, one: int, other: int) -> int:
    """Make two groups one, and return its head: the larger group's, so that few stones change."""
    large, small = one, other
    if state[SIZE + APART * one] < state[SIZE + APART * other]:
        large, small = other, one
    cell = state[CELL + APART * large]
    stone = small
    while True:
        state[CELL + APART * stone] = cell
        stone = state[NEXT + APART * stone]
        if stone == small:
            break
    # Exchanging the successors of two stones turns two circles into one.
    after = state[NEXT + APART * large]
    state[NEXT + APART * large] = state[NEXT + APART * small]
    state[NEXT + APART * small] = after
    state[SIZE + APART * large] += state[SIZE + APART * small]
    state[LIBERTIES + APART * large] += state[LIBERTIES + APART * small]
    return large


def full_list(cells: int) -> NDArray[np.int64]:
    """A list of all codes: the codes, then for each code its place among them (-1: none)."""
    return np.tile(np.arange(cells), 2)


@inlined
def drop(constants: Constants, state: State, number: int, code: int) -> None:
    """Take a code off the game's first or second list; the last one moves to its place.

    The list's length is in the head, at OWN + number. A code that is not listed is no mistake.
    """
    codes = constants[LISTS] + 2 * constants[CELLS] * number
    places = codes + constants[CELLS]
    at = state[places + code]
    if at >= 0:
        last = state[OWN + number] - 1
        moved = state[codes + last]
        state[codes + at] = moved
        state[places + moved] = at
        state[places + code] = -1
        state[OWN + number] = last


def key(constants: Constants, state: State) -> int:
    """The Zobrist key, kept up to date by `place`."""
    return state[KEY]


@inlined
def _feature(constants: Constants, state: State, player: int, move: int) -> int:
    colours = state[NEXT + APART * constants[POINT_OF + move]]
    # White's own stones and enemies change places: where the upper bit is 0, turn the lower.
    return 256 * move + (colours ^ (~colours >> 1 & 0x55 * player))


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """The move and its four neighbours, each own, enemy, empty or edge (Cazenave 2016, section 3).

    256 * move + the neighbours below, left, right and above, two bits each from the lowest:
    0 own, 1 enemy, 2 empty, 3 edge.
    """
    return _feature(constants, state, player, move)


@inlined
def list_coded(
    constants: Constants, state: State, player: int, number: int, moves: Moves, codes: Codes
) -> int:
    """Copy the game's first or second list into `moves`, and the moves' features into `codes`."""
    at, count = constants[LISTS] + 2 * constants[CELLS] * number, state[OWN + number]
    for i in range(count):
        moves[i] = state[at + i]
        codes[i] = _feature(constants, state, player, state[at + i])
    return count


@inlined
def listed(constants: Constants, state: State, number: int, code: int) -> bool:
    """Whether a code is on the game's first or second list."""
    return state[constants[LISTS] + (2 * number + 1) * constants[CELLS] + code] >= 0


def game(
    name: str,
    rows: int,
    columns: int,
    own: tuple[int, int],
    lists: NDArray[np.int64],
    **functions: RuleFunction,
) -> Game:
    """A game of stones: its own words (see `build_constants`) and the rules it does not share."""
    cells = rows * columns
    return Game(
        name=name,
        players=2,
        functions=RuleFunctions(start=start, key=key, feature=feature, **functions),
        bounds=Bounds(
            state_words=words(rows, columns) + lists.size,
            num_codes=cells,
            max_moves=cells,
            max_plies=cells,
            num_features=256 * cells,
        ),
        constants=build_constants(rows, columns, own, lists),
        display=Display(
            player_names=("Black", "White"),
            format_move=lambda player, code: cell_name(code, columns, POINT_LETTERS),
            render=lambda state, colour: as_text(_board(name, rows, columns, state), colour),
            svg=lambda state: as_svg(_board(name, rows, columns, state)),
        ),
        options={"size": f"{rows}x{columns}"},
    )


def _board(name: str, rows: int, columns: int, state: State) -> Board:
    """The stones, as `boards` draws them."""
    colours = state[CELL + APART * points(rows, columns)] & 3
    owners = [int(colour) if colour < EMPTY else VACANT for colour in colours]
    return Board(name, rows, columns, owners, "stones")
