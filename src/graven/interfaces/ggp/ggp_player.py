"""The GGP player: its answer to each message. It plays one match at a time."""

from __future__ import annotations

import logging
import re
import threading
import time

from graven.core.errors import GravenError
from graven.core.rng import derive
from graven.gdl.sheet_loader import checked_sheet
from graven.interfaces.ggp.clock_margin import DEFAULT_MARGIN, ClockMargin
from graven.interfaces.ggp.ggp_match import GgpMatch
from graven.interfaces.ggp.ggp_messages import (
    AbortMessage,
    GgpMessage,
    GgpMessageError,
    InfoMessage,
    JointMove,
    PlayMessage,
    PreviewMessage,
    StartMessage,
    StopMessage,
)
from graven.interfaces.ggp.pondering import MatchAgent

log = logging.getLogger("graven.ggp")

READY, BUSY, DONE, ABORTED, AVAILABLE = "ready", "busy", "done", "aborted", "available"


class GgpPlayer:
    """An agent that plays matches, one after another; without a spec, each game's default agent."""

    def __init__(
        self,
        agent: str | None = None,
        name: str = "graven",
        margin: float = DEFAULT_MARGIN,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.agent = MatchAgent(agent, threads)
        self.name = re.sub(r"[^\w.+-]", "_", name) or "graven"
        self._margin = ClockMargin(margin)
        self._seed = seed
        self._lock = threading.Lock()  # guards what follows
        self._matches_started = 0
        self._match: GgpMatch | None = None
        self._last_match_name = ""  # of the match that ended last

    @property
    def is_busy(self) -> bool:
        """Whether a match is being played that its server continues."""
        current = self._current_match()
        return current is not None and time.monotonic() < current.silence_begins

    def answer(self, message: GgpMessage, received: float | None = None) -> str:
        """Return the reply within the clocks; `received` is the time.monotonic() of arrival."""
        received = time.monotonic() if received is None else received
        match message:
            case InfoMessage():
                status = BUSY if self.is_busy else AVAILABLE
                return f"( ( name {self.name} ) ( status {status} ) )"
            case PreviewMessage():
                return BUSY if self.is_busy else READY
            case StartMessage():
                return self._start(message, received)
            case PlayMessage():
                return self._play(message, received)
            case StopMessage():
                return self._stop(message)
            case AbortMessage():
                return self._abort(message)

    def close(self) -> None:
        """Leave the current match."""
        current = self._match
        if current is not None:
            current.end()

    def _current_match(self) -> GgpMatch | None:
        current = self._match
        if current is not None and current.is_abandoned:
            log.warning("%s: no message for too long; abandoned", current.state.title)
            self._leave(current)
        return self._match

    def _match_named(self, name: str) -> GgpMatch | None:
        current = self._current_match()
        return current if current is not None and current.start.match == name else None

    def _leave(self, match: GgpMatch) -> None:
        match.end()
        with self._lock:
            if self._match is match:
                self._match, self._last_match_name = None, match.start.match

    def _start(self, message: StartMessage, received: float) -> str:
        """Begin a match. The same message again gets the same answer.

        Another match is dropped if its server is overdue. Until then the new one waits, as long as
        its start clock allows: the server may have abandoned the other match.
        """
        latest = received + message.start_clock - self._margin.seconds(message.start_clock)
        while True:
            current = self._current_match() or self._new_match(message)
            if current.start == message:
                return current.begin(received)
            silence = current.silence_begins
            if time.monotonic() >= silence:
                log.warning("%s: its server is silent; dropped for another", current.state.title)
                self._leave(current)
            elif silence > latest:
                return BUSY
            else:
                current.state.closed.wait(max(0.0, silence - time.monotonic()))

    def _new_match(self, message: StartMessage) -> GgpMatch:
        """Start a match, unless another thread has just started one."""
        try:
            sheet = checked_sheet(message.rules, "the rules")
        except GravenError as error:
            raise GgpMessageError(str(error)) from None
        if message.role not in sheet.roles:
            roles = ", ".join(sheet.roles) or "none"
            raise GgpMessageError(f"there is no role {message.role!r}; the rules have {roles}.")
        with self._lock:
            if self._match is None:
                self._matches_started += 1
                seed = derive(self._seed, self._matches_started)
                self._match = GgpMatch(message, sheet, self.agent, margin=self._margin, seed=seed)
                log.info(
                    "match %s: we are %s of %s, clocks %g s and %g s",
                    message.match,
                    message.role,
                    " ".join(sheet.roles),
                    message.start_clock,
                    message.play_clock,
                )
            return self._match

    def _play(self, message: PlayMessage, received: float) -> str:
        current = self._match_named(message.match)
        if current is None:
            return BUSY
        return current.play(_checked_joint(message, current), received)

    def _stop(self, message: StopMessage) -> str:
        current = self._match_named(message.match)
        if current is None:
            return DONE if message.match == self._last_match_name else BUSY
        joint = _checked_joint(message, current)
        self._leave(current)
        current.stop(joint)
        return DONE

    def _abort(self, message: AbortMessage) -> str:
        current = self._match_named(message.match)
        if current is None:
            return ABORTED if message.match == self._last_match_name else BUSY
        self._leave(current)
        log.info("match %s: aborted", message.match)
        return ABORTED


def _checked_joint(message: PlayMessage | StopMessage, match: GgpMatch) -> JointMove:
    """Return the joint move; raise `GgpMessageError` unless it has one move for each role."""
    if message.joint is not None and len(message.joint) != match.roles:
        raise GgpMessageError(
            f"{match.roles} moves are expected, one for each role; got {len(message.joint)}."
        )
    return message.joint
