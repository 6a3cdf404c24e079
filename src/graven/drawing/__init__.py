"""Draw boards as SVG pictures: of squares (`grid`), or of hexagons (`hexes`).

    from graven import drawing

    def svg(state):
        owners = [int(stone) - 1 for stone in state[:42]]  # the player of each cell, -1 if empty
        return drawing.grid(owners, columns=7, colours=("black", "white"), title="four in a row")

The picture of a game is given as `Display.svg`. The web page and notebooks show it. On the page, a
click on a cell plays the legal move whose text names that cell.
"""

from graven.drawing.grid_drawing import grid
from graven.drawing.hex_drawing import hexes
from graven.drawing.palette import COLOURS, Colour, player_colour
from graven.drawing.pieces import EMPTY, Piece

__all__ = ["COLOURS", "EMPTY", "Colour", "Piece", "grid", "hexes", "player_colour"]
