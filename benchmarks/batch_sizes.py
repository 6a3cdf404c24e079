"""Measure how much faster a batch of MAST playouts is at once than one playout after another.

    python benchmarks/batch_sizes.py
    python benchmarks/batch_sizes.py --sheets zhadu battle --seconds 0.5

Both play the same playouts, from the first position of a sheet, alternating in one process; the
table has the ratios of their processor time for several sizes of the batch.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import graven as gv
from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import GREEDY, LeafPlayouts, Rules, ValuePolicy
from graven.core.game import Game
from graven.core.rng import generator
from graven.core.status import Status
from graven.gdl import sheets
from graven.search.playout.by_values import play_in_turn, scratch_words

SIZES = (16, 32, 64, 128, 256)
EPSILON = 0.4


@compiled
def play_at_once(rules: Rules, policy: ValuePolicy, batch: LeafPlayouts) -> int:
    """Play a batch with the game's batched kernel; return its status."""
    return contract.batch_policy_playouts(rules, policy, batch)


def ratio(game: Game, size: int, seconds: float) -> float:
    """Return the processor time of a batch in turn, divided by that of the batch at once."""
    rules = game.batch_rules
    values = np.random.default_rng(1).random(rules.players * rules.num_codes)
    policy = ValuePolicy(GREEDY, EPSILON, values, choose=0, memory=0)
    states, scratch = np.tile(game.start().state, size), np.zeros(scratch_words(rules), np.int64)
    traces = np.zeros(size * rules.max_plies * rules.players, np.uint32)
    lengths, out = np.zeros(size, np.int64), np.zeros(size * rules.players)
    times, rounds = [0.0, 0.0], 0
    while rounds < 2 or sum(times) < seconds:
        for side, play in enumerate((play_at_once, play_in_turn)):
            batch = LeafPlayouts(
                states,
                size,
                1,
                scratch,
                traces=traces,
                lengths=lengths,
                out=out,
                rng=generator(rounds),
            )
            if rounds == 0:
                play(rules, policy, batch)  # compiles
            started = time.thread_time()
            assert play(rules, policy, batch) == Status.OK
            times[side] += time.thread_time() - started
        rounds += 1
    return times[1] / times[0]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sheets", nargs="+", default=sheets.names())
    parser.add_argument("--seconds", type=float, default=0.06, help="for each size of a sheet")
    options = parser.parse_args()
    print("| playouts of a batch | " + " | ".join(map(str, SIZES)) + " |")
    print("| --- |" + " --- |" * len(SIZES))
    rows = []
    for name in options.sheets:
        game = gv.game(f"gdl(sheet={name})")
        rows.append([ratio(game, size, options.seconds) for size in SIZES])
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in rows[-1]) + " |", flush=True)
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    print("| **median** | " + " | ".join(f"{value:.1f}" for value in medians) + " |")


if __name__ == "__main__":
    main()
