"""Ways to play a job that go wrong, for worker processes to import."""

from __future__ import annotations

import os
import time
from pathlib import Path

from graven.core.errors import UsageError
from graven.lab.experiments.job import GameJob, GameResult


def made_up(job: GameJob) -> GameResult:
    """No game at all, at once."""
    return GameResult(
        job.index, (0, 1), job.seed, (1.0, 0.0), ("a",), 1, 0.1, "0", f"{os.getpid()}"
    )


def die_at_three(job: GameJob) -> GameResult:
    if job.index == 3:
        os._exit(9)
    return made_up(job)


def die_once(job: GameJob) -> GameResult:
    """Game 3 dies the first time it is tried: a file remembers that it was."""
    mark = Path(os.environ["GRAVEN_TEST_MARK"])
    if job.index == 3 and not mark.exists():
        mark.touch()
        os._exit(9)
    return made_up(job)


def raise_at_three(job: GameJob) -> GameResult:
    if job.index == 3:
        raise ZeroDivisionError("three")
    return made_up(job)


def refuse(job: GameJob) -> GameResult:
    raise UsageError("this is a person's mistake.")


def slowly(job: GameJob) -> GameResult:
    time.sleep(0.05)
    return made_up(job)
