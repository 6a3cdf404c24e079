"""Playouts of Domineering many at a time, on boards of at most 64 cells: see `playout_lanes`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from graven.core import bits
from graven.core.bits import down, lowest
from graven.core.compile import inlined
from graven.core.contract import Constants, LeafPlayouts, State
from graven.games.domineering_layout import FREE, TURN
from graven.games.playout_lanes import (
    CODE,
    LANE_FIELDS,
    LANES,
    PLAYER,
    draw_bit,
    play_in_lanes,
)

FREE_CELLS, MOVES, FIELDS = (LANE_FIELDS + LANES * field for field in range(3))
SCRATCH = FIELDS
MAX_CELLS = 64


class DominoLanes(NamedTuple):
    """What the compiled code knows of a board."""

    cells: int
    columns: int
    vertical: int  # the lower halves of all vertical dominoes
    horizontal: int
    state_words: int


@inlined
def legal_moves(board: DominoLanes, free: int, player: int) -> int:
    """Return the codes of a player's legal moves."""
    vertical = free & down(free, board.columns) & board.vertical
    horizontal = free & down(free, 1) & board.horizontal
    return vertical ^ ((vertical ^ horizontal) & -player)


@inlined
def begin(board: DominoLanes, batch: LeafPlayouts, leaf: int, lane: int) -> None:
    """Set a lane to a leaf."""
    scratch, state = batch.scratch, leaf * board.state_words
    player, free = batch.states[state + TURN], batch.states[state + FREE]
    scratch[PLAYER + lane], scratch[FREE_CELLS + lane] = player, free
    scratch[MOVES + lane] = legal_moves(board, free, player)


@inlined
def goes_on(board: DominoLanes, batch: LeafPlayouts, lane: int) -> bool:
    """Return whether the player to move has a move."""
    return batch.scratch[MOVES + lane] != 0


@inlined
def step(board: DominoLanes, scratch: State) -> int:
    """Place a domino in every lane; return whether an opponent cannot move."""
    ended = 0
    for lane in range(LANES):
        player, free = scratch[PLAYER + lane], scratch[FREE_CELLS + lane]
        low = draw_bit(scratch, lane, scratch[MOVES + lane])
        above, right = low << board.columns, low << 1
        free &= ~(low | (above ^ ((above ^ right) & -player)))
        moves = legal_moves(board, free, 1 - player)
        scratch[CODE + lane] = board.cells * player + lowest(low)
        scratch[FREE_CELLS + lane], scratch[MOVES + lane] = free, moves
        scratch[PLAYER + lane] = 1 - player
        ended |= moves == 0
    return ended


@inlined
def score(board: DominoLanes, scratch: State, lane: int) -> float:
    """Return the first player's score: the player who cannot move has lost."""
    return np.float64(scratch[PLAYER + lane])


@cache
def batches_of(rows: int, columns: int) -> Callable[..., int] | None:
    """Return the `batch_playouts` for a board, or None if it has more than 64 cells."""
    cells = rows * columns
    if cells > MAX_CELLS:
        return None
    board = DominoLanes(
        cells=cells,
        columns=columns,
        vertical=bits.word_of(range(cells - columns)),
        horizontal=bits.word_of(cell for cell in range(cells) if cell % columns < columns - 1),
        state_words=FREE + 2 + 1,
    )

    def batch_playouts(constants: Constants, *arguments: Any) -> int:
        return play_in_lanes(begin, goes_on, step, score, board, FIELDS, LeafPlayouts(*arguments))

    return batch_playouts
