"""Fixtures that run commands: quickly in this process, or as a program."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graven.agents import agent
from graven.games.registry import make_game
from graven.interfaces.cli import app
from tests.interfaces.helpers import Outcome, Run, run_program


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Compile first, so that no command prints progress because compilation takes long."""
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
    return run_program


@pytest.fixture
def new_file(run, tmp_path, monkeypatch) -> Callable[[str, str, str], Path]:
    """Run `graven new` in an empty folder; the commands that it suggests must contain `hint`."""

    def new_file(kind: str, name: str, hint: str) -> Path:
        monkeypatch.chdir(tmp_path)
        done = run("new", kind, name)
        assert done.code == 0, done.err
        assert hint in done.out
        return tmp_path

    return new_file
