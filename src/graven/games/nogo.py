"""NoGo: Go without captures. A player without a legal move loses.

A move may neither capture an enemy group nor leave its own group without liberties.

A point that is illegal for a player stays illegal. Stones are never removed, so an occupied point
stays occupied. If the point is the last liberty of an enemy group, that group can gain liberties
only by a stone on this point. If the move would be suicide, the point has no empty neighbour and
will have none, and the adjacent own groups, whose last liberty it is, can also gain liberties only
there. So each player has a list of legal points, and illegal points are removed for the rest of the
game.

A move can make a point illegal only if it takes a liberty of the point or of a group adjacent to
the point. The former are the move's neighbours. In the latter case the point becomes the last
liberty of a group adjacent to the move.

State (see `nogo_board`): the game's words are the numbers of the players' legal points; its lists
hold these points.
"""

from __future__ import annotations

import numpy as np

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Codes, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.rng import Rng, below
from graven.games import nogo_batches, nogo_board, stone_groups
from graven.games.boards import SizeRange
from graven.games.nogo_board import POINT_OF
from graven.games.registry import Family, GameOption
from graven.games.stone_groups import (
    ATARI_SHIFT,
    CELL,
    CELLS,
    COLOUR_MASK,
    EMPTY,
    GAME_WORDS,
    HEAD_SHIFT,
    LISTS,
    STRIDE,
    TURN,
    WIDTH,
)


@inlined
def _update_lists(constants: Constants, state: State, point: int) -> None:
    """Remove an empty point from the list of each player for whom it is capture or suicide."""
    colours = stone_groups.adjacent_colours(constants, state, point)
    code = _code(constants, point)
    for player in range(2):
        # An empty neighbour is a liberty, with or without its (meaningless) atari bit.
        liberties = colours & ((1 << EMPTY) | (1 << (EMPTY + ATARI_SHIFT)) | (1 << player))
        captures = colours & (1 << (1 - player + ATARI_SHIFT))
        if liberties == 0 or captures != 0:
            nogo_board.remove_from_list(constants, state, player, code)


@inlined
def _code(constants: Constants, point: int) -> int:
    """Return the code of a point."""
    width = constants[WIDTH]
    row = point // width
    return (row - 1) * (width - 1) + point - row * width - 1


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL if this player has no legal point."""
    player = state[TURN]
    return player if state[index(GAME_WORDS + player)] > 0 else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Copy the player's list of legal points."""
    points, count = (
        constants[LISTS] + 2 * constants[CELLS] * player,
        state[index(GAME_WORDS + player)],
    )
    for i in range(count):
        moves[i] = state[index(points + i)]
    return count


def playout_moves_with_features(
    constants: Constants, state: State, player: int, moves: Moves, codes: Codes
) -> int:
    """List the player's legal points and the feature of each."""
    return nogo_board.list_with_features(constants, state, player, player, moves=moves, codes=codes)


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the point is on the player's list."""
    return nogo_board.is_listed(constants, state, player, move)


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random point of the player's list."""
    points, count = (
        constants[LISTS] + 2 * constants[CELLS] * player,
        state[index(GAME_WORDS + player)],
    )
    return state[index(points + below(rng, count))] if count else -1


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the stone and update the legality of all points that it may have changed."""
    player, width = state[TURN], constants[WIDTH]
    code = int(joint[player])
    point = constants[index(POINT_OF + code)]
    nogo_board.remove_from_list(constants, state, player, code)
    nogo_board.remove_from_list(constants, state, 1 - player, code)
    nogo_board.place_stone(constants, state, player, code)
    own_liberty = stone_groups.single_liberty(
        state, state[index(CELL + STRIDE * point)] >> HEAD_SHIFT
    )
    if own_liberty > 0:
        _update_lists(constants, state, own_liberty)
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        if cell == EMPTY:
            _update_lists(constants, state, adjacent)
        elif cell & COLOUR_MASK == 1 - player:
            last = stone_groups.single_liberty(state, cell >> HEAD_SHIFT)
            if last > 0:
                _update_lists(constants, state, last)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give 1 to the player who moved last, 0 to the other."""
    out[0] = 1.0 if state[TURN] == 1 else 0.0
    out[1] = 1.0 - out[0]


SIZES = SizeRange(rows=(2, stone_groups.MAX_SIDE), columns=(2, stone_groups.MAX_SIDE))


def make(size: int | str = 8) -> Game:
    """Return NoGo on a board of this size."""
    rows, columns = SIZES.parse(size)
    cells = rows * columns
    return nogo_board.game(
        "nogo",
        (rows, columns),
        game_words=(cells, cells),
        lists=np.tile(nogo_board.full_list(cells), 2),
        turn=turn,
        legal=legal,
        play=play,
        scores=scores,
        sample=sample,
        playout_moves_with_features=playout_moves_with_features,
        is_playout_move=is_playout_move,
        batch_playouts=nogo_batches.batches_of(rows, columns),
        batch_scratch=nogo_batches.SCRATCH,
    )


FAMILY = Family(
    name="nogo",
    summary="Go without captures: a player whose every move is capture or suicide loses",
    options={"size": GameOption("8x8", str(SIZES))},
    make=make,
)
