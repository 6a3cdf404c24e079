"""`graven bench callbacks`: the cost of calling Python, with one game written both ways."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

from graven.bench.ratio_rows import LONG_ROUNDS, RatioRow, measure_ratio
from graven.bench.search_benchmarks import SLICE_SECONDS, UCT, search_ply_rate
from graven.bench.subtraction_game import SubtractionGame, compiled_subtraction_game
from graven.sources.python_class import from_class

MAX_MICROSECONDS = 20.0


def python_against_compiled() -> Iterator[RatioRow]:
    """Measure the overhead of callbacks per ply, and compare the class with the compiled game."""
    python, machine_code = from_class(SubtractionGame), compiled_subtraction_game()
    overheads = [
        1e6 / search_ply_rate(UCT, python, 1000) - 1e6 / class_ply_rate()
        for _ in range(LONG_ROUNDS)
    ]
    yield RatioRow(
        "callbacks",
        f"microseconds per ply on top of the class v {MAX_MICROSECONDS:g}",
        "us",
        1.0,
        below=True,
    ).with_rounds([(overhead, MAX_MICROSECONDS) for overhead in overheads[1:]])  # first: compiles
    yield measure_ratio(
        RatioRow("callbacks", "UCT, a class by callbacks v the same game compiled", "plies/s", 0.0),
        lambda: search_ply_rate(UCT, python, 1000),
        lambda: search_ply_rate(UCT, machine_code, 1000),
        LONG_ROUNDS,
    )


def class_ply_rate() -> float:
    """Return the plies per second of the class alone, with all calls that a search makes."""
    rng, plies, started = Random(0), 0, time.thread_time()
    while time.thread_time() - started < SLICE_SECONDS:
        game = SubtractionGame()
        while not game.over:
            game.play(rng.choice(game.moves()))
            plies += 1
        assert game.scores
    return plies / (time.thread_time() - started)
