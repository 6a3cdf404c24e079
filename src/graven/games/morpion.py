"""Morpion Solitaire: add a point that completes a line of five, draw the line, as often as you can.

The game starts from a cross of points. A move adds one point to the grid and draws a straight
line (along a row, a column or a diagonal) through it and the others that stand in a row with it,
`length` points together. Two lines of one direction may not share a point (disjoint, 5D), or may
share an end but nothing more (touching, 5T). Each move is worth a point. Lines of four (4D, 4T)
start from a smaller cross; those two games have been solved.

The paper is endless, ours is a grid of SIDE x SIDE points with the cross in its middle: a line may
not leave it. That leaves 11 free points on each side of the cross of 5D and 5T.

A move's code is (first point of the line, direction, place of the new point in the line): the same
line through the same points with the same new one, whenever it is drawn.

State: how many moves have been played and are legal, the position key, which words of `LINES` are
not empty, a word for each point, and the legal lines as bits. A point's word has bit POINT if the
point is there and bit `direction` if a line of that direction covers it: the point itself
(disjoint), or the stretch to the next point (touching). Since each line can be completed in one
way at most, a bit for each line says all about the legal moves; only lines through the new point
or along the line just drawn change with a move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import unknown
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below, derive
from graven.games.morpion_drawing import Drawing, as_svg, as_text, point_name
from graven.games.registry import Family, Option

SIDE = 32
POINTS = SIDE * SIDE
# Along a row, a column, and the two diagonals: as a step from point to point, and in words.
STEPS = (1, SIDE, SIDE + 1, 1 - SIDE)
WAYS = ("e", "n", "ne", "se")
PLACES = 5  # of the new point in a line, at most

# `tables`: points in a line, units of a line that no other of its direction may cover (its points
# or the stretches between them), the highest score; then the points of the cross (bits), then for
# each direction and point whether a line can start there, then Zobrist keys of points and units.
LENGTH, UNITS, MOST, CROSS = 0, 1, 2, 3
BOARD_WORDS = POINTS // 64
FITS = CROSS + BOARD_WORDS
KEYS = FITS + 4 * POINTS
TABLE_WORDS = KEYS + 5 * POINTS

PLAYED, LEGAL, KEY, FULL, POINT_WORDS = 0, 1, 2, 3, 4
LINES = POINT_WORDS + POINTS
LINE_WORDS = 4 * BOARD_WORDS  # 64, so that one word, FULL, says which are not empty
WORDS = LINES + LINE_WORDS

POINT = 16  # the bit of a point's word that says that it is there
ZOBRIST_SEED = 1974


def cross(length: int) -> list[tuple[int, int]]:
    """The (x, y) of the points that a game of so long lines starts from, in the grid's middle."""
    arm = length - 2
    corners = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2)]
    corners += [(3 - x, 3 - y) for x, y in corners]
    low = (SIDE - 3 * arm) // 2
    points = []
    for (x, y), (next_x, next_y) in zip(corners, corners[1:] + corners[:1], strict=True):
        for i in range(arm):
            points.append((low + x * arm + (next_x - x) * i, low + y * arm + (next_y - y) * i))
    return points


def build_constants(length: int, touching: bool) -> NDArray[np.int64]:
    """Tables for a variant."""
    tables = np.zeros(TABLE_WORDS, dtype=np.int64)
    tables[LENGTH], tables[UNITS] = length, length - 1 if touching else length
    points = cross(length)
    tables[MOST] = POINTS - len(points)
    for x, y in points:
        point = y * SIDE + x
        tables[CROSS + point // 64] |= np.int64(1) << np.int64(point % 64)
    for way, (across, up) in enumerate(((1, 0), (0, 1), (1, 1), (1, -1))):
        for point in range(POINTS):
            x, y = point % SIDE + across * (length - 1), point // SIDE + up * (length - 1)
            tables[FITS + way * POINTS + point] = 0 <= x < SIDE and 0 <= y < SIDE
    keys = [derive(ZOBRIST_SEED, i) for i in range(5 * POINTS)]
    tables[KEYS:] = np.array(keys, dtype=np.uint64).view(np.int64)
    return tables


@inlined
def _step(way: int) -> int:
    """From a point to the next one of a line."""
    return 1 if way == 0 else SIDE if way == 1 else SIDE + 1 if way == 2 else 1 - SIDE


@inlined
def _gap(constants: Constants, state: State, first: int, way: int) -> int:
    """Which place of a line has no point; -1 if none or more than one has, or it may not be drawn.

    The line must lie on the grid.
    """
    step, bit = _step(way), np.int64(1) << way
    gap, gaps, covered = -1, 0, 0
    at = POINT_WORDS + first
    for i in range(constants[LENGTH]):
        word = state[at]
        if i < constants[UNITS]:
            covered |= word & bit
        if word & POINT == 0:
            gap = i
            gaps += 1
        at += step
    return gap if gaps == 1 and covered == 0 else -1


@inlined
def _set_line(state: State, first: int, way: int, legal: bool) -> None:
    """Note whether a line can be drawn now."""
    word = way * BOARD_WORDS + (first >> 6)
    bit = np.int64(1) << (first & 63)
    before = state[LINES + word]
    after = before | bit if legal else before & ~bit
    if before != after:
        state[LINES + word] = after
        state[LEGAL] += 1 if legal else -1
        if before == 0:
            state[FULL] |= np.int64(1) << word
        elif after == 0:
            state[FULL] &= ~(np.int64(1) << word)


@inlined
def _look_again(constants: Constants, state: State, point: int, way: int, after: int) -> None:
    """See which lines can be drawn now that cover a point, or start up to `after` points on."""
    step, across, up = _step(way), 0 if way == 1 else 1, 0 if way == 0 else -1 if way == 3 else 1
    x, y = point % SIDE, point // SIDE
    for i in range(1 - constants[LENGTH], after + 1):
        at_x, at_y = x + across * i, y + up * i
        if 0 <= at_x < SIDE and 0 <= at_y < SIDE:
            first = point + step * i
            if constants[FITS + way * POINTS + first]:
                _set_line(state, first, way, _gap(constants, state, first, way) >= 0)


def start(constants: Constants, state: State) -> None:
    """The cross."""
    state[:] = 0
    for point in range(POINTS):
        if bits.down(constants[CROSS + (point >> 6)], point & 63) & 1:
            state[POINT_WORDS + point] = POINT
    for way in range(4):
        for first in range(POINTS):
            if constants[FITS + way * POINTS + first]:
                _set_line(state, first, way, _gap(constants, state, first, way) >= 0)


def turn(constants: Constants, state: State) -> int:
    """The player, while there is a move."""
    return 0 if state[LEGAL] else TERMINAL


@inlined
def _code(constants: Constants, state: State, word: int, bit: int) -> int:
    """The code of the legal move whose line is that bit of that word."""
    way, first = word // BOARD_WORDS, (word % BOARD_WORDS) * 64 + bit
    step = _step(way)
    at, gap = POINT_WORDS + first, 0
    while state[at] & POINT:
        at += step
        gap += 1
    return (first * 4 + way) * PLACES + gap


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """By direction, then by the first point of the line."""
    count = 0
    words = state[FULL]
    while words:
        word = bits.lowest(words)
        words &= words - 1
        lines = state[LINES + word]
        while lines:
            moves[count] = _code(constants, state, word, bits.lowest(lines))
            count += 1
            lines &= lines - 1
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Draw a number, and find the line it stands for."""
    if state[LEGAL] == 0:
        return -1
    skip = below(rng, state[LEGAL])
    words = state[FULL]
    while words:
        word = bits.lowest(words)
        words &= words - 1
        here = bits.count(state[LINES + word])
        if skip < here:
            return _code(constants, state, word, bits.nth(state[LINES + word], skip))
        skip -= here
    return -1


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Add the point, draw the line, and look at the lines that this may have changed."""
    code = int(joint[0])
    gap, line = code % PLACES, code // PLACES
    way, first = line & 3, line >> 2
    step = _step(way)
    point = first + gap * step
    state[PLAYED] += 1
    state[POINT_WORDS + point] |= POINT
    key = state[KEY] ^ constants[KEYS + 4 * POINTS + point]
    at = first
    for _ in range(constants[UNITS]):
        state[POINT_WORDS + at] |= np.int64(1) << way
        key ^= constants[KEYS + way * POINTS + at]
        at += step
    state[KEY] = key
    for other in range(4):
        if other == way:
            # Lines that overlap the one drawn; those through the new point are among them.
            _look_again(constants, state, first, way, constants[LENGTH] - 1)
        else:
            _look_again(constants, state, point, other, 0)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Moves played, of as many as there are free points on the grid."""
    out[0] = state[PLAYED] / constants[MOST]


def key(constants: Constants, state: State) -> int:
    """The Zobrist key of points and lines, kept up to date by `play`."""
    return state[KEY]


def move_text(code: int, length: int) -> str:
    """The new point, the way the line runs, and the point's place in it: `m21:ne3`."""
    line, gap = divmod(code, PLACES)
    first, way = divmod(line, 4)
    across, up = ((1, 0), (0, 1), (1, 1), (1, -1))[way]
    x, y = first % SIDE + gap * across, first // SIDE + gap * up
    if gap >= length or not (0 <= x < SIDE and 0 <= y < SIDE):
        return f"-{code}"  # no such move
    return f"{point_name(x, y)}:{WAYS[way]}{gap + 1}"


VARIANTS = {"5D": (5, False), "5T": (5, True), "4D": (4, False), "4T": (4, True)}


def make(variant: str = "5D") -> Game:
    """Morpion Solitaire with lines of 5 or 4 points, disjoint (D) or touching (T)."""
    name = str(variant).strip().upper()
    if name not in VARIANTS:
        raise unknown("variant of morpion", str(variant), VARIANTS)
    length, touching = VARIANTS[name]
    tables = build_constants(length, touching)
    crossed = frozenset(cross(length))

    def drawing(state: State) -> Drawing:
        words = state[POINT_WORDS : POINT_WORDS + POINTS].reshape(SIDE, SIDE)
        title = f"Morpion Solitaire {name} after {state[PLAYED]} moves"
        return Drawing(title, words, POINT, length, touching, crossed)

    lines = sum(int(tables[FITS + i]) for i in range(4 * POINTS))
    return Game(
        name="morpion",
        players=1,
        functions=RuleFunctions(
            start=start, turn=turn, legal=legal, play=play, scores=scores, sample=sample, key=key
        ),
        bounds=Bounds(
            state_words=WORDS,
            num_codes=POINTS * 4 * PLACES,
            max_moves=lines,
            max_plies=POINTS - len(crossed),
        ),
        constants=tables,
        display=Display(
            player_names=("Player",),
            format_move=lambda player, code: move_text(code, length),
            render=lambda state, colour: as_text(drawing(state)),
            svg=lambda state: as_svg(drawing(state)),
            points=lambda state: int(state[PLAYED]),
        ),
        options={"variant": name},
    )


FAMILY = Family(
    name="morpion",
    summary="Morpion Solitaire: add points that complete lines of five, as long as you can",
    options={"variant": Option("5D", "5D or 5T (disjoint or touching lines), 4D or 4T")},
    make=make,
)
