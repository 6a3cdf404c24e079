"""Inferior cells of Hex: empty cells that are dead, captured or vulnerable.

Sets of cells are bits of one word, so boards have at most 64 cells here; bit row * columns + column
is a cell. The cell outside a side of the board counts as a stone of the side's owner.

* A cell is dead if no stone on it can matter, whatever happens elsewhere. It is, if the stones
  around it never form more than one arc of each colour, however the empty cells around are filled:
  then they are connected without it.
* Two adjacent cells are captured by a player if the player's stone on either makes the other dead:
  the player may answer there, so both count as the player's stones.
* A player's cell is vulnerable if a stone of the opponent on an adjacent cell makes it dead. If any
  move wins, one on a cell that is not vulnerable wins as well: the opponent's answer makes the move
  on a vulnerable cell a pass, and the move that wins afterwards also wins at once.

Dead and captured cells: Björnsson, Hayward, Johanson, van Rijswijck 2007, "Dead Cell Analysis in
Hex and the Shannon Game".
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import compiled, inlined

RING = 6
# What is on a cell around a cell: nothing or unknown, a stone of player 0, a stone of player 1.
FREE = 0
# The row and column steps to the cells around a cell, in circular order.
DOWN = (0, 1, 1, 0, -1, -1)
RIGHT = (1, 0, -1, -1, 0, 1)


def _dead_rings() -> NDArray[np.bool_]:
    """Return for each ring of six cells, as a number of base 3, whether its centre is dead."""
    dead = np.zeros(3**RING, np.bool_)
    for ring in product(range(3), repeat=RING):
        number = sum(content * 3**place for place, content in enumerate(ring))
        choices = [(content,) if content else (1, 2) for content in ring]
        dead[number] = all(
            sum(full[i] != full[i - 1] for i in range(RING)) <= 2 for full in product(*choices)
        )
    return dead


IS_DEAD = _dead_rings()
POWERS = tuple(3**place for place in range(RING))


@inlined
def neighbours(rows: int, columns: int, cells: int) -> int:
    """Return the cells that are adjacent to some cells; may contain these as well."""
    first = np.int64(0)
    for row in range(rows):
        first |= np.int64(1) << (row * columns)
    size = rows * columns
    board = np.int64(-1) if size == 64 else (np.int64(1) << size) - 1
    has_left = cells & int(~first)
    has_right = cells & int(~(first << (columns - 1)))
    return int(board) & (
        has_right << 1
        | bits.down(has_left, 1)
        | cells << columns
        | bits.down(cells, columns)
        | has_left << (columns - 1)
        | bits.down(has_right, columns - 1)
    )


@inlined
def content(rows: int, columns: int, stones0: int, stones1: int, row: int, column: int) -> int:
    """Return what is on a cell, which may be outside the board, as in IS_DEAD."""
    beyond_row, beyond_column = not 0 <= row < rows, not 0 <= column < columns
    if beyond_row or beyond_column:
        return FREE if beyond_row and beyond_column else 1 if beyond_row else 2
    bit = row * columns + column
    return (bits.down(stones0, bit) & 1) + 2 * (bits.down(stones1, bit) & 1)


@inlined
def ring_of(rows: int, columns: int, stones0: int, stones1: int, cell: int) -> int:
    """Return the ring of cells around a cell as a number of base 3."""
    row, column = cell // columns, cell % columns
    ring = 0
    for way in range(RING):
        ring += POWERS[way] * content(
            rows, columns, stones0, stones1, row + DOWN[way], column + RIGHT[way]
        )
    return ring


@compiled
def fill_in(rows: int, columns: int, stones: NDArray[np.int64]) -> None:
    """Add stones of either player to dead cells, and of the capturing player to captured cells.

    `stones` are the cells of each player's stones.
    """
    size = rows * columns
    board = np.int64(-1) if size == 64 else (np.int64(1) << size) - 1
    changed = True
    while changed:
        changed = False
        empty = board & ~(stones[0] | stones[1])
        while empty:
            cell = bits.lowest(empty)
            bit = np.int64(1) << cell
            empty ^= bit
            ring = ring_of(rows, columns, stones[0], stones[1], cell)
            if IS_DEAD[ring]:
                stones[0] |= bit
                changed = True
                continue
            row, column = cell // columns, cell % columns
            for way in range(RING // 2):  # each pair of adjacent cells once
                below, right = row + DOWN[way], column + RIGHT[way]
                if not (0 <= below < rows and 0 <= right < columns):
                    continue
                other = below * columns + right
                other_bit = np.int64(1) << other
                if (stones[0] | stones[1]) & other_bit:
                    continue
                other_ring = ring_of(rows, columns, stones[0], stones[1], other)
                for player in range(2):
                    if (
                        IS_DEAD[ring + (1 + player) * POWERS[way]]
                        and IS_DEAD[other_ring + (1 + player) * POWERS[way + RING // 2]]
                    ):
                        stones[player] |= bit | other_bit
                        empty &= ~other_bit
                        changed = True
                        break
                if stones[0] & bit or stones[1] & bit:
                    break


@compiled
def vulnerable_cells(rows: int, columns: int, stones: NDArray[np.int64], player: int) -> int:
    """Return the empty cells that a stone of the player's opponent beside them makes dead."""
    size = rows * columns
    board = np.int64(-1) if size == 64 else (np.int64(1) << size) - 1
    empty = board & ~(stones[0] | stones[1])
    left, found = empty, np.int64(0)
    while left:
        cell = bits.lowest(left)
        left &= left - 1
        row, column = cell // columns, cell % columns
        ring = ring_of(rows, columns, stones[0], stones[1], cell)
        for way in range(RING):
            below, right = row + DOWN[way], column + RIGHT[way]
            if (
                0 <= below < rows
                and 0 <= right < columns
                and bits.down(empty, below * columns + right) & 1
                and IS_DEAD[ring + (2 - player) * POWERS[way]]
            ):
                found |= np.int64(1) << cell
                break
    return found  # type: ignore[return-value]
