"""The board of NoGo and Atarigo: stones of two colours, and lists of points.

State: see `stone_groups`. NEXT of an empty point has its neighbours below, left, right and above,
two bits each from the lowest: a colour, NEAR_EMPTY or NEAR_EDGE. The game's words begin with the
lengths of its lists (see `remove_from_list`). The point of a move code is
`constants[POINT_OF + code]`.
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
from graven.games import position_text
from graven.games.boards import LETTERS, POINT_LETTERS, as_text, cell_name
from graven.games.stone_groups import (
    BOARD_CONSTANTS,
    CELL,
    CELLS,
    COLOUR_MASK,
    EMPTY,
    GAME_WORDS,
    HEAD_SHIFT,
    INITIAL_STATE,
    INITIAL_WORDS,
    KEY,
    KEYS,
    LIBERTIES,
    LISTS,
    NEXT,
    STRIDE,
    TURN,
    TURN_KEY,
    WIDTH,
    add_to_group,
    board,
    check_liberty_bits,
    empty_board,
    merge_neighbours,
    points,
    pseudo_liberty,
    start,
    width_of,
    words,
    zobrist_keys,
)
from graven.games.svg_boards import as_svg

# What stands for an empty neighbour, and for the edge, in NEXT of a point and in features.
NEAR_EMPTY, NEAR_EDGE = 2, 3

# Layout of `constants`: the shared words (see `stone_groups`), the point of each code, the Zobrist
# keys of each point's stones, and the initial state.
POINT_OF = BOARD_CONSTANTS


def build_constants(
    rows: int, columns: int, game_words: tuple[int, int], lists: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the constants of a board.

    `game_words` and `lists` are the game's part of the initial state.
    """
    cells, grid, width = rows * columns, points(rows, columns), width_of(columns)
    check_liberty_bits(grid)

    initial = empty_board(rows, columns, game_words)
    for shift, step in enumerate((-width, -1, 1, width)):
        near = np.where(initial[CELL + STRIDE * (grid + step)] == EMPTY, NEAR_EMPTY, NEAR_EDGE)
        initial[NEXT + STRIDE * grid] += near << 2 * shift
    initial = np.concatenate([initial, lists])
    *keys, turn_key = zobrist_keys(2 * cells + 1)

    head = np.zeros(POINT_OF, dtype=np.int64)
    head[CELLS], head[WIDTH], head[LISTS] = cells, width, words(rows, columns)
    head[KEYS], head[TURN_KEY] = POINT_OF + cells, turn_key
    head[INITIAL_STATE], head[INITIAL_WORDS] = head[KEYS] + 2 * cells, initial.size
    return np.concatenate([head, grid, keys, initial])


@inlined
def place_stone(constants: Constants, state: State, player: int, code: int) -> bool:
    """Place a stone on an empty point, merge groups, and pass the turn to the opponent.

    Return whether the stone takes the last liberty of an enemy group, which stays on the board.
    """
    point, width = constants[index(POINT_OF + code)], constants[WIDTH]
    one = pseudo_liberty(point)
    gained, group, captures = np.int64(0), point, False
    # The change of what an empty neighbour stores: the point below has the stone above.
    change = np.int64(player - NEAR_EMPTY) << 6
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
    add_to_group(state, player, point, group, gained)
    merge_neighbours(constants, state, player, point)
    state[KEY] ^= constants[index(constants[KEYS] + 2 * code + player)] ^ constants[TURN_KEY]
    state[TURN] = 1 - player
    return captures


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
    stones = partial(board, name, rows, columns)
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
            render=lambda state, colour: as_text(stones(state), colour),
            svg=lambda state: as_svg(stones(state)),
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
