"""Benchmarks of the laboratory: the overhead of recording games, worker processes, reports."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from multiprocessing import active_children
from pathlib import Path
from tempfile import TemporaryDirectory

from graven.bench.ratio_rows import LONG_ROUNDS, RatioRow, measure_ratio
from graven.bench.search_benchmarks import GRAVE, UCT
from graven.core.extras import is_installed
from graven.lab.experiments.job import GameJob
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.play_game import play_game
from graven.lab.experiments.processes import play_in_workers
from graven.lab.experiments.run import PlannedGames, play_missing
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.provenance import cores
from graven.lab.store.store import Store
from graven.search.budget import Budget
from graven.sources.load import load_game

LAB_GAMES = 60
WORKER_GAMES = 12
REPORT_GAMES = 100_000
REPORT_SECONDS = 10.0


def laboratory_overhead() -> Iterator[RatioRow]:
    """Compare games with jobs, store and progress with the same games in a bare loop."""
    pairing = make_pairing("knightthrough", GRAVE, UCT, Budget(100))
    game = load_game(pairing.game)

    def recorded_rate() -> float:
        with TemporaryDirectory() as folder, Store(f"{folder}/graven.db") as store:
            started = time.perf_counter()
            played: list[int] = []
            play_missing(
                [PlannedGames(pairing, LAB_GAMES)],
                RunConfig(workers=1, store=store),
                on_game=lambda _, result: played.append(result.index),
            )
            return len(played) / (time.perf_counter() - started)

    def bare_rate() -> float:
        started = time.perf_counter()
        for index in range(LAB_GAMES):
            play_game(GameJob(pairing, index), game)
        return LAB_GAMES / (time.perf_counter() - started)

    what = f"games with jobs, store and progress v bare, 100 playouts, {pairing.game}"
    yield measure_ratio(RatioRow("overhead", what, "games/s", 0.9), recorded_rate, bare_rate)


def two_workers() -> Iterator[RatioRow]:
    """Compare two worker processes with one, after they have started."""
    pairing = make_pairing("knightthrough", GRAVE, UCT, Budget(1000))

    def rates(workers: int) -> tuple[float, float]:
        endless = (GameJob(pairing, index) for index in count())
        with closing(play_in_workers(endless, workers)) as results:
            for _ in range(2 * workers):  # after these every worker has loaded its code
                next(results)
            started, used = time.perf_counter(), cpu_of_children()
            for _ in range(WORKER_GAMES * workers):
                next(results)
            seconds, cpu = time.perf_counter() - started, cpu_of_children() - used
            games = WORKER_GAMES * workers
            return games / seconds, games / cpu if cpu > 0 else math.nan

    what = f"two workers v one, 1,000 playouts, {pairing.game}"
    wall = RatioRow("workers", what, "games/s", 1.9)
    processor = RatioRow("workers", f"{what}, by processor time", "games/CPU s", 0.95)
    if cores() < 2:
        yield replace(wall, skipped="this machine has one core")
        return
    rounds = [(rates(2), rates(1)) for _ in range(LONG_ROUNDS)]
    yield wall.with_rounds([(two[0], one[0]) for two, one in rounds])
    if any(math.isnan(rate[1]) for pair in rounds for rate in pair):
        yield replace(processor, skipped="this system does not show it in /proc")
        return
    yield processor.with_rounds([(two[1], one[1]) for two, one in rounds])


def cpu_of_children() -> float:
    """Return the processor seconds of all worker processes so far; 0 where /proc has none."""
    ticks = 0
    for process in active_children():
        try:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])  # utime and stime
    return ticks / os.sysconf("SC_CLK_TCK")


def large_report() -> Iterator[RatioRow]:
    """Measure the seconds of a report from a store of 100,000 games, against a limit."""
    from graven.bench.synthetic_store import fill_store
    from graven.lab.reports.html_report import html

    what = f"a report from a store of {REPORT_GAMES:,} games v {REPORT_SECONDS:g} seconds"
    row = RatioRow("report", what, "s", 1.0, below=True)
    if not is_installed("plots"):
        yield replace(row, skipped="the package matplotlib is not installed")
        return
    with TemporaryDirectory() as folder:
        path = f"{folder}/graven.db"
        fill_store(path, REPORT_GAMES)
        started = time.perf_counter()
        with Store(path, write=False) as store:
            html(store)
        elapsed = time.perf_counter() - started
    yield row.with_value(elapsed, REPORT_SECONDS)
