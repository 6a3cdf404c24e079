"""Atarigo: Go in which the first capture wins.

Every empty point may be played. Who leaves the own group without a liberty and captures nothing has
had it captured, and loses. Nothing is ever taken off the board, since that ends the game, and a
full board has a group without liberties, so that there is always a move until then.

Cazenave 2015 does not say what becomes of suicide. With suicide lost our figures are closer to the
paper's than with suicide forbidden (see docs/papers/cazenave2015.md).

State (see `stones`): the head's own words are the number of empty points and the winner (or
TERMINAL); the list of empty points follows the points.
"""

from __future__ import annotations

from graven.core.contract import TERMINAL, Codes, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.rng import Rng, below
from graven.games import stone_groups
from graven.games.boards import SizeRange
from graven.games.registry import Family, Option
from graven.games.stone_groups import APART, CELL, LIBERTIES, LISTS, OWN, POINT_OF, TURN

COUNT, WINNER = OWN, OWN + 1


def turn(constants: Constants, state: State) -> int:
    """The player to move; nobody once there is a winner."""
    return state[TURN] if state[WINNER] == TERMINAL else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The empty points."""
    for i in range(state[COUNT]):
        moves[i] = state[constants[LISTS] + i]
    return state[COUNT]


def coded(constants: Constants, state: State, player: int, moves: Moves, codes: Codes) -> int:
    """The empty points, and what surrounds them."""
    return stone_groups.list_coded(constants, state, player, 0, moves, codes)


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the point is empty."""
    return stone_groups.listed(constants, state, 0, move)


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Any empty point."""
    if state[COUNT] == 0:
        return -1
    return state[constants[LISTS] + below(rng, state[COUNT])]


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Put the stone; a capture wins, a suicide loses."""
    player = state[TURN]
    code = int(joint[player])
    stone_groups.drop(constants, state, 0, code)
    captures = stone_groups.place(constants, state, player, code)
    group = state[CELL + APART * constants[POINT_OF + code]] >> 2
    if captures:
        state[WINNER] = player
    elif state[LIBERTIES + APART * group] == 0:
        state[WINNER] = 1 - player


def scores(constants: Constants, state: State, out: Scores) -> None:
    """One point for the winner."""
    out[0] = 1.0 if state[WINNER] == 0 else 0.0
    out[1] = 1.0 - out[0]


SIZES = SizeRange(rows=(2, stone_groups.LARGEST), columns=(2, stone_groups.LARGEST))


def make(size: int | str = 8) -> Game:
    """Atarigo on a board of that size."""
    rows, columns = SIZES.parse(size)
    cells = rows * columns
    return stone_groups.game(
        "atarigo",
        rows,
        columns,
        own=(cells, TERMINAL),
        lists=stone_groups.full_list(cells),
        turn=turn,
        legal=legal,
        play=play,
        scores=scores,
        sample=sample,
        playout_moves_with_features=coded,
        is_playout_move=allowed,
    )


FAMILY = Family(
    name="atarigo",
    summary="Go in which the first capture wins, and suicide loses",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
