"""The Dask executor: the same jobs with the same results, on other machines.

Results stream back to the store of the command. Workers may join and leave: Dask reassigns the
games of a lost worker, and reports a game as failed when three workers died playing it.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Generator, Iterable
from contextlib import suppress
from typing import Any

from graven.agents.dask_cluster import connect, quiet_logs
from graven.core.errors import GravenError, UsageError
from graven.lab.experiments.job import FailedGame, GameJob
from graven.lab.experiments.processes import (
    POLL_SECONDS,
    TRIES,
    FinishedJob,
    PlayJob,
    play_job,
)
from graven.lab.store.provenance import version
from graven.search.runner import Stop

SIZE_SECONDS = 1.0  # between two queries of the cluster's size
JOBS_PER_THREAD = 2  # one more than it plays, so that it never waits for the next job


def play_on_cluster(
    jobs: Iterable[GameJob], address: str, stop: Stop | None = None, play: PlayJob = play_job
) -> Generator[FinishedJob, None, None]:
    """Play jobs on the cluster whose scheduler is at `address`, until stopped."""
    with quiet_logs():
        yield from _play(jobs, address, stop, play)


def _play(
    jobs: Iterable[GameJob], address: str, stop: Stop | None, play: PlayJob
) -> Generator[FinishedJob, None, None]:
    client = connect(address)
    pending = iter(jobs)
    submitted: dict[Any, GameJob] = {}
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    capacity, queried = 0, 0.0
    try:
        while not (stop is not None and stop.is_set()):
            if time.monotonic() - queried > SIZE_SECONDS:
                capacity = JOBS_PER_THREAD * max(1, sum(client.nthreads().values()))
                queried = time.monotonic()
            while len(submitted) < capacity and (job := next(pending, None)) is not None:
                future = client.submit(play, job, pure=False, retries=TRIES - 1)
                submitted[future] = job
                future.add_done_callback(done.put)
            if not submitted:
                break
            try:
                future = done.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if future.cancelled() and client.status != "running":
                raise _lost(address)
            yield _outcome(submitted.pop(future), future)
    except OSError:
        raise _lost(address) from None
    finally:
        with suppress(OSError):
            client.cancel(list(submitted))
        with suppress(OSError):
            client.close()


def _lost(address: str) -> GravenError:
    return GravenError(
        f"the connection to the Dask scheduler at {address} is lost. Every finished game is "
        "recorded: run the same command again to resume."
    )


def _outcome(job: GameJob, future: Any) -> FinishedJob:
    error = future.exception() if future.status == "error" else None
    if isinstance(error, GravenError):
        raise error
    if error is not None:
        return job, FailedGame(job, f"{type(error).__name__}: {error}")
    if future.status != "finished":
        return job, FailedGame(job, "the cluster cancelled it")
    result = future.result()
    if result.version != version():
        raise UsageError(
            f"a worker of the cluster has graven {result.version}, but this is graven "
            f"{version()}: install the same version everywhere."
        )
    return job, result
