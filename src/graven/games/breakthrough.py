"""Breakthrough: pawns move forward, straight or diagonally, and capture only diagonally."""

from __future__ import annotations

from graven.core.game import Game
from graven.games import breakthrough_hooks, through_game
from graven.games.boards import SizeRange
from graven.games.registry import Family, GameOption
from graven.games.through_rules import Direction

DIRECTIONS = [Direction(1, -1, True), Direction(1, 0, False), Direction(1, 1, True)]

# With two or more columns the most advanced pawn can always move diagonally, so a player always
# has a legal move.
SIZES = SizeRange(rows=(4, 26), columns=(2, 26))


def make(size: int | str = 8) -> Game:
    """Return Breakthrough on a board of this size."""
    return through_game.game(
        "breakthrough",
        pieces="pawns",
        size=SIZES.parse(size),
        directions=DIRECTIONS,
        prior=breakthrough_hooks.prior,
        evaluate=breakthrough_hooks.evaluate,
    )


FAMILY = Family(
    name="breakthrough",
    summary="pawns race to the far row, moving forward and capturing diagonally",
    options={"size": GameOption("8x8", str(SIZES))},
    make=make,
)
