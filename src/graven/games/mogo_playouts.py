"""Playouts for Go after Gelly, Wang, Munos and Teytaud 2006, "Modification of UCT with patterns in
Monte-Carlo Go" (INRIA report 6062), section 3.2.

Each move is the first that can be found of:

1. if the last move put own stones in atari, a move that saves them, by escaping or by capturing;
2. a move next to the last one, straight or aslant, that matches a 3x3 pattern;
3. a move that captures something;
4. a random move that does not fill an eye.

Among several moves of a kind, one is drawn at random. Self-atari is not excluded, since the report
does not say so.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, State
from graven.core.rng import Rng, below
from graven.games.go_board import (
    APART,
    CELL,
    CELLS,
    CODE_OF,
    COLOUR,
    EMPTY,
    HEAD,
    LAST,
    LIBERTIES,
    LISTS,
    MORE,
    NEXT,
    POINT_OF,
    WIDTH,
    surroundings,
)
from graven.games.go_captures import (
    CAUGHT,
    COUNT,
    LAST_MOVE,
    allowed,
    draw,
    wanted,
)
from graven.games.stone_groups import COUNT_BITS, COUNT_MASK, SUM_BITS, liberty

# The report's patterns, figures 3 to 6, each as the three rows around the point to play, `*`.
# X and O are the two colours, whichever is which; . is empty, x is X or empty, o is O or empty, ?
# is any of the three, # is off the board. A letter after the rows says who must be to move.
HANE = ("XOX .*. ???", "XO. .*. ?.?", "XO? X*. ?.?", "XOO .*. ?.? X")
CUT = ("?X? O*O xxx",)
CROSS_CUT, NOT_CROSS_CUT = "XO? O*? ???", ("XO? O*O ?.?", "XO? O*. ?O?")
SIDE = ("X.? O*? ###", "?X? o*O ###", "?XO ?*? ### X", "?XO ?*o ### O", "?XO O*X ### O")

# The eight points around, in the order of the bits of a pattern's code, two bits each, the first
# lowest: 0 own, 1 enemy, 2 empty, 3 off the board.
OWN_STONE, ENEMY_STONE, FREE_POINT, OFF_BOARD = range(4)
AROUND = 8

SUM_MASK = (1 << SUM_BITS) - 1


@cache
def patterns() -> NDArray[np.int64]:
    """One bit for each of the 4^8 surroundings of a point: whether a pattern matches."""
    found = _any(CUT) | _any(HANE) | _any(SIDE) | _matching(CROSS_CUT, NOT_CROSS_CUT)
    return np.packbits(found, bitorder="little").view("<i8").astype(np.int64)


def _any(texts: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.logical_or.reduce([_matching(text) for text in texts])


def _matching(text: str, but_not: tuple[str, ...] = ()) -> NDArray[np.bool_]:
    """Which surroundings a pattern matches, turned and mirrored in all ways."""
    found = np.zeros(4**AROUND, dtype=bool)
    for colours in ((OWN_STONE, ENEMY_STONE), (ENEMY_STONE, OWN_STONE)):
        for way in range(8):
            match = _exactly(text, colours, way)
            for other in but_not:
                match = match & ~_exactly(other, colours, way)
            found |= match
    return found


def _exactly(text: str, colours: tuple[int, int], way: int) -> NDArray[np.bool_]:
    """Which surroundings a pattern matches in one of the eight ways to lay it down."""
    x, o = colours
    *rows, mover = text.split() if len(text.split()) == 4 else (*text.split(), "")
    if mover and {"X": x, "O": o}[mover] != OWN_STONE:
        return np.zeros(4**AROUND, dtype=bool)
    square = np.array([list(row) for row in rows])
    square = np.rot90(square.T if way >= 4 else square, way % 4)
    means = {
        "X": {x},
        "O": {o},
        ".": {FREE_POINT},
        "x": {x, FREE_POINT},
        "o": {o, FREE_POINT},
        "?": {x, o, FREE_POINT},
        "#": {OFF_BOARD},
    }
    # Rows from the top, while codes count from the bottom: a mirror image, which is matched anyway.
    letters = [str(letter) for letter in square.flat if letter != "*"]
    match = np.ones(1, dtype=bool)
    for letter in letters:
        here = np.array([value in means[letter] for value in range(4)])
        match = np.outer(here, match).reshape(-1)
    return match


@inlined
def only_liberty(state: State, head: int) -> int:
    """The point of a group's last liberty, or 0 if it has several.

    All its pseudo-liberties are one point if their variance is 0 (see `stones.liberty`).
    """
    return one_point(state[index(LIBERTIES + APART * head)])


@inlined
def one_point(packed: int) -> int:
    """The point that all of these pseudo-liberties are, or 0 if they are several or none."""
    count = packed & COUNT_MASK
    total = (packed >> COUNT_BITS) & SUM_MASK
    squares = packed >> (COUNT_BITS + SUM_BITS)
    if count == 0 or count * squares != total * total:
        return 0
    return total // count


@compiled
def save(constants: Constants, state: State, player: int, last: int, rng: Rng) -> int:
    """A point that saves stones which the last move put in atari, or 0."""
    width = constants[WIDTH]
    chosen, found, former = 0, 0, 0
    for near in (last - width, last - 1, last + 1, last + width):
        cell = state[index(CELL + APART * near)]
        head = cell >> HEAD
        if cell & COLOUR != player or head == former:
            continue
        escape = only_liberty(state, head)
        if escape == 0:
            continue
        former = head
        if escapes(constants, state, player, escape) and allowed(constants, state, player, escape):
            found += 1
            if found == 1 or below(rng, found) == 0:
                chosen = escape
        # Capturing one of the besiegers saves the group as well.
        stone = head
        while True:
            for beside in (stone - width, stone - 1, stone + 1, stone + width):
                other = state[index(CELL + APART * beside)]
                if other & COLOUR == player or other & COLOUR >= EMPTY:
                    continue
                target = only_liberty(state, other >> HEAD)
                if target == 0 or target == escape:
                    continue
                if allowed(constants, state, player, target):
                    found += 1
                    if found == 1 or below(rng, found) == 0:
                        chosen = target
            stone = state[index(NEXT + APART * stone)]
            if stone == head:
                break
    return chosen


@compiled
def escapes(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a stone on the point captures something, or joins groups to two or more liberties."""
    width, one = constants[WIDTH], liberty(point)
    first = 0
    for near in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + APART * near)]
        colour, head = cell & COLOUR, cell >> HEAD
        free = 0
        if colour == EMPTY:
            free = near
        elif colour == player:
            packed = state[index(LIBERTIES + APART * head)]
            for beside in (point - width, point - 1, point + 1, point + width):
                packed -= one if state[index(CELL + APART * beside)] == cell else 0
            if packed & COUNT_MASK:
                free = one_point(packed)
                if free == 0:
                    return True
        elif colour < EMPTY:
            packed = state[index(LIBERTIES + APART * head)]
            if (packed & COUNT_MASK) * one == packed:
                return True
        if free:
            if first and free != first:
                return True
            first = free
    return False


@compiled
def match(constants: Constants, state: State, player: int, last: int, rng: Rng) -> int:
    """A point among the eight around the last move that matches a pattern, or 0."""
    width = constants[WIDTH]
    chosen, found = 0, 0
    for row in (-width, 0, width):
        for point in (last + row - 1, last + row, last + row + 1):
            if state[index(CELL + APART * point)] != EMPTY:
                continue
            if matches(constants, state, player, point) and wanted(constants, state, player, point):
                found += 1
                if found == 1 or below(rng, found) == 0:
                    chosen = point
    return chosen


@compiled
def matches(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a pattern matches around an empty point."""
    width = constants[WIDTH]
    code, shift = np.int64(0), 0
    for row in (-width, 0, width):
        for near in (point + row - 1, point + row, point + row + 1):
            if near != point:
                colour = state[index(CELL + APART * near)] & COLOUR
                kind = colour - 2 if colour >= EMPTY else np.int64(colour != player)
                code |= kind << shift
                shift += 2
    return (constants[index(constants[MORE] + (code >> 6))] >> (code & 63)) & 1 != 0


@compiled
def take(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """A point that captures something, anywhere on the board, or 0."""
    chosen, found = 0, 0
    caught = CAUGHT & ~(1 << (player + LAST))
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        around = surroundings(constants, state, point)
        if around & caught and allowed(constants, state, player, point):
            found += 1
            if found == 1 or below(rng, found) == 0:
                chosen = point
    return chosen


def mogo(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Go's own: saves stones, follows 3x3 patterns, captures, else random (Gelly et al. 2006)."""
    last, chosen = state[LAST_MOVE], 0
    if 0 <= last < constants[CELLS]:
        point = constants[index(POINT_OF + last)]
        chosen = save(constants, state, player, point, rng)
        if chosen == 0:
            chosen = match(constants, state, player, point, rng)
    if chosen == 0:
        chosen = take(constants, state, player, rng)
    if chosen == 0:
        return draw(constants, state, player, rng)
    return constants[index(constants[CODE_OF] + chosen)]
