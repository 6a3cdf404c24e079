"""The boards of the tests: for each game from the smallest to the largest."""

from __future__ import annotations

Size = tuple[int, int]

# Rows, columns; of Havannah the length of a side, twice. 7x10 has more than 64 cells, 8x8 exactly
# 64: where bitboards change.
SIZES: dict[str, list[Size]] = {
    "atarigo": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (19, 19)],
    "breakthrough": [(4, 2), (5, 4), (6, 5), (5, 9), (8, 8), (7, 10), (26, 26)],
    "domineering": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (26, 26)],
    "go": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (19, 19)],
    "havannah": [(3, 3), (4, 4), (5, 5), (8, 8), (19, 19)],
    "hex": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (26, 26)],
    "knightthrough": [(4, 4), (7, 4), (5, 8), (6, 6), (8, 8), (7, 10), (26, 26)],
    "nogo": [(2, 2), (2, 5), (5, 3), (6, 6), (8, 8), (7, 10), (19, 19)],
    "othello": [(4, 4), (4, 8), (6, 4), (6, 6), (8, 6), (8, 8)],
}


def spec(name: str, size: Size) -> str:
    return f"{name}(size={size[0]})" if name == "havannah" else f"{name}(size={size[0]}x{size[1]})"


def even(number: int) -> int:
    return number - number % 2


def nearest(name: str, rows: int, columns: int) -> str:
    """A board of about this size that the game can be played on."""
    if name == "othello":
        rows, columns = (max(4, min(8, even(length))) for length in (rows, columns))
    (least_rows, least_columns), *_ = SIZES[name]
    return spec(name, (max(rows, least_rows), max(columns, least_columns)))


def specs() -> list[str]:
    """Every game on all its boards but the largest."""
    return [spec(name, size) for name, sizes in SIZES.items() for size in sizes[:-1]]


def smallest(name: str) -> str:
    return spec(name, SIZES[name][0])


def largest(name: str) -> str:
    return spec(name, SIZES[name][-1])
