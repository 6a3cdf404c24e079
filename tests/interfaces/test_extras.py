"""A command that needs a missing extra prints the command that installs it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from graven.core.errors import UsageError
from graven.core.extras import EXTRAS, is_installed, require
from graven.interfaces.cli import app

# Runs commands in a process in which some packages cannot be imported.
BLOCKED = """
import json, sys
from importlib.abc import MetaPathFinder

packages, commands = json.loads(sys.argv[1])

class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
from graven.interfaces.cli import app
for command in commands:
    print("code", app.run(command), file=sys.stderr)
"""

SMALL = ["--games", "2", "--playouts", "5", "--workers", "1"]
COMMANDS = {
    "web": [["serve"], ["ggp"]],
    "plots": [["report", "report.html", "--db", "games.db"]],
    "cluster": [["match", "nogo(size=3)", "uct", "uct(c=1)", "--cluster", "tcp://0.0.0.0:1"]],
    "tune": [["tune", "nogo(size=3)", "uct(c=?)", "--against", "uct", *SMALL]],
    "openspiel": [["games", "spiel(chess)"]],
    "parquet": [["export", "games.parquet", "--db", "games.db"]],
}


def errors_without(packages, commands, folder):
    """What the commands write to stderr, and their exit codes."""
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, json.dumps([packages, commands])],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a store of a sweep, whose report has a plot."""
    folder = tmp_path_factory.mktemp("extras")
    agents = ["uct(c=[0.2,0.4])", "--against", "uct"]
    code = app.run(["sweep", "nogo(size=3)", *agents, *SMALL, "--db", str(folder / "games.db")])
    assert code == 0
    return folder


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_missing_extra_is_reported_with_the_command_that_installs_it(extra, folder):
    commands = COMMANDS[extra]
    errors = errors_without(EXTRAS[extra].packages, commands, folder)
    assert errors.count(f"pip install 'graven[{extra}]'") == len(commands), errors
    assert "code 0" not in errors
    assert "Traceback" not in errors


def test_a_plain_install_has_the_search_and_the_laboratory(folder):
    packages = [package for extra in EXTRAS.values() for package in extra.packages]
    commands = [
        ["search", "nogo(size=3)", "--agent", "uct", "--playouts", "20"],
        ["match", "nogo(size=3)", "uct", "grave", *SMALL],
        ["games"],
        ["agents"],
        ["bench", "--help"],
    ]
    errors = errors_without(packages, commands, folder)
    assert errors.count("code 0") == len(commands), errors


def test_the_extras_of_the_package_are_those_that_can_be_required():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    declared = tomllib.loads(text)["project"]["optional-dependencies"]
    assert set(declared) == {*EXTRAS, "docs", "test"}


def test_require_returns_the_package_and_names_the_one_that_is_missing(monkeypatch):
    assert require("plots") is sys.modules["matplotlib"]
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(UsageError, match=r"'uvicorn'.*: pip install 'graven\[web\]'$"):
        require("web")
    assert not is_installed("web")
    assert is_installed("plots")
