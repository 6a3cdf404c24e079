"""Virtual connections in Hex: H-search.

Anshelevich 2002, "A hierarchical approach to computer Hex".

For one player, the groups of a position are the empty cells, the chains of own stones, and the two
sides of the board, each with the chains that touch it. A connection of two groups has a carrier, a
set of empty cells outside both groups:

* full: the player connects the groups inside the carrier even if the opponent moves first;
* semi: the player connects them inside the carrier by moving first.

Adjacent groups have a full connection with an empty carrier. Two rules find others:

* and: full connections of x with z and of z with y, with disjoint carriers that contain neither x
  nor y, connect x and y: fully if z is stones, else semi, with z added to the carrier;
* or: semi connections of x and y whose carriers have no cell in common connect them fully; its
  carrier is their union.

A full connection of the two sides wins, a semi connection wins for the player to move, and the
opponent must answer in the intersection of the carriers of all semi connections (the must-play
region). The search keeps a few carriers for each pair of groups, so it misses some connections;
those that it finds are right.

Boards have at most 64 cells here: a carrier is one word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, Moves, Scores, State
from graven.games.hex_cells import fill_in, neighbours, vulnerable_cells
from graven.games.hex_chains import CELLS, COLOUR_MASK, EMPTY, POINT_OF, POINTS, WIDTH

MAX_CELLS = 64
SIDES = 2
# Carriers kept for each pair of groups, and full connections that may wait to be combined.
FULL_KEPT, SEMI_KEPT = 4, 12
QUEUE = 1 << 13

# `head` of Connections: number of groups, number of empty cells among them, first and next free
# place of the queue, and the must-play region of the opponent.
GROUPS, EMPTY_GROUPS, FIRST, LAST, MUST_PLAY, HEAD = range(6)


class Connections(NamedTuple):
    """The connections of one player. Groups are empty cells, chains, and the two sides last.

    A pair of groups is lower * GROUPS + higher; the numbers of connections are stored both ways.
    """

    head: NDArray[np.int64]  # see above
    stones: NDArray[np.int64]  # [player] the cells of the stones
    chain: NDArray[np.int64]  # [group that is no empty cell] its stones
    cell_bit: NDArray[np.int64]  # [group] the bit of an empty cell, 0 for stones
    full_count: NDArray[np.int64]  # [pair]
    semi_count: NDArray[np.int64]  # [pair]
    full: NDArray[np.int64]  # [pair, FULL_KEPT] carriers
    semi: NDArray[np.int64]  # [pair, SEMI_KEPT]
    queue: NDArray[np.int64]  # [place, pair and carrier] full connections to combine


def scratch_words(cells: int) -> int:
    """Return how many words of scratch `proof_moves` needs on a board of so many cells."""
    pairs = (cells + SIDES) ** 2
    return HEAD + 2 + 2 * (cells + SIDES) + pairs * (2 + FULL_KEPT + SEMI_KEPT) + 2 * QUEUE


@inlined
def in_scratch(cells: int, words: NDArray[np.int64]) -> Connections:
    """Return the parts of the scratch words."""
    groups = cells + SIDES
    pairs = groups * groups
    chain = HEAD + 2
    cell_bit = chain + groups
    full_count = cell_bit + groups
    semi_count = full_count + pairs
    full = semi_count + pairs
    semi = full + FULL_KEPT * pairs
    queue = semi + SEMI_KEPT * pairs
    return Connections(
        words[:HEAD],
        words[HEAD:chain],
        words[chain:cell_bit],
        words[cell_bit:full_count],
        words[full_count:semi_count],
        words[semi_count:full],
        words[full:semi],
        words[semi:queue],
        words[queue:],
    )


@compiled
def read_stones(constants: Constants, state: State, stones: NDArray[np.int64]) -> None:
    """Write the cells of each player's stones."""
    stones[0] = stones[1] = 0
    for cell in range(constants[CELLS]):
        colour = state[index(constants[POINTS] + constants[index(POINT_OF + cell)])] & COLOUR_MASK
        if colour != EMPTY:
            stones[colour] |= np.int64(1) << cell


@inlined
def side_cells(rows: int, columns: int, side: int) -> int:
    """Return the cells of a side: top, bottom, left or right."""
    cells = np.int64(0)
    if side < 2:
        cells = ((np.int64(1) << columns) - 1) << (0 if side == 0 else (rows - 1) * columns)
    else:
        for row in range(rows):
            cells |= np.int64(1) << (row * columns + (0 if side == 2 else columns - 1))
    return cells  # type: ignore[return-value]


@inlined
def chain_of(rows: int, columns: int, stones: int, cells: int) -> int:
    """Return the stones that are connected with some cells."""
    chain, before = cells & stones, 0
    while chain != before:
        before = chain
        chain |= neighbours(rows, columns, chain) & stones
    return chain


@compiled
def set_groups(rows: int, columns: int, player: int, found: Connections) -> bool:
    """Number a player's groups, connect adjacent ones; return whether stones join the sides."""
    head, cell_bit, stones = found.head, found.cell_bit, found.stones[player]
    size = rows * columns
    board = np.int64(-1) if size == 64 else (np.int64(1) << size) - 1
    empty = board & ~(found.stones[0] | found.stones[1])
    first_side = side_cells(rows, columns, 2 * player)
    last_side = side_cells(rows, columns, 2 * player + 1)
    first_chain = chain_of(rows, columns, stones, first_side)
    if first_chain & last_side:
        return True
    last_chain = chain_of(rows, columns, stones, last_side)
    left, chains = stones & ~(first_chain | last_chain), 0
    empties = bits.count(empty)
    while left:
        found.chain[chains] = chain_of(rows, columns, stones, left & -left)
        left &= ~found.chain[chains]
        chains += 1
    found.chain[chains], found.chain[chains + 1] = first_chain, last_chain
    groups = empties + chains + SIDES
    head[GROUPS], head[EMPTY_GROUPS] = groups, empties
    head[FIRST], head[LAST], head[MUST_PLAY] = 0, 0, -1
    for pair in range(groups * groups):
        found.full_count[pair] = 0
        found.semi_count[pair] = 0
    left = empty
    for cell in range(empties):
        cell_bit[cell] = left & -left
        left &= left - 1
    for chain in range(empties, groups):
        cell_bit[chain] = 0
    for group in range(groups):
        cells = cell_bit[group] if group < empties else found.chain[group - empties]
        adjacent = neighbours(rows, columns, cells) & empty
        if group == groups - 2:
            adjacent |= first_side & empty
        elif group == groups - 1:
            adjacent |= last_side & empty
        while adjacent:
            cell = bits.count(empty & ((adjacent & -adjacent) - 1))
            adjacent &= adjacent - 1
            if cell < group:
                add_full(found, cell, group, 0)
    return False


@inlined
def drop_larger(
    carriers: NDArray[np.int64], first: int, count: int, carrier: int
) -> tuple[int, int, int]:
    """Drop the carriers that contain another one, from `first` on.

    Return the end of those kept, the place of the largest, and its number of cells (-1: none).
    """
    kept = first
    largest, most = first, -1
    for i in range(first, first + count):
        if carrier & ~carriers[i] != 0:
            carriers[kept] = carriers[i]
            if bits.count(carriers[i]) > most:
                largest, most = kept, bits.count(carriers[i])
            kept += 1
    return kept, largest, most


@compiled
def add_full(found: Connections, x: int, y: int, carrier: int) -> None:
    """Add a full connection unless a smaller one is known; queue it."""
    groups, full = found.head[GROUPS], found.full
    pair = min(x, y) * groups + max(x, y)
    first, count = pair * FULL_KEPT, found.full_count[pair]
    for i in range(first, first + count):
        if full[i] & ~carrier == 0:
            return
    kept, largest, most = drop_larger(full, first, count, carrier)
    if kept < first + FULL_KEPT:
        full[kept] = carrier
        kept += 1
    elif bits.count(carrier) < most:
        full[largest] = carrier
    else:
        return
    found.full_count[pair] = kept - first
    found.full_count[max(x, y) * groups + min(x, y)] = kept - first
    last = found.head[LAST]
    if last < QUEUE:
        found.queue[2 * last], found.queue[2 * last + 1] = pair, carrier
        found.head[LAST] = last + 1


@compiled
def add_semi(found: Connections, x: int, y: int, carrier: int) -> None:
    """Add a semi connection unless a smaller connection is known; apply the or rule."""
    groups, full, semi = found.head[GROUPS], found.full, found.semi
    pair = min(x, y) * groups + max(x, y)
    for i in range(pair * FULL_KEPT, pair * FULL_KEPT + found.full_count[pair]):
        if full[i] & ~carrier == 0:
            return
    first, count = pair * SEMI_KEPT, found.semi_count[pair]
    for i in range(first, first + count):
        if semi[i] & ~carrier == 0:
            return
    if min(x, y) == groups - 2:
        found.head[MUST_PLAY] &= carrier
    kept, largest, most = drop_larger(semi, first, count, carrier)
    join_semi(found, x, y, first, kept, carrier)
    if kept < first + SEMI_KEPT:
        semi[kept] = carrier
        kept += 1
    elif bits.count(carrier) < most:
        semi[largest] = carrier
    found.semi_count[pair] = kept - first


@inlined
def join_semi(found: Connections, x: int, y: int, first: int, end: int, carrier: int) -> None:
    """Apply the or rule to a new semi connection and up to three of those from `first` to `end`."""
    semi = found.semi
    for i in range(first, end):
        common = carrier & semi[i]
        union = carrier | semi[i]
        if common == 0:
            add_full(found, x, y, union)
        elif common != carrier:
            for j in range(i + 1, end):
                common_j, union_j = common & semi[j], union | semi[j]
                if common_j == 0:
                    add_full(found, x, y, union_j)
                elif common_j != common:
                    for k in range(j + 1, end):
                        if common_j & semi[k] == 0:
                            add_full(found, x, y, union_j | semi[k])


@compiled
def find_connections(found: Connections, moves_first: bool) -> bool:
    """Apply both rules until nothing new is found; return whether the two sides are connected.

    For a player who moves first, a semi connection is enough.
    """
    head, cell_bit, full = found.head, found.cell_bit, found.full
    groups, empty = head[GROUPS], head[EMPTY_GROUPS]
    sides = (groups - 2) * groups + groups - 1
    while head[FIRST] < head[LAST]:
        if found.full_count[sides] or (moves_first and found.semi_count[sides]):
            return True
        place = head[FIRST]
        head[FIRST] = place + 1
        pair, carrier = found.queue[2 * place], found.queue[2 * place + 1]
        known = False
        for i in range(pair * FULL_KEPT, pair * FULL_KEPT + found.full_count[pair]):
            known |= full[i] == carrier
        if not known:
            continue
        for swapped in range(2):
            middle = pair % groups if swapped else pair // groups
            x = pair // groups if swapped else pair % groups
            if middle >= groups - 2:
                continue
            x_bit = cell_bit[x]
            for y in range(groups):
                count = found.full_count[middle * groups + y]
                if count == 0 or y == x or cell_bit[y] & carrier:
                    continue
                first = (min(middle, y) * groups + max(middle, y)) * FULL_KEPT
                for i in range(first, first + count):
                    if full[i] & (carrier | x_bit):
                        continue
                    if middle < empty:
                        add_semi(found, x, y, carrier | full[i] | cell_bit[middle])
                    else:
                        add_full(found, x, y, carrier | full[i])
    if moves_first and found.semi_count[sides]:
        return True
    return found.full_count[sides] > 0 or head[MUST_PLAY] == 0


def proof_moves(
    constants: Constants,
    state: State,
    player: int,
    moves: Moves,
    bounds: Scores,
    scratch: NDArray[np.int64],
) -> int:
    """Look for connections of both players' sides; list the moves of the must-play region.

    Dead and captured cells are filled in first; moves on vulnerable cells are left out.
    """
    columns = constants[WIDTH] - 1
    rows = constants[CELLS] // columns
    found = in_scratch(constants[CELLS], scratch)
    read_stones(constants, state, found.stones)
    fill_in(rows, columns, found.stones)
    if set_groups(rows, columns, player, found) or find_connections(found, True):
        bounds[0] = bounds[1] = 1.0
        return 0
    if set_groups(rows, columns, 1 - player, found) or find_connections(found, False):
        bounds[0] = bounds[1] = 0.0
        return 0
    bounds[0], bounds[1] = 0.0, 1.0
    empties = found.head[EMPTY_GROUPS]
    vulnerable = vulnerable_cells(rows, columns, found.stones, player)
    if bits.count(vulnerable) == empties:
        vulnerable = 0
    suffice = found.head[MUST_PLAY] & ~vulnerable
    count = 0
    for i in range(empties):
        if found.cell_bit[i] & suffice:
            moves[count] = bits.lowest(found.cell_bit[i])
            count += 1
    if count == 0:
        bounds[1] = 0.0
    return count
