"""Atarigo: Go in which the first capture wins.

Every empty point is legal. A move that captures nothing and leaves its own group without liberties
loses (suicide). Stones are never removed, because a capture ends the game. On a full board some
group has no liberties, so there is a legal move until the game ends.

Cazenave 2015 does not define suicide. If suicide loses, our results are closer to the paper's than
if it is forbidden (see docs/papers/cazenave2015.md).

State (see `stone_groups`): the game's words are the number of empty points and the winner (or
TERMINAL); its list holds the empty points.
"""

from __future__ import annotations

from graven.core.contract import TERMINAL, Codes, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.rng import Rng, below
from graven.games import stone_groups
from graven.games.boards import SizeRange
from graven.games.registry import Family, GameOption
from graven.games.stone_groups import (
    CELL,
    GAME_WORDS,
    HEAD_SHIFT,
    LIBERTIES,
    LISTS,
    POINT_OF,
    STRIDE,
    TURN,
)

COUNT, WINNER = GAME_WORDS, GAME_WORDS + 1


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL once there is a winner."""
    return state[TURN] if state[WINNER] == TERMINAL else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the empty points."""
    for i in range(state[COUNT]):
        moves[i] = state[constants[LISTS] + i]
    return state[COUNT]


def playout_moves_with_features(
    constants: Constants, state: State, player: int, moves: Moves, codes: Codes
) -> int:
    """List the empty points and the feature of each."""
    return stone_groups.list_with_features(constants, state, player, 0, moves, codes)


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the point is empty."""
    return stone_groups.is_listed(constants, state, 0, move)


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random empty point."""
    if state[COUNT] == 0:
        return -1
    return state[constants[LISTS] + below(rng, state[COUNT])]


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the stone; a capture wins, a suicide loses."""
    player = state[TURN]
    code = int(joint[player])
    stone_groups.remove_from_list(constants, state, 0, code)
    captures = stone_groups.place_stone(constants, state, player, code)
    group = state[CELL + STRIDE * constants[POINT_OF + code]] >> HEAD_SHIFT
    if captures:
        state[WINNER] = player
    elif state[LIBERTIES + STRIDE * group] == 0:
        state[WINNER] = 1 - player


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give the winner 1 and the loser 0."""
    out[0] = 1.0 if state[WINNER] == 0 else 0.0
    out[1] = 1.0 - out[0]


SIZES = SizeRange(rows=(2, stone_groups.MAX_SIDE), columns=(2, stone_groups.MAX_SIDE))


def make(size: int | str = 8) -> Game:
    """Return Atarigo on a board of this size."""
    rows, columns = SIZES.parse(size)
    cells = rows * columns
    return stone_groups.game(
        "atarigo",
        (rows, columns),
        game_words=(cells, TERMINAL),
        lists=stone_groups.full_list(cells),
        turn=turn,
        legal=legal,
        play=play,
        scores=scores,
        sample=sample,
        playout_moves_with_features=playout_moves_with_features,
        is_playout_move=is_playout_move,
    )


FAMILY = Family(
    name="atarigo",
    summary="Go in which the first capture wins, and suicide loses",
    options={"size": GameOption("8x8", str(SIZES))},
    make=make,
)
