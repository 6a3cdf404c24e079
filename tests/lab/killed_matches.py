"""Start a match and kill it, repeatedly: `python -m tests.lab.killed_matches STORE KILLS`.

Every match runs in a fork of a process that has loaded everything, so that it plays games for all
of its lifetime, and ends by SIGKILL.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

from graven.interfaces.cli import app
from graven.lab.experiments.match import match

MATCH = ["match", "nogo", "--size", "3", "uct", "rave", "--games", "200", "--playouts", "600"]


def recorded(path: Path) -> int:
    """Count the recorded games without the class `Store`."""
    if not path.exists():
        return 0
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        (count,) = db.execute("SELECT COUNT(*) FROM game").fetchone()
    finally:
        db.close()
    return int(count)


def wait_for(path: Path, games: int, alive) -> None:
    """Wait until `games` games are recorded, or the match has ended."""
    while recorded(path) < games and alive():
        time.sleep(0.002)


def kill_forks(path: Path, kills: int) -> None:
    match("nogo(size=3)", "uct", "rave", games=2, workers=1)
    rng = random.Random(1)
    for _ in range(kills):
        before = recorded(path)
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            app.run([*MATCH, "--db", str(path), "--workers", "1"])
            os._exit(0)

        wait_for(path, before + rng.choice([0, 1, 2, 5]), lambda: True)
        time.sleep(rng.random() * 0.01)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "it ended before it could be killed"
        assert recorded(path) >= before


if __name__ == "__main__":
    kill_forks(Path(sys.argv[1]), int(sys.argv[2]))
