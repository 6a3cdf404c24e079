"""Benchmark of the live view: playouts per second of a search with and without it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from graven.agents import parse
from graven.bench.ratio_rows import RatioRow, measure_ratio
from graven.core.game import Game
from graven.interfaces.web.search_pool import PageSearch, RetainedSearch, SearchRequest
from graven.interfaces.web.search_view import search_message
from graven.interfaces.web.web_limits import UPDATES_PER_SECOND, PageLimits
from graven.search.budget import Budget
from graven.sources.load import load_game

SECONDS = 1.0
ROUNDS = 7
AGENT = "grave(ref=50)"
GAMES = ("breakthrough", "go", "hex")
MIN_UPDATES = 5.0
MAX_CPU_SHARE = 0.05


class ViewLoad(NamedTuple):
    """Updates of a view per second, and the share of a processor that they used."""

    updates: float
    cpu_share: float


def playout_rate(game: Game, watched: bool, loads: list[ViewLoad]) -> float:
    """Return the playouts per second of one search; a watched one appends to `loads`."""
    request = SearchRequest(
        slot="a",
        player=0,
        spec=parse(AGENT),
        position=game.start(),
        budget=Budget(None, SECONDS),
        seed=1,
        memory_mib=PageLimits().memory_mib,
    )
    search = PageSearch(request, RetainedSearch())
    thread = threading.Thread(target=search.run)
    started_at, cpu_before = time.perf_counter(), time.thread_time()
    thread.start()
    updates = 0
    while search.active:
        time.sleep(1 / UPDATES_PER_SECOND)
        if watched and search.active:
            message = search_message(search)
            json.dumps(message)
            updates += message["playouts"] > 0
    thread.join()
    if watched:
        elapsed = time.perf_counter() - started_at
        loads.append(ViewLoad(updates / elapsed, (time.thread_time() - cpu_before) / elapsed))
    return search.result.playouts_per_second if search.result else 0.0


def live_view() -> Iterator[RatioRow]:
    """Measure for each game the cost of the view, its update rate and its processor time."""
    for name in GAMES:
        game = load_game(name)
        loads: list[ViewLoad] = []
        yield measure_ratio(
            RatioRow("page", f"{AGENT} watched v alone, {game.spec}", "playouts/s", 0.95),
            partial(playout_rate, game, True, loads),
            partial(playout_rate, game, False, loads),
            ROUNDS,
        )
        loads = loads[1:]  # the first search compiles
        what = f"fewest updates of a view per second v {MIN_UPDATES:g}, {game.spec}"
        fewest = min(load.updates for load in loads)
        yield RatioRow("page", what, "updates/s", 1.0).with_value(fewest, MIN_UPDATES)
        # The view holds the GIL for at most this time, which is how long a search may wait for it.
        what = f"processor time of a view v {MAX_CPU_SHARE:.0%} of a second, {game.spec}"
        row = RatioRow("page", what, "s", 1.0, below=True)
        yield row.with_rounds([(load.cpu_share, MAX_CPU_SHARE) for load in loads])
