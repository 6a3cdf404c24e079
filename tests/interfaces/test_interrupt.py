"""Ctrl-C shows the score so far and the command that resumes, or the best move so far."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from graven.interfaces.cli.console import INTERRUPTED
from tests.interfaces.helpers import Outcome, start_program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")


def interrupted(*arguments: str, after: float) -> Outcome:
    """Run a program, and send Ctrl-C some seconds after its first line of progress."""
    with start_program(*arguments) as program:
        first = program.stderr.readline()
        time.sleep(after)
        os.killpg(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=300)
    return Outcome(program.returncode, out, first + err)


@pytest.fixture(autouse=True, scope="module")
def compiled(tmp_path_factory):
    """Compile first: Ctrl-C waits for the end of a compilation."""
    db = str(tmp_path_factory.mktemp("store") / "graven.db")
    match = ["match", "nogo", "--size", "3", "uct", "rave", "--games", "2", "--db", db]
    for arguments in (match, ["search", "nogo", "--playouts", "10"]):
        command = [sys.executable, "-m", "graven", *arguments]
        subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_match_shows_the_score_and_the_command_that_resumes(run, workers):
    options = ["--games", "100000", "--playouts", "100", "--seed", "3", "--workers", workers]
    code, out, err = interrupted(
        "match", "nogo", "--size", "3", "uct", "rave", *options, "--json", after=3
    )
    assert code == INTERRUPTED
    assert "Traceback" not in err
    result = json.loads(out)
    assert result["games"] < 100000
    command = err.strip().splitlines()[-1].strip()
    typed = shlex.split(command)
    assert typed[:4] == ["graven", "match", "nogo", "--size"]

    # The command plays the missing games of the same match, not the first games again.
    games = result["games"] + 2
    resumed = [re.sub("^100000$", str(games), word) for word in typed[1:]]
    continued = json.loads(run(*resumed).out)
    assert continued["games"] == games
    # With two workers, later games may have ended before earlier ones that were cancelled.
    assert continued["new"] <= 2 + 2 * int(workers)


def test_workers_that_are_still_starting_exit_without_a_traceback():
    options = ["--games", "100000", "--playouts", "100", "--workers", "2"]
    code, _, err = interrupted("match", "nogo", "--size", "3", "uct", "rave", *options, after=0.5)
    assert code == INTERRUPTED
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "experiment",
    [
        ["tournament", "nogo", "--size", "3", "uct", "rave"],
        ["sweep", "nogo", "--size", "3", "rave(bias=[1e-1..1e-3])", "--against", "uct"],
    ],
    ids=lambda words: words[0],
)
def test_longer_experiments_show_partial_results_and_how_to_resume(run, experiment):
    options = ["--games", "100000", "--playouts", "100", "--workers", "1", "--json"]
    code, out, err = interrupted(*experiment, *options, after=1)
    assert code == INTERRUPTED
    assert "Traceback" not in err
    assert 0 < json.loads(out)["games"] < 100000
    typed = shlex.split(err.strip().splitlines()[-1])
    assert typed == ["graven", *experiment, *options]


def test_a_search_shows_the_best_move_so_far():
    code, out, err = interrupted("search", "nogo", "--seconds", "600", "--json", after=1)
    assert code == INTERRUPTED
    assert "Traceback" not in err
    result = json.loads(out)
    assert result["best_move"]
    assert result["seconds"] < 600
