"""A search that never rests: a thread that searches whatever position it is told to, until told
another one. It thinks on the opponents' time as well as on its own."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

from graven.agents import Agent, SearchResult
from graven.agents.agent import find_move
from graven.agents.spec import parse
from graven.core.errors import GravenError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.gdl import make, sheets
from graven.search.budget import Budget
from graven.search.specs import Spec

log = logging.getLogger("graven.ggp")

# Until somebody interrupts it.
ENDLESS = Budget(seconds=86_400.0)
SLICE_SECONDS = 0.25


def warm_up(spec: Spec) -> None:
    """Compile all that a match needs, or load it, before any clock runs."""
    text = sheets.text_of("connect5")
    for by in (make.NETWORK, make.PROOF):
        game = make.make(text, "connect5", make.How(by))
        playouts = 500 if by == make.NETWORK else 2
        find_move(Agent(spec).bind(game), game.start(), Budget(playouts), 0, None)


def player_agent(spec: str) -> Spec:
    """An agent's spec for a whole match: its tree is kept from move to move."""
    return parse(spec, files=True).with_options(reuse_tree=True)


def _lasting(spec: Spec) -> Spec:
    """The same agent for many short searches: its playouts forget nothing between them."""
    values = spec.playout.values
    if "decay" not in values:
        return spec
    return replace(spec, playout=replace(spec.playout, values={**values, "decay": 1.0}))


class Thinker:
    """One search in one game, in a thread of its own.

    Where a playout may take seconds (`slow`), the search is made of short ones, so that there is
    always a result.
    """

    def __init__(self, spec: Spec, game: Game, seed: int, slow: bool) -> None:
        self._agent = Agent(_lasting(spec) if slow else spec)
        self._search = self._agent.bind(game)
        self._slow = slow
        self._seed = seed
        self._changed = threading.Condition()
        self._aim: Position | None = None
        self._number = 0  # counts aims
        self._runs = 0
        self._found: SearchResult | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="thinker", daemon=True)
        self._thread.start()

    def aim(self, position: Position | None) -> None:
        """Search this position from now on; None: rest."""
        with self._changed:
            if position is not None and position.is_over:
                position = None
            known = None if self._aim is None else self._aim.history
            if position is not None and position.history == known:
                return
            self._aim, self._found = position, None
            self._number += 1
            self._changed.notify_all()
        self._search.interrupt()

    def harvest(self, position: Position, grace: float) -> SearchResult | None:
        """What has been found about the position; waits so long at most for the latest."""
        with self._changed:
            if self._aim is None or self._aim.history != position.history:
                return None
            runs = self._runs
            self._search.interrupt()
            self._changed.wait_for(lambda: self._runs > runs or self._closed, grace)
            return self._found

    def close(self) -> None:
        """End the thread, as soon as the simulation under way is over."""
        with self._changed:
            self._closed = True
            self._aim = None
            self._changed.notify_all()
        self._search.interrupt()

    def _work(self) -> None:
        playouts = 1
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._aim is not None or self._closed)
                if self._closed:
                    return
                position, number = self._aim, self._number
            assert position is not None
            budget = Budget(playouts) if self._slow else ENDLESS
            try:
                seed = derive(self._seed, number, self._runs)
                found = find_move(self._search, position, budget, seed, None)
            except GravenError as error:
                log.error("the search has failed: %s", error)
                self.close()
                return
            if self._slow and found.playouts:
                rate = found.playouts / max(found.seconds, 1e-6)
                playouts = max(1, min(2 * playouts, int(rate * SLICE_SECONDS)))
            with self._changed:
                self._runs += 1
                if number == self._number and (found.playouts or self._found is None):
                    self._found = found
                self._changed.notify_all()
