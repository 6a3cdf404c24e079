"""kill -9 at random moments: what is resumed ends as if it had not been killed.

Every command runs in forks of one process that has loaded everything (`python -m
tests.stress.kills`), so that it works for most of its lifetime.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import SkipTest

from tests.stress.seeds import WHOLE_ROUND

NOGO = ["nogo", "--size", "3"]
SHORT = ["--playouts", "150", "--workers", "1"]
COMMANDS = {
    "match": ["match", *NOGO, "uct", "rave", "--games", "60", *SHORT],
    "sweep": ["sweep", *NOGO, "uct(c=[0.2,0.4,0.8])", "--against", "rave", "--games", "20", *SHORT],
    "tournament": ["tournament", *NOGO, "uct", "rave", "grave", "--games", "20", *SHORT],
    "tune": ["tune", *NOGO, "uct(c=?)", "--against", "rave", "--trials", "4", "--games", "10",
             *SHORT],
    "solve": ["solve", "samegame(size=5x5)", "--method", "nrpa(level=2,iterations=40)",
              "--runs", "2", "--seed", "5"],
}  # fmt: skip
GAME_FILES = Path(__file__).parents[2] / "results" / "games"
WEIGHT = 3.0
KILLS = 5


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Kill every command several times, and compare the end with one that was not killed."""
    if not hasattr(os, "fork"):
        raise SkipTest("there is no fork on this system")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "tests.stress.kills", folder, str(seed), str(seconds)],
            capture_output=True,
            text=True,
        )
    if done.returncode:
        return 0, [f"the test itself failed: {done.stderr[-2000:]}"]
    tried, failures = json.loads(done.stdout.splitlines()[-1])
    return tried, failures


def fork(words: list[str], folder: Path) -> int:
    """Run a command in a fork; return its process id."""
    child = os.fork()
    if child:
        return child
    from graven.interfaces.cli import app

    log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["GRAVEN_DB"] = str(folder / "games.db")
    os.chdir(folder)
    os._exit(app.run(words))


def finished(words: list[str], folder: Path) -> float:
    """Run a command to its end; return how long it took."""
    begin = time.monotonic()
    _, status = os.waitpid(fork(words, folder), 0)
    if status:
        raise RuntimeError(f"{words[0]} ended with {status}: {(folder / 'log.txt').read_text()}")
    return time.monotonic() - begin


def games_in(folder: Path) -> list[tuple[object, ...]]:
    """Return the recorded games; those of equal commands are equal."""
    from graven.lab.store.store import Store

    with Store(folder / "games.db", write=False) as store:
        names = ("game", "first", "second", "index", "seed", "seats", "scores", "moves")
        return sorted(tuple(str(row[name]) for name in names) for row in store.rows())


def solution_in(folder: Path) -> object:
    """Return the best game of a saved solve and all that determines how it goes on."""
    saved = json.loads((folder / "solve.json").read_text())
    return [saved[name] for name in ("best", "points", "playouts", "runs", "random")]


def with_save(words: list[str], folder: Path) -> list[str]:
    """Return the command: a solve saves to a file, or resumes the one that is there."""
    if words[0] != "solve":
        return words
    if (folder / "solve.json").exists():
        return ["solve", words[1], "--resume", "solve.json", *words[words.index("--runs") :][:2]]
    return [*words, "--save", "solve.json"]


def commands() -> dict[str, list[str]]:
    """Return the commands by name; an import needs the game files of the repository."""
    imports = {"import": ["import", str(GAME_FILES)]} if GAME_FILES.is_dir() else {}
    return {**COMMANDS, **imports}


def kill_repeatedly(words: list[str], folder: Path, rng: random.Random, duration: float) -> int:
    """Start a command and kill it, several times; return the number of kills."""
    kills = 0
    for _ in range(KILLS):
        child = fork(with_save(words, folder), folder)
        time.sleep(rng.random() * max(0.05, duration * 0.7))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        kills += os.WIFSIGNALED(status)
    return kills


def main(folder: Path, seed: int, seconds: float) -> tuple[int, list[str]]:
    """Kill commands until the time is over."""
    rng, tried, failures = random.Random(seed), 0, []
    deadline = time.monotonic() + seconds
    expected: dict[str, object] = {}
    durations: dict[str, float] = {}
    rounds = 0
    while rounds == 0 or time.monotonic() < deadline:
        rounds += 1
        for name, words in commands().items():
            read: Callable[[Path], object] = solution_in if name == "solve" else games_in
            if name not in expected:
                calm = folder / f"{name}-calm"
                calm.mkdir()
                durations[name] = finished(with_save(words, calm), calm)
                expected[name] = read(calm)
            disturbed = folder / f"{name}-{rounds}"
            disturbed.mkdir()
            tried += kill_repeatedly(words, disturbed, rng, durations[name])
            try:
                finished(with_save(words, disturbed), disturbed)
                if read(disturbed) != expected[name]:
                    failures.append(f"{name}, round {rounds}: another result after kills")
            except Exception as error:
                failures.append(f"{name}, round {rounds}: {type(error).__name__}: {error}")
            if time.monotonic() > deadline and (rounds > 1 or seconds < WHOLE_ROUND):
                break
    return tried, failures


if __name__ == "__main__":
    from graven.lab.experiments.match import match

    for first in ("uct", "grave"):
        match("nogo(size=3)", first, "rave", games=1, playouts=20, workers=1)
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))))
