"""Virtual connections in Hex (H-search; Anshelevich 2002, "A hierarchical approach to computer Hex").

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
from graven.games.hex_chains import (
    CELLS,
    COLOUR_MASK,
    CONTACT_SHIFT,
    EMPTY,
    PARENT_MASK,
    PARENT_SHIFT,
    POINT_OF,
    POINTS,
    WIDTH,
)

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
    group: NDArray[np.int64]  # [cell] its group
    cell_bit: NDArray[np.int64]  # [group] the bit of an empty cell, 0 for stones
    full_count: NDArray[np.int64]  # [pair]
    semi_count: NDArray[np.int64]  # [pair]
    full: NDArray[np.int64]  # [pair, FULL_KEPT] carriers
    semi: NDArray[np.int64]  # [pair, SEMI_KEPT]
    queue: NDArray[np.int64]  # [place, pair and carrier] full connections to combine


def scratch_words(cells: int) -> int:
    """Return how many words of scratch `proof_moves` needs on a board of so many cells."""
    pairs = (cells + SIDES) ** 2
    return HEAD + 2 * (cells + SIDES) + pairs * (2 + FULL_KEPT + SEMI_KEPT) + 2 * QUEUE


@inlined
def in_scratch(cells: int, words: NDArray[np.int64]) -> Connections:
    """Return the parts of the scratch words."""
    groups = cells + SIDES
    pairs = groups * groups
    group = HEAD
    cell_bit = group + groups
    full_count = cell_bit + groups
    semi_count = full_count + pairs
    full = semi_count + pairs
    semi = full + FULL_KEPT * pairs
    queue = semi + SEMI_KEPT * pairs
    return Connections(
        words[:HEAD],
        words[group:cell_bit],
        words[cell_bit:full_count],
        words[full_count:semi_count],
        words[semi_count:full],
        words[full:semi],
        words[semi:queue],
        words[queue:],
    )


@inlined
def colour_at(constants: Constants, state: State, cell: int) -> int:
    """Return the player of the stone on a cell, or EMPTY."""
    return state[index(constants[POINTS] + constants[index(POINT_OF + cell)])] & COLOUR_MASK


@inlined
def chain_root(constants: Constants, state: State, cell: int) -> int:
    """Return the word of the root of a stone's chain: its own point, its contacts."""
    points = constants[POINTS]
    point = constants[index(POINT_OF + cell)]
    word = state[index(points + point)]
    while (word >> PARENT_SHIFT) & PARENT_MASK != point:
        point = (word >> PARENT_SHIFT) & PARENT_MASK
        word = state[index(points + point)]
    return word


@compiled
def set_groups(constants: Constants, state: State, player: int, found: Connections) -> None:
    """Number the groups of a player, and connect those that are adjacent."""
    cells, columns = constants[CELLS], constants[WIDTH] - 1
    group, cell_bit, head = found.group, found.cell_bit, found.head
    count = 0
    for cell in range(cells):
        group[cell] = -1
        if colour_at(constants, state, cell) == EMPTY:
            group[cell] = count
            cell_bit[count] = np.int64(1) << cell
            count += 1
    head[EMPTY_GROUPS] = count
    side = 2 * player
    for cell in range(cells):
        if colour_at(constants, state, cell) == player:
            word = chain_root(constants, state, cell)
            point = (word >> PARENT_SHIFT) & PARENT_MASK
            root = (point // (columns + 1) - 1) * columns + point % (columns + 1) - 1
            if (word >> (CONTACT_SHIFT + side)) & 3 == 0 and group[root] < 0:
                group[root] = count
                cell_bit[count] = 0
                count += 1
    groups = count + SIDES
    cell_bit[count] = cell_bit[count + 1] = 0
    head[GROUPS], head[FIRST], head[LAST], head[MUST_PLAY] = groups, 0, 0, -1
    for pair in range(groups * groups):
        found.full_count[pair] = 0
        found.semi_count[pair] = 0
    for cell in range(cells):
        if colour_at(constants, state, cell) == player:
            word = chain_root(constants, state, cell)
            point = (word >> PARENT_SHIFT) & PARENT_MASK
            root = (point // (columns + 1) - 1) * columns + point % (columns + 1) - 1
            contacts = (word >> (CONTACT_SHIFT + side)) & 3
            group[cell] = group[root] if contacts == 0 else groups - (2 if contacts & 1 else 1)
    for cell in range(cells):
        own = group[cell]
        if own < 0:
            continue
        row, column = cell // columns, cell % columns
        contacts = constants[index(POINT_OF + cells + cell)] >> side
        if own < head[EMPTY_GROUPS]:
            if contacts & 1:
                add_full(found, own, groups - 2, 0)
            if contacts & 2:
                add_full(found, own, groups - 1, 0)
        # Each pair of adjacent cells once: to the right, below, and below to the left.
        for way in range(3):
            down, right = (way + 1) // 2, 1 - way
            if row + down >= cells // columns or not 0 <= column + right < columns:
                continue
            other = group[cell + down * columns + right]
            if other >= 0 and other != own:
                add_full(found, own, other, 0)


@compiled
def add_full(found: Connections, x: int, y: int, carrier: int) -> None:
    """Add a full connection unless a smaller one is known; queue it."""
    groups, full = found.head[GROUPS], found.full
    pair = min(x, y) * groups + max(x, y)
    first, count = pair * FULL_KEPT, found.full_count[pair]
    for i in range(first, first + count):
        if full[i] & ~carrier == 0:
            return
    kept = first
    largest, most = first, -1
    for i in range(first, first + count):
        if carrier & ~full[i] != 0:
            full[kept] = full[i]
            if bits.count(full[i]) > most:
                largest, most = kept, bits.count(full[i])
            kept += 1
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
    kept = first
    largest, most = first, -1
    for i in range(first, first + count):
        if carrier & ~semi[i] != 0:
            semi[kept] = semi[i]
            if bits.count(semi[i]) > most:
                largest, most = kept, bits.count(semi[i])
            kept += 1
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
def combine(found: Connections, stop_at_semi: bool) -> None:
    """Apply both rules until nothing new is found, or until the two sides are connected."""
    head, cell_bit, full = found.head, found.cell_bit, found.full
    groups, empty = head[GROUPS], head[EMPTY_GROUPS]
    sides = (groups - 2) * groups + groups - 1
    while head[FIRST] < head[LAST]:
        if found.full_count[sides] or (stop_at_semi and found.semi_count[sides]):
            return
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


def proof_moves(
    constants: Constants,
    state: State,
    player: int,
    moves: Moves,
    bounds: Scores,
    scratch: NDArray[np.int64],
) -> int:
    """Look for connections of both players' sides; write the moves of the must-play region."""
    found = in_scratch(constants[CELLS], scratch)
    head = found.head
    set_groups(constants, state, player, found)
    combine(found, True)
    groups = head[GROUPS]
    sides = (groups - 2) * groups + groups - 1
    if found.full_count[sides] or found.semi_count[sides]:
        bounds[0] = bounds[1] = 1.0
        return 0
    set_groups(constants, state, 1 - player, found)
    combine(found, False)
    groups = head[GROUPS]
    sides = (groups - 2) * groups + groups - 1
    if found.full_count[sides] or head[MUST_PLAY] == 0:
        bounds[0] = bounds[1] = 0.0
        return 0
    bounds[0], bounds[1] = 0.0, 1.0
    count = 0
    for i in range(head[EMPTY_GROUPS]):
        if found.cell_bit[i] & head[MUST_PLAY]:
            moves[count] = bits.lowest(found.cell_bit[i])
            count += 1
    return count
