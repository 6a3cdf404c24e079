"""A store full of made-up games: `python benchmarks/made_up_store.py FILE [GAMES]`.

For measuring and for looking at reports: sweeps over one parameter and two, a tournament, games of
many lengths. Nothing in it was played.
"""

from __future__ import annotations

import sys
from itertools import combinations, cycle

import numpy as np

from graven.lab.cells import Cell, make_cell
from graven.lab.jobs import GameResult
from graven.lab.store import Store
from graven.search.engine import Budget

THOUSAND = Budget(1000)


def cells() -> list[tuple[Cell, float]]:
    """Cells, each with the win rate that its made-up games shall have."""
    found = []
    for power in range(1, 16):
        rate = 0.62 + 0.08 * np.exp(-((power - 4) ** 2) / 8)
        spec = f"rave(bias=1e-{power})"
        found.append((make_cell("knightthrough", spec, "uct(c=0.4)", THOUSAND), rate))
    for ref in (25, 50, 100, 200, 400):
        for power in range(1, 13):
            rate = 0.5 + 0.2 * np.exp(-((power - 5) ** 2) / 20 - np.log(ref / 60) ** 2 / 2)
            spec = f"grave(ref={ref},bias=1e-{power})"
            found.append((make_cell("domineering", spec, "rave(bias=0.001)", THOUSAND), rate))
    agents = {"uct": 0, "rave": 90, "grave": 150, "hrave": 120, "uct(c=1)": -60, "rave(k=250)": 60}
    for one, other in combinations(agents, 2):
        rate = 1 / (1 + 10 ** ((agents[other] - agents[one]) / 400))
        found.append((make_cell("breakthrough", one, other, THOUSAND), rate))
    for c in (0.1, 0.2, 0.4, 0.7, 1.0):
        rate = 0.6 - (c - 0.4) ** 2
        found.append((make_cell("nogo", f"uct(c={c})", "uct(c=0.5)", Budget(seconds=0.1)), rate))
    return found


def fill(path: str, games: int) -> None:
    chance = np.random.default_rng(1)
    with Store(path) as store:
        store._db.execute("PRAGMA synchronous = OFF")
        store._db.execute("BEGIN")
        made = [
            (store.cell_id(cell), cell, rate, chance.integers(20, 70)) for cell, rate in cells()
        ]
        for number, (place, cell, rate, mean) in zip(range(games), cycle(made), strict=False):
            index = number // len(made)
            won = float(chance.random() < rate)
            plies = int(max(5, chance.normal(mean, 6)))
            seats = cell.seats(index)
            scores = (won, 1 - won) if seats == (0, 1) else (1 - won, won)
            moves = tuple(f"m{ply}" for ply in range(plies))
            spent = 1000 * plies
            seconds = spent / float(chance.normal(150_000, 5000))
            result = GameResult(index, seats, 1, scores, moves, spent, seconds, "0.1.0", "made up")
            store.add(place, result)
        store._db.execute("COMMIT")


if __name__ == "__main__":
    fill(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
