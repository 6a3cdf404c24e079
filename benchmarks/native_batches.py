"""Measure what batched playouts bring to searches of the package's own games.

    python benchmarks/native_batches.py share
    python benchmarks/native_batches.py match --game "nogo(size=7)" --games 60 --seconds 0.05

`share` prints for each game how long a uniform playout takes, a simulation of a search of 10,000
playouts, and which part of it is the playout. Only games where that is large can gain; what the
playouts gain is in `graven bench batches`.

`match` plays a search in batches against the same one without, with equal processor time for every
move, as `gdl_agents.py` does. Games begin with random plies, the same ones for a pair of games.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from gdl_agents import MoveLimit, play

import graven as gv
from graven.agents import SearchAgent
from graven.bench.playout_rates import rollout_rate
from graven.core.game import Game
from graven.lab.stats.intervals import mean_interval
from graven.search.budget import Budget

GAMES = (
    "atarigo",
    "breakthrough",
    "domineering",
    "go(size=9)",
    "havannah(size=8)",
    "hex",
    "knightthrough",
    "nogo(size=7)",
    "othello",
)
AGENTS = ("uct", "grave(ref=50)")
PLAYOUTS = 10_000
ROUNDS = 7


def simulation(game: Game, spec: str, seed: int) -> tuple[float, float]:
    """Return the seconds of processor time of a simulation, and its mean depth in the tree."""
    search, state = SearchAgent(spec).bind(game), game.start().state
    started = time.thread_time()
    run = search.run(state, (), Budget(playouts=PLAYOUTS), seed)
    seconds = (time.thread_time() - started) / PLAYOUTS
    visits = run.tree.visits[: run.nodes]
    return seconds, float(np.sum(visits) / np.max(visits))


def print_shares(games: list[str]) -> None:
    """Print the table of `share`."""
    print("| game | playout, µs | agent | simulation, µs | depth | playout, % |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in games:
        game = gv.game(name)
        for spec in AGENTS:
            simulation(game, spec, 0), rollout_rate(game, PLAYOUTS)  # compile
            rows = []
            for seed in range(ROUNDS):
                playout = 1 / rollout_rate(game, PLAYOUTS)
                seconds, depth = simulation(game, spec, seed)
                rows.append((1e6 * playout, 1e6 * seconds, depth, 100 * playout / seconds))
            playout, seconds, depth, share = map(statistics.median, zip(*rows, strict=True))
            row = (
                f"| {name} | {playout:.2f} | `{spec}` | {seconds:.2f} | {depth:.1f} | {share:.0f} |"
            )
            print(row, flush=True)


def print_match(options: argparse.Namespace) -> None:
    """Play a match and print the win rate of the search in batches."""
    game = gv.game(options.game)
    base = SearchAgent(options.agent)
    batched = base.with_options(
        batch_leaves=options.batch_leaves, playouts_per_leaf=options.playouts_per_leaf
    )
    limit = MoveLimit(options.seconds, 0)
    games = [
        play(game, [batched.spec, base.spec], limit, index, options.opening)
        for index in range(options.games)
    ]
    outcomes = [record["outcome"] for record in games]
    low, high = mean_interval(outcomes)
    speeds = [
        statistics.mean(record["playouts_per_move"][side] for record in games) for side in (0, 1)
    ]
    print(
        f"{options.game}: {batched.spec} won {100 * statistics.mean(outcomes):.0f} % "
        f"({100 * low:.0f}-{100 * high:.0f}) of {len(games)} games against {base.spec}; playouts a "
        f"move {speeds[0]:,.0f} and {speeds[1]:,.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("share", "match"))
    parser.add_argument("--game", default="", help="default: all of `share`, Othello of `match`")
    parser.add_argument("--agent", default="uct", metavar="SPEC")
    parser.add_argument("--batch-leaves", type=int, default=4)
    parser.add_argument("--playouts-per-leaf", type=int, default=4)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--opening", type=int, default=4, help="random plies at the beginning")
    options = parser.parse_args()
    if options.what == "share":
        print_shares([options.game] if options.game else list(GAMES))
    else:
        options.game = options.game or "othello"
        print_match(options)


if __name__ == "__main__":
    main()
