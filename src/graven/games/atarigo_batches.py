"""Playouts of Atarigo many at a time, on boards of at most 64 points: `batch_playouts`.

A uniform playout of Atarigo, where suicide loses, is a random order of the empty points, played
until a group has no liberties. No stone is ever removed, so the group has none from then on. So
each of LANES playouts begins with a random order of all empty points; then the first ply after
which a group has no liberties is found by a binary search, in all lanes by the same vector
instructions.

Each playout has its own random numbers: no playout depends on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from graven.core.bits import bit
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, LeafPlayouts, State
from graven.core.rng import draw
from graven.core.status import Status
from graven.games.random_orders import shuffle
from graven.games.stone_boards import (
    MAX_POINTS,
    LaneBoard,
    beside_empty,
    fill,
    lane_board,
    links,
    read_stones,
)
from graven.games.stone_groups import GAME_WORDS, TURN

LANES = 16
COUNT, WINNER = GAME_WORDS, GAME_WORDS + 1  # in a state

# Fields of `scratch`, each of LANES words.
(
    LOW,  # the bounds of the binary search: plies
    HIGH,
    OWN,  # stones of the player who moved last, after so many plies
    ENEMY,
    RIGHT,
    UP,
    ALIVE,
    DRAWS,  # not a field: a random place for each point
) = (LANES * field for field in range(8))
# The stones of both players at the leaf, then after each ply those of the player who moved.
BOARDS = DRAWS + MAX_POINTS
SCRATCH = BOARDS + LANES * (MAX_POINTS + 2)


@inlined
def order_points(board: LaneBoard, batch: LeafPlayouts, state: int, lane: int, at: int) -> int:
    """Write a random order of the empty points to traces[at:], and the stones after each ply.

    Return the number of plies.
    """
    states, scratch, traces = batch.states, batch.scratch, batch.traces
    left, player = states[state + COUNT], states[state + TURN]
    shuffle(
        states,
        state + board.lists,
        left,
        draws=scratch[DRAWS:],
        at=at,
        traces=traces,
        stream=draw(batch.rng),
    )
    own, enemy = read_stones(board, states, state, player)
    scratch[BOARDS + lane], scratch[BOARDS + LANES + lane] = own, enemy
    for i in range(left):
        code = np.int64(traces[at + i])
        traces[at + i] = code + board.points * ((player + i) & 1)
        own, enemy = enemy, own | bit(code)  # type: ignore[arg-type]
        scratch[BOARDS + LANES * (2 + i) + lane] = enemy
    return left


@inlined
def take_boards(board: LaneBoard, scratch: State) -> None:
    """Set every lane to the position in the middle of its bounds, and find the stones alive."""
    for lane in range(LANES):
        at = BOARDS + LANES * ((scratch[LOW + lane] + scratch[HIGH + lane]) >> 1) + lane
        scratch[OWN + lane], scratch[ENEMY + lane] = scratch[at + LANES], scratch[at]
    for lane in range(LANES):
        own, enemy = scratch[OWN + lane], scratch[ENEMY + lane]
        right, up = links(board, own, enemy)
        scratch[RIGHT + lane], scratch[UP + lane] = right, up
        scratch[ALIVE + lane] = beside_empty(board, own | enemy)
    fill(board, scratch, ALIVE, RIGHT, UP, LANES)


@inlined
def halve(scratch: State) -> None:
    """Halve the bounds of every lane."""
    for lane in range(LANES):
        low, high = scratch[LOW + lane], scratch[HIGH + lane]
        stones = scratch[OWN + lane] | scratch[ENEMY + lane]
        middle = (low + high) >> 1
        over = -np.int64(scratch[ALIVE + lane] != stones)
        scratch[HIGH + lane] = high ^ ((high ^ middle) & over)
        scratch[LOW + lane] = low ^ ((low ^ min(middle + 1, high)) & ~over)


@inlined
def play_lanes(board: LaneBoard, batch: LeafPlayouts) -> int:
    """Play all playouts of a batch; return the status."""
    states, scratch, out = batch.states, batch.scratch, batch.out
    total = batch.leaves * batch.playouts_per_leaf
    stride = len(batch.traces) // max(1, total)
    for start in range(0, total, LANES):
        lanes, most = min(LANES, total - start), 0
        for lane in range(LANES):
            scratch[LOW + lane], scratch[HIGH + lane] = 0, 0
            scratch[BOARDS + lane], scratch[BOARDS + LANES + lane] = 0, 0
        for lane in range(lanes):
            playout = start + lane
            state = playout // batch.playouts_per_leaf * board.state_words
            if states[state + WINNER] == TERMINAL:
                plies = order_points(board, batch, state, lane, playout * stride)
                scratch[HIGH + lane] = plies
                most = max(most, plies)
        while most:
            take_boards(board, scratch)
            halve(scratch)
            most >>= 1
        take_boards(board, scratch)
        for lane in range(lanes):
            playout = start + lane
            state = playout // batch.playouts_per_leaf * board.state_words
            plies, winner = scratch[HIGH + lane], states[state + WINNER]
            if winner == TERMINAL:
                # Who moved last has won if an enemy group has no liberties.
                mover = (states[state + TURN] + plies - 1) & 1
                dead = scratch[ENEMY + lane] & ~scratch[ALIVE + lane]
                winner = mover if dead else 1 - mover
            batch.lengths[playout] = plies
            out[2 * playout], out[2 * playout + 1] = 1.0 - winner, np.float64(winner)
    return Status.OK


@cache
def batches_of(rows: int, columns: int) -> Callable[..., int] | None:
    """Return the `batch_playouts` for a board, or None if it has more than 64 points."""
    if rows * columns > MAX_POINTS:
        return None
    board = lane_board(rows, columns, lists=1)

    def batch_playouts(constants: Constants, *arguments: Any) -> int:
        return play_lanes(board, LeafPlayouts(*arguments))

    return batch_playouts
