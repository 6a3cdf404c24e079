"""`graven --help` loads nothing heavy; every command's help shows an example."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMANDS = [
    "games",
    "agents",
    "play",
    "search",
    "match",
    "tournament",
    "sweep",
    "import",
    "replay",
    "reproduce",
    "bench",
    "serve",
]
HEAVY = {"numba", "numpy", "scipy", "llvmlite", "rich", "multiprocessing", "graven.core.game"}

LOADED = """
import sys
from graven.interfaces.cli import app
code = app.run(["--help"])
print("loaded:", *sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def test_help_imports_nothing_heavy():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True)
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)
    loaded = set(done.stderr.split())
    assert "typer" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Examples:\n" in out
    assert f"  graven {command}" in out


def test_the_server_loads_nothing_heavy_before_its_first_page():
    code = "import sys, graven.interfaces.web.web_run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "starlette.applications" in loaded
    assert not loaded & (HEAVY - {"multiprocessing"})


def test_without_a_command_there_is_help(run):
    code, out, _ = run()
    assert code == 0
    assert "Usage: graven" in out


def test_version(run):
    code, out, _ = run("--version")
    assert code == 0
    assert out.startswith("graven 0.")
