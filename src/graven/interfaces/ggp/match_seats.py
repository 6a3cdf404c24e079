"""The players of a refereed match: remote ones over HTTP, agents in this process."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from typing import Protocol
from urllib.parse import urlsplit

from graven.agents import MoveClock, Player, PuzzleAgent
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.gdl.move_text import moves_of
from graven.interfaces.ggp.ggp_messages import JointMove, parse_move
from graven.interfaces.ggp.pondering import MatchAgent
from graven.interfaces.ggp.rule_scrambling import Scrambler
from graven.search.budget import Budget

DEFAULT_PORT = 9147
DEFAULT_AGENT = "default"
"""The name of each game's default agent."""
EXTRA_PLAY_SECONDS = 1.0
"""Time for the answer to a PLAY beyond the play clock."""
ABORT_TIMEOUT = 1.0
MAX_REPLY_BYTES = 1 << 16
MAX_QUOTED_CHARACTERS = 200  # of a faulty reply
AGENT_CLOCK_SHARE = 0.9
"""The part of the play clock that an agent in this process uses."""


class LateError(Exception):
    """A player did not answer within the clock."""


class MissingError(Exception):
    """A player did not answer, or the connection failed."""


class Seat(Protocol):
    """A player in one role of a match."""

    name: str

    def start(self, match: str, role: str, rules: str, clocks: tuple[float, float]) -> None:
        """Begin a match."""

    def play(self, match: str, joint: JointMove, position: Position, role: int) -> str:
        """Return a move; raise `LateError` or `MissingError` if there is none."""

    def stop(self, match: str, joint: JointMove, aborted: bool) -> None:
        """End the match."""


class HttpSeat:
    """A player at an HTTP address."""

    def __init__(self, url: str, scrambler: Scrambler | None) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port or DEFAULT_PORT
        except ValueError:
            port = 0
        if parts.scheme != "http" or not parts.hostname or not port:
            raise UsageError(
                f"invalid player address {url!r}: it must look like "
                f"http://localhost:{DEFAULT_PORT}."
            )
        self.name = url
        self._host, self._port = parts.hostname, port
        self._path = parts.path or "/"
        self._scrambler = scrambler
        self._clocks = (1.0, 1.0)

    def start(self, match: str, role: str, rules: str, clocks: tuple[float, float]) -> None:
        """Send START."""
        self._clocks = clocks
        role, rules = self._scrambled(role), self._scrambled(rules)
        self._send(f"( START {match} {role} ({rules}) {clocks[0]:g} {clocks[1]:g} )", clocks[0])

    def play(self, match: str, joint: JointMove, position: Position, role: int) -> str:
        """Send PLAY; return the move, or the beginning of a reply that is none."""
        timeout = self._clocks[1] + EXTRA_PLAY_SECONDS
        reply = self._send(f"( PLAY {match} {self._moves(joint)} )", timeout)
        try:
            move = parse_move(self._scrambler.unscramble(reply) if self._scrambler else reply)
        except GravenError:
            move = None
        return reply.strip()[:MAX_QUOTED_CHARACTERS] if move is None else move

    def stop(self, match: str, joint: JointMove, aborted: bool) -> None:
        """Send STOP or ABORT."""
        if aborted:
            self._send(f"( ABORT {match} )", ABORT_TIMEOUT)
        else:
            self._send(f"( STOP {match} {self._moves(joint)} )", self._clocks[1])

    def _scrambled(self, text: str) -> str:
        return self._scrambler.scramble(text) if self._scrambler else text

    def _moves(self, joint: JointMove) -> str:
        return "NIL" if joint is None else f"({self._scrambled(' '.join(joint))})"

    def _send(self, message: str, timeout: float) -> str:
        """Send a message and return its reply; the timeout covers the whole exchange."""
        deadline = time.monotonic() + timeout
        connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": self._host,
            "Content-Type": "text/acl",
        }
        timer: threading.Timer | None = None
        try:
            connection.connect()
            # A socket's timeout restarts with every byte, so a timer limits the whole exchange.
            timer = threading.Timer(deadline - time.monotonic(), _shut_down, [connection.sock])
            timer.daemon = True
            timer.start()
            connection.request("POST", self._path, message.encode(), headers)
            reply = connection.getresponse()
            text = reply.read(MAX_REPLY_BYTES).decode(errors="replace")
        except TimeoutError:
            raise LateError from None
        except (OSError, http.client.HTTPException) as error:
            if time.monotonic() > deadline:
                raise LateError from None
            raise MissingError(str(error)) from None
        finally:
            if timer is not None:
                timer.cancel()
            connection.close()
        if time.monotonic() > deadline:
            raise LateError
        if reply.status != http.client.OK:
            raise MissingError(f"status {reply.status}: {text[:MAX_QUOTED_CHARACTERS]}")
        return text


def _shut_down(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class AgentSeat:
    """An agent in this process."""

    def __init__(self, spec: str, seed: int) -> None:
        is_default = spec == DEFAULT_AGENT
        self._match_agent = MatchAgent(None if is_default else spec)
        self.name = DEFAULT_AGENT if is_default else self._match_agent.text
        self._seed = seed
        self._clocks = (0.0, 0.0)
        self._player: Player | None = None
        self._clock: MoveClock | None = None

    def warm_up(self, game: Game) -> None:
        """Compile what the agent needs at this game, before any clock runs."""
        self._match_agent.of(game).player(game).warm_up()

    def start(self, match: str, role: str, rules: str, clocks: tuple[float, float]) -> None:
        """Begin with an empty tree."""
        self._clocks = clocks
        self._player = None

    def play(self, match: str, joint: JointMove, position: Position, role: int) -> str:
        """Search, unless there is only one legal move.

        The position is not known before the first move, so a puzzle, which may be solved as a whole
        in the start clock, has that time for its first move.
        """
        legal = moves_of(position, role)
        if len(legal) == 1 or role not in position.players_to_move:
            return legal[0]
        start_clock, play_clock = self._clocks
        if self._player is None or self._clock is None:
            agent = self._match_agent.of(position.game)
            budget = Budget(seconds=AGENT_CLOCK_SHARE * play_clock)
            self._clock = MoveClock(agent.budget_or(budget))
            self._player = agent.player(position.game, self._seed)
            if isinstance(agent, PuzzleAgent):
                self._player.ponder(position, MoveClock(Budget(seconds=start_clock)))
        return self._player.choose(position, self._clock).move_of(role)

    def stop(self, match: str, joint: JointMove, aborted: bool) -> None:
        """Drop the tree."""
        self._player = None
