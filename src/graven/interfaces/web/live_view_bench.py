"""What it costs a search to be watched: playouts a second with the live view and without it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from graven.agents import parse
from graven.bench.ratio_rows import Row
from graven.bench.suite import Measurements, measured
from graven.core.game import Game
from graven.interfaces.web.search_pool import Held, Thinker
from graven.interfaces.web.search_view import glimpse
from graven.interfaces.web.web_limits import UPDATES_A_SECOND, Limits
from graven.search.budget import Budget
from graven.sources.load import make_game

SECONDS = 1.0
ROUNDS = 7
AGENT = "grave(ref=50)"
GAMES = ("breakthrough", "go", "hex")
LEAST_UPDATES = 5.0
MOST_WORK = 0.05


class Seen(NamedTuple):
    """How often a view was brought up to date, and what that took of a processor, a second."""

    updates: float
    work: float


def rate(game: Game, watched: bool, seen: list[Seen]) -> float:
    """Playouts a second of one search in a thread; `seen` gets what the view did meanwhile."""
    thinker = Thinker(
        "a", 0, parse(AGENT), game.start(), Budget(None, SECONDS), 1, Held(), Limits().memory
    )
    thread = threading.Thread(target=thinker.run)
    began, worked = time.perf_counter(), time.thread_time()
    thread.start()
    updates = 0
    while thinker.active:
        time.sleep(1 / UPDATES_A_SECOND)
        if watched and thinker.active:
            said = glimpse(thinker)
            json.dumps(said)
            updates += said["playouts"] > 0
    thread.join()
    if watched:
        spent = time.perf_counter() - began
        seen.append(Seen(updates / spent, (time.thread_time() - worked) / spent))
    return thinker.found.playouts_per_second if thinker.found else 0.0


def live_view() -> Iterator[Row]:
    """Watched against alone, game by game; and how often the view is brought up to date."""
    for name in GAMES:
        game = make_game(name)
        seen: list[Seen] = []
        yield measured(
            Row("page", f"{AGENT} watched v alone, {game.spec}", "playouts/s", 0.95),
            lambda game=game, seen=seen: rate(game, True, seen),  # type: ignore[misc]
            lambda game=game, seen=seen: rate(game, False, seen),  # type: ignore[misc]
            ROUNDS,
        )
        least = min(each.updates for each in seen[1:])
        yield Row(
            "page",
            f"fewest updates of a view a second v {LEAST_UPDATES:g}, {game.spec}",
            "updates/s",
            1.0,
            ours=least,
            other=LEAST_UPDATES,
            ratio=least / LEAST_UPDATES,
        )
        # A search waits for the view at most this long: while Python is busy with it.
        work = median(each.work for each in seen[1:])
        yield Row(
            "page",
            f"processor time of a view v {MOST_WORK:.0%} of a second, {game.spec}",
            "s",
            1.0,
            below=True,
            ours=work,
            other=MOST_WORK,
            ratio=work / MOST_WORK,
        )


MEASUREMENTS: Measurements = {"page": live_view}
