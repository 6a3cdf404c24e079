"""Boards of rows and columns as SVG pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from string import ascii_lowercase

from graven.core.errors import UsageError
from graven.drawing.palette import (
    DARK_SQUARE,
    FREE_CELL,
    GREEN,
    GREEN_LINE,
    GRID,
    INK,
    LIGHT_SQUARE,
)
from graven.drawing.pieces import PieceOrPlayer, as_piece, disc
from graven.drawing.svg_document import cells_group, document, texts

CELL = 48
LEFT, BOTTOM, REST = 34, 34, 16  # margins; the first two hold the coordinates
DISC_RADIUS = 19


@dataclass(frozen=True)
class GridLayout:
    """Where the cells of a board are. Rows are counted from the bottom, or `from_top`."""

    rows: int
    columns: int
    from_top: bool = False

    @property
    def width(self) -> int:
        """The width of the picture."""
        return LEFT + self.columns * CELL + REST

    @property
    def height(self) -> int:
        """The height of the picture."""
        return REST + self.rows * CELL + BOTTOM

    def corner(self, row: int, column: int) -> tuple[int, int]:
        """Return the upper left corner of a cell."""
        from_top = row if self.from_top else self.rows - 1 - row
        return LEFT + column * CELL, REST + from_top * CELL

    def centre(self, row: int, column: int) -> tuple[int, int]:
        """Return the centre of a cell."""
        x, y = self.corner(row, column)
        return x + CELL // 2, y + CELL // 2

    def cells(self) -> Iterator[tuple[int, int]]:
        """Yield (row, column) of every cell, row by row."""
        for row in range(self.rows):
            for column in range(self.columns):
                yield row, column

    def background(self, fill: str, outline: str) -> str:
        """Return the rectangle of the board, without cells."""
        return (
            f"<rect x='{LEFT}' y='{REST}' width='{self.columns * CELL}' "
            f"height='{self.rows * CELL}' fill='{fill}' stroke='{outline}' stroke-width='1.5'/>"
        )

    def lines(self, colour: str) -> str:
        """Return the lines between squares."""
        paths = [
            f"M{LEFT} {REST + row * CELL}h{self.columns * CELL}" for row in range(1, self.rows)
        ]
        paths += [
            f"M{LEFT + column * CELL} {REST}v{self.rows * CELL}"
            for column in range(1, self.columns)
        ]
        return f"<path d='{''.join(paths)}' stroke='{colour}' fill='none'/>"

    def chequers(self, dark_parity: int = 0) -> str:
        """Return chequered squares; the first cell of the first row is dark (parity 0) or light."""
        dark = [
            "M{} {}h{}v{}h-{}z".format(*self.corner(row, column), CELL, CELL, CELL)
            for row, column in self.cells()
            if (row + column) % 2 == dark_parity
        ]
        return "\n".join(
            [
                self.background(LIGHT_SQUARE, LIGHT_SQUARE),
                f"<path d='{''.join(dark)}' fill='{DARK_SQUARE}'/>",
                self.background("none", INK),
            ]
        )

    def labels(self, row_labels: Sequence[str], column_labels: Iterable[str]) -> str:
        """Return the names of the rows, at the left, and of the columns, at the bottom."""
        foot = REST + self.rows * CELL + BOTTOM // 2 + 6
        at_rows = [
            (LEFT // 2, self.centre(row, 0)[1] + 5, label) for row, label in enumerate(row_labels)
        ]
        at_columns = [
            (self.centre(0, column)[0], foot, label) for column, label in enumerate(column_labels)
        ]
        return texts([*at_rows, *at_columns])

    def squares(self, cells: Iterable[tuple[int, int]], fill: str, outline: str) -> str:
        """Return the squares of some cells."""
        paths = [
            "M{} {}h{}v{}h-{}z".format(*self.corner(*cell), CELL, CELL, CELL) for cell in cells
        ]
        return f"<path d='{''.join(paths)}' fill='{fill}' stroke='{outline}' stroke-width='1.5'/>"

    def cell_shapes(self, name: Callable[[int, int], str], round_cells: bool = False) -> str:
        """Return the invisible shapes of the cells: squares, or circles for points.

        A cell without a name has no shape.
        """
        shapes = []
        for row, column in self.cells():
            if not name(row, column):
                continue
            x, y = self.corner(row, column)
            half = CELL // 2
            shape = (
                f"<circle data-cell='{{}}' cx='{x + half}' cy='{y + half}' r='{half}'/>"
                if round_cells
                else f"<rect data-cell='{{}}' x='{x}' y='{y}' width='{CELL}' height='{CELL}'/>"
            )
            shapes.append(shape.format(escape(name(row, column), quote=True)))
        return cells_group(shapes)


BOARDS: dict[str, Callable[[GridLayout], str]] = {
    "plain": lambda layout: layout.background(FREE_CELL, GRID) + layout.lines(GRID),
    "chequered": GridLayout.chequers,
    "green": lambda layout: layout.background(GREEN, GREEN_LINE) + layout.lines(GREEN_LINE),
}


def grid(
    pieces: Sequence[PieceOrPlayer],
    *,
    columns: int,
    colours: Sequence[str] = ("white", "black", "red", "blue"),
    board: str = "plain",
    from_top: bool = False,
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    title: str = "",
) -> str:
    """Return a board of rows and columns as an SVG picture.

    `pieces` has one entry per cell, row by row from the bottom (or `from_top`): the number of the
    player whose piece is there, a `Piece`, or -1 or None for an empty cell. `colours` has the
    colour of each player. `board` is plain, chequered or green. Rows are labelled 1, 2, ... and
    columns a, b, ... by default. `names` has the names of the cells in move texts; the default is
    the label of the column and the label of the row, such as c4. An empty name means that the board
    has no such cell.
    """
    if columns < 1 or len(pieces) % columns:
        raise UsageError(f"{len(pieces)} cells do not make rows of {columns} columns.")
    if board not in BOARDS:
        raise UsageError(f"board must be one of {', '.join(BOARDS)}, got {board!r}.")
    layout = GridLayout(len(pieces) // columns, columns, from_top)
    if row_labels is None:
        row_labels = [str(row + 1) for row in range(layout.rows)]
    if column_labels is None:
        column_labels = [_letters(column) for column in range(columns)]
    if names is None:
        names = [f"{across}{up}" for up in row_labels for across in column_labels]
    for what, given, needed in (
        ("row_labels", row_labels, layout.rows),
        ("column_labels", column_labels, columns),
        ("names", names, len(pieces)),
    ):
        if len(given) != needed:
            raise UsageError(f"{what} must have {needed} entries, got {len(given)}.")
    cell_names = names
    shapes = [
        disc(piece, *layout.centre(*divmod(cell, columns)), DISC_RADIUS)
        for cell, value in enumerate(pieces)
        if (piece := as_piece(value, colours))
    ]
    present = [cell for cell, name in zip(layout.cells(), names, strict=True) if name]
    if board == "plain" and len(present) < len(names):
        background = layout.squares(present, FREE_CELL, GRID)
    elif board == "chequered" and present:  # of checkers, which is played on the dark squares
        background = layout.chequers(sum(present[0]) % 2)
    else:
        background = BOARDS[board](layout)
    heading = f"{title}, {layout.rows} rows by {columns} columns".removeprefix(", ")
    return document(
        heading,
        layout.width,
        layout.height,
        [
            background,
            *shapes,
            layout.labels(row_labels, column_labels),
            layout.cell_shapes(lambda row, column: cell_names[row * columns + column]),
        ],
    )


def _letters(column: int) -> str:
    """Return the name of a column: a to z, then aa, ab, ..."""
    first, last = divmod(column, len(ascii_lowercase))
    return (ascii_lowercase[first - 1] if first else "") + ascii_lowercase[last]
