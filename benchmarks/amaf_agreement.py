"""How well AMAF orders moves, game by game: data for the thresholds of `amaf_misleads`.

    python benchmarks/amaf_agreement.py --positions 20 --playouts 20000 --seed 2

Prints, for random positions of each game, how many have enough significant pairs, the lowest, the
middle and the highest `amaf_agreement` and `amaf_rank`, and how many are warned of.
docs/default-agent.md compares them with the results of GRAVE against UCT.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import graven as gv
from graven.agents import FEW_PLAYOUTS_SPEC
from graven.core.rng import derive
from graven.lab.experiments.play_game import random_opening

HERE = Path(__file__).parent
GAMES = {
    "Connect Four of OpenSpiel": "spiel(connect_four)",
    "Connect Four, compiled": f"{HERE / 'connect_four.py'}:game",
    "Atarigo": "atarigo",
    "Breakthrough": "breakthrough",
    "Domineering": "domineering",
    "Domineering 6x6": "domineering(size=6)",
    "Domineering 10x10": "domineering(size=10)",
    "Go 9x9": "go",
    "Havannah": "havannah",
    "Hex 11x11": "hex",
    "Knightthrough": "knightthrough",
    "NoGo": "nogo",
    "Othello": "othello",
    "Clobber of OpenSpiel": "spiel(clobber)",
}
MOST_PLIES = 12  # of a random opening


def results(game: gv.Game, options: argparse.Namespace) -> list[gv.SearchResult]:
    """Search some random positions."""
    searcher, found = gv.agent(options.agent), []
    for number in range(options.positions):
        position, _ = random_opening(game, number % MOST_PLIES, derive(options.seed, number))
        result = searcher.search(position, playouts=options.playouts, seed=number)
        _ = result.amaf_agreement  # read before the next search
        found.append(result)
    return found


def quantiles(values: list[float]) -> str:
    """Return the lowest, the middle and the highest value."""
    return ", ".join(f"{q:.2f}" for q in np.quantile(values, (0, 0.5, 1))) if values else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--playouts", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--agent", default=FEW_PLAYOUTS_SPEC)
    parser.add_argument("--games", nargs="*", default=list(GAMES), help="names above, or specs")
    options = parser.parse_args()
    print("| game | known | agreement: lowest, median, highest | rank | warned of |")
    print("| --- | --- | --- | --- | --- |")
    for name in options.games:
        found = results(gv.game(GAMES.get(name, name)), options)
        known = [result for result in found if result.amaf_agreement is not None]
        agreement = quantiles([result.amaf_agreement for result in known])
        rank = quantiles([result.amaf_rank for result in known if result.amaf_rank is not None])
        warned = sum(result.amaf_misleads for result in found)
        counts = f"{len(known)} of {len(found)}"
        print(f"| {name} | {counts} | {agreement} | {rank} | {warned} |", flush=True)


if __name__ == "__main__":
    main()
