"""One match of the GGP player: answers to messages within the clocks."""

from __future__ import annotations

import logging
import threading
import time

from graven.core.rng import derive
from graven.gdl.language.kif_terms import Sheet
from graven.interfaces.ggp.clock_margin import ClockMargin
from graven.interfaces.ggp.ggp_messages import JointMove, StartMessage
from graven.interfaces.ggp.match_state import MatchState
from graven.interfaces.ggp.pondering import MatchAgent
from graven.interfaces.ggp.rule_preparation import prepare_rules

log = logging.getLogger("graven.ggp")

MIN_RESULT_TIMEOUT = 0.15
"""Seconds to wait for the result of an interrupted search, if half of the margin is less: a chunk
of playouts takes 10 ms, a batch in a large game much longer."""
ABANDON_PLAY_CLOCKS, ABANDON_SECONDS = 10, 60.0
"""A match is abandoned if no message arrives for so many play clocks plus so many seconds."""
FINAL_POLL_SECONDS = 0.02
"""How often a search is asked whether its result is proven."""
SILENCE_SECONDS = 3.0
"""A server that is silent for so long after a clock has run out may have abandoned the match."""


class GgpMatch:
    """A match in progress, played by one agent in one role."""

    def __init__(
        self,
        start: StartMessage,
        sheet: Sheet,
        agent: MatchAgent,
        *,
        margin: ClockMargin,
        seed: int,
    ) -> None:
        self.start = start
        self.role = sheet.roles.index(start.role)
        self.roles = len(sheet.roles)
        self.state = MatchState(f"match {start.match}", agent, seed)
        self._margin = margin
        self._seed = seed
        # The first PLAY arrives when the start clock has run out.
        self._last_message = time.monotonic() + start.start_clock
        self._clock_ends = self._last_message
        self._answering = threading.Lock()  # one PLAY is answered at a time; guards what follows
        self._answer: str | None = None  # to the latest PLAY
        self._answered_joint: JointMove = None
        self._answered_at = 0.0
        self._ready = threading.Event()  # set when legal moves are known
        threading.Thread(
            target=prepare_rules,
            args=(sheet, self.state, self._ready),
            name="grounding",
            daemon=True,
        ).start()

    @property
    def is_abandoned(self) -> bool:
        """Whether the server has sent no message for too long."""
        silence = ABANDON_PLAY_CLOCKS * self.start.play_clock + ABANDON_SECONDS
        return time.monotonic() > self._last_message + silence

    @property
    def silence_begins(self) -> float:
        """When the server is overdue, in time.monotonic(): it may have abandoned the match."""
        return self._clock_ends + SILENCE_SECONDS

    def begin(self, received: float) -> str:
        """Answer START with `ready` near the end of the start clock, to use it for preparation."""
        clock = self.start.start_clock
        self._wait_until(received + clock - self._margin.seconds(clock))
        return "ready"

    def play(self, joint: JointMove, received: float) -> str:
        """Return our move in the position after a joint move (None: in the first one)."""
        with self._answering:
            self._last_message = time.monotonic()
            clock = self.start.play_clock
            self._clock_ends = received + clock
            if self._answer is not None:
                if self._is_repeated(joint, received):
                    return self._answer
                self._margin.observe_turnaround(received - self._answered_at)
            margin = self._margin.seconds(clock)
            deadline = received + clock - margin
            self._ready.wait(max(0.0, deadline - time.monotonic()))
            self.state.begin_playing()
            self._advance(joint)
            self._answer, self._answered_joint = None, joint
            self.state.search()
            legal = self.state.legal_moves(self.role)
            if len(legal) > 1:
                self._wait_until(deadline)
            self._answer = self._choose(legal, max(MIN_RESULT_TIMEOUT, margin / 2))
            self._answered_at = time.monotonic()
            self._margin.observe_delay(self._answered_at - deadline)
            self.state.search_after(self.role, self._answer)
            return self._answer

    def stop(self, joint: JointMove) -> None:
        """End the match after one more joint move, and log the goals."""
        self.end()
        self._advance(joint)
        position = self.state.position
        if position is not None and position.scores is not None:
            goals = " ".join(f"{100 * score:.0f}" for score in position.scores)
            log.info("%s is over: %s", self.state.title, goals)

    def end(self) -> None:
        """Leave the match."""
        self.state.close()

    def _wait_until(self, deadline: float) -> None:
        """Wait for the deadline, the end of the match, or a result that cannot become better."""
        while not self.state.is_final:
            left = deadline - time.monotonic()
            if left <= 0 or self.state.closed.wait(min(left, FINAL_POLL_SECONDS)):
                return

    def _is_repeated(self, joint: JointMove, received: float) -> bool:
        """Whether a PLAY was sent again.

        A PLAY has no step number. It is the same step if it arrived before the last one was
        answered, or if its joint move cannot follow our answer.
        """
        if joint != self._answered_joint:
            return False
        if joint is None or received < self._answered_at:
            return True
        return joint[self.role] != self._answer or not self.state.is_legal(joint)

    def _advance(self, joint: JointMove) -> None:
        """Play a joint move; widen the margin if the server replaced our move."""
        changed = self.state.advance(joint)
        if changed and joint is not None and self._answer not in (None, joint[self.role]):
            log.warning(
                "%s: the server played %s for us instead of %s",
                self.state.title,
                joint[self.role],
                self._answer,
            )
            self._margin.observe_replaced_move()

    def _choose(self, legal: list[str], timeout: float) -> str:
        if len(legal) < 2:
            return legal[0] if legal else "noop"
        position, result = self.state.position, self.state.latest_result(timeout)
        if result is not None and position is not None and self.role in position.players_to_move:
            move = result.move_of(self.role)
            if move in legal:
                log.info(
                    "%s: %s, %.0f %%, %s playouts",
                    self.state.title,
                    move,
                    100 * (result.value_of(self.role) or 0.0),
                    f"{result.playouts:,}",
                )
                return move
        log.warning("%s: no search result; playing a random move", self.state.title)
        return legal[derive(self._seed, self.state.steps) % len(legal)]
