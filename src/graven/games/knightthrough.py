"""Knightthrough: Breakthrough with knights that only jump forward."""

from __future__ import annotations

from graven.core.game import Game
from graven.games import through_game
from graven.games.boards import SizeRange
from graven.games.registry import Family, Option

# Rows forward, columns right, may it capture.
DIRECTIONS = [(1, -2, True), (2, -1, True), (2, 1, True), (1, 2, True)]

# On four columns or more the foremost knight can always jump two columns aside and one row on,
# so a player can always move.
SIZES = SizeRange(rows=(4, 26), columns=(4, 26))


def make(size: int | str = 8) -> Game:
    """Knightthrough on a board of that size."""
    return through_game.game("knightthrough", "knights", *SIZES.parse(size), DIRECTIONS)


FAMILY = Family(
    name="knightthrough",
    summary="knights that only jump forward race to the far row",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
