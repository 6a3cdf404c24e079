"""A search that runs continuously in a thread, also during the opponents' time."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

from graven.agents import MoveClock, SearchAgent, SearchResult
from graven.agents.spec_parser import parse
from graven.core.errors import GravenError
from graven.core.game import Game
from graven.core.position import Position
from graven.gdl import sheets
from graven.gdl.sheet_loader import NETWORK, PROOF, SheetOptions, sheet_game
from graven.search.budget import Budget
from graven.search.specs import Spec

log = logging.getLogger("graven.ggp")

UNLIMITED = Budget(seconds=86_400.0)  # until it is interrupted
SLICE_SECONDS = 0.25
WARM_UP_GAME = "connect5"
WARM_UP_PLAYOUTS = {NETWORK: 500, PROOF: 2}


def warm_up(spec: Spec) -> None:
    """Compile everything that a match needs, or load it, before any clock runs."""
    text = sheets.text_of(WARM_UP_GAME)
    for method, playouts in WARM_UP_PLAYOUTS.items():
        game = sheet_game(text, WARM_UP_GAME, SheetOptions(method))
        # Not `warm_up`: both games have the same spec, and the second one would be skipped.
        SearchAgent(spec).player(game).choose(game.start(), MoveClock(Budget(playouts)))


def match_spec(spec: str) -> Spec:
    """Parse the spec of an agent that keeps its tree during a match."""
    return parse(spec, files=True).with_options(reuse_tree=True)


def _without_decay(spec: Spec) -> Spec:
    """Return the spec with playouts that forget nothing between searches."""
    values = spec.playout.values
    if "decay" not in values:
        return spec
    return replace(spec, playout=replace(spec.playout, values={**values, "decay": 1.0}))


class PonderingSearch:
    """A search in one game, in its own thread.

    With `slow`, where one playout may take seconds, the search is a sequence of short ones, so that
    a result is always available.
    """

    def __init__(self, spec: Spec, game: Game, seed: int, slow: bool) -> None:
        self._player = SearchAgent(_without_decay(spec) if slow else spec).player(game, seed)
        # Made here: two threads that made it at the same time would interrupt different searches.
        self._search = self._player.search
        self._slow = slow
        self._changed = threading.Condition()  # guards what follows
        self._position: Position | None = None  # None: idle
        self._position_number = 0
        self._finished_runs = 0
        self._result: SearchResult | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="pondering", daemon=True)
        self._thread.start()

    def search_position(self, position: Position) -> None:
        """Search this position from now on; idle if the game is over there."""
        target = None if position.is_over else position
        with self._changed:
            current = None if self._position is None else self._position.history
            if target is not None and target.history == current:
                return
            self._position, self._result = target, None
            self._position_number += 1
            self._changed.notify_all()
        self._search.interrupt()

    def latest_result(self, position: Position, timeout: float) -> SearchResult | None:
        """Interrupt the search and return its result; None if it searches another position.

        Waits `timeout` seconds at most, then returns the result before.
        """
        with self._changed:
            if self._position is None or self._position.history != position.history:
                return None
            if self._result is not None and self._result.proven:
                return self._result
            runs = self._finished_runs
            self._search.interrupt()
            self._changed.wait_for(lambda: self._finished_runs > runs or self._closed, timeout)
            return self._result

    def close(self) -> None:
        """End the thread as soon as the current simulation is complete."""
        with self._changed:
            self._closed = True
            self._position = None
            self._changed.notify_all()
        self._search.interrupt()

    def _work(self) -> None:
        playouts = 1
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._position is not None or self._closed)
                if self._closed:
                    return
                position, number = self._position, self._position_number
            assert position is not None
            budget = Budget(playouts) if self._slow else UNLIMITED
            try:
                result = self._player.ponder(position, MoveClock(budget))
            except GravenError as error:
                log.error("the search failed: %s", error)
                self.close()
                return
            if self._slow and result.playouts:
                rate = result.playouts / max(result.seconds, 1e-6)
                playouts = max(1, min(2 * playouts, int(rate * SLICE_SECONDS)))
            with self._changed:
                self._finished_runs += 1
                is_current = number == self._position_number
                if is_current and (result.playouts or self._result is None):
                    self._result = result
                self._changed.notify_all()
                if result.proven:  # searching on would do nothing
                    self._changed.wait_for(
                        lambda: number != self._position_number or self._closed  # noqa: B023
                    )
