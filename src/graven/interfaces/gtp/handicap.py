"""Where handicap stones go: the points that GTP's specification names, on boards from 7 to 19."""

from __future__ import annotations

from graven.games.boards import POINT_LETTERS
from graven.interfaces.gtp.gtp_protocol import CommandError

SMALLEST = 7


def most(size: int) -> int:
    """How many stones have a usual point: boards with a middle have nine, others and 7x7 four."""
    if size < SMALLEST:
        return 0
    return 9 if size % 2 and size > SMALLEST else 4


def fixed(size: int, number: int) -> list[str]:
    """The usual points of so many stones."""
    if not 2 <= number <= most(size):
        raise CommandError("invalid number of stones")
    near = 3 if size >= 13 else 2
    low, middle, high = near, size // 2, size - 1 - near
    corners = [(low, low), (high, high), (low, high), (high, low)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    points = corners[: min(number, 4)]
    if number >= 6:
        points += sides[:2]
    if number >= 8:
        points += sides[2:]
    if number in (5, 7, 9):
        points.append((middle, middle))
    return [f"{POINT_LETTERS[column]}{row + 1}" for column, row in points]


def free(size: int, number: int) -> list[str]:
    """As many of these stones as have a usual point, at least two."""
    if number < 2 or most(size) == 0:
        raise CommandError("invalid number of stones")
    return fixed(size, min(number, most(size)))
