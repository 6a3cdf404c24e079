"""What it costs a search to be watched: playouts a second with the live view and without it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

from graven.agents import parse
from graven.agents.games import make_game
from graven.core.game import Game
from graven.interfaces.web.glimpse import glimpse
from graven.interfaces.web.limits import UPDATES_A_SECOND, Limits
from graven.interfaces.web.thinking import Held, Thinker
from graven.lab.bench import Measurements, Row, measured
from graven.search.engine import Budget

SECONDS = 1.0
ROUNDS = 7
AGENT = "grave(ref=50)"
GAMES = ("breakthrough", "go", "hex")
LEAST_UPDATES = 5.0


def rate(game: Game, watched: bool, seen: list[float]) -> float:
    """Playouts a second of one search in a thread; `seen` gets the updates a second."""
    thinker = Thinker(
        "a", 0, parse(AGENT), game.start(), Budget(None, SECONDS), 1, Held(), Limits().memory
    )
    thread = threading.Thread(target=thinker.run)
    began = time.perf_counter()
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
        seen.append(updates / (time.perf_counter() - began))
    return thinker.found.playouts_per_second if thinker.found else 0.0


def live_view() -> Iterator[Row]:
    """Watched against alone, game by game; and how often the view is brought up to date."""
    for name in GAMES:
        game = make_game(name)
        seen: list[float] = []
        yield measured(
            Row("page", f"{AGENT} watched v alone, {game.spec}", "playouts/s", 0.95),
            lambda game=game, seen=seen: rate(game, True, seen),  # type: ignore[misc]
            lambda game=game, seen=seen: rate(game, False, seen),  # type: ignore[misc]
            ROUNDS,
        )
        least = min(seen[1:])
        yield Row(
            "page",
            f"fewest updates of a view a second v {LEAST_UPDATES:g}, {game.spec}",
            "updates/s",
            1.0,
            ours=least,
            other=LEAST_UPDATES,
            ratio=least / LEAST_UPDATES,
        )


MEASUREMENTS: Measurements = {"page": live_view}
