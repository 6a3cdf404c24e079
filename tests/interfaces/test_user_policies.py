"""Custom policies on the command line: written by `graven new`, accepted by every command."""

from __future__ import annotations

import json

import pytest

from tests.interfaces.helpers import run_generated_test


@pytest.fixture
def folder(new_file):
    return new_file("policy", "mine", "graven match hex ./mine.py:tree uct")


def test_the_template_passes_its_own_test(folder):
    assert "2 passed" in run_generated_test(folder, "mine")


def test_every_command_accepts_custom_policies(folder, run, run_apart):
    game, spec = "hex(size=4)", "./mine.py:tree+./mine.py:playout"
    search = run("search", game, "--agent", spec, "--playouts", "200", "--json")
    assert search.code == 0, search.err
    played = run("match", game, spec, "uct", "--games", "4", "--playouts", "20", "--json",
                 "--workers", "2")  # fmt: skip
    result = json.loads(played.out)
    assert result["games"] == 4
    assert result["first"].startswith("mine.py:tree(c=0.1,digest=")
    again = run("match", game, spec, "uct", "--games", "4", "--playouts", "20", "--json")
    assert json.loads(again.out)["new"] == 0
    shown = run("agents", "./mine.py:tree")
    assert "exploration" in shown.out
    assert "like every tree policy" in shown.out
    assert json.loads(run("agents", "mine.py:playout", "--json").out)["kind"] == "playout"
    sweep = run("sweep", game, "mine.py:tree(c=[0.2,0.4])", "--against", "uct", "--games", "2",
                "--playouts", "20", "--json", "--workers", "1")  # fmt: skip
    assert sweep.code == 0, sweep.err
    tuned = run("tune", game, "mine.py:tree(c=?[0.1..0.9])", "--against", "uct", "--trials", "2",
                "--games", "2", "--playouts", "20", "--json", "--workers", "1")  # fmt: skip
    assert tuned.code == 0, tuned.err
    engine = run_apart("gtp", "--game", game, "--agent", spec, "--playouts", "20",
                       stdin="genmove b\nquit\n")  # fmt: skip
    assert engine.code == 0, engine.err
    assert engine.out.startswith("= ")


@pytest.mark.parametrize("parallel", ["sync", "tree", "root"])
def test_the_template_works_with_threads(folder, run, parallel):
    spec = f"./mine.py:tree(threads=2,parallel={parallel})+./mine.py:playout"
    done = run("search", "hex(size=4)", "--agent", spec, "--playouts", "200", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["playouts"] == 200


def test_mistakes_are_reported_in_one_sentence(folder, run):
    for arguments, message in [
        (("new", "policy", "mine"), "already exists"),
        (("new", "polcy", "other"), "Did you mean 'policy'"),
        (("agents", "mine.py:trea"), "Did you mean 'tree'"),
        (("search", "hex", "--agent", "uct+nowhere.py:x"), "cannot be read"),
    ]:
        done = run(*arguments)
        assert done.code == 2
        assert message in done.err
