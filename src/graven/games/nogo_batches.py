"""Playouts of NoGo many at a time, on boards of at most 64 points: see `playout_lanes`.

In a step every lane draws a point of those that may still be legal for its player, and tests it:
with the stone on it, every stone of the board must be alive (see `stone_boards`). A legal move is
played; otherwise the point is removed from the player's set, for good, since points that are
illegal stay illegal (see `nogo`). So every legal move has the same probability.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from graven.core.bits import lowest
from graven.core.compile import inlined
from graven.core.contract import Constants, LeafPlayouts, State
from graven.games.playout_lanes import (
    CODE,
    LANE_FIELDS,
    LANES,
    MADE,
    PLAYER,
    draw_bit,
    play_in_lanes,
)
from graven.games.stone_boards import (
    MAX_POINTS,
    LaneBoard,
    beside_empty,
    fill,
    lane_board,
    links,
    read_stones,
)
from graven.games.stone_groups import TURN

(
    OWN,  # stones of the player to move
    ENEMY,
    OPEN,  # the points that may be legal for the player to move
    ENEMY_OPEN,
    POINT,  # the point drawn, as a bit
    STONES,  # of both players, with the one on this point
    RIGHT,
    UP,
    ALIVE,
    FIELDS,
) = (LANE_FIELDS + LANES * field for field in range(10))
SCRATCH = FIELDS


@inlined
def begin(board: LaneBoard, batch: LeafPlayouts, leaf: int, lane: int) -> None:
    """Set a lane to a leaf."""
    scratch, states, state = batch.scratch, batch.states, leaf * board.state_words
    player = states[state + TURN]
    own, enemy = read_stones(board, states, state, player)
    scratch[PLAYER + lane], scratch[OWN + lane], scratch[ENEMY + lane] = player, own, enemy
    for number in range(2):
        # The second half of a list has the index of each point, -1 if it is not listed.
        indices = state + board.lists + (2 * (player ^ number) + 1) * board.points
        listed = np.int64(0)
        for code in range(board.points):
            listed |= np.int64(states[indices + code] >= 0) << code
        scratch[OPEN + LANES * number + lane] = listed


@inlined
def goes_on(board: LaneBoard, batch: LeafPlayouts, lane: int) -> bool:
    """Return whether a point may be legal for the player to move."""
    return batch.scratch[OPEN + lane] != 0


@inlined
def step(board: LaneBoard, scratch: State) -> int:
    """Draw and test a point in every lane; return whether a player has none left."""
    for lane in range(LANES):
        point = draw_bit(scratch, lane, scratch[OPEN + lane])
        own, enemy = scratch[OWN + lane] | point, scratch[ENEMY + lane]
        right, up = links(board, own, enemy)
        scratch[POINT + lane], scratch[STONES + lane] = point, own | enemy
        scratch[RIGHT + lane], scratch[UP + lane] = right, up
        scratch[ALIVE + lane] = beside_empty(board, own | enemy)
    fill(board, scratch, ALIVE, RIGHT, UP, LANES)
    ended = 0
    for lane in range(LANES):
        made = np.int64(scratch[ALIVE + lane] == scratch[STONES + lane])
        point, player = scratch[POINT + lane], scratch[PLAYER + lane]
        stone = point & -made
        own, enemy = scratch[OWN + lane] | stone, scratch[ENEMY + lane]
        mine, theirs = scratch[OPEN + lane] & ~point, scratch[ENEMY_OPEN + lane] & ~stone
        # After a legal move the players change places.
        stones, listed = (own ^ enemy) & -made, (mine ^ theirs) & -made
        scratch[OWN + lane], scratch[ENEMY + lane] = own ^ stones, enemy ^ stones
        scratch[OPEN + lane], scratch[ENEMY_OPEN + lane] = mine ^ listed, theirs ^ listed
        scratch[CODE + lane] = board.points * player + lowest(point)
        scratch[MADE + lane], scratch[PLAYER + lane] = made, player ^ made
        ended |= (mine ^ listed) == 0
    return ended


@inlined
def score(board: LaneBoard, scratch: State, lane: int) -> float:
    """Return the first player's score: the player who cannot move has lost."""
    return np.float64(scratch[PLAYER + lane])


@cache
def batches_of(rows: int, columns: int) -> Callable[..., int] | None:
    """Return the `batch_playouts` for a board, or None if it has more than 64 points."""
    if rows * columns > MAX_POINTS:
        return None
    board = lane_board(rows, columns, lists=2)

    def batch_playouts(constants: Constants, *arguments: Any) -> int:
        return play_in_lanes(begin, goes_on, step, score, board, FIELDS, LeafPlayouts(*arguments))

    return batch_playouts
