"""Strength at equal time: `grave` against OpenSpiel's MCTS, 0.5 seconds per move, 100 games each.

    python benchmarks/openspiel.py [--games 100] [--seconds 0.5] [--db openspiel.db]

Games are played one after another, so that each side has a core to itself; run nothing else
meanwhile. Games are recorded: after an interruption the same command resumes. Prints the table of
docs/openspiel.md.
"""

from __future__ import annotations

import argparse
import sys

import graven as gv

GAMES = ("breakthrough", "go(size=9)", "havannah(size=8)", "hex(size=11)", "othello")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--agent", default="grave")
    parser.add_argument("--db", default="openspiel.db")
    options = parser.parse_args()
    print(f"| game | {options.agent} won | 95 % | ours, playouts/s | games |")
    print("| --- | --- | --- | --- | --- |", flush=True)
    for name in GAMES:
        result = gv.match(
            name,
            options.agent,
            "spiel-mcts",
            games=options.games,
            seconds=options.seconds,
            workers=1,
            store=options.db,
            progress=lambda score: print(f"\r{score.games} games", end="", file=sys.stderr),
        )
        low, high = result.ci95
        print(
            f"\r| {result.game} | {100 * (result.win_rate or 0):.1f} | {100 * low:.1f} to "
            f"{100 * high:.1f} | {result.playouts_per_second:,.0f} | {result.games} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
