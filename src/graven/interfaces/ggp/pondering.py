"""A search that runs continuously in a thread, also during the opponents' time."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

from graven.agents import (
    BATCHED_SPEC,
    Agent,
    MoveClock,
    PuzzleAgent,
    SearchAgent,
    SearchResult,
    default_spec,
)
from graven.agents.default_agent import is_puzzle
from graven.agents.player import SearchPlayer
from graven.agents.puzzle_player import PuzzlePlayer
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
WARM_UP_PUZZLE = """
(role robot) (init (at 1)) (after 1 2) (after 2 3)
(<= (legal robot (go ?b)) (true (at ?a)) (after ?a ?b)) (legal robot stay)
(<= (next (at ?b)) (does robot (go ?b)))
(<= (next (at ?a)) (does robot stay) (true (at ?a)))
(<= terminal (true (at 3)))
(<= (goal robot 100) (true (at 3)))
(<= (goal robot 0) (not (true (at 3))))
"""


def warm_up(agent: MatchAgent) -> None:
    """Compile everything that a match needs, or load it, before any clock runs."""
    text = sheets.text_of(WARM_UP_GAME)
    for method, playouts in WARM_UP_PLAYOUTS.items():
        game = sheet_game(text, WARM_UP_GAME, SheetOptions(method))
        # Not `warm_up`: both games have the same spec, and the second one would be skipped.
        agent.of(game).player(game).choose(game.start(), MoveClock(Budget(playouts)))
    puzzle = sheet_game(WARM_UP_PUZZLE, "puzzle", SheetOptions(NETWORK))
    agent.of(puzzle).player(puzzle).warm_up()


class MatchAgent:
    """The agent of a match: the one of a spec, or the default agent of each game.

    Its tree is kept during a match. `threads` are those of a tree search whose spec names none.
    """

    def __init__(self, spec: str | None = None, threads: int = 1) -> None:
        self._spec: Spec | None = None
        self._threads = threads
        self._is_puzzle = spec is not None and PuzzleAgent.matches(spec)
        if spec is not None and not self._is_puzzle:
            self._spec = self._match_spec(spec)

    @property
    def text(self) -> str:
        """The agent's spec; the default one's for games of several players if none was given."""
        if self._is_puzzle:
            return PuzzleAgent().spec
        return (self._spec or self._match_spec(BATCHED_SPEC)).text

    def of(self, game: Game, slow: bool = False) -> Agent:
        """Return the agent for a game; `slow`: one playout may take seconds."""
        if self._is_puzzle or (self._spec is None and is_puzzle(game)):
            return PuzzleAgent()
        spec = self._spec or self._match_spec(default_spec(game))
        if game.in_python:
            spec = spec.with_options(threads=1)  # rules in Python have only one
        return SearchAgent(_without_decay(spec) if slow else spec)

    def _match_spec(self, text: str) -> Spec:
        """Parse the spec of an agent that keeps its tree during a match."""
        spec = parse(text, files=True).with_options(reuse_tree=True)
        if spec.options.threads > 1:
            return spec
        return spec.with_options(threads=self._threads)


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

    def __init__(self, agent: MatchAgent, game: Game, seed: int, slow: bool) -> None:
        player = agent.of(game, slow).player(game, seed)
        assert isinstance(player, SearchPlayer | PuzzlePlayer)
        self._player = player
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

    def is_final(self, position: Position) -> bool:
        """Return whether the result of this position is proven."""
        with self._changed:
            if self._position is None or self._position.history != position.history:
                return False
            return self._result is not None and self._result.proven

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
