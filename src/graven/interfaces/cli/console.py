"""The terminal: results go to stdout, what is going on to stderr."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

    from graven.core.game import Position

T = TypeVar("T")

QUIET_SECONDS = 2.0
"""Work that takes longer than this says that it goes on."""
TICK_SECONDS = 0.1
LINE_SECONDS = 10.0
"""How often progress is said where stderr is no terminal."""
FREE_WIDTH = 240
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
FAILED = 1
"""The exit code if some games could not be played."""


@cache
def out() -> Console:
    """Where results go. What goes into a file or to another program is not cut to a width."""
    from rich.console import Console

    terminal = sys.stdout is not None and sys.stdout.isatty()
    free = not terminal and "COLUMNS" not in os.environ
    return Console(highlight=False, width=FREE_WIDTH if free else None)


@cache
def err() -> Console:
    """Where progress goes."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_board(position: Position) -> None:
    """Print a position, in colours where the terminal has any."""
    print(f"\n{position.text(colour=out().color_system is not None)}\n", flush=True)


def print_json(value: Any) -> None:
    """Print a result for programs to read."""
    print(json.dumps(value), flush=True)


def watched(
    work: Callable[[threading.Event], T], line: Callable[[float], str], quiet: float = QUIET_SECONDS
) -> tuple[T, bool]:
    """Do `work` in a thread while `line(seconds so far)` stands on stderr.

    Ctrl-C sets the event that `work` is given, which should then return what it has. Gives that,
    and whether it came to Ctrl-C. A second Ctrl-C waits for nothing.
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
    with _Line(quiet) as shown:
        while not future.done():
            try:
                wait([future], timeout=TICK_SECONDS)
                elapsed = time.monotonic() - began
                if not future.done():
                    shown.update(line(elapsed), elapsed)
            except KeyboardInterrupt:
                if stop.is_set():
                    raise
                stop.set()
        return future.result(), stop.is_set()


class Pace:
    """How many games are done of how many, and how long the rest will take."""

    def __init__(self) -> None:
        self._start: tuple[int, float] | None = None
        self._done, self._total = 0, 0

    def update(self, done: int, total: int) -> None:
        """So many games are done, those of earlier runs included."""
        # Counted from the end of the first new game: compilation says nothing about the rest.
        if self._start is None and self._total:
            self._start = done, time.monotonic()
        self._done, self._total = done, total

    def line(self, elapsed: float) -> str:
        """The state in a line."""
        text = f"{self._done:,}/{self._total:,} games after {duration(elapsed)}"
        if self._start is None:
            return f"{text} (a first run compiles)"
        counted = self._done - self._start[0]
        if not counted:
            return text
        pace = (time.monotonic() - self._start[1]) / counted
        return f"{text}, {duration(pace * (self._total - self._done))} left"


_typed: list[str] = []


def remember_command(arguments: list[str]) -> None:
    """Note what was typed after `graven`, to be able to say it again."""
    _typed[:] = arguments


def say_how_to_go_on() -> None:
    """Say the command that goes on after Ctrl-C: the one that was typed."""
    import shlex

    err().print("Stopped. To go on:", style="yellow")
    err().print(f"  {shlex.join(['graven', *_typed])}", markup=False, soft_wrap=True)


def leave(failures: Iterable[object], unfinished: bool) -> None:
    """End an experiment: say which games could not be played, and how to go on after Ctrl-C.

    The same command goes on, since the store knows what has been done.
    """
    import typer

    failed = list(failures)
    for failure in failed:
        err().print(str(failure), markup=False, soft_wrap=True, style="red")
    if unfinished:
        say_how_to_go_on()
        raise typer.Exit(INTERRUPTED)
    if failed:
        raise typer.Exit(FAILED)


def awaited(work: Callable[[], T], doing: str) -> T:
    """Do `work` that cannot be cut short, and say so if it takes long; Ctrl-C counts at its end."""
    result, interrupted = watched(lambda stop: work(), lambda elapsed: doing)
    if interrupted:
        raise KeyboardInterrupt
    return result


class _Line:
    """One line on stderr: live in a terminal, printed now and then elsewhere."""

    def __init__(self, quiet: float) -> None:
        self._next = quiet
        self._status: Any = None

    def __enter__(self) -> _Line:
        return self

    def update(self, text: str, elapsed: float) -> None:
        if elapsed < self._next:
            return
        if not err().is_terminal:
            self._next = elapsed + LINE_SECONDS
            err().print(text, markup=False, soft_wrap=True)
        elif self._status is None:
            self._status = err().status(_plain(text))
            self._status.start()
        else:
            self._status.update(_plain(text))

    def __exit__(self, *reason: object) -> None:
        if self._status is not None:
            self._status.stop()


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)


def duration(seconds: float) -> str:
    """A time as people read it: 48 s, 3:05, 1:02:03."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
