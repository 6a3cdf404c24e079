"""Playing jobs in this process, or on all cores in worker processes that share nothing.

Workers are spawned, not forked, so that they start clean on every system. Each has a pipe of its
own for jobs and results, and holds the reading end of another one whose writing end only the
parent has: it leaves at once when that closes, because the parent was told to stop or because it
died. No game under way outlives the experiment it belongs to.

A worker that dies takes nothing with it but the game it was playing, which is played again by a
new one. A game that fails three times is given up and reported.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType

from graven.agents import agent
from graven.core.errors import GravenError
from graven.core.game import Game
from graven.lab.experiments.job import Failure, GameJob, GameResult
from graven.lab.experiments.play_game import play_game, warm_up
from graven.search.runner import Stop
from graven.sources.load import make_game

POLL_SECONDS = 0.1
AHEAD = 2  # jobs that a worker has at once, so that it never waits for the next one
TRIES = 3

Played = tuple[GameJob, GameResult | Failure]
Play = Callable[[GameJob], GameResult]


def play_here(
    jobs: Iterable[GameJob], game: Game | None = None, stop: Stop | None = None
) -> Generator[Played, None, None]:
    """Play jobs in this process, one after the other, until told to stop.

    `game` is for games that other processes do not know; else a job's text names its game.
    """
    for job in jobs:
        if stop is not None and stop.is_set():
            return
        ended: GameResult | Failure | None = None
        for _ in range(TRIES):
            try:
                ended = play_game(job, game or ready_game(job), stop)
                break
            except GravenError:
                raise
            except Exception as error:
                ended = Failure(job, _reason(error))
        if ended is None:
            return
        yield job, ended


def play_job(job: GameJob) -> GameResult:
    """Play a job in a process that knows nothing yet but the job."""
    result = play_game(job, ready_game(job))
    assert result is not None, "nobody tells a worker's game to stop"
    return result


def ready_game(job: GameJob) -> Game:
    """A job's game, with all that its agents need loaded from the cache."""
    return _ready(job.cell.game, job.cell.agents)


@cache
def _ready(spec: str, agents: tuple[str, str]) -> Game:
    game = _game(spec)
    warm_up(game, map(agent, agents))
    return game


@cache
def _game(spec: str) -> Game:
    return make_game(spec)


def play_apart(
    jobs: Iterable[GameJob], workers: int, stop: Stop | None = None, play: Play = play_job
) -> Generator[Played, None, None]:
    """Play jobs in worker processes; results come as games end, until told to stop."""
    hold, let_go = multiprocessing.Pipe(duplex=False)
    queue = iter(jobs)
    again: deque[GameJob] = deque()  # jobs that are to be played once more
    failed: Counter[GameJob] = Counter()
    team: list[_Worker] = []

    def hand_out() -> None:
        """Give every worker enough to do; start a new one only when all others have a job."""
        while True:
            free = [worker for worker in team if len(worker.jobs) < AHEAD]
            worker = min(free, key=lambda each: len(each.jobs), default=None)
            start = len(team) < workers and (worker is None or bool(worker.jobs))
            if worker is None and not start:
                return
            job = again.popleft() if again else next(queue, None)
            if job is None:
                return
            if start or worker is None:
                worker = _Worker(hold, play)
                team.append(worker)
            worker.take(job)

    try:
        while not (stop is not None and stop.is_set()):
            hand_out()
            busy = [worker for worker in team if worker.jobs]
            if not busy:
                break
            ready = connection.wait([worker.pipe for worker in busy], timeout=POLL_SECONDS)
            for worker in [worker for worker in busy if worker.pipe in ready]:
                job, ended = worker.answer()
                if isinstance(ended, GravenError):
                    raise ended
                if not worker.alive:
                    team.remove(worker)
                    again.extend(worker.jobs)
                if isinstance(ended, Failure):
                    failed[job] += 1
                    if failed[job] < TRIES:
                        again.append(job)
                        continue
                yield job, ended
    finally:
        let_go.close()
        for worker in team:
            worker.leave()
        hold.close()


class _Worker:
    """A worker process as its parent sees it: the jobs it has, the first of which it is playing."""

    def __init__(self, hold: Connection, play: Play) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self.jobs: deque[GameJob] = deque()
        self.alive = True
        self._process = multiprocessing.get_context("spawn").Process(
            target=_work, args=(theirs, hold, play), daemon=True
        )
        with _apart_from_parent():
            self._process.start()
        theirs.close()

    def take(self, job: GameJob) -> None:
        """Give it one more job."""
        self.jobs.append(job)
        with suppress(OSError):  # it has just died, which `answer` will find out and say
            self.pipe.send(job)

    def answer(self) -> tuple[GameJob, GameResult | Failure | GravenError]:
        """What became of its first job."""
        try:
            ended = self.pipe.recv()
        except (EOFError, OSError):
            self.alive = False
            self.leave()
            job = self.jobs.popleft()
            code = self._process.exitcode
            return job, Failure(job, f"its worker process died (exit code {code})")
        job = self.jobs.popleft()
        return job, Failure(job, ended) if isinstance(ended, str) else ended

    def leave(self) -> None:
        """Wait until the process has gone, and make it go if it does not by itself."""
        self._process.join(timeout=5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


def _work(pipe: Connection, hold: Connection, play: Play) -> None:
    """A worker's life: leave Ctrl-C to the parent, play, leave when the parent lets go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_when_let_go() -> None:
        hold.poll(None)
        os._exit(0)

    threading.Thread(target=leave_when_let_go, daemon=True).start()
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            ended: GameResult | GravenError | str = play(job)
        except GravenError as error:
            ended = error
        except Exception as error:
            ended = _reason(error)
        pipe.send(ended)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


@contextmanager
def _apart_from_parent() -> Iterator[None]:
    """Processes that start meanwhile see neither their parent's main module nor its Ctrl-C.

    A spawned process first imports its parent's main module: a script that calls `match` without
    `if __name__ == "__main__"` would call it again there, and the command line would be loaded by
    every worker for nothing. And Ctrl-C in a terminal reaches workers that are still starting and
    know nothing of it: they inherit the signals that this thread blocks.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    blocks = hasattr(signal, "pthread_sigmask")
    if blocks:
        # Started along with the first process otherwise, and it would unblock the signals again.
        resource_tracker.ensure_running()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else set()
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        sys.modules["__main__"] = main
