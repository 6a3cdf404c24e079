"""All sessions of the server, up to the limit."""

from __future__ import annotations

import time
from collections import OrderedDict

from graven.agents import default_agent
from graven.core.errors import UsageError
from graven.interfaces.web.search_pool import SearchPool
from graven.interfaces.web.session_workers import SessionWorkers
from graven.interfaces.web.web_games import packaged_game
from graven.interfaces.web.web_limits import IDLE_SECONDS, PageLimits
from graven.interfaces.web.web_session import GameSession

WARM_UP_GAME = "breakthrough(size=5)"


class SessionRegistry:
    """The sessions by id. Sessions without a tab are removed to make room for new ones."""

    def __init__(self, limits: PageLimits) -> None:
        self.limits = limits
        self.pool = SearchPool(limits)
        self._workers = SessionWorkers()
        self._sessions: OrderedDict[str, GameSession] = OrderedDict()

    def open(self, session_id: str | None, client: str = "") -> GameSession:
        """Return the session with that id, or a new one of a client if there is none."""
        self._remove_unused()
        session = self._sessions.get(session_id or "")
        if session is None:
            if len(self._sessions) >= self.limits.sessions:
                raise UsageError(
                    f"this server allows {self.limits.sessions} games at the same time: "
                    "close a tab first."
                )
            session = GameSession(self.pool, self._workers, client)
            self._sessions[session.id] = session
        self._sessions.move_to_end(session.id)
        return session

    def warm_up(self) -> None:
        """Compile or load the search, so that the first move does not wait for it."""
        game = packaged_game(WARM_UP_GAME, None)
        default_agent(game).player(game).warm_up()

    def _remove_unused(self) -> None:
        now = time.monotonic()
        for session in list(self._sessions.values()):
            full = len(self._sessions) >= self.limits.sessions
            if not session.tabs and (full or now - session.last_used > IDLE_SECONDS):
                self.pool.release(session.id)
                del self._sessions[session.id]

    def close(self) -> None:
        """Cancel every search."""
        for session in self._sessions.values():
            session.close()
        self.pool.close()
        self._workers.close()
