"""Draw boards as SVG: one self-contained element that scales to any size.

The players' pieces differ in lightness and not only in hue, so that pictures are readable in
greyscale and by colour-blind readers.

Every picture ends with one invisible shape per cell. Its `data-cell` attribute is the cell's name
as in move texts, so that a web page can map pointer positions to cells and draw on the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from graven.games.boards import VACANT, SquareBoard, cell_name

CELL = 48
LEFT, BOTTOM, REST = 34, 34, 16  # margins; the first two hold the coordinates
PIXELS = 0.8  # default size of a drawing unit in CSS pixels

CARD, INK = "#faf9f6", "#5b646b"
LIGHT_SQUARE, DARK_SQUARE = "#e8ebe6", "#93a9ae"
WOOD, LINE = "#e2b973", "#6d4c22"
GREEN, GREEN_LINE = "#4e9a6b", "#2f6b47"
FREE_CELL, GRID = "#f1efe8", "#cfcabd"

# For each player's pieces: fill, outline and detail colour.
ARMIES = (("#fffdf6", "#30363b", "#30363b"), ("#343b41", "#14181b", "#cfd6da"))
DOMINOES = (("#1f5f99", "#123e66", "#ffffff"), ("#f2ab3c", "#a86a0c", "#4a2e00"))

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

GRADIENTS = """<defs>
<radialGradient id='graven-stone-0' cx='.36' cy='.3' r='.75'>
<stop offset='0' stop-color='#70777c'/><stop offset='.45' stop-color='#2c3135'/>
<stop offset='1' stop-color='#0c0e10'/></radialGradient>
<radialGradient id='graven-stone-1' cx='.36' cy='.3' r='.8'>
<stop offset='0' stop-color='#ffffff'/><stop offset='.6' stop-color='#f3f1ea'/>
<stop offset='1' stop-color='#c2beb2'/></radialGradient>
<radialGradient id='graven-stone-2' cx='.36' cy='.3' r='.8'>
<stop offset='0' stop-color='#e88a7d'/><stop offset='.5' stop-color='#c0392b'/>
<stop offset='1' stop-color='#7d1f15'/></radialGradient>
<radialGradient id='graven-stone-3' cx='.36' cy='.3' r='.8'>
<stop offset='0' stop-color='#b9d7f2'/><stop offset='.5' stop-color='#6fa8dc'/>
<stop offset='1' stop-color='#3a6ea5'/></radialGradient>
</defs>"""

# Red and Blue have about the same lightness, so a ring and a square mark them.
STONE_MARKS = (
    "",
    "",
    "<circle cx='{x}' cy='{y}' r='9' fill='none' stroke='#fff' stroke-width='3'/>",
    "<path d='M{x} {y}m-8 -8h16v16h-16z' fill='none' stroke='#123' stroke-width='3'/>",
)


def as_svg(board: SquareBoard) -> str:
    """Return the board as an SVG element with coordinates and a title for screen readers."""
    draw = {
        "pawns": _armies,
        "knights": _armies,
        "stones": _stones,
        "dominoes": _dominoes,
        "discs": _discs,
    }
    width = LEFT + board.columns * CELL + REST
    height = REST + board.rows * CELL + BOTTOM
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
        f"width='{width * PIXELS:g}' height='{height * PIXELS:g}' role='img'>",
        f"<title>{escape(board.title)}, {board.rows} rows by {board.columns} columns</title>",
        f"<rect width='{width}' height='{height}' rx='12' fill='{CARD}'/>",
        *draw[board.pieces](board),
        *_coordinates(board),
        cells_group(_squares(board)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def cells_group(shapes: Iterable[str]) -> str:
    """Return the group of a picture's invisible cell shapes."""
    return f"<g class='graven-cells' fill='none' pointer-events='all'>{''.join(shapes)}</g>"


def _squares(board: SquareBoard) -> Iterator[str]:
    for cell in range(board.rows * board.columns):
        x, y = _corner(board, *divmod(cell, board.columns))
        name = cell_name(cell, board.columns, board.letters)
        yield f"<rect data-cell='{name}' x='{x}' y='{y}' width='{CELL}' height='{CELL}'/>"


def _corner(board: SquareBoard, row: int, column: int) -> tuple[int, int]:
    """Return the upper left corner of a cell."""
    return LEFT + column * CELL, REST + board.rows_from_top.index(row) * CELL


def _centre(board: SquareBoard, row: int, column: int) -> tuple[int, int]:
    x, y = _corner(board, row, column)
    return x + CELL // 2, y + CELL // 2


def _coordinates(board: SquareBoard) -> Iterator[str]:
    """Draw row numbers at the left and column letters at the bottom."""
    yield (
        f"<g font-family='Helvetica Neue, Helvetica, Arial, sans-serif' font-size='15' "
        f"fill='{INK}' text-anchor='middle'>"
    )
    for row in range(board.rows):
        yield f"<text x='{LEFT // 2}' y='{_centre(board, row, 0)[1] + 5}'>{row + 1}</text>"
    foot = REST + board.rows * CELL + BOTTOM // 2 + 6
    for column, letter in enumerate(board.letters):
        yield f"<text x='{_centre(board, 0, column)[0]}' y='{foot}'>{letter}</text>"
    yield "</g>"


def _background(board: SquareBoard, fill: str, outline: str) -> str:
    """Return the rectangle of the board, without cells."""
    return (
        f"<rect x='{LEFT}' y='{REST}' width='{board.columns * CELL}' "
        f"height='{board.rows * CELL}' fill='{fill}' stroke='{outline}' stroke-width='1.5'/>"
    )


def _occupied(board: SquareBoard) -> Iterator[tuple[int, int, int]]:
    """Yield the owner, row and column of every piece."""
    for cell, owner in enumerate(board.owners):
        if owner != VACANT:
            yield owner, *divmod(cell, board.columns)


def _armies(board: SquareBoard) -> Iterator[str]:
    """Draw pawns or knights on chequered squares; a1 is dark."""
    yield _background(board, LIGHT_SQUARE, LIGHT_SQUARE)
    dark = [
        "M{} {}h{}v{}h-{}z".format(*_corner(board, row, column), CELL, CELL, CELL)
        for row in range(board.rows)
        for column in range(board.columns)
        if (row + column) % 2 == 0
    ]
    yield f"<path d='{''.join(dark)}' fill='{DARK_SQUARE}'/>"
    yield _background(board, "none", INK)
    outline, lines = (PAWN, PAWN_LINES) if board.pieces == "pawns" else (KNIGHT, KNIGHT_LINES)
    for owner, row, column in _occupied(board):
        x, y = _corner(board, row, column)
        fill, edge, detail = ARMIES[owner]
        yield (
            f"<g transform='translate({x} {y})' stroke-width='1.6' stroke-linecap='round' "
            f"stroke-linejoin='round'><ellipse cx='24' cy='41' rx='13' ry='2.5' opacity='.2'/>"
            f"<path d='{outline}' fill='{fill}' stroke='{edge}'/>"
            f"<path d='{lines}' fill='none' stroke='{detail}'/></g>"
        )


def _stones(board: SquareBoard) -> Iterator[str]:
    """Draw stones on the crossings of a wooden board."""
    yield GRADIENTS
    yield _background(board, WOOD, LINE)
    left, top = _centre(board, board.rows - 1, 0)
    across, down = (board.columns - 1) * CELL, (board.rows - 1) * CELL
    lines = [f"M{left} {top + row * CELL}h{across}" for row in range(board.rows)]
    lines += [f"M{left + column * CELL} {top}v{down}" for column in range(board.columns)]
    yield f"<path d='{''.join(lines)}' stroke='{LINE}' stroke-linecap='square' fill='none'/>"
    for row, column in board.star_points():
        x, y = _centre(board, row, column)
        yield f"<circle cx='{x}' cy='{y}' r='4' fill='{LINE}'/>"
    for owner, row, column in _occupied(board):
        x, y = _centre(board, row, column)
        yield (
            f"<circle cx='{x + 1.5}' cy='{y + 2.5}' r='22' opacity='.25'/>"
            f"<circle cx='{x}' cy='{y}' r='22' fill='url(#graven-stone-{owner})'/>"
            + STONE_MARKS[owner].format(x=x, y=y)
        )


def _discs(board: SquareBoard) -> Iterator[str]:
    """Draw discs on green squares."""
    yield GRADIENTS
    yield _background(board, GREEN, GREEN_LINE)
    yield _grid(board, GREEN_LINE)
    for owner, row, column in _occupied(board):
        x, y = _centre(board, row, column)
        yield f"<circle cx='{x}' cy='{y}' r='19' fill='url(#graven-stone-{owner})'/>"


def _grid(board: SquareBoard, line: str) -> str:
    """Return the lines between squares."""
    lines = [f"M{LEFT} {REST + row * CELL}h{board.columns * CELL}" for row in range(1, board.rows)]
    lines += [
        f"M{LEFT + column * CELL} {REST}v{board.rows * CELL}" for column in range(1, board.columns)
    ]
    return f"<path d='{''.join(lines)}' stroke='{line}' fill='none'/>"


def _dominoes(board: SquareBoard) -> Iterator[str]:
    """Draw dominoes on a plain grid."""
    yield _background(board, FREE_CELL, GRID)
    yield _grid(board, GRID)
    for owner, first, second in board.dominoes():
        (x1, y1), (x2, y2) = (
            _centre(board, *divmod(cell, board.columns)) for cell in (first, second)
        )
        fill, edge, detail = DOMINOES[owner]
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
