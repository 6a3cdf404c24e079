"""Playouts of Othello many at a time: see `playout_lanes`.

In a step every lane draws a legal square, flips discs, and finds the legal squares of the opponent.
Where there are none, the pass is played, or the game is over: that is rare.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from graven.core import bits
from graven.core.bits import down, lowest
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, LeafPlayouts, State
from graven.games.othello_bitboards import DISCS, LEGAL, TURN, WORDS
from graven.games.playout_lanes import (
    AT,
    CODE,
    LANE_FIELDS,
    LANES,
    PLAYER,
    draw_bit,
    play_in_lanes,
)

# The discs of the player to move and of the opponent, and the legal squares.
OWN, ENEMY, SQUARES, FIELDS = (LANE_FIELDS + LANES * field for field in range(4))
SCRATCH = FIELDS
MIN_SQUARES = 48  # see docs/decisions.md


class OthelloLanes(NamedTuple):
    """What the compiled code knows of a board."""

    squares: int
    columns: int
    everywhere: int
    inner: int  # without the first and the last column


@compiled
def runs(discs: int, enemy: int, step: int) -> tuple[int, int]:
    """Return the enemy discs in unbroken lines from some squares, up and down, at most six."""
    up, back = (discs << step) & enemy, down(discs, step) & enemy
    up |= (up << step) & enemy
    back |= down(back, step) & enemy
    pairs = enemy & (enemy << step)
    pairs_back = down(pairs, step)
    up |= (up << 2 * step) & pairs
    back |= down(back, 2 * step) & pairs_back
    up |= (up << 2 * step) & pairs
    back |= down(back, 2 * step) & pairs_back
    return up, back


@compiled
def targets(own: int, enemy: int, step: int) -> int:
    """Return the squares behind lines of enemy discs that begin beside an own disc."""
    up, back = runs(own, enemy, step)
    return (up << step) | down(back, step)


@inlined
def legal_squares(board: OthelloLanes, own: int, enemy: int) -> int:
    """Return the squares where a disc flips at least one enemy disc."""
    inside, columns = enemy & board.inner, board.columns
    found = targets(own, inside, 1) | targets(own, inside, columns - 1)
    found |= targets(own, inside, columns + 1) | targets(own, enemy, columns)
    return found & board.everywhere & ~(own | enemy)


@compiled
def flips(disc: int, own: int, enemy: int, step: int) -> int:
    """Return the enemy discs between a disc and own discs, up and down."""
    up, back = runs(disc, enemy, step)
    above = up & -np.int64(((up << step) & own) != 0)
    below = back & -np.int64((down(back, step) & own) != 0)
    return above | below  # type: ignore[return-value]


@inlined
def begin(board: OthelloLanes, batch: LeafPlayouts, leaf: int, lane: int) -> None:
    """Set a lane to a leaf."""
    scratch, states, state = batch.scratch, batch.states, leaf * WORDS
    player = states[state + TURN]
    scratch[PLAYER + lane] = player
    scratch[OWN + lane] = states[state + DISCS + player]
    scratch[ENEMY + lane] = states[state + DISCS + 1 - player]
    scratch[SQUARES + lane] = states[state + LEGAL]


@inlined
def goes_on(board: OthelloLanes, batch: LeafPlayouts, lane: int) -> bool:
    """Return whether a player can place a disc; play the pass if it is the opponent."""
    scratch = batch.scratch
    if scratch[SQUARES + lane]:
        return True
    own, enemy, player = scratch[OWN + lane], scratch[ENEMY + lane], scratch[PLAYER + lane]
    legal = legal_squares(board, enemy, own)
    if legal:
        batch.traces[scratch[AT + lane]] = player * (board.squares + 1) + board.squares
        scratch[AT + lane] += 1
        scratch[PLAYER + lane] = 1 - player
        scratch[OWN + lane], scratch[ENEMY + lane] = enemy, own
        scratch[SQUARES + lane] = legal
    return legal != 0


@inlined
def step(board: OthelloLanes, scratch: State) -> int:
    """Place a disc in every lane; return whether an opponent cannot do so."""
    stuck, columns = 0, board.columns
    for lane in range(LANES):
        own, enemy, player = scratch[OWN + lane], scratch[ENEMY + lane], scratch[PLAYER + lane]
        disc = draw_bit(scratch, lane, scratch[SQUARES + lane])
        inside = enemy & board.inner
        flipped = flips(disc, own, inside, 1) | flips(disc, own, inside, columns - 1)
        flipped |= flips(disc, own, inside, columns + 1) | flips(disc, own, enemy, columns)
        own, enemy = own | disc | flipped, enemy & ~flipped
        legal = legal_squares(board, enemy, own)
        scratch[CODE + lane] = (board.squares + 1) * player + lowest(disc)
        scratch[PLAYER + lane] = 1 - player
        scratch[OWN + lane], scratch[ENEMY + lane], scratch[SQUARES + lane] = enemy, own, legal
        stuck |= legal == 0
    return stuck


@inlined
def score(board: OthelloLanes, scratch: State, lane: int) -> float:
    """Return the first player's score."""
    ahead = bits.count(scratch[OWN + lane]) - bits.count(scratch[ENEMY + lane])
    ahead = -ahead if scratch[PLAYER + lane] else ahead
    return 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0


@cache
def batches_of(rows: int, columns: int) -> Callable[..., int] | None:
    """Return the `batch_playouts` for a board, or None if it is small."""
    squares = rows * columns
    if squares < MIN_SQUARES:
        return None
    board = OthelloLanes(
        squares=squares,
        columns=columns,
        everywhere=bits.word_of(range(squares)),
        inner=bits.word_of(cell for cell in range(squares) if 0 < cell % columns < columns - 1),
    )

    def batch_playouts(constants: Constants, *arguments: Any) -> int:
        return play_in_lanes(begin, goes_on, step, score, board, FIELDS, LeafPlayouts(*arguments))

    return batch_playouts
