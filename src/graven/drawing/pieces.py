"""Pieces as users give them: a player's number, or a `Piece` with its own colour and text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import SupportsInt

from graven.core.errors import UsageError
from graven.drawing.palette import find_colour

EMPTY = -1
FONT = "Helvetica Neue, Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Piece:
    """A disc with an optional short text. `colour` is a name in `COLOURS`, or a CSS colour."""

    colour: str
    text: str = ""


PieceOrPlayer = Piece | SupportsInt | None


def as_piece(value: PieceOrPlayer, colours: Sequence[str]) -> Piece | None:
    """Return the piece that a value stands for; None for an empty cell."""
    if value is None or isinstance(value, Piece):
        return value
    player = int(value)
    if player < 0:
        return None
    if player >= len(colours):
        raise UsageError(
            f"there is no colour for player {player}: got {len(colours)} colours; players are "
            "counted from 0, and -1 is an empty cell."
        )
    return Piece(colours[player])


def disc(piece: Piece, x: float, y: float, radius: float) -> str:
    """Return the SVG shapes of a piece."""
    fill, edge, ink = find_colour(piece.colour)
    drawing = (
        f"<circle class='graven-piece' cx='{x:g}' cy='{y:g}' r='{radius:g}' fill='{escape(fill)}' "
        f"stroke='{edge}' stroke-width='1.5'/>"
    )
    if piece.text:
        length = sum(character.isprintable() for character in piece.text)
        size = radius * (1.35 if length == 1 else 1.0 if length == 2 else 0.7)
        drawing += (
            f"<text x='{x:g}' y='{y + size * 0.36:g}' font-family='{FONT}' font-weight='600' "
            f"font-size='{size:g}' fill='{ink}' text-anchor='middle'>{escape(piece.text)}</text>"
        )
    return drawing
