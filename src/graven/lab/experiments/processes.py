"""Executors for jobs: this process, or worker processes.

Workers are spawned, not forked, so that they start clean on every system. Each has a pipe for jobs
and results. All hold the reading end of another pipe whose writing end only the parent has: when
that closes, because the parent stops or dies, they exit at once. No game outlives its experiment.

A worker that dies loses only the game it was playing, which a new worker plays again. A game that
fails three times is reported as failed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType

from graven.agents import agent
from graven.core.errors import GravenError
from graven.core.game import Game
from graven.lab.experiments.job import FailedGame, GameJob, GameResult
from graven.lab.experiments.play_game import play_game
from graven.search.policy import Policy
from graven.search.runner import Stop
from graven.sources.load import load_game

POLL_SECONDS = 0.1
EXIT_SECONDS = 5
JOBS_PER_WORKER = 2  # one more than it plays, so that it never waits for the next job
TRIES = 3

FinishedJob = tuple[GameJob, GameResult | FailedGame]
PlayJob = Callable[[GameJob], GameResult]


def play_in_process(
    jobs: Iterable[GameJob],
    game: Game | None = None,
    stop: Stop | None = None,
    policies: Sequence[Policy] = (),
) -> Generator[FinishedJob, None, None]:
    """Play jobs in this process, one after the other, until stopped.

    `game` is the game of all jobs where it cannot be made from its text; `policies` are those that
    specs may name besides policies of the package and of files.
    """
    for job in jobs:
        if stop is not None and stop.is_set():
            return
        outcome: GameResult | FailedGame | None = None
        for _ in range(TRIES):
            try:
                outcome = play_game(job, game or ready_game(job), stop, policies)
                break
            except GravenError:
                raise
            except Exception as error:
                outcome = FailedGame(job, _reason(error))
        if outcome is None:
            return
        yield job, outcome


def play_job(job: GameJob) -> GameResult:
    """Play a job in a process that has nothing but the job."""
    result = play_game(job, ready_game(job))
    assert result is not None, "a worker's game has no stop event"
    return result


def ready_game(job: GameJob) -> Game:
    """Make a job's game, and compile or load what its agents need."""
    return _ready(job.pairing.game, job.pairing.agents)


@cache
def _ready(spec: str, agents: tuple[str, str]) -> Game:
    game = _game(spec)
    for agent_spec in agents:
        agent(agent_spec).player(game).warm_up()
    return game


@cache
def _game(spec: str) -> Game:
    return load_game(spec)


def play_in_workers(
    jobs: Iterable[GameJob], workers: int, stop: Stop | None = None, play: PlayJob = play_job
) -> Generator[FinishedJob, None, None]:
    """Play jobs in worker processes until stopped; results come in the order of their ends."""
    exit_reader, exit_writer = multiprocessing.Pipe(duplex=False)
    pending = iter(jobs)
    retries: deque[GameJob] = deque()
    failures: Counter[GameJob] = Counter()
    pool: list[WorkerProcess] = []

    def hand_out() -> None:
        """Fill the queues of all workers; start a new worker only when all others have a job."""
        while True:
            free = [worker for worker in pool if len(worker.jobs) < JOBS_PER_WORKER]
            worker = min(free, key=lambda worker: len(worker.jobs), default=None)
            start = len(pool) < workers and (worker is None or bool(worker.jobs))
            if worker is None and not start:
                return
            job = retries.popleft() if retries else next(pending, None)
            if job is None:
                return
            if start or worker is None:
                worker = WorkerProcess(exit_reader, play)
                pool.append(worker)
            worker.send(job)

    try:
        while not (stop is not None and stop.is_set()):
            hand_out()
            busy = [worker for worker in pool if worker.jobs]
            if not busy:
                break
            ready = connection.wait([worker.pipe for worker in busy], timeout=POLL_SECONDS)
            for worker in [worker for worker in busy if worker.pipe in ready]:
                job, outcome = worker.receive()
                if isinstance(outcome, GravenError):
                    raise outcome
                if not worker.alive:
                    pool.remove(worker)
                    retries.extend(worker.jobs)
                if isinstance(outcome, FailedGame):
                    failures[job] += 1
                    if failures[job] < TRIES:
                        retries.append(job)
                        continue
                yield job, outcome
    finally:
        exit_writer.close()
        for worker in pool:
            worker.join()
        exit_reader.close()


class WorkerProcess:
    """The parent's side of a worker process; it plays the first of `jobs`, the rest wait."""

    def __init__(self, exit_reader: Connection, play: PlayJob) -> None:
        self.pipe, worker_end = multiprocessing.Pipe()
        self.jobs: deque[GameJob] = deque()
        self.alive = True
        self._process = multiprocessing.get_context("spawn").Process(
            target=_work, args=(worker_end, exit_reader, play), daemon=True
        )
        with _isolated_start():
            self._process.start()
        worker_end.close()

    def send(self, job: GameJob) -> None:
        """Send the worker one more job."""
        self.jobs.append(job)
        with suppress(OSError):  # the worker has just died: `receive` will report it
            self.pipe.send(job)

    def receive(self) -> tuple[GameJob, GameResult | FailedGame | GravenError]:
        """Return the worker's first job and its outcome."""
        try:
            outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.alive = False
            self.join()
            job = self.jobs.popleft()
            code = self._process.exitcode
            return job, FailedGame(job, f"its worker process died (exit code {code})")
        job = self.jobs.popleft()
        return job, FailedGame(job, outcome) if isinstance(outcome, str) else outcome

    def join(self) -> None:
        """Wait for the process to exit, and kill it after a timeout."""
        self._process.join(timeout=EXIT_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


def _work(pipe: Connection, exit_reader: Connection, play: PlayJob) -> None:
    """Run a worker: ignore Ctrl-C, play jobs, exit when the parent closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def exit_with_parent() -> None:
        exit_reader.poll(None)
        os._exit(0)

    threading.Thread(target=exit_with_parent, daemon=True).start()
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            outcome: GameResult | GravenError | str = play(job)
        except GravenError as error:
            outcome = error
        except Exception as error:
            outcome = _reason(error)
        pipe.send(outcome)


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


@contextmanager
def _isolated_start() -> Iterator[None]:
    """Hide the main module and Ctrl-C from processes that start meanwhile.

    A spawned process imports its parent's main module: a script that calls `match` without
    `if __name__ == "__main__"` would call it again there, and every worker would load the command
    line. Ctrl-C in a terminal also reaches workers that are still starting and have no handler yet:
    they inherit the signals that this thread blocks.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    blocks = hasattr(signal, "pthread_sigmask")
    if blocks:
        # Otherwise started along with the first process, which would unblock the signals.
        resource_tracker.ensure_running()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else set()
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        sys.modules["__main__"] = main
