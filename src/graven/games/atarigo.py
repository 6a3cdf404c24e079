"""Atarigo: Go in which the first capture wins.

Every empty point is legal. A move that captures nothing and leaves its own group without liberties
loses (suicide). Stones are never removed, because a capture ends the game. On a full board some
group has no liberties, so there is a legal move until the game ends.

With suicide=forbidden such a move is illegal, and a player without a legal move loses. Cazenave
2015 does not define suicide; docs/papers/cazenave2015.md compares both rules and the playouts.

State (see `nogo_board`): the game's words are the number of empty points and the winner (or
TERMINAL); its list holds the empty points.
"""

from __future__ import annotations

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Codes, Constants, Moves, Scores, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.rng import Rng, below
from graven.games import atarigo_batches, nogo_board, stone_groups
from graven.games.atarigo_playouts import (
    capturing_move,
    defence,
    is_suicide,
    tactical_move,
    winning_move,
)
from graven.games.boards import SizeRange
from graven.games.nogo_board import POINT_OF
from graven.games.registry import Family, GameOption
from graven.games.stone_groups import CELL, GAME_WORDS, HEAD_SHIFT, LIBERTIES, LISTS, STRIDE, TURN

COUNT, WINNER = GAME_WORDS, GAME_WORDS + 1
LOSES, FORBIDDEN = "loses", "forbidden"


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL once there is a winner."""
    return state[TURN] if state[WINNER] == TERMINAL else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the empty points."""
    for i in range(state[COUNT]):
        moves[i] = state[index(constants[LISTS] + i)]
    return state[COUNT]


def playout_moves_with_features(
    constants: Constants, state: State, player: int, moves: Moves, codes: Codes
) -> int:
    """List the empty points and the feature of each."""
    return nogo_board.list_with_features(constants, state, player, 0, moves=moves, codes=codes)


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the point is empty."""
    return nogo_board.is_listed(constants, state, 0, move)


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random empty point."""
    if state[COUNT] == 0:
        return -1
    return state[index(constants[LISTS] + below(rng, state[COUNT]))]


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the stone; a capture wins, a suicide loses."""
    player = state[TURN]
    code = int(joint[player])
    nogo_board.remove_from_list(constants, state, 0, code)
    captures = nogo_board.place_stone(constants, state, player, code)
    group = state[index(CELL + STRIDE * constants[index(POINT_OF + code)])] >> HEAD_SHIFT
    if captures:
        state[WINNER] = player
    elif state[index(LIBERTIES + STRIDE * group)] == 0:
        state[WINNER] = 1 - player


def play_without_suicide(constants: Constants, state: State, joint: Moves) -> None:
    """Place the stone; a capture wins, and so does leaving the opponent without a legal move."""
    play(constants, state, joint)
    if state[WINNER] == TERMINAL and not _can_move(constants, state):
        state[WINNER] = 1 - state[TURN]


@inlined
def _can_move(constants: Constants, state: State) -> bool:
    """Whether the player to move has a move that is not suicide."""
    for i in range(state[COUNT]):
        if _is_legal(constants, state, state[TURN], state[index(constants[LISTS] + i)]):
            return True
    return False


@inlined
def _is_legal(constants: Constants, state: State, player: int, code: int) -> bool:
    """Whether a stone on this empty point is not suicide."""
    point = constants[index(POINT_OF + code)]
    return not is_suicide(stone_groups.adjacent_colours(constants, state, point), player)


def legal_without_suicide(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the empty points on which a stone is not suicide."""
    count = 0
    for i in range(state[COUNT]):
        code = state[index(constants[LISTS] + i)]
        moves[count] = code
        count += _is_legal(constants, state, player, code)
    return count


def features_without_suicide(
    constants: Constants, state: State, player: int, moves: Moves, codes: Codes
) -> int:
    """List the legal points and the feature of each."""
    count = legal_without_suicide(constants, state, player, moves)
    for i in range(count):
        codes[i] = nogo_board.feature_code(constants, state, player, int(moves[i]))
    return count


def is_legal_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the point is empty and a stone on it is not suicide."""
    return nogo_board.is_listed(constants, state, 0, move) and _is_legal(
        constants, state, player, move
    )


def sample_without_suicide(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random legal point."""
    while _can_move(constants, state):
        code = state[index(constants[LISTS] + below(rng, state[COUNT]))]
        if _is_legal(constants, state, player, code):
            return code
    return -1


def capture(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Moves that capture, else random ones."""
    move = capturing_move(constants, state, player, rng)
    return move if move >= 0 else sample(constants, state, player, rng)


def capture_rescue(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Moves that capture, else those that extend a group in atari, else random ones."""
    move = tactical_move(constants, state, player, rng)
    return move if move >= 0 else sample(constants, state, player, rng)


def capture_without_suicide(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Moves that capture, else random legal ones."""
    move = capturing_move(constants, state, player, rng)
    return move if move >= 0 else sample_without_suicide(constants, state, player, rng)


def rescue_without_suicide(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Moves that capture, else those that extend a group in atari, else random legal ones."""
    move = tactical_move(constants, state, player, rng)
    return move if move >= 0 else sample_without_suicide(constants, state, player, rng)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give the winner 1 and the loser 0."""
    out[0] = 1.0 if state[WINNER] == 0 else 0.0
    out[1] = 1.0 - out[0]


SIZES = SizeRange(rows=(2, stone_groups.MAX_SIDE), columns=(2, stone_groups.MAX_SIDE))


def make(size: int | str = 8, suicide: str = LOSES) -> Game:
    """Return Atarigo on a board of this size."""
    if suicide not in (LOSES, FORBIDDEN):
        raise UsageError(f"atarigo: suicide must be {LOSES} or {FORBIDDEN}, got {suicide}.")
    rows, columns = SIZES.parse(size)
    cells, allowed = rows * columns, suicide == LOSES
    return nogo_board.game(
        "atarigo",
        (rows, columns),
        game_words=(cells, TERMINAL),
        lists=nogo_board.full_list(cells),
        playouts={
            "capture": capture if allowed else capture_without_suicide,
            "capture-rescue": capture_rescue if allowed else rescue_without_suicide,
        },
        options={} if allowed else {"suicide": suicide},
        turn=turn,
        legal=legal if allowed else legal_without_suicide,
        play=play if allowed else play_without_suicide,
        scores=scores,
        sample=sample if allowed else sample_without_suicide,
        playout_moves_with_features=(
            playout_moves_with_features if allowed else features_without_suicide
        ),
        is_playout_move=is_playout_move if allowed else is_legal_move,
        winning_move=winning_move,
        defence=defence,
        batch_playouts=atarigo_batches.batches_of(rows, columns) if allowed else None,
        batch_scratch=atarigo_batches.SCRATCH,
    )


FAMILY = Family(
    name="atarigo",
    summary="Go in which the first capture wins, and suicide loses",
    options={
        "size": GameOption("8x8", str(SIZES)),
        "suicide": GameOption(LOSES, "a stone without liberties loses, or is forbidden"),
    },
    make=make,
)
