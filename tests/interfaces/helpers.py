"""Shared helpers: run `graven` as a program, interrupt it, test what `graven new` writes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Outcome(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


def run_program(*arguments: str, stdin: str = "") -> Outcome:
    """Run a command in its own process."""
    done = subprocess.run(
        [sys.executable, "-m", "graven", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def restore_ctrl_c() -> None:
    """Handle SIGINT, which programs started in the background by a shell ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def start_program(*arguments: str) -> subprocess.Popen[str]:
    """Start a command in its own process group, which a signal can be sent to."""
    return subprocess.Popen(
        [sys.executable, "-m", "graven", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=restore_ctrl_c,
    )


def run_generated_test(folder: Path, name: str) -> str:
    """Run the test that `graven new` has written, which must pass; return pytest's output."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{name}.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
