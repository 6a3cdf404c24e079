"""Breakthrough: pawns that step forward, straight or aslant, and capture aslant only."""

from __future__ import annotations

from graven.core.game import Game
from graven.games import through_game
from graven.games.boards import SizeRange
from graven.games.registry import Family, Option

# Rows forward, columns right, may it capture.
DIRECTIONS = [(1, -1, True), (1, 0, False), (1, 1, True)]

# On two columns or more the foremost pawn can always step aslant, so a player can always move.
SIZES = SizeRange(rows=(4, 26), columns=(2, 26))


def make(size: int | str = 8) -> Game:
    """Breakthrough on a board of that size."""
    return through_game.game("breakthrough", "pawns", *SIZES.parse(size), DIRECTIONS)


FAMILY = Family(
    name="breakthrough",
    summary="pawns race to the far row, stepping forward and capturing aslant",
    options={"size": Option("8x8", str(SIZES))},
    make=make,
)
