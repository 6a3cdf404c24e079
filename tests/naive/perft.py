"""Counts move sequences with the naive rules and writes `tests/games/perft`.

Run from the top of the repository, a few minutes: `python -m tests.naive.perft`.
"""

from __future__ import annotations

from pathlib import Path

from tests.naive.games import GAMES, naive_game, perft

FOLDER = Path(__file__).parents[1] / "games" / "perft"
MOST = 300_000

HEADER = """\
# Perft of {name}: a game, a depth, and how many sequences of exactly that many moves there
# are from its start. Games that end sooner are not counted: where a small board's counts fall,
# its games end. Counted by the naive rules: python -m tests.naive.perft
"""

SIZES = {
    "atarigo": [(2, 2), (2, 3), (3, 3), (3, 5), (5, 5), (8, 8), (19, 19)],
    "breakthrough": [(4, 2), (5, 3), (6, 5), (8, 8), (7, 10), (19, 19)],
    "domineering": [(2, 2), (3, 3), (4, 4), (3, 5), (8, 8), (7, 10), (19, 19)],
    "knightthrough": [(4, 4), (6, 5), (8, 8), (7, 10), (19, 19)],
    "nogo": [(2, 2), (2, 3), (3, 3), (3, 5), (5, 5), (8, 8), (19, 19)],
}


def counts(name: str, rows: int, columns: int) -> list[int]:
    """The counts from depth 1 up, to the end of the longest game or up to about MOST."""
    found = [len(naive_game(name, rows, columns).moves())]
    while found[-1] and found[-1] * growth(found) <= MOST:
        found.append(perft(naive_game(name, rows, columns), len(found) + 1))
    return found


def growth(found: list[int]) -> float:
    """About how many times larger the next count is."""
    return found[-1] / found[-2] if len(found) > 1 else found[0]


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        lines = [HEADER.format(name=name)]
        for rows, columns in SIZES[name]:
            for depth, count in enumerate(counts(name, rows, columns), 1):
                lines.append(f"{name}(size={rows}x{columns}) {depth} {count}\n")
        (FOLDER / f"{name}.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
