"""Slow, simple rules of every game, which share no code with `graven`.

Each game has `moves()` (a set of texts), `play(text)`, `turn`, `over` and `scores`. `play` replaces
containers instead of changing them, so `copy.copy` returns an independent position.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.naive.domineering import Domineering
from tests.naive.go import Go
from tests.naive.hexes import Havannah, Hex
from tests.naive.othello import Othello
from tests.naive.stones import Atarigo, Nogo
from tests.naive.through import Breakthrough, Knightthrough

GAMES: dict[str, Any] = {
    "atarigo": Atarigo,
    "breakthrough": Breakthrough,
    "domineering": Domineering,
    "go": Go,
    "havannah": Havannah,
    "hex": Hex,
    "knightthrough": Knightthrough,
    "nogo": Nogo,
    "othello": Othello,
}


def naive_game(name: str, rows: int, columns: int) -> Any:
    return GAMES[name](rows, columns)


def perft(game: Any, depth: int) -> int:
    """Return the number of sequences of exactly `depth` moves; finished games have none."""
    if depth == 0:
        return 1
    moves = game.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = copy.copy(game)
        after.play(move)
        total += perft(after, depth - 1)
    return total
