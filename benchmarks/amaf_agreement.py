"""How well AMAF orders moves, game by game: data for the threshold of `amaf_misleads`.

    python benchmarks/amaf_agreement.py --positions 40 --playouts 2000

Prints, for random positions of each game, the share of those with enough significant pairs, the
quartiles of `amaf_agreement`, and the share below some thresholds. docs/default-agent.md compares
them with the results of GRAVE against UCT.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import graven as gv
from graven.core.rng import derive
from graven.lab.experiments.play_game import random_opening

HERE = Path(__file__).parent
GAMES = {
    "Atarigo": "atarigo",
    "Breakthrough": "breakthrough",
    "Connect Four, compiled": f"{HERE / 'connect_four.py'}:game",
    "Domineering": "domineering",
    "Go 9x9": "go",
    "Havannah": "havannah",
    "Hex 11x11": "hex",
    "Knightthrough": "knightthrough",
    "NoGo": "nogo",
    "Othello": "othello",
}
THRESHOLDS = (-0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3, -0.2, 0.0)
MOST_PLIES = 12  # of a random opening


def agreements(game: gv.Game, agent: str, positions: int, playouts: int) -> list[float | None]:
    """Return `amaf_agreement` of a search of each of some random positions."""
    searcher, found = gv.agent(agent), []
    for number in range(positions):
        position, _ = random_opening(game, number % MOST_PLIES, derive(1, number))
        result = searcher.search(position, playouts=playouts, seed=number)
        found.append(result.amaf_agreement)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=40)
    parser.add_argument("--playouts", type=int, default=2000)
    parser.add_argument("--agent", default="grave(bias=1e-4,c=0.2)")
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    options = parser.parse_args()
    below = " | ".join(f"< {threshold}" for threshold in THRESHOLDS)
    print(f"| game | known | quartiles | {below} |")
    print("| --- " * (3 + len(THRESHOLDS)) + "|")
    for name in options.games:
        game = gv.game(GAMES[name])
        all_of_them = agreements(game, options.agent, options.positions, options.playouts)
        known = np.array([value for value in all_of_them if value is not None])
        shares = ["-"] * len(THRESHOLDS)
        quartiles = "-"
        if len(known):
            shares = [f"{100 * np.mean(known < threshold):.0f} %" for threshold in THRESHOLDS]
            quartiles = ", ".join(f"{q:.2f}" for q in np.quantile(known, (0.25, 0.5, 0.75)))
        row = [name, f"{len(known)} of {len(all_of_them)}", quartiles, *shares]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
