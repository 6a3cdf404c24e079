"""Morpion Solitaire: add points that complete lines of five, as many as possible.

The game starts from a cross of points. A move adds one point to the grid and draws a straight line
(horizontal, vertical or diagonal) through `length` consecutive points, of which only the new one
was missing. Two lines of one direction may not share a point (disjoint, 5D), or may share only an
end point (touching, 5T). Each move is worth one point. Lines of four (4D, 4T) start from a smaller
cross; those two games have been solved.

The original game has an unbounded grid. Here it is SIDE x SIDE points with the cross in the middle,
and a line may not leave it. This leaves 11 free points on each side of the cross of 5D and 5T.

A move's code consists of the first point of the line, its direction, and the index of the new point
in the line. It identifies the same line with the same new point throughout the game.

State: number of moves played, number of legal moves, Zobrist key, a mask of the nonempty words of
LINES, one word per point, and the legal lines as a bitboard. A point's word has bit POINT if the
point exists, and bit `direction` if a line of this direction covers it: the point itself (disjoint)
or the segment to the next point (touching). At most one point of a line can be missing, so one bit
per line determines the legal move. A move changes only lines through the new point or along the new
line.
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
from graven.games.morpion_drawing import MorpionDrawing, as_svg, as_text, point_name
from graven.games.registry import Family, GameOption

SIDE = 32
POINTS = SIDE * SIDE
# Horizontal, vertical and the two diagonals: step from point to point, and name.
STEPS = (1, SIDE, SIDE + 1, 1 - SIDE)
DIRECTION_NAMES = ("e", "n", "ne", "se")
MAX_LENGTH = 5  # points in a line

# Layout of `constants`: points in a line; units of a line that no other line of its direction may
# cover (its points, or the segments between them); the maximum score; the bitboard of the cross;
# for each direction and point whether a line can start there; Zobrist keys of units and points.
LENGTH, UNITS, MAX_SCORE, CROSS = 0, 1, 2, 3
BOARD_WORDS = POINTS // 64
FITS = CROSS + BOARD_WORDS
KEYS = FITS + 4 * POINTS
CONSTANT_WORDS = KEYS + 5 * POINTS

PLAYED, LEGAL, KEY, NONEMPTY, POINT_WORDS = 0, 1, 2, 3, 4
LINES = POINT_WORDS + POINTS
LINE_WORDS = 4 * BOARD_WORDS  # 64, so that the one word NONEMPTY has a bit for each
WORDS = LINES + LINE_WORDS

POINT = 16  # the bit of a point's word that marks an existing point
ZOBRIST_SEED = 1974


def cross(length: int) -> list[tuple[int, int]]:
    """Return the (x, y) of the initial cross for lines of this length, centred in the grid."""
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
    """Return the constants of a variant."""
    constants = np.zeros(CONSTANT_WORDS, dtype=np.int64)
    constants[LENGTH], constants[UNITS] = length, length - 1 if touching else length
    points = cross(length)
    constants[MAX_SCORE] = POINTS - len(points)
    for x, y in points:
        point = y * SIDE + x
        constants[CROSS + point // 64] |= np.int64(1) << np.int64(point % 64)
    for direction, (across, up) in enumerate(((1, 0), (0, 1), (1, 1), (1, -1))):
        for point in range(POINTS):
            x, y = point % SIDE + across * (length - 1), point // SIDE + up * (length - 1)
            constants[FITS + direction * POINTS + point] = 0 <= x < SIDE and 0 <= y < SIDE
    keys = [derive(ZOBRIST_SEED, i) for i in range(5 * POINTS)]
    constants[KEYS:] = np.array(keys, dtype=np.uint64).view(np.int64)
    return constants


@inlined
def _step(direction: int) -> int:
    """Return the distance from a point of a line to the next one."""
    if direction == 0:
        return 1
    return SIDE if direction == 1 else SIDE + 1 if direction == 2 else 1 - SIDE


@inlined
def _missing_index(constants: Constants, state: State, first: int, direction: int) -> int:
    """Return the index of a line's only missing point, or -1 if the line cannot be drawn.

    The line must lie on the grid.
    """
    step, bit = _step(direction), np.int64(1) << direction
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
def _update_line(constants: Constants, state: State, first: int, direction: int) -> None:
    """Store whether a line can be drawn."""
    legal = _missing_index(constants, state, first, direction) >= 0
    word = direction * BOARD_WORDS + (first >> 6)
    bit = np.int64(1) << (first & 63)
    before = state[LINES + word]
    after = before | bit if legal else before & ~bit
    if before != after:
        state[LINES + word] = after
        state[LEGAL] += 1 if legal else -1
        if before == 0:
            state[NONEMPTY] |= np.int64(1) << word
        elif after == 0:
            state[NONEMPTY] &= ~(np.int64(1) << word)


@inlined
def _update_lines(
    constants: Constants, state: State, point: int, direction: int, after: int
) -> None:
    """Update the lines of a direction that start up to `after` points after or cover a point."""
    step, across = _step(direction), 0 if direction == 1 else 1
    up = 0 if direction == 0 else -1 if direction == 3 else 1
    x, y = point % SIDE, point // SIDE
    for i in range(1 - constants[LENGTH], after + 1):
        at_x, at_y = x + across * i, y + up * i
        if 0 <= at_x < SIDE and 0 <= at_y < SIDE:
            first = point + step * i
            if constants[FITS + direction * POINTS + first]:
                _update_line(constants, state, first, direction)


def start(constants: Constants, state: State) -> None:
    """Set the cross."""
    state[:] = 0
    for point in range(POINTS):
        if bits.down(constants[CROSS + (point >> 6)], point & 63) & 1:
            state[POINT_WORDS + point] = POINT
    for direction in range(4):
        for first in range(POINTS):
            if constants[FITS + direction * POINTS + first]:
                _update_line(constants, state, first, direction)


def turn(constants: Constants, state: State) -> int:
    """Return the player while there is a legal move, else TERMINAL."""
    return 0 if state[LEGAL] else TERMINAL


@inlined
def _code(constants: Constants, state: State, word: int, bit: int) -> int:
    """Return the code of the legal move whose line is this bit of this word."""
    direction, first = word // BOARD_WORDS, (word % BOARD_WORDS) * 64 + bit
    step = _step(direction)
    at, gap = POINT_WORDS + first, 0
    while state[at] & POINT:
        at += step
        gap += 1
    return (first * 4 + direction) * MAX_LENGTH + gap


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal moves by direction and first point of the line."""
    count = 0
    words = state[NONEMPTY]
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
    """Draw an index and return the legal move with this index."""
    if state[LEGAL] == 0:
        return -1
    skip = below(rng, state[LEGAL])
    words = state[NONEMPTY]
    while words:
        word = bits.lowest(words)
        words &= words - 1
        count = bits.count(state[LINES + word])
        if skip < count:
            return _code(constants, state, word, bits.nth(state[LINES + word], skip))
        skip -= count
    return -1


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Add the point, draw the line, and update the lines that this may have changed."""
    code = int(joint[0])
    gap, line = code % MAX_LENGTH, code // MAX_LENGTH
    direction, first = line & 3, line >> 2
    step = _step(direction)
    point = first + gap * step
    state[PLAYED] += 1
    state[POINT_WORDS + point] |= POINT
    key = state[KEY] ^ constants[KEYS + 4 * POINTS + point]
    at = first
    for _ in range(constants[UNITS]):
        state[POINT_WORDS + at] |= np.int64(1) << direction
        key ^= constants[KEYS + direction * POINTS + at]
        at += step
    state[KEY] = key
    for changed in range(4):
        if changed == direction:
            # Lines that overlap the new line; these include those through the new point.
            _update_lines(constants, state, first, direction, after=constants[LENGTH] - 1)
        else:
            _update_lines(constants, state, point, changed, after=0)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write the number of moves as a fraction of the free points of the grid."""
    out[0] = state[PLAYED] / constants[MAX_SCORE]


def key(constants: Constants, state: State) -> int:
    """Return the Zobrist key of points and lines, which `play` updates."""
    return state[KEY]


def format_move(code: int, length: int) -> str:
    """Return new point, direction of the line, and the point's place in the line: `m21:ne3`."""
    line, gap = divmod(code, MAX_LENGTH)
    first, direction = divmod(line, 4)
    across, up = ((1, 0), (0, 1), (1, 1), (1, -1))[direction]
    x, y = first % SIDE + gap * across, first // SIDE + gap * up
    if gap >= length or not (0 <= x < SIDE and 0 <= y < SIDE):
        return f"-{code}"  # leads off the grid: never legal
    return f"{point_name(x, y)}:{DIRECTION_NAMES[direction]}{gap + 1}"


VARIANTS = {"5D": (5, False), "5T": (5, True), "4D": (4, False), "4T": (4, True)}


def make(variant: str = "5D") -> Game:
    """Return Morpion Solitaire with lines of 5 or 4 points, disjoint (D) or touching (T)."""
    name = str(variant).strip().upper()
    if name not in VARIANTS:
        raise unknown("variant of morpion", str(variant), VARIANTS)
    length, touching = VARIANTS[name]
    constants = build_constants(length, touching)
    cross_points = frozenset(cross(length))

    def drawing(state: State) -> MorpionDrawing:
        words = state[POINT_WORDS : POINT_WORDS + POINTS].reshape(SIDE, SIDE)
        title = f"Morpion Solitaire {name} after {state[PLAYED]} moves"
        return MorpionDrawing(
            title=title,
            words=words,
            point_bit=POINT,
            length=length,
            touching=touching,
            cross=cross_points,
        )

    lines = sum(int(constants[FITS + i]) for i in range(4 * POINTS))
    return Game(
        name="morpion",
        players=1,
        functions=RuleFunctions(
            start=start, turn=turn, legal=legal, play=play, scores=scores, sample=sample, key=key
        ),
        bounds=Bounds(
            state_words=WORDS,
            num_codes=POINTS * 4 * MAX_LENGTH,
            max_moves=lines,
            max_plies=POINTS - len(cross_points),
        ),
        constants=constants,
        display=Display(
            player_names=("Player",),
            format_move=lambda player, code: format_move(code, length),
            render=lambda state, colour: as_text(drawing(state)),
            svg=lambda state: as_svg(drawing(state)),
            points=lambda state: int(state[PLAYED]),
        ),
        options={"variant": name},
    )


FAMILY = Family(
    name="morpion",
    summary="Morpion Solitaire: add points that complete lines of five, as many as possible",
    options={"variant": GameOption("5D", "5D or 5T (disjoint or touching lines), 4D or 4T")},
    make=make,
)
