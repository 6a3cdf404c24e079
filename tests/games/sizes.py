"""The boards that the tests play on: the smallest of a game first, the largest last."""

from __future__ import annotations

Size = tuple[int, int]

# Rows, columns. 7x10 has more than 64 cells, 8x8 exactly 64: where bitboards change.
SIZES: dict[str, list[Size]] = {
    "atarigo": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (19, 19)],
    "breakthrough": [(4, 2), (5, 4), (6, 5), (5, 9), (8, 8), (7, 10), (26, 26)],
    "domineering": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (26, 26)],
    "knightthrough": [(4, 4), (7, 4), (5, 8), (6, 6), (8, 8), (7, 10), (26, 26)],
    "nogo": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (19, 19)],
}


def spec(name: str, size: Size) -> str:
    return f"{name}(size={size[0]}x{size[1]})"


def specs() -> list[str]:
    """Every game on all its boards but the largest."""
    return [spec(name, size) for name, sizes in SIZES.items() for size in sizes[:-1]]


def smallest(name: str) -> str:
    return spec(name, SIZES[name][0])


def largest(name: str) -> str:
    return spec(name, SIZES[name][-1])
