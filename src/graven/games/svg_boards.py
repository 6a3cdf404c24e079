"""Draw the boards of the package's games as SVG: one element that scales to any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from graven.drawing.grid_drawing import BOARDS, CELL, DISC_RADIUS, GridLayout
from graven.drawing.palette import (
    COLOURS,
    LINE,
    STONE_COLOURS,
    STONE_GRADIENTS,
    WOOD,
)
from graven.drawing.svg_document import document
from graven.games.boards import VACANT, SquareBoard, cell_name

STONE_RADIUS = 22
ARMIES = ("white", "black")  # the colours of the players' pieces
DOMINOES = ("navy", "orange")

# Outlines in a square of 48 x 48, standing on its lower edge, and detail lines.
PAWN = (
    "M24 8 A6.8 6.8 0 0 1 28.6 19.8 C31 20.7 32.4 22.3 32.6 24.5 H28.4 "
    "C28.8 29.5 30.5 32.5 33.5 34.8 C35.2 36.1 36 37.8 36 40 H12 "
    "C12 37.8 12.8 36.1 14.5 34.8 C17.5 32.5 19.2 29.5 19.6 24.5 H15.4 "
    "C15.6 22.3 17 20.7 19.4 19.8 A6.8 6.8 0 0 1 24 8 Z"
)
PAWN_LINES = "M15.5 35.5 H32.5"
KNIGHT = (
    "M15 40 C15 32.5 22.5 30 23.5 23.5 C21 25.5 18.8 26.2 16.6 26.4 L14 29.6 "
    "C11.5 30.2 9.5 28.8 9.2 26.4 C11.3 22 13.8 17.8 16.8 14.4 L17.2 8 "
    "L21.6 11.8 C31.5 12.2 37.5 19 37.5 29 C37.5 33.5 37 36.8 36.6 40 Z"
)
KNIGHT_LINES = "M18.5 17.6 h.1 M25.5 14.8 C31 16.8 33.8 21.5 33.6 30"

# Red and Blue have about the same lightness, so a ring and a square mark them.
STONE_MARKS = (
    "",
    "",
    "<circle cx='{x}' cy='{y}' r='9' fill='none' stroke='#fff' stroke-width='3'/>",
    "<path d='M{x} {y}m-8 -8h16v16h-16z' fill='none' stroke='#123' stroke-width='3'/>",
)


def as_svg(board: SquareBoard) -> str:
    """Return the board as an SVG element with coordinates and a title for screen readers."""
    layout = GridLayout(board.rows, board.columns, board.rows_from_top[0] == 0)
    return document(
        f"{board.title}, {board.rows} rows by {board.columns} columns",
        layout.width,
        layout.height,
        [
            *DRAWINGS[board.pieces](board, layout),
            layout.labels([str(row + 1) for row in range(board.rows)], board.letters),
            layout.cell_shapes(
                lambda row, column: cell_name(
                    row * board.columns + column, board.columns, board.letters
                ),
                round_cells=board.pieces == "stones",
            ),
        ],
    )


def _occupied(board: SquareBoard) -> Iterator[tuple[int, int, int]]:
    """Yield the owner, row and column of every piece."""
    for cell, owner in enumerate(board.owners):
        if owner != VACANT:
            yield owner, *divmod(cell, board.columns)


def _armies(board: SquareBoard, layout: GridLayout) -> Iterator[str]:
    """Draw pawns or knights on chequered squares; a1 is dark."""
    yield layout.chequers()
    outline, lines = (PAWN, PAWN_LINES) if board.pieces == "pawns" else (KNIGHT, KNIGHT_LINES)
    for owner, row, column in _occupied(board):
        x, y = layout.corner(row, column)
        fill, edge, detail = COLOURS[ARMIES[owner]]
        yield (
            f"<g transform='translate({x} {y})' stroke-width='1.6' stroke-linecap='round' "
            f"stroke-linejoin='round'><ellipse cx='24' cy='41' rx='13' ry='2.5' opacity='.2'/>"
            f"<path d='{outline}' fill='{fill}' stroke='{edge}'/>"
            f"<path d='{lines}' fill='none' stroke='{detail}'/></g>"
        )


def _stones(board: SquareBoard, layout: GridLayout) -> Iterator[str]:
    """Draw stones on the crossings of a wooden board."""
    yield STONE_GRADIENTS
    yield layout.background(WOOD, LINE)
    left, top = layout.centre(board.rows - 1, 0)
    across, down = (board.columns - 1) * CELL, (board.rows - 1) * CELL
    lines = [f"M{left} {top + row * CELL}h{across}" for row in range(board.rows)]
    lines += [f"M{left + column * CELL} {top}v{down}" for column in range(board.columns)]
    yield f"<path d='{''.join(lines)}' stroke='{LINE}' stroke-linecap='square' fill='none'/>"
    for row, column in board.star_points():
        x, y = layout.centre(row, column)
        yield f"<circle cx='{x}' cy='{y}' r='4' fill='{LINE}'/>"
    for owner, row, column in _occupied(board):
        x, y = layout.centre(row, column)
        yield (
            f"<circle cx='{x + 1.5}' cy='{y + 2.5}' r='{STONE_RADIUS}' opacity='.25'/>"
            f"<circle cx='{x}' cy='{y}' r='{STONE_RADIUS}' "
            f"fill='url(#graven-stone-{STONE_COLOURS[owner]})'/>"
            + STONE_MARKS[owner].format(x=x, y=y)
        )


def _discs(board: SquareBoard, layout: GridLayout) -> Iterator[str]:
    """Draw discs on green squares."""
    yield STONE_GRADIENTS
    yield BOARDS["green"](layout)
    for owner, row, column in _occupied(board):
        x, y = layout.centre(row, column)
        fill = f"url(#graven-stone-{STONE_COLOURS[owner]})"
        yield f"<circle cx='{x}' cy='{y}' r='{DISC_RADIUS}' fill='{fill}'/>"


def _dominoes(board: SquareBoard, layout: GridLayout) -> Iterator[str]:
    """Draw dominoes on a plain grid."""
    yield BOARDS["plain"](layout)
    for owner, first, second in board.dominoes():
        (x1, y1), (x2, y2) = (
            layout.centre(*divmod(cell, board.columns)) for cell in (first, second)
        )
        fill, edge, detail = COLOURS[DOMINOES[owner]]
        middle_x, middle_y = (x1 + x2) // 2, (y1 + y2) // 2
        bar = f"M{middle_x - 12} {middle_y}h24" if owner == 0 else f"M{middle_x} {middle_y - 12}v24"
        half = CELL // 2 - 4
        yield (
            f"<rect x='{min(x1, x2) - half}' y='{min(y1, y2) - half}' rx='8' "
            f"width='{abs(x1 - x2) + 2 * half}' height='{abs(y1 - y2) + 2 * half}' "
            f"fill='{fill}' stroke='{edge}' stroke-width='1.5'/>"
            f"<path d='{bar}' stroke='{detail}' stroke-width='2' opacity='.6' "
            f"stroke-linecap='round'/>"
            f"<circle cx='{x1}' cy='{y1}' r='4' fill='{detail}' opacity='.85'/>"
            f"<circle cx='{x2}' cy='{y2}' r='4' fill='{detail}' opacity='.85'/>"
        )


DRAWINGS: dict[str, Callable[[SquareBoard, GridLayout], Iterator[str]]] = {
    "pawns": _armies,
    "knights": _armies,
    "stones": _stones,
    "dominoes": _dominoes,
    "discs": _discs,
}
