"""`graven bench callbacks`: what it costs to call Python, with one game written both ways."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from statistics import median

from graven.bench.heap_game import Heaps, compiled_heaps
from graven.bench.ratio_rows import Row, in_turn
from graven.bench.suite import LONG_ROUNDS, SLICE_SECONDS, UCT, ply_rate
from graven.sources.python_class import from_class

MICROSECONDS = 20.0


def python_against_compiled() -> Iterator[Row]:
    """Microseconds a ply beside what the class itself takes, of the twenty that it may; and how
    much slower the same game is than when it is compiled."""
    wrapped, made = from_class(Heaps), compiled_heaps()
    spent = [1e6 / ply_rate(UCT, wrapped, 1000) - 1e6 / bare_rate() for _ in range(LONG_ROUNDS)]
    overhead = median(spent[1:])  # the first compiles
    yield Row(
        "callbacks",
        "microseconds a ply beside a class's own work v twenty",
        "us",
        1.0,
        below=True,
        ours=overhead,
        other=MICROSECONDS,
        ratio=overhead / MICROSECONDS,
    )
    medians = in_turn(
        lambda: ply_rate(UCT, wrapped, 1000), lambda: ply_rate(UCT, made, 1000), LONG_ROUNDS
    )
    yield Row(
        "callbacks",
        "UCT, a class by callbacks v the same game compiled",
        "plies/s",
        0.0,
        ours=medians.ours,
        other=medians.other,
        ratio=medians.ratio,
    )


def bare_rate() -> float:
    """Plies a second of the class alone, asked all that a search asks."""
    chance, plies, began = Random(0), 0, time.thread_time()
    while time.thread_time() - began < SLICE_SECONDS:
        heaps = Heaps()
        while not heaps.over:
            heaps.play(chance.choice(heaps.moves()))
            plies += 1
        assert heaps.scores
    return plies / (time.thread_time() - began)
