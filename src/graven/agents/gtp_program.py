"""Other programs as players, over GTP: `gtp("gnugo --mode gtp --level 1")`.

A program is started for each game, told the game's moves, and asked for its own. Whatever goes
wrong with it (it stops, says nonsense, plays an illegal move, takes too long) is a `ProgramError`,
which the match counts as the program's loss. One that cannot even be started has played no game.
"""

from __future__ import annotations

import contextlib
import queue
import re
import shlex
import subprocess
import threading
import time
from dataclasses import replace

from graven.agents.agent import Agent, Player, SearchResult
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game, Position
from graven.search.budget import Budget
from graven.search.engine import Search, Stop

PATIENCE = 120.0  # seconds for a reply where no budget says how long a move may take
GRACE = 10.0  # seconds for a reply beyond what the budget allows
LONGEST_REPLY = 1 << 20  # characters
LONGEST_COMMAND = 1000
TICK = 0.1

_SPEC = re.compile(r"""\s*gtp\s*\(\s*(["'])(.*)\1\s*\)\s*""", re.DOTALL)


class ProgramError(GravenError):
    """A program broke down or broke the rules: its game is lost."""


def is_program(spec: str) -> bool:
    """Whether a text names a program rather than an agent of ours."""
    return re.match(r"\s*(gtp\s*\(|spiel-mcts\s*(\(|$))", spec) is not None


class ResignedError(ProgramError):
    """A program gave up, which is no fault."""


class Program(Agent):
    """A program that speaks GTP, as an agent: it plays, but cannot be searched with."""

    def __init__(self, spec: str) -> None:
        match = _SPEC.fullmatch(spec)
        if match is None:
            raise UsageError(f'{spec!r} is not written gtp("command").')
        self.command = match[2].strip()
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"{self.command!r} is no command: {error}.") from None
        if not words or len(self.command) > LONGEST_COMMAND:
            raise UsageError(f"a command has from 1 to {LONGEST_COMMAND} characters.")
        self.words = words

    @property
    def spec(self) -> str:
        """The spec in canonical form."""
        return f'gtp("{self.command}")'

    @property
    def budget(self) -> Budget:
        """None of its own."""
        return Budget()

    def budget_or(self, other: Budget) -> Budget:
        """The budget it is given; a program counts no playouts, so only seconds matter."""
        return other

    def bind(self, game: Game, memory: int | None = None) -> Search:
        """Not possible: nobody sees how a program thinks."""
        raise UsageError(f"{self.spec} plays matches; it has no search of ours to look into.")

    def seat(self, seed: int, budget: Budget) -> ProgramPlayer:
        """A player for one game."""
        return ProgramPlayer(self, budget)

    def __repr__(self) -> str:
        return f"<Program {self.command}>"


class ProgramPlayer:
    """A running program in the course of one game; `close` ends it."""

    def __init__(self, program: Program, budget: Budget) -> None:
        self.program = program
        self.budget = budget
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.Queue[str | None] = queue.Queue()
        self._told: Position | None = None

    def choose(self, position: Position, stop: Stop | None = None) -> SearchResult:
        """The program's move."""
        began = time.monotonic()
        if self._process is None:
            self._begin(position.game)
        self._tell(position)
        seconds = self.budget.seconds
        patience = PATIENCE if seconds is None else seconds + GRACE
        colour = _colour(position.game, position.current_player)
        text = self.ask(f"genmove {colour}", patience, stop).strip()
        if text.lower() == "resign":
            raise ResignedError(f"{self.program.command} resigned")
        code = position.game.move_code(position.current_player, text)
        if code is None or code not in position.legal_codes_of(position.current_player):
            raise ProgramError(f"{self.program.command} played {text[:40]!r}, which is not legal")
        self._told = position.play(code)
        move = position.game.format_move(position.current_player, code)
        return replace(NOTHING, best_move=move, pv=(move,), seconds=time.monotonic() - began)

    def ask(self, command: str, patience: float = PATIENCE, stop: Stop | None = None) -> str:
        """Send a command and wait for its reply, without the `=`."""
        process = self._process
        if process is None or process.stdin is None:
            raise ProgramError(f"{self.program.command} is not running")
        try:
            process.stdin.write(command + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            raise ProgramError(f"{self.program.command} has stopped") from None
        reply = self._reply(patience, stop)
        if reply.startswith("?"):
            said = reply[1:].strip()[:80]
            raise ProgramError(f"{self.program.command} refused {command!r}: {said}")
        return re.sub(r"^=\d*", "", reply)

    def _reply(self, patience: float, stop: Stop | None) -> str:
        deadline = time.monotonic() + patience
        while True:
            try:
                reply = self._replies.get(timeout=TICK)
            except queue.Empty:
                if stop is not None and stop.is_set():
                    raise ProgramError("stopped") from None
                if time.monotonic() > deadline:
                    said = f"{self.program.command} did not answer within {patience:g} s"
                    raise ProgramError(said) from None
                continue
            if reply is None:
                raise ProgramError(f"{self.program.command} has stopped")
            return reply

    def _begin(self, game: Game) -> None:
        try:
            self._process = subprocess.Popen(
                self.program.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise UsageError(
                f"{self.program.words[0]} cannot be started: {error.strerror}. Is it installed, "
                "and its folder in PATH?"
            ) from None
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        self._told = game.start()
        size = str(game.options.get("size", ""))
        rows, _, columns = size.partition("x")
        self.ask(f"boardsize {rows}" if columns in ("", rows) else f"boardsize {columns} {rows}")
        self.ask("clear_board")
        if "komi" in game.options:
            self.ask(f"komi {game.options['komi']}")
        if self.budget.seconds is not None:
            self.ask(f"time_settings 0 {max(1, round(self.budget.seconds))} 1")

    def _read(self, process: subprocess.Popen[str]) -> None:
        """Collect replies: lines from one that begins with = or ? up to an empty one."""
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

    def _tell(self, position: Position) -> None:
        """Play what the program has not heard of yet."""
        told = self._told
        assert told is not None
        while told.ply < position.ply:
            player = told.current_player
            code = position.history[told.ply][player]
            move = position.game.format_move(player, code)
            self.ask(f"play {_colour(position.game, player)} {move}")
            told = told.play(code)
        self._told = told

    def close(self) -> None:
        """End the program."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError, ValueError):
            if process.stdin is not None:
                process.stdin.write("quit\n")
                process.stdin.close()
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def seated(agent: Agent, seed: int, budget: Budget) -> Player | ProgramPlayer:
    """A player for one game, of our own kind or not."""
    if isinstance(agent, Program):
        return agent.seat(seed, budget)
    return Player(agent, seed, budget)


def _colour(game: Game, player: int) -> str:
    return game.player_names[player].lower()


NOTHING = SearchResult(
    best_move="",
    value=0.0,
    root_stats=(),
    by_player={},
    pv=(),
    playouts=0,
    plies=0,
    seconds=0.0,
    nodes=0,
    amaf_tables=0,
    memory_mib=0.0,
    memory_full=False,
)
