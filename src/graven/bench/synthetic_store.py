"""A store of synthetic games, to benchmark and inspect reports. None of its games was played.

It has sweeps over one parameter and over two, a tournament, and games of many lengths.
`python -m graven.bench.synthetic_store FILE [GAMES]` writes one.
"""

from __future__ import annotations

import sys
from itertools import combinations
from math import exp, log

import numpy as np

from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.stats.intervals import rate_from_elo
from graven.lab.store.store import Store
from graven.search.budget import Budget

THOUSAND = Budget(1000)
ELO = {"uct": 0, "rave": 90, "grave": 150, "hrave": 120, "uct(c=1)": -60, "rave(k=250)": 60}


def pairings() -> list[tuple[Pairing, float]]:
    """Return pairings, each with the expected win rate of its synthetic games."""
    result = []
    for power in range(1, 16):
        rate = 0.62 + 0.08 * exp(-((power - 4) ** 2) / 8)
        spec = f"rave(bias=1e-{power})"
        result.append((make_pairing("knightthrough", spec, "uct(c=0.4)", THOUSAND), rate))
    for ref in (25, 50, 100, 200, 400):
        for power in range(1, 13):
            rate = 0.5 + 0.2 * exp(-((power - 5) ** 2) / 20 - log(ref / 60) ** 2 / 2)
            spec = f"grave(ref={ref},bias=1e-{power})"
            result.append((make_pairing("domineering", spec, "rave(bias=0.001)", THOUSAND), rate))
    for first, second in combinations(ELO, 2):
        rate = rate_from_elo(ELO[first] - ELO[second])
        result.append((make_pairing("breakthrough", first, second, THOUSAND), rate))
    for c in (0.1, 0.2, 0.4, 0.7, 1.0):
        rate = 0.6 - (c - 0.4) ** 2
        result.append(
            (make_pairing("nogo", f"uct(c={c})", "uct(c=0.5)", Budget(seconds=0.1)), rate)
        )
    return result


def fill_store(path: str, games: int) -> None:
    """Write a store with `games` games."""
    rng = np.random.default_rng(1)
    with Store(path) as store, store.transaction():
        entries = [(store.pairing_id(pairing), pairing, rate) for pairing, rate in pairings()]
        mean_plies = rng.integers(20, 70, size=len(entries))
        for number in range(games):
            index, entry = divmod(number, len(entries))
            pairing_id, pairing, rate = entries[entry]
            won = float(rng.random() < rate)
            plies = int(max(5, rng.normal(mean_plies[entry], 6)))
            seats = pairing.seats(index)
            result = GameResult(
                index=index,
                seats=seats,
                seed=pairing.game_seed(index),
                scores=(won, 1 - won) if seats == (0, 1) else (1 - won, won),
                moves=tuple(f"m{ply}" for ply in range(plies)),
                playouts=1000 * plies,
                seconds=1000 * plies / float(rng.normal(150_000, 5000)),
                version="synthetic",
                machine="synthetic",
            )
            store.add(pairing_id, result)


if __name__ == "__main__":
    fill_store(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
