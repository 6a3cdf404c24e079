"""Playing jobs on all cores: worker processes that load compiled code and play.

Workers are spawned, not forked, so that they start clean on every system. Each holds the reading
end of one pipe and leaves at once when the writing end closes: because the parent was told to
stop, or because it died. No game under way outlives the match it belongs to.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from itertools import islice
from multiprocessing.connection import Connection
from types import ModuleType

from graven.agents import agent
from graven.core.errors import GravenError
from graven.core.game import Game
from graven.games import registry
from graven.lab.jobs import GameJob, GameResult
from graven.lab.play import play_game, warm_up
from graven.search.engine import Stop

POLL_SECONDS = 0.1
AHEAD = 4  # jobs that lie ready, so that no worker waits for the next one


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def play_here(jobs: Sequence[GameJob], game: Game, stop: Stop | None) -> Iterator[GameResult]:
    """Play jobs in this process, one after the other, until told to stop."""
    for job in jobs:
        result = play_game(job, game, stop)
        if result is None:
            return
        yield result


def play_apart(jobs: Sequence[GameJob], workers: int, stop: Stop | None) -> Iterator[GameResult]:
    """Play jobs in worker processes; results come as games end, until told to stop."""
    hold, let_go = multiprocessing.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), _start_worker, (hold,)
    )
    queue = iter(jobs)
    waiting: set[Future[GameResult]] = set()
    try:
        while not (stop is not None and stop.is_set()):
            for job in islice(queue, workers + AHEAD - len(waiting)):
                with _apart_from_parent():
                    waiting.add(pool.submit(_play, job))
            if not waiting:
                break
            done, waiting = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except BrokenProcessPool:
        raise GravenError(
            "a worker process died, perhaps for want of memory: try fewer workers or, in the "
            "agents' specs, less memory."
        ) from None
    finally:
        let_go.close()
        pool.shutdown(wait=True, cancel_futures=True)
        hold.close()


def _start_worker(hold: Connection) -> None:
    """Leave Ctrl-C to the parent, and leave when the parent lets go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_when_let_go() -> None:
        hold.poll(None)
        os._exit(0)

    threading.Thread(target=leave_when_let_go, daemon=True).start()


def _play(job: GameJob) -> GameResult:
    result = play_game(job, _ready_game(job.game, job.agents))
    assert result is not None, "nobody tells a worker's game to stop"
    return result


@cache
def _ready_game(spec: str, agents: tuple[str, str]) -> Game:
    """The game, with all that these agents need loaded from the cache that the parent filled."""
    game = registry.make_game(spec)
    warm_up(game, map(agent, agents))
    return game


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
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else set()
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        sys.modules["__main__"] = main
