"""The parts that all pictures have: the document, its texts, and its named cells.

Every picture ends with one invisible shape per cell. Its `data-cell` attribute is the cell's name
as in move texts, so that a web page can map pointer positions to cells and draw on the board.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from graven.drawing.palette import CARD, INK
from graven.drawing.pieces import FONT

PIXELS = 0.8  # default size of a drawing unit in CSS pixels


def document(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """Return a picture with a title for screen readers."""
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' "
            f"width='{width * PIXELS:g}' height='{height * PIXELS:g}' role='img'>",
            f"<title>{escape(title)}</title>",
            f"<rect width='{width:g}' height='{height:g}' rx='12' fill='{CARD}'/>",
            *parts,
            "</svg>\n",
        ]
    )


def texts(entries: Iterable[tuple[float, float, str]]) -> str:
    """Return a group of coordinates: x, y and text of each."""
    return "\n".join(
        [
            f"<g font-family='{FONT}' font-size='15' fill='{INK}' text-anchor='middle'>",
            *(f"<text x='{x:g}' y='{y:g}'>{escape(text)}</text>" for x, y, text in entries),
            "</g>",
        ]
    )


def cells_group(shapes: Iterable[str]) -> str:
    """Return the group of a picture's invisible cell shapes."""
    return f"<g class='graven-cells' fill='none' pointer-events='all'>{''.join(shapes)}</g>"
