"""A full disk, a read-only one, and a clock that jumps: a sentence, and no recorded game lost."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import SkipTest

from graven.lab.store.store import Store
from tests.stress.seeds import WHOLE_ROUND, shuffled

WEIGHT = 2.0
MATCH = ["match", "nogo", "--size", "3", "uct", "rave", "--workers", "1", "--playouts", "20"]
# Runs a command while every clock but the monotonic ones jumps by up to ten years at each reading.
JUMPING = """
import random, sys, time
from datetime import datetime
from graven.interfaces.cli import app
from graven.lab.store import store

rng, real = random.Random(int(sys.argv[1])), time.time

def jumping():
    return real() + rng.uniform(-3e8, 3e8)

class Jumping(datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.fromtimestamp(jumping(), tz)

time.time, store.datetime = jumping, Jumping
sys.exit(app.run(sys.argv[2:]))
"""


def graven(*words: str, program: list[str] | None = None) -> tuple[int, str]:
    """Run a command; return its exit code and what it printed on stderr."""
    done = subprocess.run(
        [sys.executable, *(program or ["-m", "graven"]), *words], capture_output=True, text=True
    )
    return done.returncode, done.stderr


def moves_in(path: Path) -> dict[int, list[str]]:
    """Return the moves of every recorded game."""
    with Store(path, write=False) as store:
        return {row["index"]: row["moves"] for row in store.rows()}


@contextmanager
def small_disk(kib: int) -> Iterator[Path]:
    """Mount a disk of so many KiB in memory."""
    if os.name != "posix" or os.geteuid() != 0:
        raise SkipTest("only root can mount a small disk")
    with tempfile.TemporaryDirectory() as folder:
        words = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder]
        if subprocess.run(words, capture_output=True).returncode:
            raise SkipTest("a small disk cannot be mounted here")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def full_disk(rng: random.Random, folder: Path) -> str | None:
    """A match on a disk that becomes full, then on a larger one."""
    with small_disk(rng.choice((160, 200, 400))) as disk:
        path = disk / "games.db"
        code, err = graven(*MATCH, "--games", "2000", "--db", str(path))
        if code != 2 or "disk is full" not in err or "Traceback" in err:
            return f"exit code {code}: {err[-500:]}"
        # Reading may need some space beside the file.
        copy = folder / "copy.db"
        for suffix in ("", "-wal", "-shm"):
            source, target = (file.with_name(file.name + suffix) for file in (path, copy))
            target.unlink(missing_ok=True)
            if source.exists() and suffix != "-shm":
                target.write_bytes(source.read_bytes())
    kept = moves_in(copy)
    if not kept:
        return "no game was recorded before the disk was full"
    code, err = graven(*MATCH, "--games", str(len(kept) + 3), "--db", str(copy))
    again = moves_in(copy)
    if code or any(again[number] != moves for number, moves in kept.items()):
        return f"resumed with {code}: {err[-500:]}; {len(kept)} games before, {len(again)} after"
    return None


def full_cache(rng: random.Random, folder: Path) -> str | None:
    """A search whose compile cache is on a full disk."""
    with small_disk(64) as disk:
        done = subprocess.run(
            [sys.executable, "-m", "graven", "search", "nogo", "--size", "3", "--playouts", "50"],
            env={**os.environ, "GRAVEN_CACHE_DIR": str(disk)},
            capture_output=True,
            text=True,
        )
    if done.returncode or done.stderr.count("compiled code cannot be kept in") != 1:
        return f"exit code {done.returncode}: {done.stderr[-500:]}"
    return None


def read_only(rng: random.Random, folder: Path) -> str | None:
    """Reading works on a disk that became read-only; writing is refused with a sentence."""
    with small_disk(2000) as disk:
        path = disk / "games.db"
        code, err = graven(*MATCH, "--games", "3", "--db", str(path))
        if code:
            return f"exit code {code}: {err}"
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        code, err = graven("export", str(folder / "games.csv"), "--db", str(path))
        if code:
            return f"reading ended with {code}: {err}"
        code, err = graven(*MATCH, "--games", "6", "--db", str(path))
        if code != 2 or "Traceback" in err:
            return f"writing ended with {code}: {err}"
        if len(moves_in(path)) != 3:
            return "the recorded games changed"
    return None


def clock_jumps(rng: random.Random, folder: Path) -> str | None:
    """The same games, whatever the clock says."""
    found = []
    for number, program in enumerate((None, ["-c", JUMPING, str(rng.randrange(1000))])):
        path = folder / f"{number}.db"
        path.unlink(missing_ok=True)
        code, err = graven(*MATCH, "--games", "8", "--db", str(path), program=program)
        if code:
            return f"exit code {code}: {err[-500:]}"
        found.append(moves_in(path))
    return None if found[0] == found[1] else "other games"


SCENES: tuple[Callable[[random.Random, Path], str | None], ...] = (
    clock_jumps,
    full_disk,
    read_only,
    full_cache,
)


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Play the scenes in turn until the time is over, in an order that depends on the seed."""
    rng, tried, failures = random.Random(seed), 0, []
    deadline, rounds = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as name:
        while rounds == 0 or time.monotonic() < deadline:
            rounds += 1
            for scene in shuffled(SCENES, seed):
                try:
                    failure = scene(rng, Path(name))
                except SkipTest as reason:
                    print(f"    disks, {scene.__name__} skipped: {reason}")
                    continue
                tried += 1
                if failure:
                    failures.append(f"{scene.__name__}: {failure}")
                if time.monotonic() > deadline and (rounds > 1 or seconds < WHOLE_ROUND):
                    break
    return tried, failures
