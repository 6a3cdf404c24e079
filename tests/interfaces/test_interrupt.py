"""Ctrl-C: the score so far, and the command that goes on; the best move so far."""

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

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")


def heed_ctrl_c() -> None:
    """Programs that a shell starts in the background ignore Ctrl-C, and so would their children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted(*arguments: str, after: float) -> tuple[int, str, str]:
    """Run a program, press Ctrl-C some time after it first says how it is getting on."""
    with subprocess.Popen(
        [sys.executable, "-m", "graven", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
    ) as program:
        first = program.stderr.readline()
        time.sleep(after)
        os.killpg(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=300)
    return program.returncode, out, first + err


@pytest.fixture(autouse=True, scope="module")
def compiled(tmp_path_factory):
    """Have the code compiled before: Ctrl-C waits for a compilation to end."""
    db = str(tmp_path_factory.mktemp("store") / "graven.db")
    match = ["match", "nogo", "--size", "3", "uct", "rave", "--games", "2", "--db", db]
    for arguments in (match, ["search", "nogo", "--playouts", "10"]):
        command = [sys.executable, "-m", "graven", *arguments]
        subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_match_shows_the_score_and_the_command_that_goes_on(run, workers):
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

    # The command that goes on plays what is missing of the same match, not the first games again.
    games = result["games"] + 2
    onward = [re.sub("^100000$", str(games), word) for word in typed[1:]]
    went_on = json.loads(run(*onward).out)
    assert went_on["games"] == games
    # With two workers, later games may have ended before earlier ones that were dropped.
    assert went_on["new"] <= 2 + 2 * int(workers)


def test_workers_that_are_still_starting_leave_quietly():
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
def test_longer_experiments_show_what_they_have_and_go_on(run, experiment):
    options = ["--games", "100000", "--playouts", "100", "--workers", "1", "--json"]
    code, out, err = interrupted(*experiment, *options, after=1)
    assert code == INTERRUPTED
    assert "Traceback" not in err
    assert 0 < json.loads(out)["games"] < 100000
    typed = shlex.split(err.strip().splitlines()[-1])
    assert typed == ["graven", *experiment, *options]


def test_a_search_shows_the_best_so_far():
    code, out, err = interrupted("search", "nogo", "--seconds", "600", "--json", after=1)
    assert code == INTERRUPTED
    assert "Traceback" not in err
    found = json.loads(out)
    assert found["best"]
    assert found["seconds"] < 60
