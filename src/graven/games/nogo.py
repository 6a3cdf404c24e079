"""NoGo: Go without captures. Who has no legal move left loses.

A move may neither take the last liberty of an enemy group nor leave the own group without one.

A point that is illegal for a player stays so for ever. Stones never leave the board, so an
occupied point stays occupied. If the point is the last liberty of an enemy group, that group can
gain liberties only by a stone on one of its liberties, which is this point. If the move would be
suicide, the point has no empty neighbour and will have none, and the own groups beside it, whose
last liberty it is, can again gain liberties only there. So each player keeps a list of points
that may still be legal, and what is once found illegal leaves it for good.

State (see `stones`): the head's own words count the players' candidates, whose lists follow the
points. While a player to move has a legal move, it is on the list; when there is none, `play` has
emptied the list.
"""

from __future__ import annotations

import numpy as np

from graven.core.compile import inlined
from graven.core.contract import NOBODY, Moves, Scores, State, Tables
from graven.core.game import Game
from graven.core.rng import Rng, below
from graven.games import stones
from graven.games.boards import SizeRange
from graven.games.registry import Family, Option
from graven.games.stones import CELLS, EMPTY, LAST, LISTS, OWN, POINT_OF, TURN


@inlined
def _allowed(tables: Tables, state: State, player: int, code: int) -> bool:
    """Whether a stone on that empty point would have a liberty and take nobody's last."""
    around = stones.surroundings(tables, state, tables[POINT_OF + code])
    # An empty point is a liberty whatever the bit for last liberties says of it.
    lives = around & ((1 << EMPTY) | (1 << (EMPTY + LAST)) | (1 << player))
    takes = around & (1 << (1 - player + LAST))
    return (lives != 0) & (takes == 0)


def turn(tables: Tables, state: State) -> int:
    """The player to move; nobody once that player has no candidate left."""
    player = state[TURN]
    return player if state[OWN + player] > 0 else NOBODY


def legal(tables: Tables, state: State, player: int, moves: Moves) -> int:
    """The candidates that are still legal."""
    candidates, count = tables[LISTS] + 2 * tables[CELLS] * player, 0
    for i in range(state[OWN + player]):
        code = state[candidates + i]
        moves[count] = code
        count += _allowed(tables, state, player, code)
    return count


def sample(tables: Tables, state: State, player: int, rng: Rng) -> int:
    """Draw candidates, and drop those that are not legal any more, until one is."""
    candidates = tables[LISTS] + 2 * tables[CELLS] * player
    while state[OWN + player] > 0:
        code = state[candidates + below(rng, state[OWN + player])]
        if _allowed(tables, state, player, code):
            return code
        stones.drop(tables, state, player, code)
    return -1


def play(tables: Tables, state: State, joint: Moves) -> None:
    """Put the stone, and drop candidates of the next player until the last one is legal."""
    player = state[TURN]
    enemy = 1 - player
    code = int(joint[player])
    stones.drop(tables, state, player, code)
    stones.drop(tables, state, enemy, code)
    stones.place(tables, state, player, code)
    before_first = tables[LISTS] + 2 * tables[CELLS] * enemy - 1
    while state[OWN + enemy] > 0:
        last = state[before_first + state[OWN + enemy]]
        if _allowed(tables, state, enemy, last):
            break
        stones.drop(tables, state, enemy, last)


def scores(tables: Tables, state: State, out: Scores) -> None:
    """One point for the player who moved last."""
    out[0] = 1.0 if state[TURN] == 1 else 0.0
    out[1] = 1.0 - out[0]


SIZES = SizeRange(rows=(2, stones.LARGEST), columns=(2, stones.LARGEST))


def make(size: int | str = 8) -> Game:
    """NoGo on a board of that size."""
    rows, columns = SIZES.parse(size)
    cells = rows * columns
    return stones.game(
        "nogo",
        rows,
        columns,
        own=(cells, cells),
        lists=np.tile(stones.full_list(cells), 2),
        turn=turn,
        legal=legal,
        play=play,
        scores=scores,
        sample=sample,
    )


FAMILY = Family(
    name="nogo",
    summary="Go without captures: who cannot move without capture or suicide loses",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
