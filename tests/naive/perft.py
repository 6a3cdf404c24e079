"""Count move sequences with the naive rules and write `tests/games/perft`.

Run from the top of the repository, a few minutes: `python -m tests.naive.perft`, or only some:
`python -m tests.naive.perft go hex`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.games.sizes import spec as board
from tests.naive.games import GAMES, naive_game, perft
from tests.naive.puzzles import naive_puzzle

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
    "go": [(2, 2), (2, 3), (3, 3), (5, 5), (9, 9), (19, 19)],
    "havannah": [(3, 3), (4, 4), (8, 8)],
    "hex": [(2, 2), (3, 3), (2, 4), (4, 4), (11, 11)],
    "knightthrough": [(4, 4), (6, 5), (8, 8), (7, 10), (19, 19)],
    "othello": [(4, 4), (6, 6), (8, 8)],
    "nogo": [(2, 2), (2, 3), (3, 3), (3, 5), (5, 5), (8, 8), (19, 19)],
}


PUZZLES = {
    "morpion": [f"morpion(variant={variant})" for variant in ("4D", "4T", "5D", "5T")],
    "samegame": [
        "samegame(board=12/21/11)",
        "samegame(board=1122/2121/3311)",
        "samegame(board=..1./2.12/2312/1122)",
        "samegame(size=6x9,colours=3,seed=1)",
        "samegame(size=15x15,colours=5,seed=0)",
    ],
    "tsptw": [
        "tsptw(cities=6,width=30,seed=3)",
        "tsptw(cities=6,width=30,seed=3,prune=true)",
        "tsptw(cities=20,width=40,seed=0,prune=true)",
    ],
}
MOST_OF_A_PUZZLE = 30_000  # their naive rules are slower


def counts(start: Callable[[], Any], most: int) -> list[int]:
    """Return the counts from depth 1 on, until the longest game ends or about `most` is reached."""
    counts_so_far = [len(start().moves())]
    while counts_so_far[-1] and counts_so_far[-1] * growth(counts_so_far) <= most:
        counts_so_far.append(perft(start(), len(counts_so_far) + 1))
    return counts_so_far


def growth(counts_so_far: list[int]) -> float:
    """Estimate the ratio of the next count to the last."""
    return counts_so_far[-1] / counts_so_far[-2] if len(counts_so_far) > 1 else counts_so_far[0]


def write(name: str, specs: dict[str, Callable[[], Any]], most: int) -> None:
    lines = [HEADER.format(name=name)]
    for spec, start in specs.items():
        for depth, count in enumerate(counts(start, most), 1):
            lines.append(f"{spec} {depth} {count}\n")
    (FOLDER / f"{name}.txt").write_text("".join(lines))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    names = sys.argv[1:] or [*GAMES, *PUZZLES]
    for name in GAMES.keys() & set(names):
        specs = {board(name, size): partial(naive_game, name, *size) for size in SIZES[name]}
        write(name, specs, MOST)
    for name in PUZZLES.keys() & set(names):
        puzzles = {spec: partial(naive_puzzle, spec) for spec in PUZZLES[name]}
        write(name, puzzles, MOST_OF_A_PUZZLE)


if __name__ == "__main__":
    main()
