"""A match between players over HTTP and agents of our own, held by us.

As GGP-Base's server does it: START may take the start clock, PLAY the play clock and a second, STOP
the play clock, ABORT a second; a move that is late, illegal or missing becomes a random legal one.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlsplit

from graven.agents import Agent, Player
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.gdl.moves import after, moves_of
from graven.interfaces.ggp.ggp_messages import move_text
from graven.interfaces.ggp.pondering import player_agent
from graven.interfaces.ggp.scramble import Scramble
from graven.search.budget import Budget

EXTRA = 1.0
"""What a PLAY may take beyond the play clock."""
ABORT_SECONDS = 1.0
MOST_REPLY = 1 << 16
SHARE = 0.9
"""How much of the play clock an agent of our own thinks."""

LATE, ILLEGAL, MISSING = "late", "illegal", "missing"


class LateError(Exception):
    """No answer within the clock."""


class MissingError(Exception):
    """No answer at all, or none that is one."""


class Seat(Protocol):
    """Somebody who plays a role."""

    name: str

    def start(self, match: str, role: str, rules: str, clocks: tuple[float, float]) -> None:
        """The match begins."""

    def play(self, match: str, joint: tuple[str, ...] | None, position: Position, role: int) -> str:
        """A move; LateError or MissingError if there is none."""

    def stop(self, match: str, joint: tuple[str, ...] | None, aborted: bool) -> None:
        """The match is over."""


class Remote:
    """A player at an address."""

    def __init__(self, url: str, scramble: Scramble | None) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port or 9147
        except ValueError:
            port = 0
        if parts.scheme != "http" or not parts.hostname or not port:
            raise UsageError(f"a player's address looks like http://localhost:9147, not {url!r}.")
        self.name = url
        self._host, self._port = parts.hostname, port
        self._path = parts.path or "/"
        self._scramble = scramble
        self._clocks = (1.0, 1.0)

    def _said(self, text: str) -> str:
        return self._scramble.there(text) if self._scramble else text

    def _moves(self, joint: tuple[str, ...] | None) -> str:
        return "NIL" if joint is None else f"({self._said(' '.join(joint))})"

    def _send(self, message: str, seconds: float) -> str:
        """A message and its reply, all of it within the time."""
        until = time.monotonic() + seconds
        connection = http.client.HTTPConnection(self._host, self._port, timeout=seconds)
        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": self._host,
            "Content-Type": "text/acl",
        }
        watch: threading.Timer | None = None
        try:
            connection.connect()
            # A socket's timeout begins again with every byte: somebody has to watch the whole.
            watch = threading.Timer(until - time.monotonic(), _hang_up, [connection.sock])
            watch.daemon = True
            watch.start()
            connection.request("POST", self._path, message.encode(), headers)
            reply = connection.getresponse()
            text = reply.read(MOST_REPLY).decode(errors="replace")
        except TimeoutError:
            raise LateError from None
        except (OSError, http.client.HTTPException) as error:
            if time.monotonic() > until:
                raise LateError from None
            raise MissingError(str(error)) from None
        finally:
            if watch is not None:
                watch.cancel()
            connection.close()
        if time.monotonic() > until:
            raise LateError
        if reply.status != http.client.OK:
            raise MissingError(f"status {reply.status}: {text[:200]}")
        return text

    def start(self, match: str, role: str, rules: str, clocks: tuple[float, float]) -> None:
        """START."""
        self._clocks = clocks
        said = f"{self._said(role)} ({self._said(rules)}) {clocks[0]:g} {clocks[1]:g}"
        self._send(f"( START {match} {said} )", clocks[0])

    def play(self, match: str, joint: tuple[str, ...] | None, position: Position, role: int) -> str:
        """PLAY."""
        reply = self._send(f"( PLAY {match} {self._moves(joint)} )", self._clocks[1] + EXTRA)
        try:
            move = move_text(self._scramble.back(reply) if self._scramble else reply)
        except GravenError:
            move = None
        return reply.strip()[:200] if move is None else move

    def stop(self, match: str, joint: tuple[str, ...] | None, aborted: bool) -> None:
        """STOP or ABORT."""
        if aborted:
            self._send(f"( ABORT {match} )", ABORT_SECONDS)
        else:
            self._send(f"( STOP {match} {self._moves(joint)} )", self._clocks[1])


def _hang_up(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


class Own:
    """An agent of our own, in this process."""

    def __init__(self, spec: str, seed: int) -> None:
        said = player_agent(spec)
        self.name = said.text
        self._agent = Agent(said)
        self._seed = seed
        self._player: Player | None = None

    def start(self, match: str, role: str, rules: str, clocks: tuple[float, float]) -> None:
        """A new tree."""
        budget = self._agent.budget_or(Budget(seconds=SHARE * clocks[1]))
        self._player = Player(self._agent, self._seed, budget)

    def play(self, match: str, joint: tuple[str, ...] | None, position: Position, role: int) -> str:
        """Search, where there is a choice."""
        legal = moves_of(position, role)
        if len(legal) == 1 or self._player is None or role not in position.players_to_move:
            return legal[0]
        found = self._player.choose(position)
        best = found.best_move
        return best if isinstance(best, str) else best[position.players_to_move.index(role)]

    def stop(self, match: str, joint: tuple[str, ...] | None, aborted: bool) -> None:
        """Nothing is left to do."""
        self._player = None


@dataclass
class Conduct:
    """How somebody behaved in a match."""

    role: str
    player: str
    goal: int | None = None
    faults: dict[str, int] = field(default_factory=lambda: {LATE: 0, ILLEGAL: 0, MISSING: 0})
    started: bool = True
    said: str = ""  # about the first fault

    def blame(self, kind: str, said: str) -> None:
        """Count a fault."""
        self.faults[kind] += 1
        self.said = self.said or said


@dataclass
class Result:
    """A match as it was played, in the form of the traces that `graven gdl follow` reads."""

    match: str
    conduct: list[Conduct]
    steps: list[dict[str, Any]] = field(default_factory=list)
    terminal: bool = False
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "match": self.match,
            "players": [
                {"role": each.role, "player": each.player, "goal": each.goal, **each.faults}
                for each in self.conduct
            ],
            "steps": len(self.steps),
            "terminal": self.terminal,
            "seconds": round(self.seconds, 3),
        }

    def trace(self, game: str, number: int) -> dict[str, Any]:
        """As a line of a trace file."""
        return {
            "game": game,
            "match": number,
            "roles": [each.role for each in self.conduct],
            "steps": self.steps,
            "terminal": self.terminal,
            "cut": not self.terminal,
            "goals": [each.goal for each in self.conduct] if self.terminal else None,
        }


@dataclass(frozen=True)
class Terms:
    """What a match is played on."""

    rules: str
    start_clock: float
    play_clock: float
    seed: int = 0


class Referee:
    """Holds a match."""

    def __init__(self, game: Game, terms: Terms, seats: list[Seat], match: str) -> None:
        roles = game.player_names
        if len(seats) != len(roles):
            raise UsageError(
                f"this game needs {len(roles)} players, for {', '.join(roles)}; here are "
                f"{len(seats)}."
            )
        self.game = game
        self.terms = terms
        self.seats = seats
        self.match = match
        self.result = Result(match, [Conduct(r, s.name) for r, s in zip(roles, seats, strict=True)])

    def hold(self, stop: Callable[[], bool] = lambda: False) -> Result:
        """Play the match to its end, or until told to stop."""
        began = time.monotonic()
        position, joint = self.game.start(), None
        with ThreadPoolExecutor(len(self.seats)) as threads:
            each = range(len(self.seats))
            list(threads.map(self._start, each))
            while not position.is_over and not stop():
                legal = [moves_of(position, role) for role in each]
                answers = list(threads.map(partial(self._ask, position, joint), each))
                joint = tuple(
                    self._valid(role, answers[role], legal[role], position.ply) for role in each
                )
                position = after(position, joint)
                shown = [sorted(moves) for moves in legal]
                self.result.steps.append({"legal": shown, "joint": list(joint)})
            over = position.is_over
            list(threads.map(partial(self._stop, joint, not over), each))
        self.result.terminal = over
        if position.scores is not None:
            for conduct, score in zip(self.result.conduct, position.scores, strict=True):
                conduct.goal = round(100 * score)
        self.result.seconds = time.monotonic() - began
        return self.result

    def _start(self, role: int) -> None:
        conduct, terms = self.result.conduct[role], self.terms
        clocks = terms.start_clock, terms.play_clock
        try:
            self.seats[role].start(self.match, conduct.role, terms.rules, clocks)
        except LateError:
            conduct.started, conduct.said = False, "START was not answered in time"
        except MissingError as error:
            conduct.started, conduct.said = False, f"START: {error}"

    def _ask(self, position: Position, joint: tuple[str, ...] | None, role: int) -> str | None:
        conduct = self.result.conduct[role]
        try:
            return self.seats[role].play(self.match, joint, position, role)
        except LateError:
            conduct.blame(LATE, f"no answer in time at step {position.ply + 1}")
        except MissingError as error:
            conduct.blame(MISSING, f"no answer at step {position.ply + 1}: {error}")
        return None

    def _valid(self, role: int, move: str | None, legal: list[str], step: int) -> str:
        if move in legal:
            return str(move)
        if move is not None:
            conduct = self.result.conduct[role]
            conduct.blame(ILLEGAL, f"{move[:80]!r} is not legal at step {step + 1}")
        return legal[derive(self.terms.seed, step, role) % len(legal)]

    def _stop(self, joint: tuple[str, ...] | None, aborted: bool, role: int) -> None:
        try:
            self.seats[role].stop(self.match, joint, aborted)
        except (LateError, MissingError) as error:
            conduct = self.result.conduct[role]
            conduct.said = conduct.said or f"STOP was not answered: {error or 'late'}"
