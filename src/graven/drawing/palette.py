"""Colours of boards and pieces.

The first two colours of players differ in lightness and not only in hue, so that pictures are
readable in greyscale and by colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

CARD, INK = "#faf9f6", "#5b646b"  # the background of a picture, and its text
LIGHT_SQUARE, DARK_SQUARE = "#e8ebe6", "#93a9ae"
WOOD, LINE = "#e2b973", "#6d4c22"
GREEN, GREEN_LINE = "#4e9a6b", "#2f6b47"
FREE_CELL, GRID = "#f1efe8", "#cfcabd"
HEXAGON, HEXAGON_LINE = "#ead9b5", "#a8895a"


class Colour(NamedTuple):
    """The colours of a piece: its fill, its outline, and text or lines on it."""

    fill: str
    edge: str
    ink: str


COLOURS = {
    "white": Colour("#fffdf6", "#30363b", "#1d2429"),
    "black": Colour("#343b41", "#14181b", "#ffffff"),
    "red": Colour("#c0392b", "#7d1f15", "#ffffff"),
    "blue": Colour("#6fa8dc", "#3a6ea5", "#0c2033"),
    "green": Colour("#3f8f5b", "#24583a", "#ffffff"),
    "yellow": Colour("#f4cf4c", "#a07f10", "#3a2e00"),
    "orange": Colour("#f2ab3c", "#a86a0c", "#4a2e00"),
    "purple": Colour("#7a4a94", "#4c2a60", "#ffffff"),
    "navy": Colour("#1f5f99", "#123e66", "#ffffff"),
    "grey": Colour("#b9bcb8", "#6b7278", "#1d2429"),
}
# Names of players that mean a colour.
PLAYER_COLOURS = {
    **{name: name for name in COLOURS},
    "light": "white",
    "dark": "black",
    "vertical": "navy",
    "horizontal": "orange",
}
SEAT_COLOURS = ("white", "black", "red", "blue", "green", "yellow", "purple", "orange")


def find_colour(text: str) -> Colour:
    """Return a colour by its name in `COLOURS`, or the colour of a CSS text such as `#0a7`."""
    return COLOURS.get(text.lower()) or Colour(text, "#30363b", "#1d2429")


def player_colour(names: Iterable[str], player: int) -> str:
    """Return the name of a player's colour: that of its name, if it has one, or of its seat.

    A seat's colour is not one that another player is named after.
    """
    named = [PLAYER_COLOURS.get(name.lower()) for name in names]
    own = named[player]
    if own is not None:
        return own
    free = [colour for colour in SEAT_COLOURS if colour not in named]
    return free[named[:player].count(None) % len(free)]


def _gradient(name: str, lit: str, body: str, shade: str) -> str:
    return (
        f"<radialGradient id='graven-stone-{name}' cx='.36' cy='.3' r='.8'>"
        f"<stop offset='0' stop-color='{lit}'/><stop offset='.5' stop-color='{body}'/>"
        f"<stop offset='1' stop-color='{shade}'/></radialGradient>"
    )


STONE_COLOURS = ("black", "white", "red", "blue")
# Definitions of the round look of stones: `fill='url(#graven-stone-black)'`.
STONE_GRADIENTS = "\n".join(
    [
        "<defs>",
        _gradient("black", "#70777c", "#2c3135", "#0c0e10"),
        _gradient("white", "#ffffff", "#f3f1ea", "#c2beb2"),
        _gradient("red", "#e88a7d", "#c0392b", "#7d1f15"),
        _gradient("blue", "#b9d7f2", "#6fa8dc", "#3a6ea5"),
        "</defs>",
    ]
)
