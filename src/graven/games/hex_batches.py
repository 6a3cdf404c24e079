"""Playouts of Hex many at a time: `batch_playouts` of the contract.

A uniform playout of Hex is a random order of the empty cells, played until a player has won. So all
cells are filled in a random order, and then the first ply is found at which the winner of the full
board had won: a binary search, for LANES playouts at once. Black has won if black cells connect top
and bottom; White has won if the cells that are not white do not. Both are a fill from the top row,
which sweeps down and up over the rows until nothing changes.

The time of a player's n-th stone of a playout is 2 * n + player; stones of the leaf have n = 0.

A word has 16 bits of each of FOUR boards: a time, or a row of cells. Each array below has rows of
WORDS words, so that a vector instruction computes several of them. Each playout has its own random
numbers: no playout depends on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from graven.core.bits import down
from graven.core.compile import inlined
from graven.core.contract import Constants, LeafPlayouts, State
from graven.core.rng import draw
from graven.core.status import Status
from graven.games.hex_chains import COLOUR_MASK, COUNT, LISTS, TURN, grid_size
from graven.games.random_orders import shuffle

FOUR, WORDS = 4, 8
LANES = FOUR * WORDS
MIN_CELLS = 36  # see docs/decisions.md
MAX_COLUMNS = 15  # one of 16 bits stays free

ONES = 0x0001000100010001  # the lowest bit of each of the four boards
TOPS = -0x7FFF7FFF7FFF8000  # the highest
BELOW = 0x7FFF7FFF7FFF7FFF  # all others

# `scratch`: who wins (16 bits set for White), the bounds of the binary search and their middle, in
# stones of the winner; then the times.
WINNERS, LOW, HIGH, MIDDLE, TIMES = (WORDS * row for row in range(5))


class HexLanes(NamedTuple):
    """What the compiled code knows of a board."""

    rows: int
    columns: int
    state_words: int
    points: int  # the word of the first cell in a state
    inside: int  # where the rows to fill begin
    filled: int  # where the filled rows begin
    draws: int  # where random places begin
    scratch_words: int


def lane_board(rows: int, columns: int) -> HexLanes:
    """Return a board, and where its arrays are."""
    cells, width = rows * columns, columns + 1
    points = LISTS + 2 * cells
    inside = TIMES + WORDS * cells
    return HexLanes(
        rows=rows,
        columns=columns,
        state_words=points + grid_size(width, [rows * width + columns]),
        points=points + width + 1,
        inside=inside,
        filled=inside + WORDS * rows,
        draws=inside + 2 * WORDS * rows,
        scratch_words=inside + 2 * WORDS * rows + cells,
    )


@inlined
def order_cells(board: HexLanes, batch: LeafPlayouts, state: int, lane: int, at: int) -> None:
    """Write a random order of the empty cells to traces[at:], and the times of all cells."""
    states, traces, cells = batch.states, batch.traces, board.rows * board.columns
    left, player = states[state + COUNT], states[state + TURN]
    times = batch.scratch[TIMES:].view(np.int16)
    for row in range(board.rows):
        for column in range(board.columns):
            cell = states[state + board.points + row * (board.columns + 1) + column]
            times[LANES * (row * board.columns + column) + lane] = cell & COLOUR_MASK
    shuffle(
        states,
        state + LISTS,
        left,
        draws=batch.scratch[board.draws :],
        at=at,
        traces=traces,
        stream=draw(batch.rng),
    )
    for i in range(left):
        code = np.int64(traces[at + i])
        traces[at + i] = code + cells * ((player + i) & 1)
        times[LANES * code + lane] = 2 + player + i


@inlined
def fill_runs(inside: int, filled: int) -> int:
    """Fill the runs of cells in a row that contain a filled cell."""
    filled |= inside & ~(inside + filled)  # the carry runs upwards
    filled |= inside & down(filled, 1)
    pairs = inside & down(inside, 1)
    filled |= pairs & down(filled, 2)
    pairs &= down(pairs, 2)
    filled |= pairs & down(filled, 4)
    pairs &= down(pairs, 4)
    return filled | (pairs & down(filled, 8))


@inlined
def fill_from_top(board: HexLanes, scratch: State) -> None:
    """Fill all cells that connect to the top row."""
    for word in range(WORDS):
        scratch[board.filled + word] = scratch[board.inside + word]
    for i in range(WORDS, WORDS * board.rows):
        scratch[board.filled + i] = 0
    changed = np.int64(1)
    while changed:
        changed = np.int64(0)
        for row in range(1, board.rows):
            at, cells = board.filled + WORDS * row, board.inside + WORDS * row
            for word in range(WORDS):
                above, inside = scratch[at - WORDS + word], scratch[cells + word]
                seeds = scratch[at + word] | ((above | down(above, 1)) & inside)
                scratch[at + word] = fill_runs(inside, seeds)
        for lower in range(1, board.rows):
            at = board.filled + WORDS * (board.rows - 1 - lower)
            cells = board.inside + WORDS * (board.rows - 1 - lower)
            for word in range(WORDS):
                below, inside = scratch[at + WORDS + word], scratch[cells + word]
                before = scratch[at + word]
                filled = fill_runs(inside, before | ((below | (below << 1)) & inside))
                changed |= filled ^ before
                scratch[at + word] = filled


@inlined
def reaches_bottom(board: HexLanes, scratch: State, word: int) -> int:
    """Return 16 set bits for each of the four boards whose bottom row is filled somewhere."""
    bottom = scratch[board.filled + WORDS * (board.rows - 1) + word]
    some = down((bottom + BELOW) & TOPS, 15)
    return (some << 16) - some


@inlined
def find_winners(board: HexLanes, scratch: State) -> None:
    """Find who wins on the full board, and remove the times of the loser's stones."""
    for row in range(board.rows):
        for word in range(WORDS):
            black = np.int64(0)
            for column in range(board.columns):
                time = scratch[TIMES + WORDS * (row * board.columns + column) + word]
                black |= (~time & ONES) << column
            scratch[board.inside + WORDS * row + word] = black
    fill_from_top(board, scratch)
    for word in range(WORDS):
        scratch[WINNERS + word] = ~reaches_bottom(board, scratch, word)
    for cell in range(board.rows * board.columns):
        for word in range(WORDS):
            time = scratch[TIMES + WORDS * cell + word]
            loser = (time ^ scratch[WINNERS + word]) & ONES
            scratch[TIMES + WORDS * cell + word] = time | ((loser << 15) - loser)


@inlined
def halve(board: HexLanes, scratch: State) -> None:
    """Halve the bounds of the stone with which the winner won."""
    edge = ((1 << board.columns) - 1) * ONES
    for word in range(WORDS):
        scratch[MIDDLE + word] = down(scratch[LOW + word] + scratch[HIGH + word], 1) & BELOW
    for row in range(board.rows):
        for word in range(WORDS):
            white = scratch[WINNERS + word]
            # The highest bit of a difference is set if the stone is not later.
            until = (2 * scratch[MIDDLE + word] + (white & ONES)) | TOPS
            stones = np.int64(0)
            for column in range(board.columns):
                time = scratch[TIMES + WORDS * (row * board.columns + column) + word]
                stones |= down((until - time) & TOPS, 15 - column)
            scratch[board.inside + WORDS * row + word] = (stones ^ white) & edge
    fill_from_top(board, scratch)
    for word in range(WORDS):
        won = reaches_bottom(board, scratch, word) ^ scratch[WINNERS + word]
        middle, low, high = scratch[MIDDLE + word], scratch[LOW + word], scratch[HIGH + word]
        scratch[HIGH + word] = high ^ ((high ^ middle) & won)
        scratch[LOW + word] = low ^ ((low ^ (middle + ONES)) & ~won)


@inlined
def play_lanes(board: HexLanes, batch: LeafPlayouts) -> int:
    """Play all playouts of a batch; return the status."""
    scratch, out, per_leaf = batch.scratch, batch.out, batch.playouts_per_leaf
    total = batch.leaves * per_leaf
    stride = len(batch.traces) // max(1, total)
    most = board.rows * board.columns // 2 + 1  # stones of a player, rounded up
    numbers = scratch.view(np.int16)
    for first in range(0, total, LANES):
        lanes = min(LANES, total - first)
        for i in range(board.inside):
            scratch[i] = 0
        for lane in range(lanes):
            playout = first + lane
            state = playout // per_leaf * board.state_words
            order_cells(board, batch, state, lane, playout * stride)
        find_winners(board, scratch)
        for word in range(WORDS):
            scratch[HIGH + word] = most * ONES
        left = most
        while left:
            halve(board, scratch)
            left >>= 1
        for lane in range(lanes):
            playout = first + lane
            player = batch.states[playout // per_leaf * board.state_words + TURN]
            white = numbers[FOUR * WINNERS + lane] & 1
            time = 2 * np.int64(numbers[FOUR * HIGH + lane]) + white
            # Negative if the leaf is won: the time of its stones is before the first ply.
            batch.lengths[playout] = max(0, time - 1 - player)
            out[2 * playout], out[2 * playout + 1] = 1.0 - white, np.float64(white)
    return Status.OK


def scratch_words(rows: int, columns: int) -> int:
    """Return the size of the scratch memory."""
    return lane_board(rows, columns).scratch_words


@cache
def batches_of(rows: int, columns: int) -> Callable[..., int] | None:
    """Return the `batch_playouts` for a board, or None if it is small or too wide."""
    if rows * columns < MIN_CELLS or columns > MAX_COLUMNS:
        return None
    board = lane_board(rows, columns)

    def batch_playouts(constants: Constants, *arguments: Any) -> int:
        return play_lanes(board, LeafPlayouts(*arguments))

    return batch_playouts
