"""Playouts of Atarigo that see captures.

- `capture`: a move that captures, if there is one; else a random one.
- `capture-rescue`: a move that captures; else one that extends an own group in atari without being
  suicide; else a random one.

Among several such moves one is chosen uniformly. The papers do not say how their playouts choose;
earlier Atarigo programs of their author had captures (see docs/papers/cazenave2015.md).
"""

from __future__ import annotations

from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, State
from graven.core.rng import Rng, below
from graven.games.nogo_board import POINT_OF
from graven.games.stone_groups import (
    ATARI_SHIFT,
    EMPTY,
    GAME_WORDS,
    LISTS,
    NEXT,
    STRIDE,
    adjacent_colours,
)

_FIELDS = 0x55  # the lower bit of each of four fields of two bits


@inlined
def touches(state: State, point: int, colour: int) -> bool:
    """Whether a stone of this colour is adjacent to an empty point."""
    different = state[index(NEXT + STRIDE * point)] ^ (_FIELDS * colour)
    return ((different | (different >> 1)) & _FIELDS) != _FIELDS


@inlined
def is_suicide(colours: int, player: int) -> bool:
    """Whether a stone would have no liberty, given the `adjacent_colours` of its point.

    A capture is none. An empty neighbour counts with or without its (meaningless) atari bit.
    """
    captures = colours & (1 << (1 - player + ATARI_SHIFT))
    liberties = colours & ((1 << EMPTY) | (1 << (EMPTY + ATARI_SHIFT)) | (1 << player))
    return captures == 0 and liberties == 0


@compiled
def capturing_move(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random move that captures; -1 if there is none."""
    return _last_liberty(constants, state, player, 1 - player, rng=rng)


@compiled
def tactical_move(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random move that captures, else one that extends a group in atari; -1 if none."""
    move = _last_liberty(constants, state, player, 1 - player, rng=rng)
    return move if move >= 0 else _last_liberty(constants, state, player, player, rng=rng)


def winning_move(constants: Constants, state: State, player: int) -> int:
    """Return the first move in the list of empty points that captures; -1 if there is none."""
    for i in range(state[GAME_WORDS]):
        code = state[constants[LISTS] + i]
        point = constants[POINT_OF + code]
        if touches(state, point, 1 - player):
            colours = adjacent_colours(constants, state, point)
            if colours & (1 << (1 - player + ATARI_SHIFT)):
                return code
    return -1


def defence(constants: Constants, state: State, player: int, threat: int, rng: Rng) -> int:
    """Return the move on the last liberty of the group in atari, unless it is suicide."""
    colours = adjacent_colours(constants, state, constants[POINT_OF + threat])
    return -1 if is_suicide(colours, player) else threat


@inlined
def _last_liberty(constants: Constants, state: State, player: int, colour: int, rng: Rng) -> int:
    """Return a random move on the last liberty of a group of a colour, but no suicide; or -1."""
    chosen, found = -1, 0
    for i in range(state[GAME_WORDS]):
        code = state[index(constants[LISTS] + i)]
        point = constants[index(POINT_OF + code)]
        if touches(state, point, colour):
            colours = adjacent_colours(constants, state, point)
            in_atari = colours & (1 << (colour + ATARI_SHIFT))
            if in_atari and not is_suicide(colours, player):
                found += 1
                if below(rng, found) == 0:
                    chosen = code
    return chosen
