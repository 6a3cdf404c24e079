"""Functions that play a job and fail, for worker processes to import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from graven.core.errors import UsageError
from graven.lab.experiments import processes
from graven.lab.experiments.job import GameJob, GameResult


def without_playing(job: GameJob) -> GameResult:
    """Return a result at once; its machine is the process id."""
    return GameResult(
        index=job.index,
        seats=(0, 1),
        seed=job.seed,
        scores=(1.0, 0.0),
        moves=("a",),
        playouts=1,
        seconds=0.1,
        version="0",
        machine=f"{os.getpid()}",
    )


def die_at_three(job: GameJob) -> GameResult:
    if job.index == 3:
        os._exit(9)
    return without_playing(job)


def die_once(job: GameJob) -> GameResult:
    """Die at the first try of game 3; a file marks that it was tried."""
    mark = Path(os.environ["GRAVEN_TEST_MARK"])
    if job.index == 3 and not mark.exists():
        mark.touch()
        os._exit(9)
    return without_playing(job)


def crash_at_three(job: GameJob) -> GameResult:
    """Report two moves and crash in game 3."""
    if job.index == 3:
        processes.report_moves(["a", "b"])
        os.kill(os.getpid(), signal.SIGSEGV)
    return without_playing(job)


def raise_at_three(job: GameJob) -> GameResult:
    if job.index == 3:
        raise ZeroDivisionError("three")
    return without_playing(job)


def refuse(job: GameJob) -> GameResult:
    raise UsageError("this is a mistake of the user.")


def slowly(job: GameJob) -> GameResult:
    time.sleep(0.05)
    return without_playing(job)
