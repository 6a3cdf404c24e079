"""Handicap points as GTP's specification defines them, on boards from 7 to 19."""

from __future__ import annotations

from graven.games.boards import POINT_LETTERS
from graven.interfaces.gtp.gtp_protocol import CommandError

SMALLEST_BOARD = 7


def max_stones(size: int) -> int:
    """Return the number of handicap points: 9 on odd boards above 7, else 4; 0 below 7."""
    if size < SMALLEST_BOARD:
        return 0
    return 9 if size % 2 and size > SMALLEST_BOARD else 4


def fixed_points(size: int, stones: int) -> list[str]:
    """Return the points of `fixed_handicap`."""
    if not 2 <= stones <= max_stones(size):
        raise CommandError("invalid number of stones")
    edge_distance = 3 if size >= 13 else 2
    low, middle, high = edge_distance, size // 2, size - 1 - edge_distance
    corners = [(low, low), (high, high), (low, high), (high, low)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    points = corners[: min(stones, 4)]
    if stones >= 6:
        points += sides[:2]
    if stones >= 8:
        points += sides[2:]
    if stones in (5, 7, 9):
        points.append((middle, middle))
    return [f"{POINT_LETTERS[column]}{row + 1}" for column, row in points]


def free_points(size: int, stones: int) -> list[str]:
    """Return the points of `place_free_handicap`: the fixed points, as many as there are."""
    if stones < 2 or max_stones(size) == 0:
        raise CommandError("invalid number of stones")
    return fixed_points(size, min(stones, max_stones(size)))
