"""What is certain in a position of Domineering: bounds by counting moves, and sufficient moves.

A player wins who has more moves left than the opponent. For each player:

* At most as many moves as disjoint dominoes fit on the free cells.
* At least the safe dominoes, on cells that no domino of the opponent can ever cover, and a third of
  the others of a set of disjoint dominoes, because a domino of the opponent destroys at most two of
  them (rounded up for the player to move, down for the other).

Safe cells were introduced by Breuker, Uiterwijk and van den Herik 2000, "Solving 8x8 Domineering".

A run of free cells along the player's direction that are all safe is independent of the rest of
the board, and worth its number of dominoes to the player. No move in such runs is better than the
first one, so one of them is listed.

Boards have at most 64 cells here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import Constants, Moves, Scores, State
from graven.games.domineering_layout import FREE, HEAD, INSIDE, STEP

MAX_CELLS = 64


@inlined
def first_cells(constants: Constants, free: int, player: int) -> int:
    """Return the first cells of the dominoes that a player can place on free cells."""
    direction = HEAD + player * (INSIDE + 1)
    return free & bits.down(free, constants[direction + STEP]) & constants[direction + INSIDE]


@inlined
def pack(constants: Constants, free: int, player: int) -> int:
    """Return the first cells of a greatest set of a player's disjoint dominoes on free cells."""
    step = constants[HEAD + player * (INSIDE + 1) + STEP]
    remaining, packed = first_cells(constants, free, player), np.int64(0)
    while remaining:
        first = remaining & -remaining
        packed |= first
        remaining &= ~(first | first << step)
    return packed  # type: ignore[return-value]


@inlined
def covered(constants: Constants, dominoes: int, player: int) -> int:
    """Return the cells of a player's dominoes."""
    return dominoes | dominoes << constants[HEAD + player * (INSIDE + 1) + STEP]


@inlined
def safe_cells(constants: Constants, free: int, player: int) -> int:
    """Return the free cells that no domino of the opponent can cover."""
    return free & ~covered(constants, first_cells(constants, free, 1 - player), 1 - player)


@inlined
def fewest_moves(constants: Constants, free: int, player: int, moves_first: int) -> int:
    """Return how many moves a player certainly has, whatever the opponent plays."""
    safe = pack(constants, safe_cells(constants, free, player), player)
    others = pack(constants, free & ~covered(constants, safe, player), player)
    return bits.count(safe) + (bits.count(others) + 2 * moves_first) // 3


@inlined
def most_moves(constants: Constants, free: int, player: int) -> int:
    """Return how many moves a player has at most."""
    return bits.count(pack(constants, free, player))


@inlined
def isolated_cells(constants: Constants, free: int, player: int) -> int:
    """Return the cells of runs along a player's direction that are safe as a whole."""
    step = constants[HEAD + player * (INSIDE + 1) + STEP]
    pairs = first_cells(constants, free, player)
    unsafe = free & ~safe_cells(constants, free, player)
    before = 0
    while before != unsafe:
        before = unsafe
        unsafe |= (unsafe & pairs) << step | bits.down(unsafe, step) & pairs
    return free & ~unsafe


def proof_moves(
    constants: Constants,
    state: State,
    player: int,
    moves: Moves,
    bounds: Scores,
    scratch: NDArray[np.int64],
) -> int:
    """Compare the numbers of moves of both players; list moves, those in isolated runs once."""
    free, enemy = state[FREE], 1 - player
    bounds[0], bounds[1] = 0.0, 1.0
    if fewest_moves(constants, free, player, 1) > most_moves(constants, free, enemy):
        bounds[0] = 1.0
        return 0
    if fewest_moves(constants, free, enemy, 0) >= most_moves(constants, free, player):
        bounds[1] = 0.0
        return 0
    legal = first_cells(constants, free, player)
    isolated = legal & isolated_cells(constants, free, player)
    legal &= ~isolated | isolated & -isolated
    count = 0
    while legal:
        moves[count] = bits.lowest(legal)
        legal &= legal - 1
        count += 1
    return count
