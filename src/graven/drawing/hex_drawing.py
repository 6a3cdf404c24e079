"""Boards of hexagonal cells as SVG pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import sqrt

from graven.core.errors import UsageError
from graven.drawing.palette import (
    HEXAGON,
    HEXAGON_LINE,
    STONE_COLOURS,
    STONE_GRADIENTS,
    find_colour,
)
from graven.drawing.pieces import Piece, PieceOrPlayer, as_piece, disc
from graven.drawing.svg_document import cells_group, document, texts

CELL = 48  # distance between opposite sides of a hexagon
ROW = CELL * sqrt(3) / 2
LEFT, TOP, REST = 48, 48, 20
STONE_RADIUS = 19


@dataclass(frozen=True)
class HexLayout:
    """Where the cells are: the number of cells and the left margin in half cells of each row."""

    lengths: Sequence[int]
    indents: Sequence[int]

    @property
    def width(self) -> float:
        """The width of the picture."""
        ends = [
            indent + 2 * length for indent, length in zip(self.indents, self.lengths, strict=True)
        ]
        return LEFT + max(ends) * CELL / 2 + REST

    @property
    def height(self) -> float:
        """The height of the picture."""
        return TOP + len(self.lengths) * ROW + REST

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """Return the centre of a cell."""
        x = LEFT + (self.indents[row] + 2 * column + 1) * CELL / 2
        return round(x, 1), round(TOP + (row + 0.5) * ROW, 1)

    def cells(self) -> Iterator[tuple[int, int]]:
        """Yield (row, column) of every cell, row by row from the top."""
        for row, length in enumerate(self.lengths):
            for column in range(length):
                yield row, column

    def hexagons(self) -> str:
        """Return the outlines of the cells, each with a corner at the top."""
        outlines = "".join(f"M{self._corners(*cell).replace(' ', 'L')}z" for cell in self.cells())
        return f"<path d='{outlines}' fill='{HEXAGON}' stroke='{HEXAGON_LINE}' stroke-width='1.5'/>"

    def cell_shapes(self, name: Callable[[int, int], str]) -> str:
        """Return the invisible shapes of the cells."""
        return cells_group(
            f"<polygon data-cell='{escape(name(*cell), quote=True)}' "
            f"points='{self._corners(*cell)}'/>"
            for cell in self.cells()
        )

    def _corners(self, row: int, column: int) -> str:
        x, y = self.centre(row, column)
        half, tall = CELL / 2, CELL / sqrt(3)
        corners = (
            (0, -tall),
            (half, -tall / 2),
            (half, tall / 2),
            (0, tall),
            (-half, tall / 2),
            (-half, -tall / 2),
        )
        return " ".join(f"{x + across:.1f},{y + down:.1f}" for across, down in corners)

    def sides(self, colours: Sequence[str]) -> str:
        """Return the four sides as thick lines: top and bottom in the first colour."""
        last = len(self.lengths) - 1
        ends = [(row, column) for row in (0, last) for column in (0, self.lengths[row] - 1)]
        upper_left, upper_right, lower_left, lower_right = (self.centre(*end) for end in ends)
        first, second = (find_colour(colour).fill for colour in colours[:2])
        strokes = (
            (upper_left, upper_right, first, 0, -CELL / 3),
            (lower_left, lower_right, first, 0, CELL / 3),
            (upper_left, lower_left, second, -CELL / 3, 0),
            (upper_right, lower_right, second, CELL / 3, 0),
        )
        return "".join(
            f"<path d='M{x1 + aside:g} {y1 + down:g}L{x2 + aside:g} {y2 + down:g}' "
            f"stroke='{fill}' stroke-width='{CELL * 0.8:g}' stroke-linecap='round'/>"
            for (x1, y1), (x2, y2), fill, aside, down in strokes
        )

    def labels(self, column_letters: Sequence[str]) -> str:
        """Return row numbers at the left and column letters at the top.

        There is a letter for each cell of the first row, then one at the end of every row whose
        next row is longer.
        """
        entries = []
        for row, length in enumerate(self.lengths):
            x, y = self.centre(row, 0)
            entries.append((x - CELL * 0.95, y + 5, str(row + 1)))
            x, y = self.centre(row, length - 1)
            if letter := letter_after(self.lengths, column_letters, row):
                entries.append((x + CELL * 0.8, y - CELL * 0.5, letter))
        for column, letter in enumerate(column_letters[: self.lengths[0]]):
            x, y = self.centre(0, column)
            entries.append((x - CELL * 0.3, y - CELL * 0.72, letter))
        return texts(entries)


def letter_after(lengths: Sequence[int], column_letters: Sequence[str], row: int) -> str:
    """Return the letter at the end of a row, which names the column that begins below it."""
    number = lengths[0] + row
    longer = row + 1 < len(lengths) and lengths[row + 1] > lengths[row]
    return column_letters[number] if longer and number < len(column_letters) else ""


def hexes(
    rows: Sequence[Sequence[PieceOrPlayer]],
    *,
    names: Sequence[Sequence[str]],
    indents: Sequence[int] | None = None,
    colours: Sequence[str] = ("black", "white", "red", "blue"),
    column_letters: Sequence[str] = (),
    sides: bool = False,
    title: str = "",
) -> str:
    """Return a board of hexagons as an SVG picture.

    `rows` has the cells of each row, from the top: the number of the player whose piece is there, a
    `Piece`, or -1 or None for an empty cell. `names` has their names in move texts. `indents` has
    the left margin of each row in half cells; by default every row starts half a cell further right
    than the one above, as in Hex. `colours` has the colour of each player. With `sides` the four
    sides of the board have the colours of the first two players: top and bottom those of the first.
    """
    lengths = [len(row) for row in rows]
    if not lengths or not all(lengths):
        raise UsageError("a board of hexagons needs at least one row, and no row may be empty.")
    if [len(row) for row in names] != lengths:
        raise UsageError("names must have as many entries in each row as the board has cells.")
    layout = HexLayout(lengths, list(range(len(rows))) if indents is None else indents)
    if len(layout.indents) != len(rows):
        raise UsageError(f"indents must have {len(rows)} entries, got {len(layout.indents)}.")
    shapes = [
        _stone(piece, *layout.centre(row, column))
        for row, column in layout.cells()
        if (piece := as_piece(rows[row][column], colours))
    ]
    return document(
        f"{title}, {len(rows)} rows of hexagons".removeprefix(", "),
        layout.width,
        layout.height,
        [
            STONE_GRADIENTS,
            *([layout.sides(colours)] if sides else ()),
            layout.hexagons(),
            *shapes,
            layout.labels(column_letters),
            layout.cell_shapes(lambda row, column: names[row][column]),
        ],
    )


def _stone(piece: Piece, x: float, y: float) -> str:
    if piece.text or piece.colour not in STONE_COLOURS:
        return disc(piece, x, y, STONE_RADIUS)
    fill = f"url(#graven-stone-{piece.colour})"
    return f"<circle cx='{x:g}' cy='{y:g}' r='{STONE_RADIUS}' fill='{fill}'/>"
