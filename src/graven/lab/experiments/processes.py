"""Executors for jobs: this process, or worker processes.

Workers are spawned, so that they start clean on every system. Only those that play what exists in
the memory of the parent, rules and policies of a notebook, are forked, where that is safe. Each has
a pipe for jobs and results. All hold the reading end of another pipe whose writing end only the
parent has: when that closes, because the parent stops or dies, they exit at once. No game outlives
its experiment.

A worker that dies loses only the game it was playing, which a new worker plays again. A game that
fails three times is reported as failed.

User-defined rules and policies are machine code that can crash or never return. They are played in
workers only, even by one, after a check of the rules (`rule_check`); where no process can be
forked, those without a file are played in this process. A worker keeps the moves of its game in
memory that it shares with its parent. If user-defined code crashes it, or a watchdog ends it
because that code does not return, the run ends with `RuleCrashError`.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

from graven.agents import SearchAgent, agent
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game
from graven.core.rule_check import check_rules_once
from graven.core.watchdog import watched
from graven.lab.experiments.job import FailedGame, GameJob, GameResult
from graven.lab.experiments.play_game import play_game
from graven.search.policy import Policy
from graven.search.runner import Stop
from graven.sources.load import load_game

POLL_SECONDS = 0.1
EXIT_SECONDS = 5
JOBS_PER_WORKER = 2  # one more than it plays, so that it never waits for the next job
TRIES = 3
HARMLESS_GAME = "nogo(size=3)"

# Processor time after which a call of rules counts as endless, unless the environment says another.
RULE_SECONDS = 60.0
RULE_SECONDS_VARIABLE = "GRAVEN_RULE_SECONDS"
STUCK = 86  # exit code of a worker whose rules do not return
CRASHES = {
    -getattr(signal, name)
    for name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT")
    if hasattr(signal, name)
}
REPORT_BYTES = 2048
REPORTED_MOVES = 20

FinishedJob = tuple[GameJob, GameResult | FailedGame]
PlayJob = Callable[[GameJob], GameResult]


class RuleCrashError(GravenError):
    """User-defined code crashed its process, or did not return."""


def rule_seconds() -> float:
    """Return the processor time that a call of user-defined rules may take."""
    try:
        return float(os.environ.get(RULE_SECONDS_VARIABLE) or RULE_SECONDS)
    except ValueError:
        raise UsageError(
            f"{RULE_SECONDS_VARIABLE} must be a number of seconds, got "
            f"{os.environ[RULE_SECONDS_VARIABLE]!r}."
        ) from None


def play_in_process(
    jobs: Iterable[GameJob],
    game: Game | None = None,
    stop: Stop | None = None,
    policies: Sequence[Policy] = (),
    check: bool = False,
) -> Generator[FinishedJob, None, None]:
    """Play jobs in this process, one after the other, until stopped.

    `game` is the game of all jobs where it cannot be made from its text; `policies` are those that
    specs may name besides policies of the package and of files.
    """
    if game is not None:
        game = _checked(game, check)
    for job in jobs:
        if stop is not None and stop.is_set():
            return
        outcome: GameResult | FailedGame | None = None
        for _ in range(TRIES):
            try:
                outcome = play_game(job, game or ready_game(job, check), stop, policies)
                break
            except GravenError:
                raise
            except Exception as error:
                outcome = FailedGame(job, _reason(error))
        if outcome is None:
            return
        yield job, outcome


def play_job(job: GameJob, check: bool = False) -> GameResult:
    """Play a job in a process that has nothing but the job.

    With `check`, user-defined rules are played with bounds checks.
    """
    result = play_game(job, ready_game(job, check), on_ply=report_moves)
    assert result is not None, "a worker's game has no stop event"
    return result


def can_fork() -> bool:
    """Return whether processes can be forked; on macOS forked libraries can crash."""
    return "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"


def has_own_code(game: Game | None, policies: Sequence[Policy]) -> bool:
    """Return whether rules or policies of this process are user-defined machine code."""
    return bool(policies) or (game is not None and bool(game.compiled_user_functions))


def compile_here(game: Game, specs: Sequence[str], policies: Sequence[Policy]) -> None:
    """Compile what agents need at a game, for processes to be forked; call none of its rules."""
    # Kernels are loaded by a short search, which must not be one of user-defined code.
    agent("uct").player(load_game(HARMLESS_GAME)).warm_up()
    for spec in specs:
        searching = agent(spec, policies)
        if isinstance(searching, SearchAgent):
            searching.bind(game)


def play_given(
    job: GameJob, game: Game | None, policies: Sequence[Policy], check: bool
) -> GameResult:
    """Play a job in a forked process, with a game and policies of its parent."""
    if game is not None:
        game = _checked(game, check)
    result = play_game(job, game or ready_game(job, check), None, policies, report_moves)
    assert result is not None, "a worker's game has no stop event"
    return result


def ready_game(job: GameJob, check: bool = False) -> Game:
    """Make a job's game, and compile or load what its agents need."""
    return _ready(job.pairing.game, job.pairing.agents, check)


@cache
def _ready(spec: str, agents: tuple[str, str], check: bool) -> Game:
    game = _game(spec, check)
    for agent_spec in agents:
        agent(agent_spec).player(game).warm_up()
    return game


@cache
def _game(spec: str, check: bool) -> Game:
    return _checked(load_game(spec), check)


def _checked(game: Game, check: bool) -> Game:
    """Check user-defined rules if they are new; return them with bounds checks if asked."""
    check_rules_once(game, report_moves)
    return game.with_bounds_checks() if check else game


_shared_report: Any = None  # in a worker: the memory that it shares with its parent


def report_moves(moves: Sequence[str]) -> None:
    """Share the moves of the game with the parent, which reports them if this process crashes."""
    if _shared_report is not None:
        skipped = "... " if len(moves) > REPORTED_MOVES else ""
        text = skipped + " ".join(moves[-REPORTED_MOVES:])
        _shared_report.value = text.encode()[: REPORT_BYTES - 1].replace(b"\0", b" ")


def play_in_workers(
    jobs: Iterable[GameJob],
    workers: int,
    stop: Stop | None = None,
    play: PlayJob = play_job,
    *,
    user_code: bool = False,
    fork: bool = False,
) -> Generator[FinishedJob, None, None]:
    """Play jobs in worker processes until stopped; results come in the order of their ends.

    `user_code` says that rules or policies are user-defined: a worker that crashes or does not
    return then ends the run with `RuleCrashError`. With `fork`, `play` may refer to anything in the
    memory of this process.
    """
    limit = rule_seconds() if user_code else None
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
                worker = WorkerProcess(
                    exit_reader, play, limit, not_inherited=exit_writer if fork else None
                )
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
                    if limit is not None and (crash := worker.crash(_title(job), limit)):
                        raise RuleCrashError(crash)
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


def run_apart(work: Callable[[Any], Any], argument: Any, title: str, *, fork: bool = False) -> Any:
    """Run user-defined code in a process of its own; return the value of `work(argument)`.

    The value must not be a text. Raises `RuleCrashError` if the process ends; `title` begins its
    message. With `fork`, `work` may refer to anything in the memory of this process.
    """
    limit = rule_seconds()
    exit_reader, exit_writer = multiprocessing.Pipe(duplex=False)
    worker = WorkerProcess(exit_reader, work, limit, not_inherited=exit_writer if fork else None)
    try:
        worker.send(argument)
        _, outcome = worker.receive()
        if isinstance(outcome, GravenError):
            raise outcome
        if isinstance(outcome, FailedGame):
            raise RuleCrashError(worker.crash(title, limit) or f"{title}: {outcome.reason}.")
        return outcome
    finally:
        exit_writer.close()
        worker.join()
        exit_reader.close()


class WorkerProcess:
    """The parent's side of a worker process; it plays the first of `jobs`, the rest wait.

    With `not_inherited`, the parent's end of the pipe that `exit_reader` reads, it is forked.
    """

    def __init__(
        self,
        exit_reader: Connection,
        play: PlayJob,
        rule_seconds: float | None = None,
        *,
        not_inherited: Connection | None = None,
    ) -> None:
        self.pipe, worker_end = multiprocessing.Pipe()
        context: Any = multiprocessing.get_context("spawn" if not_inherited is None else "fork")
        self._report: Any = context.RawArray("c", REPORT_BYTES)
        self.jobs: deque[GameJob] = deque()
        self.alive = True
        self._process = context.Process(
            target=_work,
            args=(worker_end, exit_reader, play, self._report, rule_seconds, not_inherited),
            daemon=True,
        )
        with warnings.catch_warnings(), _isolated_start():
            # Forking a process with threads: kernels that other threads run do not matter here.
            warnings.simplefilter("ignore", DeprecationWarning)
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

    def crash(self, title: str, limit: float) -> str | None:
        """Describe how user-defined code ended the process; None if something else ended it."""
        code = self._process.exitcode or 0
        moves = bytes(self._report.value).decode(errors="replace")
        where = f"after the moves {moves}" if moves else "before the first move"
        if code == STUCK:
            did = f"did not return within {limit:g} s of processor time, {where}"
            advice = "Look for an endless loop"
        elif code in CRASHES:
            did = f"crashed ({signal.Signals(-code).name}), {where}"
            advice = "Look for an index out of bounds or a recursion: --check checks every index"
        else:
            return None
        return (
            f"{title}: the user-defined code {did}. Nothing of this run was recorded. {advice}; "
            "gv.check_game checks the rules."
        )

    def join(self) -> None:
        """Wait for the process to exit, and kill it after a timeout."""
        self._process.join(timeout=EXIT_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


def _work(
    pipe: Connection,
    exit_reader: Connection,
    play: PlayJob,
    report: Any,
    rule_seconds: float | None,
    not_inherited: Connection | None,
) -> None:
    """Run a worker: ignore Ctrl-C, play jobs, exit when the parent closes its end.

    `not_inherited` is that end in a forked process, which would keep it open.
    """
    global _shared_report
    faulthandler.disable()  # a crash is reported in one sentence, by the parent
    if not_inherited is not None:
        not_inherited.close()
    _shared_report = report
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
        report.value = b""
        try:
            with watched(rule_seconds, _exit_stuck) if rule_seconds else nullcontext():
                outcome: GameResult | GravenError | str = play(job)
        except GravenError as error:
            outcome = error
        except Exception as error:
            outcome = _reason(error)
        pipe.send(outcome)


def _title(job: GameJob) -> str:
    return f"game {job.index + 1} of {job.pairing.title} at {job.pairing.game}"


def _exit_stuck() -> None:
    os._exit(STUCK)


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
