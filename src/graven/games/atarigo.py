"""Atarigo: Go in which the first capture wins.

Suicide is illegal unless it captures, and then the game is won. A player who has no legal move
loses. Nothing is ever taken off the board, since the first capture ends the game.

A point that is illegal now may become legal: once the enemy group around it has no other liberty,
playing there captures. So there is one list of all empty points, for both players.

State (see `stones`): the head's own words are the number of empty points and the winner (or
NOBODY); the list of empty points follows the points.
"""

from __future__ import annotations

from graven.core.compile import inlined
from graven.core.contract import NOBODY, Moves, Scores, State, Tables
from graven.core.game import Game
from graven.core.rng import Rng, below
from graven.games import stones
from graven.games.boards import SizeRange
from graven.games.registry import Family, Option
from graven.games.stones import EMPTY, LAST, LISTS, OWN, POINT_OF, TURN

COUNT, WINNER = OWN, OWN + 1

# So many draws may miss before `sample` counts the legal moves instead.
TRIES = 8


@inlined
def _allowed(tables: Tables, state: State, player: int, code: int) -> bool:
    """Whether a stone on that empty point would have a liberty or capture something."""
    around = stones.surroundings(tables, state, tables[POINT_OF + code])
    # An empty point is a liberty whatever the bit for last liberties says of it.
    lives = around & ((1 << EMPTY) | (1 << (EMPTY + LAST)) | (1 << player))
    captures = around & (1 << (1 - player + LAST))
    return (lives | captures) != 0


def turn(tables: Tables, state: State) -> int:
    """The player to move; nobody once there is a winner."""
    return state[TURN] if state[WINNER] == NOBODY else NOBODY


def legal(tables: Tables, state: State, player: int, moves: Moves) -> int:
    """The empty points that are no suicide."""
    count = 0
    for i in range(state[COUNT]):
        code = state[tables[LISTS] + i]
        moves[count] = code
        count += _allowed(tables, state, player, code)
    return count


def sample(tables: Tables, state: State, player: int, rng: Rng) -> int:
    """Draw empty points until one is legal; after many misses, draw among the legal ones."""
    empty, count = tables[LISTS], state[COUNT]
    for _ in range(TRIES if count > 0 else 0):
        code = state[empty + below(rng, count)]
        if _allowed(tables, state, player, code):
            return code
    total = 0
    for i in range(count):
        total += _allowed(tables, state, player, state[empty + i])
    if total == 0:
        return -1
    skip = below(rng, total)
    for i in range(count):
        code = state[empty + i]
        if _allowed(tables, state, player, code):
            if skip == 0:
                return code
            skip -= 1
    return -1


def play(tables: Tables, state: State, joint: Moves) -> None:
    """Put the stone; a capture wins, and so does leaving the enemy without a move."""
    player = state[TURN]
    enemy = 1 - player
    code = int(joint[player])
    stones.drop(tables, state, 0, code)
    wins = stones.place(tables, state, player, code)
    if not wins:
        left = state[COUNT] - 1
        while left >= 0 and not _allowed(tables, state, enemy, state[tables[LISTS] + left]):
            left -= 1
        wins = left < 0
    if wins:
        state[WINNER] = player


def scores(tables: Tables, state: State, out: Scores) -> None:
    """One point for the winner."""
    out[0] = 1.0 if state[WINNER] == 0 else 0.0
    out[1] = 1.0 - out[0]


SIZES = SizeRange(rows=(2, stones.LARGEST), columns=(2, stones.LARGEST))


def make(size: int | str = 8) -> Game:
    """Atarigo on a board of that size."""
    rows, columns = SIZES.parse(size)
    cells = rows * columns
    return stones.game(
        "atarigo",
        rows,
        columns,
        own=(cells, NOBODY),
        lists=stones.full_list(cells),
        turn=turn,
        legal=legal,
        play=play,
        scores=scores,
        sample=sample,
    )


FAMILY = Family(
    name="atarigo",
    summary="Go in which the first capture wins",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
