"""The terminal: results are printed on stdout, progress and hints on stderr."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

    from graven.agents.result_text import TextLine
    from graven.core.position import Position

T = TypeVar("T")

QUIET_SECONDS = 2.0
COMPILE_SECONDS = 60.0  # by then code is compiled on most machines
"""Progress is shown only for work that takes longer than this."""
TICK_SECONDS = 0.1
LINE_SECONDS = 10.0
"""The time between progress lines if stderr is not a terminal."""
WIDTH_WITHOUT_TERMINAL = 240
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
BAD_INPUT = 2
"""The exit code after a mistake of the user."""
FAILED = 1
"""The exit code if some games could not be played."""


@cache
def out() -> Console:
    """Return the console of stdout. Output to a file or a pipe is not cut to a terminal's width."""
    from rich.console import Console

    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    has_width = is_terminal or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if has_width else WIDTH_WITHOUT_TERMINAL)


@cache
def err() -> Console:
    """Return the console of stderr."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_board(position: Position) -> None:
    """Print a position, in colour if the terminal supports it."""
    print(f"\n{position.text(colour=out().color_system is not None)}\n", flush=True)


def print_line(text: str, style: str = "") -> None:
    """Print a line of a result, in its style if the terminal supports it."""
    out().print(text, markup=False, soft_wrap=True, style=style)


def print_lines(lines: Iterable[TextLine]) -> None:
    """Print lines of a result, each in its style."""
    for line in lines:
        print_line(line.text, line.style)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    print(json.dumps(value), flush=True)


def no_game_yet(elapsed: float) -> str:
    """Return why no game of an experiment may have ended after `elapsed` seconds."""
    compiles = elapsed < COMPILE_SECONDS
    return " (a first run compiles)" if compiles else " (the first game goes on)"


def run_with_progress(
    work: Callable[[threading.Event], T],
    progress_line: Callable[[float], str],
    quiet: float = QUIET_SECONDS,
) -> tuple[T, bool]:
    """Run `work` in a thread, and show `progress_line(elapsed seconds)` on stderr meanwhile.

    Ctrl-C sets the event that `work` receives; `work` should then return what it has. Returns the
    result, and whether Ctrl-C was pressed. A second Ctrl-C raises KeyboardInterrupt at once.
    """
    stop = threading.Event()
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work(stop))
        except BaseException as error:
            future.set_exception(error)

    began = time.monotonic()
    threading.Thread(target=run, daemon=True).start()
    with _StatusLine(quiet) as status:
        while not future.done():
            try:
                wait([future], timeout=TICK_SECONDS)
                elapsed = time.monotonic() - began
                if not future.done():
                    status.update(progress_line(elapsed), elapsed)
            except KeyboardInterrupt:
                if stop.is_set():
                    raise
                stop.set()
        return future.result(), stop.is_set()


def run_to_completion(work: Callable[[], T], description: str) -> T:
    """Run `work` that cannot be stopped, and show its description on stderr if it takes long.

    Ctrl-C raises KeyboardInterrupt once the work is complete.
    """
    result, interrupted = run_with_progress(
        lambda stop: work(), lambda elapsed: f"{description}, {format_duration(elapsed)}"
    )
    if interrupted:
        raise KeyboardInterrupt
    return result


def compiling_agents(elapsed: float) -> str:
    """Return the progress line of an experiment that has not begun to play."""
    return f"compiling the agents, {format_duration(elapsed)}"


class GamesProgress:
    """The number of games played so far, and an estimate of the time for the rest."""

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None  # games done and time, after the first one
        self._done, self._total = 0, 0

    def update(self, done: int, total: int) -> None:
        """Set how many games are done, those of earlier runs included."""
        # The estimate starts at the end of the first new game, to exclude compilation.
        if self._first is None and self._total:
            self._first = done, time.monotonic()
        self._done, self._total = done, total

    def line(self, elapsed: float) -> str:
        """Return the progress as a line of text."""
        if not self._total:  # not known before the agents have searched for their fingerprints
            return compiling_agents(elapsed)
        text = f"{self._done:,}/{self._total:,} games after {format_duration(elapsed)}"
        if self._first is None:
            return text + no_game_yet(elapsed)
        games = self._done - self._first[0]
        if not games:
            return text
        seconds_per_game = (time.monotonic() - self._first[1]) / games
        return f"{text}, {format_duration(seconds_per_game * (self._total - self._done))} left"


_command_line: ContextVar[tuple[str, ...]] = ContextVar("command line", default=())


@contextmanager
def command_line(arguments: Iterable[str]) -> Iterator[None]:
    """Set the arguments after `graven`, which `print_resume_command` repeats."""
    token = _command_line.set(tuple(arguments))
    try:
        yield
    finally:
        _command_line.reset(token)


def print_resume_command() -> None:
    """Print the command that continues an interrupted experiment: the one that was typed."""
    import shlex

    err().print("Stopped. To resume:", style="yellow")
    err().print(f"  {shlex.join(['graven', *_command_line.get()])}", markup=False, soft_wrap=True)


def finish_experiment(failures: Iterable[object], unfinished: bool) -> None:
    """Print failed games and, after Ctrl-C, how to resume; exit with the matching code.

    The same command resumes an experiment, because the store has the games already played.
    """
    import typer

    failed = list(failures)
    for failure in failed:
        err().print(str(failure), markup=False, soft_wrap=True, style="red")
    if unfinished:
        print_resume_command()
        raise typer.Exit(INTERRUPTED)
    if failed:
        raise typer.Exit(FAILED)


class _StatusLine:
    """One line on stderr: updated in place in a terminal, else printed from time to time."""

    def __init__(self, quiet: float) -> None:
        self._next_update = quiet
        self._status: Any = None

    def __enter__(self) -> _StatusLine:
        return self

    def update(self, text: str, elapsed: float) -> None:
        if elapsed < self._next_update:
            return
        from rich.text import Text

        if not err().is_terminal:
            self._next_update = elapsed + LINE_SECONDS
            err().print(text, markup=False, soft_wrap=True)
        elif self._status is None:
            self._status = err().status(Text(text))
            self._status.start()
        else:
            self._status.update(Text(text))

    def __exit__(self, *reason: object) -> None:
        if self._status is not None:
            self._status.stop()


def format_duration(seconds: float) -> str:
    """Format a duration: 48 s, 3:05, 1:02:03."""
    total = round(seconds)
    if total < 60:
        return f"{total} s"
    minutes, rest = divmod(total, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
