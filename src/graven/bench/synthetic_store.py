"""A store full of made-up games, for measuring and looking at reports. Nothing in it was played.

It has sweeps over one parameter and over two, a tournament, and games of many lengths.
`python -m graven.bench.synthetic_store FILE [GAMES]` writes one.
"""

from __future__ import annotations

import sys
from itertools import combinations, cycle
from math import exp, log

import numpy as np

from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.store.store import Store
from graven.search.budget import Budget

THOUSAND = Budget(1000)
STRENGTHS = {"uct": 0, "rave": 90, "grave": 150, "hrave": 120, "uct(c=1)": -60, "rave(k=250)": 60}


def cells() -> list[tuple[Pairing, float]]:
    """Cells, each with the win rate that its made-up games shall have."""
    found = []
    for power in range(1, 16):
        rate = 0.62 + 0.08 * exp(-((power - 4) ** 2) / 8)
        spec = f"rave(bias=1e-{power})"
        found.append((make_pairing("knightthrough", spec, "uct(c=0.4)", THOUSAND), rate))
    for ref in (25, 50, 100, 200, 400):
        for power in range(1, 13):
            rate = 0.5 + 0.2 * exp(-((power - 5) ** 2) / 20 - log(ref / 60) ** 2 / 2)
            spec = f"grave(ref={ref},bias=1e-{power})"
            found.append((make_pairing("domineering", spec, "rave(bias=0.001)", THOUSAND), rate))
    for one, other in combinations(STRENGTHS, 2):
        rate = 1 / (1 + 10 ** ((STRENGTHS[other] - STRENGTHS[one]) / 400))
        found.append((make_pairing("breakthrough", one, other, THOUSAND), rate))
    for c in (0.1, 0.2, 0.4, 0.7, 1.0):
        rate = 0.6 - (c - 0.4) ** 2
        found.append((make_pairing("nogo", f"uct(c={c})", "uct(c=0.5)", Budget(seconds=0.1)), rate))
    return found


def fill(path: str, games: int) -> None:
    """Write a store with so many games."""
    chance = np.random.default_rng(1)
    with Store(path) as store, store.at_once():
        made = [(store.pairing_id(pairing), pairing, rate) for pairing, rate in cells()]
        lengths = chance.integers(20, 70, size=len(made))
        for number, place in zip(range(games), cycle(range(len(made))), strict=False):
            pairing_id, pairing, rate = made[place]
            index = number // len(made)
            won = float(chance.random() < rate)
            plies = int(max(5, chance.normal(lengths[place], 6)))
            seats = pairing.seats(index)
            result = GameResult(
                index,
                seats,
                pairing.game_seed(index),
                (won, 1 - won) if seats == (0, 1) else (1 - won, won),
                tuple(f"m{ply}" for ply in range(plies)),
                1000 * plies,
                1000 * plies / float(chance.normal(150_000, 5000)),
                "made up",
                "made up",
            )
            store.add(pairing_id, result)


if __name__ == "__main__":
    fill(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
