"""Knightthrough: Breakthrough with knights that jump only forward."""

from __future__ import annotations

from graven.core.game import Game
from graven.games import through_game
from graven.games.boards import SizeRange
from graven.games.registry import Family, GameOption
from graven.games.through_rules import Direction

DIRECTIONS = [
    Direction(1, -2, True),
    Direction(2, -1, True),
    Direction(2, 1, True),
    Direction(1, 2, True),
]

# With four or more columns the most advanced knight can always jump one row ahead and two columns
# aside, so a player always has a legal move.
SIZES = SizeRange(rows=(4, 26), columns=(4, 26))


def make(size: int | str = 8) -> Game:
    """Return Knightthrough on a board of this size."""
    return through_game.game(
        "knightthrough", pieces="knights", size=SIZES.parse(size), directions=DIRECTIONS
    )


FAMILY = Family(
    name="knightthrough",
    summary="knights that jump only forward race to the far row",
    options={"size": GameOption("8x8", str(SIZES))},
    make=make,
)
