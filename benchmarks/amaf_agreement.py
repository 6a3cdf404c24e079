"""How well AMAF orders moves, game by game: data for the threshold of `amaf_misleads`.

    python benchmarks/amaf_agreement.py --positions 12 --playouts 20000

Prints, for random positions of each game, how many have enough significant pairs, the lowest, the
middle and the highest `amaf_agreement`, and how many would be warned of. docs/default-agent.md
compares them with the results of GRAVE against UCT.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import graven as gv
from graven.core.rng import derive
from graven.lab.experiments.play_game import random_opening
from graven.search.amaf_order import misleads

HERE = Path(__file__).parent
GAMES = {
    "Connect Four of OpenSpiel": "spiel(connect_four)",
    "Connect Four, compiled": f"{HERE / 'connect_four.py'}:game",
    "Atarigo": "atarigo",
    "Breakthrough": "breakthrough",
    "Domineering": "domineering",
    "Go 9x9": "go",
    "Havannah": "havannah",
    "Hex 11x11": "hex",
    "Knightthrough": "knightthrough",
    "NoGo": "nogo",
    "Othello": "othello",
}
MOST_PLIES = 12  # of a random opening


def agreements(game: gv.Game, agent: str, positions: int, playouts: int) -> list[float | None]:
    """Return `amaf_agreement` of a search of each of some random positions."""
    searcher, found = gv.agent(agent), []
    for number in range(positions):
        position, _ = random_opening(game, number % MOST_PLIES, derive(2, number))
        found.append(searcher.search(position, playouts=playouts, seed=number).amaf_agreement)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=12)
    parser.add_argument("--playouts", type=int, default=20_000)
    parser.add_argument("--agent", default=gv.default_agent().spec)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    options = parser.parse_args()
    print("| game | positions | known | lowest, median, highest | warned of |")
    print("| --- | --- | --- | --- | --- |")
    for name in options.games:
        found = agreements(gv.game(GAMES[name]), options.agent, options.positions, options.playouts)
        known = [value for value in found if value is not None]
        values = ", ".join(f"{q:.2f}" for q in np.quantile(known, (0, 0.5, 1))) if known else ""
        warned = sum(map(misleads, known))
        print(f"| {name} | {len(found)} | {len(known)} | {values} | {warned} |", flush=True)


if __name__ == "__main__":
    main()
