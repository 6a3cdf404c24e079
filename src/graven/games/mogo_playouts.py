"""MoGo's playout policy for Go.

Gelly, Wang, Munos and Teytaud 2006, "Modification of UCT with patterns in Monte-Carlo Go" (INRIA
report 6062), section 3.2. Each move is of the first kind that exists:

1. if the last move put own stones in atari, a move that saves them by escaping or capturing;
2. a move on one of the eight points around the last move that matches a 3x3 pattern;
3. a move that captures stones;
4. a random move that does not fill an own eye.

Among several moves of a kind one is chosen uniformly. Self-atari is allowed, because the report
does not exclude it. `mogo-tactics` is the same without the patterns.

`fillboard` is `mogo-tactics` after MoGo's "fill board" (Chaslot, Fiter, Hoock, Rimmel and Teytaud
2009, "Adding expert knowledge and exploration in Monte-Carlo tree search"): up to FILL_TRIES random
points are drawn, and the first one is played that is empty with only empty points around it. That
paper leaves the number of tries open.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, State
from graven.core.rng import Rng, below
from graven.games.go_board import CODE_OF, PATTERNS, POINT_OF
from graven.games.go_captures import (
    COUNT,
    IN_ATARI,
    LAST_MOVE,
    is_legal_point,
    is_playout_point,
    sample_move,
)
from graven.games.stone_groups import (
    ATARI_SHIFT,
    CELL,
    CELLS,
    COLOUR_MASK,
    COUNT_BITS,
    COUNT_MASK,
    EMPTY,
    HEAD_SHIFT,
    LIBERTIES,
    LISTS,
    NEXT,
    STRIDE,
    SUM_BITS,
    WIDTH,
    adjacent_colours,
    pseudo_liberty,
)

# The report's patterns, figures 3 to 6: three rows around the point to play, `*`. X and O are the
# two colours in either assignment; . is empty, x is X or empty, o is O or empty, ? is any of the
# three, # is off the board. A letter after the rows is the player to move.
HANE = ("XOX .*. ???", "XO. .*. ?.?", "XO? X*. ?.?", "XOO .*. ?.? X")
CUT = ("?X? O*O xxx",)
CROSS_CUT, NOT_CROSS_CUT = "XO? O*? ???", ("XO? O*O ?.?", "XO? O*. ?O?")
SIDE = ("X.? O*? ###", "?X? o*O ###", "?XO ?*? ### X", "?XO ?*o ### O", "?XO O*X ### O")

# The code of a neighbourhood has two bits for each of the eight points around, the first lowest.
OWN_STONE, ENEMY_STONE, FREE_POINT, OFF_BOARD = range(4)
AROUND = 8

SUM_MASK = (1 << SUM_BITS) - 1
FILL_TRIES = 10


@cache
def patterns() -> NDArray[np.int64]:
    """Return one bit for each of the 4^8 neighbourhoods of a point: whether a pattern matches."""
    matches = _any(CUT) | _any(HANE) | _any(SIDE) | _matching(CROSS_CUT, NOT_CROSS_CUT)
    return np.packbits(matches, bitorder="little").view("<i8").astype(np.int64)


def _any(texts: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.logical_or.reduce([_matching(text) for text in texts])


def _matching(text: str, exceptions: tuple[str, ...] = ()) -> NDArray[np.bool_]:
    """Return the neighbourhoods that a pattern matches in any symmetry and colour assignment."""
    matches = np.zeros(4**AROUND, dtype=bool)
    for colours in ((OWN_STONE, ENEMY_STONE), (ENEMY_STONE, OWN_STONE)):
        for symmetry in range(8):
            match = _exactly(text, colours, symmetry)
            for exception in exceptions:
                match = match & ~_exactly(exception, colours, symmetry)
            matches |= match
    return matches


def _exactly(text: str, colours: tuple[int, int], symmetry: int) -> NDArray[np.bool_]:
    """Return the neighbourhoods that a pattern matches in one of the eight symmetries."""
    x, o = colours
    *rows, mover = text.split() if len(text.split()) == 4 else (*text.split(), "")
    if mover and {"X": x, "O": o}[mover] != OWN_STONE:
        return np.zeros(4**AROUND, dtype=bool)
    square = np.array([list(row) for row in rows])
    square = np.rot90(square.T if symmetry >= 4 else square, symmetry % 4)
    values_of = {
        "X": {x},
        "O": {o},
        ".": {FREE_POINT},
        "x": {x, FREE_POINT},
        "o": {o, FREE_POINT},
        "?": {x, o, FREE_POINT},
        "#": {OFF_BOARD},
    }
    # Rows start at the top but codes at the bottom: a mirror image, which is also matched.
    letters = [str(letter) for letter in square.flat if letter != "*"]
    match = np.ones(1, dtype=bool)
    for letter in letters:
        point_matches = np.array([value in values_of[letter] for value in range(4)])
        match = np.outer(point_matches, match).reshape(-1)
    return match


@inlined
def only_liberty(state: State, head: int) -> int:
    """Return the only liberty of a group, or 0 if it has several."""
    return single_point(state[index(LIBERTIES + STRIDE * head)])


@inlined
def single_point(packed: int) -> int:
    """Return the point of packed pseudo-liberties, or 0 if there are several points or none.

    All are the same point if their variance is 0 (see `stone_groups.pseudo_liberty`).
    """
    count = packed & COUNT_MASK
    total = (packed >> COUNT_BITS) & SUM_MASK
    squares = packed >> (COUNT_BITS + SUM_BITS)
    if count == 0 or count * squares != total * total:
        return 0
    return total // count


@compiled
def save_from_atari(constants: Constants, state: State, player: int, last: int, rng: Rng) -> int:
    """Return a point that saves stones which the last move put in atari, or 0."""
    width = constants[WIDTH]
    chosen, count, previous_head = 0, 0, 0
    for adjacent in (last - width, last - 1, last + 1, last + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        head = cell >> HEAD_SHIFT
        if cell & COLOUR_MASK != player or head == previous_head:
            continue
        escape = only_liberty(state, head)
        if escape == 0:
            continue
        previous_head = head
        if escapes(constants, state, player, escape) and is_legal_point(
            constants, state, player, escape
        ):
            count += 1
            if count == 1 or below(rng, count) == 0:
                chosen = escape
        # Capturing an adjacent enemy group also saves the group.
        stone = head
        while True:
            for beside in (stone - width, stone - 1, stone + 1, stone + width):
                enemy = state[index(CELL + STRIDE * beside)]
                if enemy & COLOUR_MASK == player or enemy & COLOUR_MASK >= EMPTY:
                    continue
                target = only_liberty(state, enemy >> HEAD_SHIFT)
                if target == 0 or target == escape:
                    continue
                if is_legal_point(constants, state, player, target):
                    count += 1
                    if count == 1 or below(rng, count) == 0:
                        chosen = target
            stone = state[index(NEXT + STRIDE * stone)]
            if stone == head:
                break
    return chosen


@compiled
def escapes(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a stone on the point captures, or forms a group with two or more liberties."""
    width, one = constants[WIDTH], pseudo_liberty(point)
    first = 0
    for adjacent in (point - width, point - 1, point + 1, point + width):
        cell = state[index(CELL + STRIDE * adjacent)]
        colour, head = cell & COLOUR_MASK, cell >> HEAD_SHIFT
        free = 0
        if colour == EMPTY:
            free = adjacent
        elif colour == player:
            packed = state[index(LIBERTIES + STRIDE * head)]
            for beside in (point - width, point - 1, point + 1, point + width):
                packed -= one if state[index(CELL + STRIDE * beside)] == cell else 0
            if packed & COUNT_MASK:
                free = single_point(packed)
                if free == 0:
                    return True
        elif colour < EMPTY:
            packed = state[index(LIBERTIES + STRIDE * head)]
            if (packed & COUNT_MASK) * one == packed:
                return True
        if free:
            if first and free != first:
                return True
            first = free
    return False


@compiled
def match_pattern(constants: Constants, state: State, player: int, last: int, rng: Rng) -> int:
    """Return one of the eight points around the last move that matches a pattern, or 0."""
    width = constants[WIDTH]
    chosen, count = 0, 0
    for row in (-width, 0, width):
        for point in (last + row - 1, last + row, last + row + 1):
            if state[index(CELL + STRIDE * point)] != EMPTY:
                continue
            if is_pattern(constants, state, player, point) and is_playout_point(
                constants, state, player, point
            ):
                count += 1
                if count == 1 or below(rng, count) == 0:
                    chosen = point
    return chosen


@compiled
def is_pattern(constants: Constants, state: State, player: int, point: int) -> bool:
    """Whether a pattern matches around an empty point."""
    width = constants[WIDTH]
    code, shift = np.int64(0), 0
    for row in (-width, 0, width):
        for adjacent in (point + row - 1, point + row, point + row + 1):
            if adjacent != point:
                colour = state[index(CELL + STRIDE * adjacent)] & COLOUR_MASK
                kind = colour - 2 if colour >= EMPTY else np.int64(colour != player)
                code |= kind << shift
                shift += 2
    return (constants[index(constants[PATTERNS] + (code >> 6))] >> (code & 63)) & 1 != 0


@compiled
def capture(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a point that captures stones anywhere on the board, or 0."""
    chosen, count = 0, 0
    enemies_in_atari = IN_ATARI & ~(1 << (player + ATARI_SHIFT))
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        colours = adjacent_colours(constants, state, point)
        if colours & enemies_in_atari and is_legal_point(constants, state, player, point):
            count += 1
            if count == 1 or below(rng, count) == 0:
                chosen = point
    return chosen


@compiled
def fill(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random point that is empty like all eight points around it, or 0 after FILL_TRIES.

    Points off the board count as empty.
    """
    width = constants[WIDTH]
    for _ in range(FILL_TRIES):
        point = constants[index(POINT_OF + below(rng, constants[CELLS]))]
        stones = 0
        for row in (-width, 0, width):
            for near in (point + row - 1, point + row, point + row + 1):
                stones += state[index(CELL + STRIDE * near)] & COLOUR_MASK < EMPTY
        if stones == 0 and is_playout_point(constants, state, player, point):
            return point
    return 0


@compiled
def tactical_move(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a move that saves stones in atari, captures, or is random."""
    last, chosen = state[LAST_MOVE], 0
    if 0 <= last < constants[CELLS]:
        point = constants[index(POINT_OF + last)]
        chosen = save_from_atari(constants, state, player, point, rng=rng)
    if chosen == 0:
        chosen = capture(constants, state, player, rng)
    if chosen == 0:
        return sample_move(constants, state, player, rng)
    return constants[index(constants[CODE_OF] + chosen)]


def mogo_tactics(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """MoGo without patterns: save stones in atari, capture, else random."""
    return tactical_move(constants, state, player, rng)


def fillboard(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """MoGo without patterns, after points in empty regions (Chaslot et al. 2009)."""
    chosen = fill(constants, state, player, rng)
    if chosen:
        return constants[index(constants[CODE_OF] + chosen)]
    return tactical_move(constants, state, player, rng)


def mogo(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Save stones in atari, match 3x3 patterns, capture, else random (Gelly et al. 2006)."""
    last, chosen = state[LAST_MOVE], 0
    if 0 <= last < constants[CELLS]:
        point = constants[index(POINT_OF + last)]
        chosen = save_from_atari(constants, state, player, point, rng=rng)
        if chosen == 0:
            chosen = match_pattern(constants, state, player, point, rng=rng)
    if chosen == 0:
        chosen = capture(constants, state, player, rng)
    if chosen == 0:
        return sample_move(constants, state, player, rng)
    return constants[index(constants[CODE_OF] + chosen)]
