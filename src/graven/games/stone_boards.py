"""Groups on bitboards of at most 64 points, for the batched playouts of NoGo and Atarigo.

A stone is alive if its group has a liberty: if it reaches an empty point through stones of its own
colour. Both colours are filled at once, along the links between stones of the same colour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core import bits
from graven.core.bits import down
from graven.core.compile import inlined
from graven.core.contract import State
from graven.games.stone_groups import CELL, COLOUR_MASK, STRIDE, points, width_of, words

MAX_POINTS = 64


class LaneBoard(NamedTuple):
    """What the compiled code of batches knows of a board."""

    rows: int
    columns: int
    points: int
    everywhere: int
    inner: int  # without the last column
    first_cell: int  # the word of the first point in a state
    width: int  # the distance of two rows in a state
    lists: int  # the first word of the lists in a state
    state_words: int


def lane_board(rows: int, columns: int, lists: int) -> LaneBoard:
    """Return the board of a game with so many lists of points in its state."""
    count = rows * columns
    return LaneBoard(
        rows=rows,
        columns=columns,
        points=count,
        everywhere=bits.word_of(range(count)),
        inner=bits.word_of(point for point in range(count) if point % columns < columns - 1),
        first_cell=CELL + STRIDE * int(points(rows, columns)[0]),
        width=width_of(columns),
        lists=words(rows, columns),
        state_words=words(rows, columns) + 2 * lists * count,
    )


@inlined
def read_stones(board: LaneBoard, states: State, state: int, player: int) -> tuple[int, int]:
    """Return the stones of a player and of the opponent in the state that begins at `state`."""
    own, enemy = np.int64(0), np.int64(0)
    for row in range(board.rows):
        for column in range(board.columns):
            at = state + board.first_cell + STRIDE * (row * board.width + column)
            colour, code = states[at] & COLOUR_MASK, row * board.columns + column
            own |= np.int64(colour == player) << code
            enemy |= np.int64(colour == 1 - player) << code
    return own, enemy  # type: ignore[return-value]


@inlined
def links(board: LaneBoard, own: int, enemy: int) -> tuple[int, int]:
    """Return the stones whose neighbour in the next column, or row, has the same colour."""
    right = ((own & down(own, 1)) | (enemy & down(enemy, 1))) & board.inner
    return right, (own & down(own, board.columns)) | (enemy & down(enemy, board.columns))


@inlined
def beside_empty(board: LaneBoard, stones: int) -> int:
    """Return the stones with an empty point beside them."""
    empty = board.everywhere & ~stones
    beside = ((empty & board.inner) << 1) | (down(empty, 1) & board.inner)
    beside |= (empty << board.columns) | down(empty, board.columns)
    return beside & stones


@inlined
def spread(board: LaneBoard, alive: int, right: int, up: int) -> int:
    """Return these stones and their neighbours of the same colour."""
    beside = ((alive & right) << 1) | (down(alive, 1) & right)
    return alive | beside | ((alive & up) << board.columns) | (down(alive, board.columns) & up)


@inlined
def fill(
    board: LaneBoard, scratch: State, alive_at: int, right_at: int, up_at: int, lanes: int
) -> None:
    """Spread in all lanes until nothing changes."""
    changed = np.int64(1)
    while changed:
        changed = np.int64(0)
        for lane in range(lanes):
            before = scratch[alive_at + lane]
            right, up = scratch[right_at + lane], scratch[up_at + lane]
            alive = spread(board, spread(board, before, right, up), right, up)
            changed |= before ^ alive
            scratch[alive_at + lane] = alive
