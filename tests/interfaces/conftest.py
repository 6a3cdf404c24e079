"""Two ways to run a command: quickly in this process, or for real in one of its own."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from graven.agents import agent
from graven.games.registry import make_game
from graven.interfaces.cli import app


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Compile before the tests begin, so that no command has to say that it is taking long."""
    game = make_game("nogo(size=3)")
    for spec in ("uct", "rave", "grave"):
        agent(spec).player(game).warm_up()


@pytest.fixture
def run(monkeypatch, capsys) -> Run:
    """Run a command in this process."""

    def run(*arguments: str, stdin: str = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = app.run(list(arguments))
        return Outcome(code, *capsys.readouterr())

    return run


@pytest.fixture
def run_apart() -> Run:
    """Run a command as a program."""

    def run(*arguments: str, stdin: str = "") -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "graven", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def begun(run, tmp_path, monkeypatch) -> Callable[[str, str, str], Path]:
    """Let `graven new` write something to begin with, in a folder of its own; what it says to try
    must hold `hint`."""

    def begun(kind: str, name: str, hint: str) -> Path:
        monkeypatch.chdir(tmp_path)
        done = run("new", kind, name)
        assert done.code == 0, done.err
        assert hint in done.out
        return tmp_path

    return begun


def report_of_test(folder: Path, name: str) -> str:
    """What pytest says of the test that `graven new` has written, which must pass."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{name}.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
