"""Playing jobs on a Dask cluster: the same jobs, the same results, other machines.

Results stream back to the one store beside the command. Workers may come and go: Dask gives the
games of a lost worker to others, and gives a game up when it has taken three workers with it.
"""

from __future__ import annotations

import queue
import re
import time
from collections.abc import Generator, Iterable
from contextlib import suppress
from typing import Any

from graven.core.errors import GravenError, UsageError
from graven.lab.experiments.job import Failure, GameJob
from graven.lab.experiments.processes import POLL_SECONDS, TRIES, Played, play_job
from graven.lab.store.provenance import version
from graven.search.runner import Stop

CONNECT_SECONDS = 15
COUNT_SECONDS = 1.0  # how often the cluster's size is asked for
AHEAD = 2  # games under way or waiting for each thread of the cluster


def play_on_cluster(
    jobs: Iterable[GameJob], address: str, stop: Stop | None = None
) -> Generator[Played, None, None]:
    """Play jobs on the cluster whose scheduler is at `address`, until told to stop."""
    client = _connect(address)
    pending = iter(jobs)
    under_way: dict[Any, GameJob] = {}
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    room, counted = 0, 0.0
    try:
        while not (stop is not None and stop.is_set()):
            if time.monotonic() - counted > COUNT_SECONDS:
                room = max(AHEAD, AHEAD * sum(client.nthreads().values()))
                counted = time.monotonic()
            while len(under_way) < room and (job := next(pending, None)) is not None:
                future = client.submit(play_job, job, pure=False, retries=TRIES - 1)
                under_way[future] = job
                future.add_done_callback(ended.put)
            if not under_way:
                break
            try:
                future = ended.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if future.cancelled() and client.status != "running":
                raise _lost(address)
            yield _result(under_way.pop(future), future)
    except OSError:
        raise _lost(address) from None
    finally:
        with suppress(OSError):
            client.cancel(list(under_way))
        with suppress(OSError):
            client.close()


def _lost(address: str) -> GravenError:
    return GravenError(
        f"the Dask scheduler at {address} is gone. Every finished game is recorded: once it is "
        "back, the same command goes on."
    )


def _connect(address: str) -> Any:
    if not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S{1,200}", address):
        raise UsageError(
            "a cluster is named by its scheduler's address, as in tcp://host:8786; "
            f"not {address[:100]!r}."
        )
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "clusters need the package 'distributed': pip install 'graven[cluster]'."
        ) from None
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: {error}.") from None


def _result(job: GameJob, future: Any) -> Played:
    error = future.exception() if future.status == "error" else None
    if isinstance(error, GravenError):
        raise error
    if error is not None:
        return job, Failure(job, f"{type(error).__name__}: {error}")
    if future.status != "finished":
        return job, Failure(job, "the cluster cancelled it")
    result = future.result()
    if result.version != version():
        raise UsageError(
            f"a worker of the cluster has graven {result.version}, and this is graven "
            f"{version()}: install the same one everywhere."
        )
    return job, result
