"""User-defined rules with faults: a sentence, nothing recorded, and the program goes on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.stress.faulty_rules import FAULTS, write_faulty_game
from tests.stress.seeds import WHOLE_ROUND, shuffled

WEIGHT = 4.0
RULE_SECONDS = "3"
# Plays the games that it reads from standard input, and prints a line for each.
PROGRAM = """
import json, sys
import graven as gv

for line in sys.stdin:
    text, store = json.loads(line)
    try:
        result = gv.match(text, "uct", "rave", games=2, playouts=40, store=store, workers=1)
        answer = f"no error: {result.score}"
    except gv.GravenError as error:
        answer = f"error: {error}"
    with gv.Store(store) as opened:
        answer += f" [{len(list(opened.rows()))} rows]"
    print(json.dumps(answer), flush=True)
"""


class Driver:
    """A process that plays games with faulty rules."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "GRAVEN_RULE_SECONDS": RULE_SECONDS},
        )

    def play(self, text: str, store: str) -> str:
        """Play a match; return the answer, or how the process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([text, store]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        return json.loads(line) if line else f"the process ended with {self._process.wait()}"

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Play a match of every kind of faulty rules; in the reduced form, as many as it can."""
    tried, failures = 0, []
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        driver = Driver()
        for kind in shuffled(FAULTS, seed):
            if seconds < WHOLE_ROUND and time.monotonic() > deadline and tried:
                break
            tried += 1
            text = write_faulty_game(folder, kind)
            answer = driver.play(text, str(folder / f"{tried}.db"))
            expected = rf"error: .*({FAULTS[kind].message}).* \[0 rows\]"
            if not re.fullmatch(expected, answer, re.DOTALL):
                failures.append(f"{kind}: {answer}")
            if answer.startswith("the process ended"):
                driver = Driver()
        driver.close()
    return tried, failures
