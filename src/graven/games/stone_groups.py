"""Stones, groups, liberties and lists of points: shared by NoGo and Atarigo.

The board is padded with a border, so that every point has four neighbours. The point of a move
code is `constants[POINT_OF + code]`; codes count row by row from the bottom, without the border.

State: four words (player to move, Zobrist key, two words of the game), then four words per point,
then the game's lists (see `remove_from_list`). The words of a point:

    CELL       (head << HEAD_SHIFT) + colour, where `head` is the point of the stone that represents
               the group; empty and border points have head 0, an unused border point
    NEXT       the next stone in the group's circular list. For an empty point: the colours below,
               left, right and above, two bits each from the lowest
    LIBERTIES  for a head: the group's pseudo-liberties, packed as described at `pseudo_liberty`
    SIZE       for a head: the number of stones in the group
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import Codes, Constants, Moves, State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunction, RuleFunctions
from graven.core.position import Position
from graven.core.rng import derive
from graven.games import position_text
from graven.games.boards import LETTERS, POINT_LETTERS, VACANT, SquareBoard, as_text, cell_name
from graven.games.svg_boards import as_svg

# A stone's colour is the number of its player.
BLACK, WHITE, EMPTY, EDGE = range(4)
COLOUR_MASK, HEAD_SHIFT = 3, 2  # the two parts of a CELL

# Layout of a state: the first words, then the words of point 0; STRIDE words per point.
TURN, KEY, GAME_WORDS = range(3)
CELL, NEXT, LIBERTIES, SIZE = range(4, 8)
STRIDE = 4

# `adjacent_colours` shifts the bit of a group in atari by this.
ATARI_SHIFT = 4

# Layout of `constants`: the first words, then the point of each code, the Zobrist keys of each
# point's stones, and the initial state.
CELLS, WIDTH, LISTS, KEYS, TURN_KEY, INITIAL_STATE, INITIAL_WORDS, POINT_OF = range(8)

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


def build_constants(
    rows: int, columns: int, game_words: tuple[int, int], lists: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the constants of a board.

    `game_words` and `lists` are the game's part of the initial state.
    """
    cells, board = rows * columns, points(rows, columns)
    check_liberty_bits(board)

    head_width = width_of(columns)
    initial = np.zeros(words(rows, columns), dtype=np.int64)
    initial[GAME_WORDS : GAME_WORDS + 2] = game_words
    initial[CELL::STRIDE] = EDGE
    initial[CELL + STRIDE * board] = EMPTY
    for shift, step in enumerate((-head_width, -1, 1, head_width)):
        initial[NEXT + STRIDE * board] += initial[CELL + STRIDE * (board + step)] << 2 * shift
    initial = np.concatenate([initial, lists])
    keys = np.array([derive(ZOBRIST_SEED, i) for i in range(2 * cells + 1)], dtype=np.uint64)

    head = np.zeros(POINT_OF, dtype=np.int64)
    head[CELLS], head[WIDTH], head[LISTS] = cells, width_of(columns), words(rows, columns)
    head[KEYS] = POINT_OF + cells
    head[TURN_KEY] = keys.view(np.int64)[-1]
    head[INITIAL_STATE], head[INITIAL_WORDS] = head[KEYS] + 2 * cells, initial.size
    return np.concatenate([head, board, keys.view(np.int64)[:-1], initial])


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
def place_stone(constants: Constants, state: State, player: int, code: int) -> bool:
    """Place a stone on an empty point, merge groups, and pass the turn to the opponent.

    Return whether the stone takes the last liberty of an enemy group, which stays on the board.
    """
    point, width = constants[index(POINT_OF + code)], constants[WIDTH]
    one = pseudo_liberty(point)
    gained, group, captures = np.int64(0), point, False
    # The change of the colour that an empty neighbour stores: the point below has the stone above.
    change = np.int64(player - EMPTY) << 6
    # Branch-free, because branches would be unpredictable: the liberties of head 0 (empty and
    # border points) have no meaning, and the stone first joins the last own group in the loop, or
    # becomes a group.
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        left = state[index(LIBERTIES + STRIDE * (cell >> HEAD_SHIFT))] - one
        state[index(LIBERTIES + STRIDE * (cell >> HEAD_SHIFT))] = left
        captures |= (left == 0) & (cell & COLOUR_MASK == 1 - player)
        gained += pseudo_liberty(adjacent) if cell == EMPTY else 0
        state[index(NEXT + STRIDE * adjacent)] += change if cell == EMPTY else 0
        change >>= 2
        group = cell >> HEAD_SHIFT if cell & COLOUR_MASK == player else group
    state[index(NEXT + STRIDE * point)] = point
    state[index(SIZE + STRIDE * point)] = 0
    state[index(LIBERTIES + STRIDE * point)] = 0
    state[index(CELL + STRIDE * point)] = (group << HEAD_SHIFT) + player
    after = state[index(NEXT + STRIDE * group)]
    state[index(NEXT + STRIDE * group)] = point
    state[index(NEXT + STRIDE * point)] = after
    state[index(SIZE + STRIDE * group)] += 1
    state[index(LIBERTIES + STRIDE * group)] += gained
    # An own group above the point is already `group`, so three neighbours remain.
    for adjacent in (point - width, point - 1, point + 1):
        cell = state[index(CELL + STRIDE * adjacent)]
        if cell & COLOUR_MASK == player and cell >> HEAD_SHIFT != group:
            group = _merge(state, group, cell >> HEAD_SHIFT)
    state[KEY] ^= constants[index(constants[KEYS] + 2 * code + player)] ^ constants[TURN_KEY]
    state[TURN] = 1 - player
    return captures


@inlined
def _merge(state: State, first: int, second: int) -> int:
    """Merge two groups into the larger one and return its head."""
    large, small = first, second
    if state[index(SIZE + STRIDE * first)] < state[index(SIZE + STRIDE * second)]:
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
    state[index(SIZE + STRIDE * large)] += state[index(SIZE + STRIDE * small)]
    state[index(LIBERTIES + STRIDE * large)] += state[index(LIBERTIES + STRIDE * small)]
    return large


def full_list(cells: int) -> NDArray[np.int64]:
    """Return a list of all codes: the codes, then for each code its index (-1: not listed)."""
    return np.tile(np.arange(cells), 2)


@inlined
def remove_from_list(constants: Constants, state: State, number: int, code: int) -> None:
    """Remove a code from the game's first or second list, if listed; the last code replaces it.

    The list's length is state[GAME_WORDS + number].
    """
    codes = constants[LISTS] + 2 * constants[CELLS] * number
    indices = codes + constants[CELLS]
    at = state[index(indices + code)]
    if at >= 0:
        last = state[index(GAME_WORDS + number)] - 1
        moved = state[index(codes + last)]
        state[index(codes + at)] = moved
        state[index(indices + moved)] = at
        state[index(indices + code)] = -1
        state[index(GAME_WORDS + number)] = last


def key(constants: Constants, state: State) -> int:
    """Return the Zobrist key, which `place_stone` updates."""
    return state[KEY]


@inlined
def feature_code(constants: Constants, state: State, player: int, move: int) -> int:
    """Return what `feature` returns, for kernels."""
    colours = state[index(NEXT + STRIDE * constants[index(POINT_OF + move)])]
    # For White, swap own (0) and enemy (1): flip the lower bit where the upper bit is 0.
    return 256 * move + (colours ^ (~colours >> 1 & 0x55 * player))


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """Return the move and its four neighbours as one code (Cazenave 2016, section 3).

    256 * move + the neighbours below, left, right and above, two bits each from the lowest:
    0 own, 1 enemy, 2 empty, 3 edge.
    """
    return feature_code(constants, state, player, move)


@inlined
def list_with_features(
    constants: Constants, state: State, player: int, number: int, moves: Moves, codes: Codes
) -> int:
    """Copy the game's first or second list to `moves` and the moves' features to `codes`."""
    at, count = constants[LISTS] + 2 * constants[CELLS] * number, state[index(GAME_WORDS + number)]
    for i in range(count):
        moves[i] = state[index(at + i)]
        codes[i] = feature_code(constants, state, player, state[index(at + i)])
    return count


@inlined
def is_listed(constants: Constants, state: State, number: int, code: int) -> bool:
    """Whether a code is on the game's first or second list."""
    return state[index(constants[LISTS] + (2 * number + 1) * constants[CELLS] + code)] >= 0


def game(
    name: str,
    size: tuple[int, int],
    *,
    game_words: tuple[int, int],
    lists: NDArray[np.int64],
    playouts: Mapping[str, RuleFunction] | None = None,
    options: Mapping[str, str] | None = None,
    batch_playouts: RuleFunction | None = None,
    batch_scratch: int = 1,
    **functions: RuleFunction,
) -> Game:
    """Return a game on a board of `size` (rows, columns); `functions` are its specific rules.

    See `build_constants` for `game_words` and `lists`. `options` are the game's besides the size.
    """
    rows, columns = size
    cells = rows * columns
    cell_words = CELL + STRIDE * points(rows, columns)

    def board(state: State) -> SquareBoard:
        colours = state[cell_words] & COLOUR_MASK
        owners = [int(colour) if colour < EMPTY else VACANT for colour in colours]
        return SquareBoard(title=name, rows=rows, columns=columns, owners=owners, pieces="stones")

    return Game(
        name=name,
        players=2,
        functions=RuleFunctions(
            start=start, key=key, feature=feature, batch_playouts=batch_playouts, **functions
        ),
        bounds=Bounds(
            state_words=words(rows, columns) + lists.size,
            num_codes=cells,
            max_moves=cells,
            max_plies=cells,
            num_features=256 * cells,
            batch_scratch=batch_scratch,
        ),
        constants=build_constants(rows, columns, game_words, lists),
        display=Display(
            player_names=("Black", "White"),
            format_move=lambda player, code: cell_name(code, columns, POINT_LETTERS),
            render=lambda state, colour: as_text(board(state), colour),
            svg=lambda state: as_svg(board(state)),
            parse_position=partial(parse_position, size=size),
        ),
        playouts=playouts,
        options={"size": f"{rows}x{columns}", **(options or {})},
    )


def parse_position(game: Game, text: str, size: tuple[int, int]) -> Position:
    """Read a position from a drawn board of `size` (rows, columns)."""
    rows, columns = size
    letters = LETTERS["stones"][:2]
    owners = position_text.owners_of(
        position_text.read_rows(text, [columns] * rows, letters), letters
    )
    return position_text.placed(game, position_text.by_player(owners, 2))
