"""Measure the memory that a search's tree takes for each playout, by group of arrays.

    python benchmarks/tree_memory.py
    python benchmarks/tree_memory.py --games hex go --agents uct "grave(ref=50,bias=1e-4)"

Only what is in use is counted, not what is reserved, and when the most is in use: searches of two
levels and those that recycle nodes remove some.
"""

from __future__ import annotations

import argparse
import math
from functools import partial

import graven as gv
from graven.agents import SearchAgent
from graven.core.status import call_kernel
from graven.search.budget import Budget
from graven.search.runner import Search
from graven.search.tree_arena import GROUPS

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
            sizes = most_bytes(SearchAgent(spec).bind(game), game.start(), options.playouts)
            row = " | ".join(f"{size / options.playouts:.0f}" for size in sizes)
            total = sum(sizes) / options.playouts
            print(f"| {name} | `{spec}` | {total:.1f} | {row} |", flush=True)


def most_bytes(search: Search, position: gv.Position, playouts: int) -> list[int]:
    """Return the bytes of each group when the tree is largest."""
    goal = search.begin(position.state, (), Budget(playouts=playouts), seed=1)
    most: list[int] = []
    for until in range(0, goal + 1, max(1, goal // 5000)):
        while not call_kernel(
            kernel=partial(search.simulate, until, goal),
            fault=search.fault,
            resume=partial(search.grow, seconds_left=math.inf),
        ):
            pass
        meta, rules = search.tree.meta, search.rules
        sizes = [int(meta[g.count]) * g.unit_bytes(rules) for g in GROUPS.values()]
        # The transposition table has two entries of four bytes for each node.
        sizes[0] += 8 * int(meta[GROUPS["nodes"].count])
        most = max(most, sizes, key=sum)
    search.end(0.0)
    return most


if __name__ == "__main__":
    main()
