"""NoGo: Go without captures. Who has no legal move left loses.

A move may neither take the last liberty of an enemy group nor leave the own group without one.

A point that is illegal for a player stays so for ever. Stones never leave the board, so an
occupied point stays occupied. If the point is the last liberty of an enemy group, that group can
gain liberties only by a stone on one of its liberties, which is this point. If the move would be
suicide, the point has no empty neighbour and will have none, and the own groups beside it, whose
last liberty it is, can again gain liberties only there. So each player has a list of the legal
points, and what is once found illegal leaves it for good.

A move can make a point illegal only if it takes a liberty of the point or of a group beside the
point. The first are the move's neighbours; of the second, that point is then the last liberty of a
group beside the move.

State (see `stones`): the head's own words count the players' legal points, whose lists follow the
points.
"""

from __future__ import annotations

import numpy as np

from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Codes, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.rng import Rng, below
from graven.games import stone_groups
from graven.games.boards import SizeRange
from graven.games.registry import Family, Option
from graven.games.stone_groups import (
    APART,
    CELL,
    CELLS,
    EMPTY,
    LAST,
    LISTS,
    OWN,
    POINT_OF,
    TURN,
    WIDTH,
)


@inlined
def _review(constants: Constants, state: State, point: int) -> None:
    """Take an empty point off the lists of those who would there capture or have no liberty."""
    around = stone_groups.surroundings(constants, state, point)
    code = _code(constants, point)
    for player in range(2):
        # An empty point is a liberty whatever the bit for last liberties says of it.
        lives = around & ((1 << EMPTY) | (1 << (EMPTY + LAST)) | (1 << player))
        takes = around & (1 << (1 - player + LAST))
        if lives == 0 or takes != 0:
            stone_groups.drop(constants, state, player, code)


@inlined
def _code(constants: Constants, point: int) -> int:
    """The move on a point."""
    width = constants[WIDTH]
    row = point // width
    return (row - 1) * (width - 1) + point - row * width - 1


def turn(constants: Constants, state: State) -> int:
    """The player to move; nobody once that player has no legal point."""
    player = state[TURN]
    return player if state[OWN + player] > 0 else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The player's list."""
    points, count = constants[LISTS] + 2 * constants[CELLS] * player, state[OWN + player]
    for i in range(count):
        moves[i] = state[points + i]
    return count


def coded(constants: Constants, state: State, player: int, moves: Moves, codes: Codes) -> int:
    """The player's list, and what surrounds the points."""
    return stone_groups.list_coded(constants, state, player, player, moves, codes)


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the point is on the player's list."""
    return stone_groups.listed(constants, state, player, move)


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Any point of the player's list."""
    if state[OWN + player] == 0:
        return -1
    return state[constants[LISTS] + 2 * constants[CELLS] * player + below(rng, state[OWN + player])]


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Put the stone, and review the points whose liberties or whose neighbours' it takes."""
    player, width = state[TURN], constants[WIDTH]
    code = int(joint[player])
    point = constants[POINT_OF + code]
    stone_groups.drop(constants, state, player, code)
    stone_groups.drop(constants, state, 1 - player, code)
    stone_groups.place(constants, state, player, code)
    own = stone_groups.last_liberty(state, state[CELL + APART * point] >> 2)
    if own > 0:
        _review(constants, state, own)
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[CELL + APART * near]
        if cell == EMPTY:
            _review(constants, state, near)
        elif cell & 3 == 1 - player:
            last = stone_groups.last_liberty(state, cell >> 2)
            if last > 0:
                _review(constants, state, last)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """One point for the player who moved last."""
    out[0] = 1.0 if state[TURN] == 1 else 0.0
    out[1] = 1.0 - out[0]


SIZES = SizeRange(rows=(2, stone_groups.LARGEST), columns=(2, stone_groups.LARGEST))


def make(size: int | str = 8) -> Game:
    """NoGo on a board of that size."""
    rows, columns = SIZES.parse(size)
    cells = rows * columns
    return stone_groups.game(
        "nogo",
        rows,
        columns,
        own=(cells, cells),
        lists=np.tile(stone_groups.full_list(cells), 2),
        turn=turn,
        legal=legal,
        play=play,
        scores=scores,
        sample=sample,
        playout_moves_with_features=coded,
        is_playout_move=allowed,
    )


FAMILY = Family(
    name="nogo",
    summary="Go without captures: who cannot move without capture or suicide loses",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
