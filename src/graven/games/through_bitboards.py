"""The rules of `through` for boards of at most 64 squares, where a bitboard is a single word.

The same positions, the same moves, half as fast again: no loop over words, and the targets of every
direction stay in a register. The tests hold them to the same games as the rules for larger boards.
"""

from __future__ import annotations

import numpy as np

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import Codes, Constants, Moves, State
from graven.core.rng import Rng, below
from graven.games.through_rules import (
    BOARDS,
    CAPTURES,
    CELLS,
    COLUMNS,
    KEY,
    KEYS,
    SOURCE,
    STEP,
    TURN,
    WAYS,
    WINNER,
    destination,
    way_of,
)


@inlined
def _targets(constants: Constants, own: int, enemy: int, player: int, way: int) -> int:
    """The squares that a player's pieces can go to in one direction."""
    at = way_of(player, way)
    leaving, step = own & constants[at + SOURCE], constants[at + STEP]
    reached = leaving << step if player == 0 else bits.down(leaving, step)
    return reached & ~own & (constants[at + CAPTURES] | ~enemy)


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Direction by direction, from the lowest target square up."""
    own, enemy = state[BOARDS + player], state[BOARDS + 1 - player]
    count = 0
    for way in range(WAYS):
        left = _targets(constants, own, enemy, player, way)
        step = constants[way_of(player, way) + STEP]
        back = way - WAYS * (step if player == 0 else -step)
        while left:
            moves[count] = WAYS * bits.lowest(left) + back
            count += 1
            left &= left - 1
    return count


def coded(constants: Constants, state: State, player: int, moves: Moves, codes: Codes) -> int:
    """`legal`, and whether a move captures (see `through.feature`)."""
    own, enemy = state[BOARDS + player], state[BOARDS + 1 - player]
    count = 0
    for way in range(WAYS):
        left = _targets(constants, own, enemy, player, way)
        step = constants[way_of(player, way) + STEP]
        back = way - WAYS * (step if player == 0 else -step)
        while left:
            target = bits.lowest(left)
            move = WAYS * target + back
            moves[count] = move
            codes[count] = 2 * move + (bits.down(enemy, target) & 1)
            count += 1
            left &= left - 1
    return count


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the move's square is among the targets of its direction."""
    own, enemy = state[BOARDS + player], state[BOARDS + 1 - player]
    way = move % WAYS
    step = constants[way_of(player, way) + STEP]
    leaving = own & constants[way_of(player, way) + SOURCE] & (np.int64(1) << (move // WAYS))
    reached = leaving << step if player == 0 else bits.down(leaving, step)
    return reached & ~own & (constants[way_of(player, way) + CAPTURES] | ~enemy) != 0


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Count the targets, draw a number, and find the move it stands for."""
    own, enemy = state[BOARDS + player], state[BOARDS + 1 - player]
    first = _targets(constants, own, enemy, player, 0)
    second = _targets(constants, own, enemy, player, 1)
    third = _targets(constants, own, enemy, player, 2)
    fourth = _targets(constants, own, enemy, player, 3)
    n1 = bits.count(first)
    n2 = n1 + bits.count(second)
    n3 = n2 + bits.count(third)
    total = n3 + bits.count(fourth)
    if total == 0:
        return -1
    draw = below(rng, total)
    # Selections rather than branches: which direction it will be, nobody can predict.
    way, skip, targets = 0, draw, first
    way, skip, targets = (1, draw - n1, second) if draw >= n1 else (way, skip, targets)
    way, skip, targets = (2, draw - n2, third) if draw >= n2 else (way, skip, targets)
    way, skip, targets = (3, draw - n3, fourth) if draw >= n3 else (way, skip, targets)
    step = constants[way_of(player, way) + STEP]
    return (bits.nth(targets, skip) - (step if player == 0 else -step)) * WAYS + way


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Move the piece, take what stands there, and see whether that wins."""
    player = state[TURN]
    enemy = 1 - player
    cells, keys = constants[CELLS], constants[KEYS]
    move = int(joint[player])
    origin, target = move // WAYS, destination(constants, player, move)
    square = np.int64(1) << target
    mine = keys + player * cells
    change = constants[mine + origin] ^ constants[mine + target] ^ constants[keys + 2 * cells]
    state[BOARDS + player] ^= (np.int64(1) << origin) | square
    left = state[BOARDS + enemy]
    if left & square:
        left ^= square
        change ^= constants[keys + enemy * cells + target]
        state[BOARDS + enemy] = left
    wins = (left == 0) | (target < constants[COLUMNS]) | (target >= cells - constants[COLUMNS])
    state[WINNER] = player if wins else state[WINNER]
    state[KEY] ^= change
    state[TURN] = enemy
