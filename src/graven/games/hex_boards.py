"""Draw boards of hexagonal cells as text and as SVG.

A game describes a position as a `HexBoard`, which is independent of the rules.
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
BACKGROUND, LINE = 179, 94

CELL = 48  # distance between opposite sides of a hexagon
ROW = CELL * sqrt(3) / 2
LEFT, TOP, REST = 48, 48, 20
CELL_FILL, CELL_OUTLINE = "#ead9b5", "#a8895a"
BLACK_SIDE, WHITE_SIDE = "#2c3135", "#ffffff"


@dataclass(frozen=True)
class HexBoard:
    """A position to draw.

    `owners` has, row by row from the top, the player whose stone is in each cell, or VACANT.
    `indents` has the left margin of each row in half cells. `letters` name the columns: one for
    each cell of the first row, then one at the end of every row whose next row is longer. With
    `sides` the board's four sides have the players' colours (top and bottom: the first player's).
    `names` has the cell names, row by row.
    """

    title: str
    owners: Sequence[Sequence[int]]
    indents: Sequence[int]
    letters: Sequence[str]
    sides: bool = False
    names: Sequence[Sequence[str]] = ()

    def letter_after(self, row: int) -> str:
        """Return the letter at the end of a row, which names the column that begins below it."""
        number = len(self.owners[0]) + row
        longer = row + 1 < len(self.owners) and len(self.owners[row + 1]) > len(self.owners[row])
        return self.letters[number] if longer else ""


def as_text(board: HexBoard, colour: bool = False) -> str:
    """Return the board as text with row and column names; `colour` adds ANSI colours."""
    margin = len(str(len(board.owners)))
    above = " " * (margin + board.indents[0])
    first = board.letters[: len(board.owners[0])]
    lines = [above + "".join(f"{letter:>2}" for letter in first)]
    for row, owners in enumerate(board.owners):
        label = " " * board.indents[row] + f"{row + 1:>{margin}}"
        cells = _coloured(owners) if colour else "".join(f" {_symbol(owner)}" for owner in owners)
        lines.append(f"{label}{cells} {board.letter_after(row)}".rstrip())
    return "\n".join(lines)


def _symbol(owner: int) -> str:
    return "." if owner == VACANT else LETTERS[owner]


def _coloured(owners: Sequence[int]) -> str:
    inks = (LINE if owner == VACANT else INKS[owner] for owner in owners)
    cells = (
        f"\x1b[38;5;{ink}m {'·' if owner == VACANT else '●'}"
        for ink, owner in zip(inks, owners, strict=True)
    )
    return f"\x1b[48;5;{BACKGROUND}m{''.join(cells)} {RESET}"


def as_svg(board: HexBoard) -> str:
    """Return the board as an SVG element with coordinates and a title for screen readers."""
    ends = [indent + 2 * len(row) for indent, row in zip(board.indents, board.owners, strict=True)]
    width = LEFT + max(ends) * CELL / 2 + REST
    height = TOP + len(board.owners) * ROW + REST
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' "
        f"width='{width * PIXELS:g}' height='{height * PIXELS:g}' role='img'>",
        f"<title>{escape(board.title)}, {len(board.owners)} rows of hexagons</title>",
        f"<rect width='{width:g}' height='{height:g}' rx='12' fill='{CARD}'/>",
        GRADIENTS,
        *(_sides(board) if board.sides else ()),
        *_cells(board),
        *_names(board),
        cells_group(_circles(board)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _centre(board: HexBoard, row: int, column: int) -> tuple[float, float]:
    x = LEFT + (board.indents[row] + 2 * column + 1) * CELL / 2
    return round(x, 1), round(TOP + (row + 0.5) * ROW, 1)


def _cells(board: HexBoard) -> Iterator[str]:
    """Draw the hexagons (corner at the top) and their stones."""
    half, tall = CELL / 2, CELL / sqrt(3)
    shape = f"m0 {-tall:.1f}l{half:g} {tall / 2:.1f}v{tall:.1f}l{-half:g} {tall / 2:.1f}"
    shape += f"l{-half:g} {-tall / 2:.1f}v{-tall:.1f}z"
    every = [(row, column) for row, line in enumerate(board.owners) for column in range(len(line))]
    outlines = "".join("M{:g} {:g}".format(*_centre(board, *cell)) + shape for cell in every)
    yield f"<path d='{outlines}' fill='{CELL_FILL}' stroke='{CELL_OUTLINE}' stroke-width='1.5'/>"
    for row, column in every:
        owner = board.owners[row][column]
        if owner != VACANT:
            x, y = _centre(board, row, column)
            yield f"<circle cx='{x:g}' cy='{y:g}' r='19' fill='url(#graven-stone-{owner})'/>"


def _circles(board: HexBoard) -> Iterator[str]:
    for row, names in enumerate(board.names):
        for column, name in enumerate(names):
            x, y = _centre(board, row, column)
            yield f"<circle data-cell='{name}' cx='{x:g}' cy='{y:g}' r='{CELL // 2}'/>"


def _sides(board: HexBoard) -> Iterator[str]:
    """Draw the sides as thick lines behind the outermost cells; the first player's at the top."""
    last = len(board.owners) - 1
    ends = [(row, column) for row in (0, last) for column in (0, len(board.owners[row]) - 1)]
    upper_left, upper_right, lower_left, lower_right = (_centre(board, *end) for end in ends)
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


def _names(board: HexBoard) -> Iterator[str]:
    """Draw row numbers at the left and column letters at the top."""
    yield (
        f"<g font-family='Helvetica Neue, Helvetica, Arial, sans-serif' font-size='15' "
        f"fill='{INK}' text-anchor='middle'>"
    )
    for row, line in enumerate(board.owners):
        x, y = _centre(board, row, 0)
        yield f"<text x='{x - CELL * 0.95:g}' y='{y + 5:g}'>{row + 1}</text>"
        x, y = _centre(board, row, len(line) - 1)
        if letter := board.letter_after(row):
            yield f"<text x='{x + CELL * 0.8:g}' y='{y - CELL * 0.5:g}'>{letter}</text>"
    for letter, column in zip(board.letters, range(len(board.owners[0])), strict=False):
        x, y = _centre(board, 0, column)
        yield f"<text x='{x - CELL * 0.3:g}' y='{y - CELL * 0.72:g}'>{letter}</text>"
    yield "</g>"
