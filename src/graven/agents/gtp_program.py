"""External programs as players, over GTP: `gtp("gnugo --mode gtp --level 1")`.

A program is started for each game and gets the game's moves. If it crashes, sends an invalid reply,
plays an illegal move or exceeds its time, it forfeits the game (`ForfeitError`). A program that
cannot be started, ends at once or does not accept the board is a `UsageError`: no game was played.
"""

from __future__ import annotations

import contextlib
import queue
import re
import shlex
import subprocess
import threading
import time

from graven.agents.external_agent import ExternalAgent
from graven.agents.move_clock import MoveClock
from graven.agents.player import ForfeitError, ResignedError
from graven.agents.search_result import SearchResult
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.search.budget import Budget
from graven.search.runner import Stop

REPLY_SECONDS = 120.0  # timeout of a reply if the budget has no seconds
EXTRA_SECONDS = 10.0  # timeout of a reply beyond the seconds of the budget
QUIT_SECONDS = 1.0
POLL_SECONDS = 0.1
LONGEST_REPLY = 1 << 20  # characters
LONGEST_COMMAND = 1000

_SPEC = re.compile(r"""\s*gtp\s*\(\s*(["'])(.*)\1\s*\)\s*""", re.DOTALL)


class GtpAgent(ExternalAgent):
    """A GTP program as an agent."""

    def __init__(self, spec: str) -> None:
        match = _SPEC.fullmatch(spec)
        if match is None:
            raise UsageError(f'{spec!r}: a GTP program is written gtp("command").')
        self.command = match[2].strip()
        try:
            self.arguments = shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"{self.command!r} is not a valid command: {error}.") from None
        if not self.arguments or len(self.command) > LONGEST_COMMAND:
            raise UsageError(
                f"a command has from 1 to {LONGEST_COMMAND} characters, got {len(self.command)}."
            )

    @staticmethod
    def matches(spec: str) -> bool:
        """Return whether a spec names a GTP program."""
        return re.match(r"\s*gtp\s*\(", spec) is not None

    @property
    def spec(self) -> str:
        """The spec in canonical form."""
        return f'gtp("{self.command}")'

    @property
    def budget(self) -> Budget:
        """Empty: the spec of a program has no budget."""
        return Budget()

    def budget_or(self, default: Budget) -> Budget:
        """Return `default`; only its seconds matter, since a program reports no playouts."""
        return default

    def player(self, game: Game, seed: int = 0) -> GtpPlayer:
        """Make a player for one game; the seed has no effect on a program."""
        return GtpPlayer(self, game)


class GtpPlayer:
    """A GTP program in one game. The program is started by the first `choose`."""

    every_step = False

    def __init__(self, agent: GtpAgent, game: Game) -> None:
        self._name = agent.command
        self._game = game
        self._process = GtpProcess(agent)
        self._sent: Position | None = None  # the program's position; None: not started

    def warm_up(self) -> None:
        """Do nothing: a program is not compiled."""

    def ponder(self, position: Position, clock: MoveClock | None = None) -> None:
        """Return None: GTP has no command for pondering."""

    def choose(self, position: Position, clock: MoveClock | None = None) -> SearchResult:
        """Return the program's move."""
        began = time.monotonic()
        clock = clock or MoveClock(Budget())
        seconds = clock.budget.seconds
        if self._sent is None:
            self._start(seconds)
        self._send_moves(position)
        player = position.current_player
        timeout = REPLY_SECONDS if seconds is None else seconds + EXTRA_SECONDS
        reply = self._process.ask(f"genmove {self._colour(player)}", timeout, clock.stop).strip()
        if reply.lower() == "resign":
            raise ResignedError(f"{self._name} resigned")
        code = self._game.move_code(player, reply)
        if code is None or code not in position.legal_codes_of(player):
            raise ForfeitError(f"{self._name} played {reply[:40]!r}, which is not legal")
        self._sent = position.play_code(code)
        move = self._game.format_move(player, code)
        return SearchResult(best_move=move, pv=(move,), seconds=time.monotonic() - began)

    def close(self) -> None:
        """End the program."""
        self._process.close()
        self._sent = None

    def _start(self, seconds: float | None) -> None:
        """Start the program and set up the board and the clock."""
        self._process.start()
        try:
            self._set_up(seconds)
        except ForfeitError as error:
            raise UsageError(
                f"no game was played: {error}. Is it a GTP program that plays this game? Run "
                f"{self._name!r} in a terminal, and type list_commands."
            ) from None
        self._sent = self._game.start()

    def _set_up(self, seconds: float | None) -> None:
        options = self._game.options
        rows, _, columns = str(options.get("size", "")).partition("x")
        square = columns in ("", rows)
        self._process.ask(f"boardsize {rows}" if square else f"boardsize {columns} {rows}")
        self._process.ask("clear_board")
        if "komi" in options:
            self._process.ask(f"komi {options['komi']}")
        if seconds is not None:
            self._process.ask(f"time_settings 0 {max(1, round(seconds))} 1")

    def _send_moves(self, position: Position) -> None:
        """Send the moves since the program's last position."""
        sent = self._sent
        assert sent is not None
        while sent.ply < position.ply:
            player = sent.current_player
            code = position.history[sent.ply][player]
            move = self._game.format_move(player, code)
            self._process.ask(f"play {self._colour(player)} {move}")
            sent = sent.play_code(code)
        self._sent = sent

    def _colour(self, player: int) -> str:
        return self._game.player_names[player].lower()


class GtpProcess:
    """A child process that answers GTP commands; a thread reads its replies into a queue."""

    def __init__(self, agent: GtpAgent) -> None:
        self._name = agent.command
        self._arguments = agent.arguments
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.Queue[str | None] = queue.Queue()

    def start(self) -> None:
        """Start the program."""
        try:
            self._process = subprocess.Popen(
                self._arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise UsageError(
                f"{self._arguments[0]} cannot be started: {error.strerror}. Is it installed, "
                "and its folder in PATH?"
            ) from None
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def ask(self, command: str, timeout: float | None = None, stop: Stop | None = None) -> str:
        """Send a command and return its reply without the `=`; default timeout: REPLY_SECONDS."""
        process = self._process
        if process is None or process.stdin is None:
            raise ForfeitError(f"{self._name} is not running")
        try:
            process.stdin.write(command + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            raise ForfeitError(f"{self._name} has stopped") from None
        reply = self._reply(REPLY_SECONDS if timeout is None else timeout, stop)
        if reply.startswith("?"):
            reason = reply[1:].strip()[:80]
            raise ForfeitError(f"{self._name} refused {command!r}: {reason}")
        return re.sub(r"^=\d*", "", reply)

    def close(self) -> None:
        """Ask the program to quit, and kill it if it does not."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError, ValueError):
            if process.stdin is not None:
                process.stdin.write("quit\n")
                process.stdin.close()
        try:
            process.wait(timeout=QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def _reply(self, timeout: float, stop: Stop | None) -> str:
        deadline = time.monotonic() + timeout
        while True:
            try:
                reply = self._replies.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if stop is not None and stop.is_set():
                    raise ForfeitError("stopped") from None
                if time.monotonic() > deadline:
                    raise ForfeitError(
                        f"{self._name} did not answer within {timeout:g} s"
                    ) from None
                continue
            if reply is None:
                raise ForfeitError(f"{self._name} has stopped")
            return reply

    def _read(self, process: subprocess.Popen[str]) -> None:
        """Collect replies: the lines from one that begins with = or ? to an empty line."""
        lines: list[str] = []
        size = 0
        assert process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            while line := process.stdout.readline(LONGEST_REPLY):
                size += len(line)
                if size > LONGEST_REPLY:
                    break
                if line.strip():
                    if lines or line[0] in "=?":
                        lines.append(line.rstrip("\n"))
                elif lines:
                    self._replies.put("\n".join(lines))
                    lines, size = [], 0
        self._replies.put(None)
