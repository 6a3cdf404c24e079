"""Boards of hexagonal cells as text and as SVG pictures.

A game describes its position as a `Honeycomb`, which knows no rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import sqrt

from graven.games.boards import RESET, VACANT
from graven.games.svg_boards import CARD, GRADIENTS, INK, PIXELS, cells_group

LETTERS = "XO"
INKS = (16, 231)
GROUND, LINE = 179, 94

CELL = 48  # from one side of a hexagon to the opposite one
ROW = CELL * sqrt(3) / 2
LEFT, TOP, REST = 48, 48, 20
COMB, COMB_LINE = "#ead9b5", "#a8895a"
BLACK_SIDE, WHITE_SIDE = "#2c3135", "#ffffff"


@dataclass(frozen=True)
class Honeycomb:
    """A position as it looks.

    `lines` holds, row by row from the top, whose stone is in each cell, or VACANT; `indents` how
    many halves of a cell each row begins to the right. `letters` name the columns: the first row's
    cells, and then one more at the end of each following row where it gets longer. With `sides` the
    board's four sides are drawn as the players' own: top and bottom the first's. `names` are the
    cells' own, row by row.
    """

    title: str
    lines: Sequence[Sequence[int]]
    indents: Sequence[int]
    letters: Sequence[str]
    sides: bool = False
    names: Sequence[Sequence[str]] = ()

    def letter_after(self, row: int) -> str:
        """The letter beside the end of a row, which names a column that begins below it."""
        number = len(self.lines[0]) + row
        longer = row + 1 < len(self.lines) and len(self.lines[row + 1]) > len(self.lines[row])
        return self.letters[number] if longer else ""


def as_text(comb: Honeycomb, colour: bool = False) -> str:
    """The board as text, with the names of rows and columns; with ANSI colours if asked."""
    margin = len(str(len(comb.lines)))
    above = " " * (margin + comb.indents[0])
    first = comb.letters[: len(comb.lines[0])]
    lines = [above + "".join(f"{letter:>2}" for letter in first)]
    for row, owners in enumerate(comb.lines):
        label = " " * comb.indents[row] + f"{row + 1:>{margin}}"
        cells = _coloured(owners) if colour else "".join(f" {_symbol(owner)}" for owner in owners)
        lines.append(f"{label}{cells} {comb.letter_after(row)}".rstrip())
    return "\n".join(lines)


def _symbol(owner: int) -> str:
    return "." if owner == VACANT else LETTERS[owner]


def _coloured(owners: Sequence[int]) -> str:
    inks = (LINE if owner == VACANT else INKS[owner] for owner in owners)
    cells = (
        f"\x1b[38;5;{ink}m {'·' if owner == VACANT else '●'}"
        for ink, owner in zip(inks, owners, strict=True)
    )
    return f"\x1b[48;5;{GROUND}m{''.join(cells)} {RESET}"


def as_svg(comb: Honeycomb) -> str:
    """The board as an SVG element, with coordinates and a title for screen readers."""
    ends = [indent + 2 * len(row) for indent, row in zip(comb.indents, comb.lines, strict=True)]
    width = LEFT + max(ends) * CELL / 2 + REST
    height = TOP + len(comb.lines) * ROW + REST
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' "
        f"width='{width * PIXELS:g}' height='{height * PIXELS:g}' role='img'>",
        f"<title>{escape(comb.title)}, {len(comb.lines)} rows of hexagons</title>",
        f"<rect width='{width:g}' height='{height:g}' rx='12' fill='{CARD}'/>",
        GRADIENTS,
        *(_sides(comb) if comb.sides else ()),
        *_cells(comb),
        *_names(comb),
        cells_group(_circles(comb)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _centre(comb: Honeycomb, row: int, column: int) -> tuple[float, float]:
    x = LEFT + (comb.indents[row] + 2 * column + 1) * CELL / 2
    return round(x, 1), round(TOP + (row + 0.5) * ROW, 1)


def _cells(comb: Honeycomb) -> Iterator[str]:
    """Hexagons that stand on a corner, and the stones in them."""
    half, tall = CELL / 2, CELL / sqrt(3)
    shape = f"m0 {-tall:.1f}l{half:g} {tall / 2:.1f}v{tall:.1f}l{-half:g} {tall / 2:.1f}"
    shape += f"l{-half:g} {-tall / 2:.1f}v{-tall:.1f}z"
    every = [(row, column) for row, line in enumerate(comb.lines) for column in range(len(line))]
    outlines = "".join("M{:g} {:g}".format(*_centre(comb, *cell)) + shape for cell in every)
    yield f"<path d='{outlines}' fill='{COMB}' stroke='{COMB_LINE}' stroke-width='1.5'/>"
    for row, column in every:
        owner = comb.lines[row][column]
        if owner != VACANT:
            x, y = _centre(comb, row, column)
            yield f"<circle cx='{x:g}' cy='{y:g}' r='19' fill='url(#graven-stone-{owner})'/>"


def _circles(comb: Honeycomb) -> Iterator[str]:
    for row, names in enumerate(comb.names):
        for column, name in enumerate(names):
            x, y = _centre(comb, row, column)
            yield f"<circle data-cell='{name}' cx='{x:g}' cy='{y:g}' r='{CELL // 2}'/>"


def _sides(comb: Honeycomb) -> Iterator[str]:
    """Thick lines behind the outermost cells: the first player's above and below."""
    last = len(comb.lines) - 1
    ends = [(row, column) for row in (0, last) for column in (0, len(comb.lines[row]) - 1)]
    upper_left, upper_right, lower_left, lower_right = (_centre(comb, *end) for end in ends)
    strokes = (
        (upper_left, upper_right, BLACK_SIDE, 0, -CELL / 3),
        (lower_left, lower_right, BLACK_SIDE, 0, CELL / 3),
        (upper_left, lower_left, WHITE_SIDE, -CELL / 3, 0),
        (upper_right, lower_right, WHITE_SIDE, CELL / 3, 0),
    )
    for (x1, y1), (x2, y2), fill, aside, down in strokes:
        yield (
            f"<path d='M{x1 + aside:g} {y1 + down:g}L{x2 + aside:g} {y2 + down:g}' "
            f"stroke='{fill}' stroke-width='{CELL * 0.8:g}' stroke-linecap='round'/>"
        )


def _names(comb: Honeycomb) -> Iterator[str]:
    """Numbers at the left of the rows, letters above the columns."""
    yield (
        f"<g font-family='Helvetica Neue, Helvetica, Arial, sans-serif' font-size='15' "
        f"fill='{INK}' text-anchor='middle'>"
    )
    for row, line in enumerate(comb.lines):
        x, y = _centre(comb, row, 0)
        yield f"<text x='{x - CELL * 0.95:g}' y='{y + 5:g}'>{row + 1}</text>"
        x, y = _centre(comb, row, len(line) - 1)
        if letter := comb.letter_after(row):
            yield f"<text x='{x + CELL * 0.8:g}' y='{y - CELL * 0.5:g}'>{letter}</text>"
    for letter, column in zip(comb.letters, range(len(comb.lines[0])), strict=False):
        x, y = _centre(comb, 0, column)
        yield f"<text x='{x - CELL * 0.3:g}' y='{y - CELL * 0.72:g}'>{letter}</text>"
    yield "</g>"
