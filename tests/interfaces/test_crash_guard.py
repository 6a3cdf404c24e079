"""Commands with user-defined rules: a crash is a sentence, and the exit code is the command's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stress.faulty_rules import write_faulty_game, write_good_game

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def graven(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "graven", *arguments], capture_output=True, text=True
    )


def test_a_crash_is_one_sentence(tmp_path):
    game = write_faulty_game(tmp_path, "turn recurses")
    done = graven("search", game, "--playouts", "50")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    (sentence,) = [line for line in lines if not line.startswith("compiling ")]
    assert sentence.startswith("graven: the user-defined code crashed (SIGSEGV).")


@pytest.mark.parametrize(
    "command",
    [["search"], ["play"], ["serve", "--port", "0"], ["gtp", "--game"]],
    ids=lambda words: words[0],
)
def test_rules_that_do_not_return_end_with_a_sentence(tmp_path, monkeypatch, command):
    monkeypatch.setenv("GRAVEN_RULE_SECONDS", "1")
    done = graven(*command, write_faulty_game(tmp_path, "play does not return"))
    assert done.returncode == 2
    message = "graven: the rules of heaps did not return within 1 s of processor time."
    assert message in done.stderr
    assert "Traceback" not in done.stderr


ENDLESS_POLICY = """
from graven.policies import Formula, TreePolicy


def value(p, node, edge):
    halved = edge.total
    while halved >= 0.0:
        halved *= 0.5
    return halved


tree = TreePolicy("tree", "Never selects a move.", (Formula("tree", value),))
"""


def test_a_policy_that_does_not_return_ends_a_search_with_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_RULE_SECONDS", "1")
    monkeypatch.chdir(tmp_path)
    Path("endless.py").write_text(ENDLESS_POLICY)
    done = graven(
        "search", "nogo", "--size", "3", "--agent", "./endless.py:tree", "--playouts", "500"
    )
    assert done.returncode == 2
    assert "graven: the policies of endless.py:tree" in done.stderr
    assert "did not return within 1 s of processor time." in done.stderr
    assert "Traceback" not in done.stderr


def test_the_exit_code_and_the_output_are_those_of_the_command(tmp_path):
    game = write_good_game(tmp_path)
    found = graven("search", game, "--playouts", "50", "--json")
    assert found.returncode == 0
    assert '"best_move"' in found.stdout
    wrong = graven("search", game, "--playouts", "0")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("graven: ")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system has no /proc")
def test_the_command_ends_with_its_parent(tmp_path):
    command = [sys.executable, "-m", "graven", "gtp", "--game", write_good_game(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        while parent.poll() is None and not children.read_text():
            pass
        parent.kill()
        assert parent.stdout.read() == b""  # until the child has closed it, too


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_command_ends_it(tmp_path, number):
    command = [sys.executable, "-m", "graven", "serve", write_good_game(tmp_path), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as program:
        assert b"http://" in program.stdout.readline()
        program.send_signal(number)
        _, errors = program.communicate(timeout=60)
    assert b"Traceback" not in errors
    if number == signal.SIGTERM:  # as without user-defined rules; a shell says 143
        assert program.returncode == -signal.SIGTERM
