"""Benchmarks of searches by several threads.

`two_threads` measures wall-clock time: run nothing else meanwhile.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from graven.agents import agent
from graven.bench.ratio_rows import RatioRow, measure_ratio
from graven.core.game import Game
from graven.sources.load import load_game

THREADS = 2
SLICE_SECONDS = 0.4
ROUNDS = 5
SPECS = ("uct", "grave")

# The games, and the target ratio of `sync` by two threads.
GAMES = (
    ("go(size=9)", 1.7),
    ("hex(size=11)", 1.7),
    ("havannah(size=8)", 1.7),
    ("othello", 1.7),
    ("breakthrough", 1.5),
    ("knightthrough", 1.5),
)
OTHER_TARGET = 1.85  # of `tree` and `root`
SHARING_PLAYOUTS, SHARING_ROUNDS = 50_000, 9


def wall_rate(spec: str, game: Game) -> float:
    """Return the playouts per second of a search of the initial position, by the clock."""
    return agent(spec).search(game.start(), seconds=SLICE_SECONDS).playouts_per_second


def warm_up(spec: str, game: Game) -> None:
    """Let the process have the memory that a search takes.

    The first use of memory on a virtual machine can cost more than the search itself: touching
    8 GiB took 18.5 s, and 1.1 s the second time. A search that is longer than those to be measured
    leaves its memory for them.
    """
    agent(spec).search(game.start(), seconds=2 * SLICE_SECONDS)


def two_threads() -> Iterator[RatioRow]:
    """Compare searches by two threads with searches by one, by the clock."""
    for name, target in GAMES:
        game = load_game(name)
        for spec in SPECS:
            targets = {"sync": target, "tree": OTHER_TARGET, "root": OTHER_TARGET}
            for parallel, least in targets.items():
                ours = f"{spec}(threads={THREADS},parallel={parallel})"
                row = RatioRow("threads", f"{ours} v {spec}, {game.spec}", "playouts/s", least)
                if (os.cpu_count() or 1) < THREADS:
                    yield replace(row, skipped=f"this machine has fewer than {THREADS} processors")
                    continue
                warm_up(ours, game)
                warm_up(spec, game)
                yield measure_ratio(
                    row, partial(wall_rate, ours, game), partial(wall_rate, spec, game), ROUNDS
                )


def cpu_rate(spec: str, game: Game) -> float:
    """Return the playouts of a search in a second of CPU time, that of all threads together."""
    began = time.process_time()
    agent(spec).search(game.start(), playouts=SHARING_PLAYOUTS)
    return SHARING_PLAYOUTS / (time.process_time() - began)


def cost_of_sharing() -> Iterator[RatioRow]:
    """Compare threads that share the top of a tree with threads that share nothing, in CPU time.

    If threads that share nothing are twice as fast as one, others need 1.85 / 2 of their speed.
    """
    for name, _ in GAMES:
        game = load_game(name)
        for spec in SPECS:
            tree, root = (f"{spec}(threads={THREADS},parallel={kind})" for kind in ("tree", "root"))
            row = RatioRow(
                "sharing", f"{tree} v root, {game.spec}", "playouts/CPU s", OTHER_TARGET / THREADS
            )
            yield measure_ratio(
                row, partial(cpu_rate, tree, game), partial(cpu_rate, root, game), SHARING_ROUNDS
            )
