"""Who owns each point of a Go board at the end of playouts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import TERMINAL, Constants, Moves, Rules, State
from graven.core.position import Position
from graven.core.rng import Rng, generator
from graven.games.go_board import POINT_OF
from graven.games.go_captures import LAST_MOVE, NO_MOVE, PASSES
from graven.games.stone_groups import CELL, CELLS, COLOUR_MASK, EMPTY, STRIDE, TURN, WIDTH

Counts = NDArray[np.int64]


def count_owners(position: Position, playouts: int, seed: int) -> Counts:
    """Return in how many playouts each player owns each point: an array (players, points).

    The playouts are those of MoGo. Both players move first equally often, whichever is to move.
    """
    rules = position.game.rules_with("mogo")
    owned = np.zeros((2, int(rules.constants[CELLS])), dtype=np.int64)
    state, moves = contract.new_state(rules), contract.new_moves(rules)
    _count_owners(
        rules, position.state, playouts, state, moves=moves, rng=generator(seed), owned=owned
    )
    return owned


@compiled
def _count_owners(
    rules: Rules,
    start: State,
    playouts: int,
    state: State,
    moves: Moves,
    rng: Rng,
    owned: Counts,
) -> None:
    constants = rules.constants
    for number in range(playouts):
        for i in range(len(state)):
            state[i] = start[i]
        state[TURN], state[PASSES], state[LAST_MOVE] = number % 2, 0, NO_MOVE
        while True:
            player = contract.turn(rules, state)
            if player == TERMINAL:
                break
            # A joint move is indexed by the player; the other entry is not read.
            move = contract.sample(rules, state, player, moves, rng=rng)
            moves[player] = move
            contract.play(rules, state, moves)
        for code in range(constants[CELLS]):
            owner = _owner(constants, state, constants[index(POINT_OF + code)])
            if owner < EMPTY:
                owned[owner, code] += 1


@inlined
def _owner(constants: Constants, state: State, point: int) -> int:
    """Return the player of a stone, or of all stones next to an empty point; EMPTY if none."""
    colour = state[index(CELL + STRIDE * point)] & COLOUR_MASK
    if colour < EMPTY:
        return colour
    width = constants[WIDTH]
    owner = EMPTY
    for adjacent in (point - width, point - 1, point + 1, point + width):
        colour = state[index(CELL + STRIDE * adjacent)] & COLOUR_MASK
        if colour < EMPTY:
            if owner < EMPTY and owner != colour:
                return EMPTY
            owner = colour
    return owner
