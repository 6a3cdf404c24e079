"""Measure the memory that a search's tree takes for each playout, by group of arrays.

    python benchmarks/tree_memory.py
    python benchmarks/tree_memory.py --games hex go --agents uct "grave(ref=50,bias=1e-4)"

Only what is in use is counted, not what is reserved.
"""

from __future__ import annotations

import argparse

import graven as gv
from graven.agents import SearchAgent
from graven.search.budget import Budget
from graven.search.tree import GROUPS

AGENTS = ("uct(solver=off)", "uct", "grave(ref=50,bias=1e-4,solver=off)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=("breakthrough", "knightthrough"))
    parser.add_argument("--agents", nargs="+", default=AGENTS, metavar="SPEC")
    parser.add_argument("--playouts", type=int, default=200_000)
    options = parser.parse_args()
    print("| game | agent | bytes for each playout | " + " | ".join(GROUPS) + " |")
    print("| --- | --- | --- |" + " --- |" * len(GROUPS))
    for name in options.games:
        game = gv.game(name)
        for spec in options.agents:
            search = SearchAgent(spec).bind(game)
            search.run(game.start().state, (), Budget(playouts=options.playouts), seed=1)
            meta, rules = search.tree.meta, search.rules
            sizes = [
                int(meta[group.count]) * group.unit_bytes(rules) / options.playouts
                for group in GROUPS.values()
            ]
            # The transposition table has two entries of four bytes for each node.
            sizes[0] += 8 * int(meta[GROUPS["nodes"].count]) / options.playouts
            row = " | ".join(f"{size:.0f}" for size in sizes)
            print(f"| {name} | `{spec}` | {sum(sizes):.0f} | {row} |", flush=True)


if __name__ == "__main__":
    main()
