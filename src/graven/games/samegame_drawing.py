"""Draw a SameGame board as text and as SVG."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from graven.drawing.svg_document import cells_group
from graven.games.boards import RESET, SQUARE_LETTERS

CELL, LEFT, BOTTOM, REST = 32, 28, 28, 12
CARD, GROUND, INK = "#faf9f6", "#ece9e0", "#5b646b"
# Background and digit of each colour: in a picture, and as ANSI 256-colour codes.
FILLS = (
    ("#6b7278", "#ffffff"),
    ("#c0392b", "#ffffff"),
    ("#2471a3", "#ffffff"),
    ("#f4d03f", "#3a2f00"),
    ("#1e8449", "#ffffff"),
    ("#8e5ea8", "#ffffff"),
    ("#f39c5a", "#3a1d00"),
    ("#7fd1c7", "#06302c"),
    ("#f5b7d0", "#3d0f22"),
    ("#4a3728", "#ffffff"),
)
INKS = (
    (241, 231),
    (160, 231),
    (25, 231),
    (220, 16),
    (28, 231),
    (97, 231),
    (209, 16),
    (80, 16),
    (218, 16),
    (94, 231),
)


def as_text(grid: NDArray[np.int64], title: str, colour: bool) -> str:
    """Return one digit per block; `grid` has the bottom row first, -1 for empty cells."""
    rows, columns = grid.shape
    margin = len(str(rows))
    lines = [title]
    for row in reversed(range(rows)):
        cells = ""
        for block in grid[row]:
            text = f" {block}" if block >= 0 else " ."
            if colour and block >= 0:
                background, ink = INKS[block]
                text = f"\x1b[48;5;{background};38;5;{ink}m{text}{RESET}"
            cells += text
        lines.append(f"{row + 1:>{margin}}{cells}")
    lines.append(" " * margin + "".join(f" {letter}" for letter in SQUARE_LETTERS[:columns]))
    return "\n".join(lines)


def as_svg(grid: NDArray[np.int64], title: str, groups: NDArray[np.int64]) -> str:
    """Return an SVG element of coloured blocks, with digits for colour-blind readers.

    `groups` has for each block of `grid` the cell (column by column) that identifies its group.
    """
    rows, columns = grid.shape
    cells = []
    width, height = LEFT + columns * CELL + REST, REST + rows * CELL + BOTTOM
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
        f"width='{width}' height='{height}' role='img'>",
        f"<title>SameGame: {escape(title)}</title>",
        f"<rect width='{width}' height='{height}' rx='12' fill='{CARD}'/>",
        f"<rect x='{LEFT}' y='{REST}' width='{columns * CELL}' height='{rows * CELL}' "
        f"fill='{GROUND}'/>",
        "<g font-family='Helvetica Neue, Helvetica, Arial, sans-serif' font-size='13' "
        "text-anchor='middle'>",
    ]
    for row in range(rows):
        middle = REST + (rows - 1 - row) * CELL + CELL // 2
        parts.append(f"<text x='{LEFT // 2}' y='{middle + 5}' fill='{INK}'>{row + 1}</text>")
        for column in range(columns):
            block = grid[row, column]
            if block >= 0:
                fill, ink = FILLS[block]
                x, y = LEFT + column * CELL, middle - CELL // 2
                parts.append(
                    f"<rect x='{x + 1}' y='{y + 1}' width='{CELL - 2}' height='{CELL - 2}' "
                    f"rx='6' fill='{fill}'/><text x='{x + CELL // 2}' y='{middle + 5}' "
                    f"fill='{ink}'>{block}</text>"
                )
                across, up = divmod(int(groups[row, column]), rows)
                cells.append(
                    f"<rect data-cell='{SQUARE_LETTERS[across]}{up + 1}' x='{x}' y='{y}' "
                    f"width='{CELL}' height='{CELL}'/>"
                )
    for column in range(columns):
        x = LEFT + column * CELL + CELL // 2
        foot = height - BOTTOM // 2 + 6
        parts.append(f"<text x='{x}' y='{foot}' fill='{INK}'>{SQUARE_LETTERS[column]}</text>")
    return "\n".join([*parts, "</g>", cells_group(cells), "</svg>"])
