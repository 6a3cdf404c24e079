"""Draw a grid of Morpion Solitaire as text and as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from graven.drawing.svg_document import cells_group

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
STROKES = "-|/\\"
MARGIN = 1  # grid points shown around the existing points
CELL = 24
CARD, GRID, INK, NEW, LINE = "#faf9f6", "#dcd8cc", "#30363b", "#b3541e", "#1f5f99"


def point_name(x: int, y: int) -> str:
    """Return a point's name: column letters (a to z, then aa and so on) and row number."""
    letters = chr(ord("a") + x % 26)
    return f"{'a' * (x // 26)}{letters}{y + 1}"


@dataclass(frozen=True)
class MorpionDrawing:
    """A grid to draw: `words` has one word for each row and column.

    A word has bit `point_bit` if the point exists, and bit d if a line of direction d covers the
    point (or, if lines may touch, the segment to the next point). `cross` has the (x, y) of the
    initial points.
    """

    title: str
    words: NDArray[np.int64]
    point_bit: int
    length: int
    touching: bool
    cross: Set[tuple[int, int]]

    def points(self) -> list[tuple[int, int]]:
        """Return the (x, y) of all points."""
        rows, columns = np.nonzero(self.words & self.point_bit)
        return [(int(x), int(y)) for y, x in zip(rows, columns, strict=True)]

    def segments(self) -> Iterator[tuple[int, int, int]]:
        """Yield the (x, y, direction) of all segments of lines, each from its first point."""
        side = len(self.words)
        for direction, (across, up) in enumerate(DIRECTIONS):
            for x, y in self.points():
                if not self.words[y, x] >> direction & 1:
                    continue
                if self.touching:
                    yield x, y, direction
                    continue
                # A run of covered points consists of complete lines: count from its start.
                place, back_x, back_y = 0, x - across, y - up
                while 0 <= back_x < side and 0 <= back_y < side:
                    if not self.words[back_y, back_x] >> direction & 1:
                        break
                    place, back_x, back_y = place + 1, back_x - across, back_y - up
                if place % self.length < self.length - 1:
                    yield x, y, direction

    def bounds(self) -> tuple[int, int, int, int]:
        """Return the lowest and highest x, then the lowest and highest y to show."""
        xs, ys = zip(*self.points(), strict=True)
        last = len(self.words) - 1
        return (
            max(0, min(xs) - MARGIN),
            min(last, max(xs) + MARGIN),
            max(0, min(ys) - MARGIN),
            min(last, max(ys) + MARGIN),
        )


def as_text(drawing: MorpionDrawing) -> str:
    """Return the grid as text: o for points of the cross, x for new points, and the lines."""
    left, right, low, high = drawing.bounds()
    width, height = 2 * (right - left) + 1, 2 * (high - low) + 1
    canvas = [[" "] * width for _ in range(height)]
    for y in range(low, high + 1):
        for x in range(left, right + 1):
            canvas[2 * (y - low)][2 * (x - left)] = "."
    for x, y in drawing.points():
        canvas[2 * (y - low)][2 * (x - left)] = "o" if (x, y) in drawing.cross else "x"
    for x, y, direction in drawing.segments():
        across, up = DIRECTIONS[direction]
        row, column = 2 * (y - low) + up, 2 * (x - left) + across
        canvas[row][column] = STROKES[direction] if canvas[row][column] == " " else "X"
    lines = [drawing.title]
    for row in reversed(range(height)):
        number = f"{low + row // 2 + 1:2}" if row % 2 == 0 else "  "
        lines.append(f"{number} {''.join(canvas[row])}".rstrip())
    names = [point_name(x, 0)[:-1] for x in range(left, right + 1)]
    lines.append("   " + "".join(f"{name:2}" for name in names).rstrip())
    return "\n".join(lines)


def as_svg(drawing: MorpionDrawing) -> str:
    """Return the grid as an SVG element; points of the cross are filled, new ones are rings."""
    left, right, low, high = drawing.bounds()
    width, height = (right - left + 2) * CELL, (high - low + 2) * CELL

    def to_pixels(x: int, y: int) -> tuple[int, int]:
        return (x - left + 1) * CELL, (high - y + 1) * CELL

    grid = [f"M{CELL} {to_pixels(0, y)[1]}h{(right - left) * CELL}" for y in range(low, high + 1)]
    grid += [f"M{to_pixels(x, 0)[0]} {CELL}v{(high - low) * CELL}" for x in range(left, right + 1)]
    strokes = []
    for x, y, direction in drawing.segments():
        across, up = DIRECTIONS[direction]
        (x1, y1), (x2, y2) = to_pixels(x, y), to_pixels(x + across, y + up)
        strokes.append(f"M{x1} {y1}L{x2} {y2}")
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
        f"width='{width}' height='{height}' role='img'>",
        f"<title>{escape(drawing.title)}</title>",
        f"<rect width='{width}' height='{height}' rx='12' fill='{CARD}'/>",
        f"<path d='{''.join(grid)}' stroke='{GRID}' fill='none'/>",
        f"<path d='{''.join(strokes)}' stroke='{LINE}' stroke-width='2.5' fill='none' "
        "stroke-linecap='round'/>",
    ]
    for x, y in drawing.points():
        at_x, at_y = to_pixels(x, y)
        old = (x, y) in drawing.cross
        look = f"fill='{INK}'" if old else f"fill='{CARD}' stroke='{NEW}' stroke-width='2.5'"
        parts.append(f"<circle cx='{at_x}' cy='{at_y}' r='{5 if old else 4.5}' {look}/>")
    parts.append(
        cells_group(
            "<circle data-cell='{}' cx='{}' cy='{}' r='{}'/>".format(
                point_name(x, y), *to_pixels(x, y), CELL // 2
            )
            for y in range(low, high + 1)
            for x in range(left, right + 1)
        )
    )
    return "\n".join([*parts, "</svg>"])
