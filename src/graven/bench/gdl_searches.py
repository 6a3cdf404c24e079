"""Searches of GDL games with learning playouts: in batches, and one playout at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from graven.agents.agent import SearchAgent
from graven.bench.ratio_rows import LONG_ROUNDS, RatioRow, measure_ratio
from graven.core.game import Game
from graven.search.budget import Budget
from graven.search.runner import Search

TREE = "grave(ref=50,k=250,c=0.2{})"
MAST = "+mast(epsilon=0.4,decay=0.2)"
BATCH = ",batch_leaves=32,playouts_per_leaf=8"
SINGLE_MAST = TREE.format("") + MAST
BATCHED_UNIFORM = TREE.format(BATCH)
BATCHED_MAST = TREE.format(f"{BATCH},learn_after=batch") + MAST

VERSUS_UNIFORM = "batched MAST v batched uniform playouts"
VERSUS_SINGLE = "batched MAST v MAST one playout at a time"
# For a game, for the median game.
UNIFORM_TARGET, SINGLE_TARGET = 0.5, 5.0
SECONDS = 0.3
BATCH_PLAYOUTS = 256


def playout_rate(search: Search, game: Game, seconds: float = SECONDS) -> float:
    """Return the playouts per second of processor time of a search of the first position."""
    state, count = game.start().state, BATCH_PLAYOUTS
    while True:
        started = time.thread_time()
        search.run(state, (), Budget(playouts=count), seed=1)
        elapsed = time.thread_time() - started
        if elapsed >= seconds / 2:
            return count / elapsed
        more = seconds / max(elapsed, 1e-4)
        count = BATCH_PLAYOUTS * max(2, round(count * min(more, 20.0) / BATCH_PLAYOUTS))


def search_rows(name: str, game: Game) -> Iterator[RatioRow]:
    """Compare batched MAST with batched uniform playouts, and with MAST one at a time."""
    mast, uniform, single = (
        partial(playout_rate, SearchAgent(spec).bind(game), game)
        for spec in (BATCHED_MAST, BATCHED_UNIFORM, SINGLE_MAST)
    )
    row = RatioRow("gdl", f"{name}: {VERSUS_UNIFORM}", "playouts/s", UNIFORM_TARGET)
    yield measure_ratio(row, mast, uniform, LONG_ROUNDS)
    row = RatioRow("gdl", f"{name}: {VERSUS_SINGLE}", "playouts/s", SINGLE_TARGET)
    yield measure_ratio(row, mast, single, LONG_ROUNDS)


def median_row(ratios: list[float]) -> RatioRow:
    """Return the row of the median game against MAST one at a time."""
    row = RatioRow("gdl", f"the median game: {VERSUS_SINGLE}", "times", SINGLE_TARGET)
    return row.with_rounds([(ratio, 1.0) for ratio in ratios])
