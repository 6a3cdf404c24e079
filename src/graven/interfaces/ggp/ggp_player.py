"""The player: what it answers to each message. One match at a time."""

from __future__ import annotations

import logging
import re
import threading
import time

from graven.core.errors import GravenError
from graven.core.rng import derive
from graven.gdl.sheet_loader import checked_sheet
from graven.interfaces.ggp.clock_margin import BASE, Margin
from graven.interfaces.ggp.ggp_match import Match
from graven.interfaces.ggp.ggp_messages import (
    Abort,
    Info,
    Message,
    MessageError,
    Play,
    Preview,
    Start,
    Stop,
)
from graven.interfaces.ggp.pondering import player_agent

log = logging.getLogger("graven.ggp")

READY, BUSY, DONE, ABORTED = "ready", "busy", "done", "aborted"


class Player:
    """An agent that plays matches, one after another."""

    def __init__(self, agent: str, name: str = "graven", margin: float = BASE, seed: int = 0):
        self.spec = player_agent(agent)
        self.name = re.sub(r"[^\w.+-]", "_", name) or "graven"
        self._margin = Margin(margin)
        self._seed = seed
        self._matches = 0
        self._lock = threading.Lock()
        self._match: Match | None = None
        self._over = ""  # the match that ended last

    @property
    def busy(self) -> bool:
        """Whether a match is being played."""
        return self._current() is not None

    def answer(self, message: Message, received: float | None = None) -> str:
        """The reply, within the clocks; `received` is when the message came (time.monotonic)."""
        received = time.monotonic() if received is None else received
        match message:
            case Info():
                status = BUSY if self.busy else "available"
                return f"( ( name {self.name} ) ( status {status} ) )"
            case Preview():
                return BUSY if self.busy else READY
            case Start():
                return self._start(message, received)
            case Play():
                found = self._of(message.match)
                return BUSY if found is None else found.play(_sized(message, found), received)
            case Stop():
                return self._stop(message)
            case Abort():
                return self._abort(message)

    def close(self) -> None:
        """Leave whatever is being played."""
        found = self._match
        if found is not None:
            found.end()

    def _current(self) -> Match | None:
        found = self._match
        if found is not None and found.lost:
            log.warning("match %s: nothing heard any more; given up", found.start.match)
            self._leave(found)
        return self._match

    def _of(self, name: str) -> Match | None:
        found = self._current()
        return found if found is not None and found.start.match == name else None

    def _leave(self, match: Match) -> None:
        match.end()
        with self._lock:
            if self._match is match:
                self._match, self._over = None, match.start.match

    def _start(self, message: Start, received: float) -> str:
        found = self._current()
        if found is None:
            try:
                sheet = checked_sheet(message.rules, "the rules")
            except GravenError as error:
                raise MessageError(str(error)) from None
            if message.role not in sheet.roles:
                roles = ", ".join(sheet.roles) or "none"
                raise MessageError(f"there is no role {message.role!r}; the rules have {roles}.")
            with self._lock:
                if self._match is None:
                    self._matches += 1
                    seed = derive(self._seed, self._matches)
                    self._match = Match(message, sheet, self.spec, self._margin, seed)
                    log.info(
                        "match %s: we are %s of %s, clocks %g s and %g s",
                        message.match,
                        message.role,
                        " ".join(sheet.roles),
                        message.start_clock,
                        message.play_clock,
                    )
                found = self._match
        # The same message again is answered again; another one has to wait.
        if found.start != message:
            return BUSY
        return found.begin(received)

    def _stop(self, message: Stop) -> str:
        found = self._of(message.match)
        if found is None:
            return DONE if message.match == self._over else BUSY
        joint = _sized(message, found)
        self._leave(found)
        found.stop(joint)
        return DONE

    def _abort(self, message: Abort) -> str:
        found = self._of(message.match)
        if found is None:
            return ABORTED if message.match == self._over else BUSY
        self._leave(found)
        log.info("match %s: aborted", message.match)
        return ABORTED


def _sized(message: Play | Stop, match: Match) -> tuple[str, ...] | None:
    """The joint move, which must have one move for each role."""
    roles = match.roles
    if message.joint is not None and len(message.joint) != roles:
        raise MessageError(f"{roles} moves are expected, one for each role.")
    return message.joint
