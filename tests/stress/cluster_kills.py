"""A Dask worker or the scheduler is killed during a match: the resumed match is the same match."""

from __future__ import annotations

import importlib.util
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import SkipTest

from tests.smoke.__main__ import free_port, wait_for_port
from tests.stress.disks import MATCH, graven, moves_in
from tests.stress.seeds import WHOLE_ROUND

WEIGHT = 2.0
GAMES = "60"


def started(module: str, *words: str) -> subprocess.Popen[bytes]:
    """Start a program of Dask."""
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def disturbed_match(path: Path, rng: random.Random, scheduler_dies: bool) -> str | None:
    """Play a match on a cluster that loses a program; return what went wrong."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    programs = [started("dask_scheduler", "--host", "127.0.0.1", "--port", str(port))]
    try:
        wait_for_port(port)
        programs += [
            started("dask_worker", address, "--no-nanny", "--nthreads", "1") for _ in range(2)
        ]
        with subprocess.Popen(
            [sys.executable, "-m", "graven", *without_workers(), "--games", GAMES, "--db",
             str(path), "--cluster", address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as match:  # fmt: skip
            deadline = time.monotonic() + 300
            wanted = rng.randrange(1, 15)
            while match.poll() is None and time.monotonic() < deadline:
                if path.exists() and len(moves_in(path)) >= wanted:
                    break
                time.sleep(0.1)
            victim = programs[0 if scheduler_dies else 1 + rng.randrange(2)]
            os.kill(victim.pid, signal.SIGKILL)
            _, err = match.communicate(timeout=600)
        if scheduler_dies and match.returncode == 2 and "run the same command again" not in err:
            return f"exit code {match.returncode}: {err[-500:]}"
        if "Traceback" in err or (not scheduler_dies and match.returncode):
            return f"exit code {match.returncode}: {err[-500:]}"
    finally:
        for program in programs:
            program.kill()
            program.wait()
    return None


def without_workers() -> list[str]:
    """Return the match without the number of its workers."""
    at = MATCH.index("--workers")
    return MATCH[:at] + MATCH[at + 2 :]


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Lose a worker, then a scheduler, until the time is over."""
    if importlib.util.find_spec("distributed") is None:
        raise SkipTest("Dask is not installed")
    rng, tried, failures = random.Random(seed), 0, []
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        calm = Path(name, "calm.db")
        graven(*MATCH, "--games", GAMES, "--db", str(calm))
        least = 2 if seconds >= WHOLE_ROUND else 1
        while tried < least or time.monotonic() < deadline:
            path = Path(name, f"{tried}.db")
            failure = disturbed_match(path, rng, scheduler_dies=tried % 2 == 1)
            code, err = graven(*MATCH, "--games", GAMES, "--db", str(path))
            if failure is None and (code or moves_in(path) != moves_in(calm)):
                failure = f"resumed with {code}, other games: {err[-500:]}"
            if failure:
                failures.append(f"match {tried}: {failure}")
            tried += 1
    return tried, failures
