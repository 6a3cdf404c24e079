"""Invalid input is reported in one sentence on stderr, with exit code 2 and no traceback."""

from __future__ import annotations

import pytest

from graven.interfaces.cli.commands import games_command
from graven.interfaces.cli.console import INTERRUPTED

NOGO = ["nogo", "--size", "3"]

WRONG = {
    "unknown command": (["serch"], "search"),
    "unknown option": (["search", "nogo", "--playuots", "9"], "--playouts"),
    "missing game": (["search"], "GAME"),
    "no number": (["search", "nogo", "--playouts", "many"], "--playouts"),
    "unknown game": (["search", "nogoo"], "Did you mean 'nogo'?"),
    "a rulesheet's name": (["search", "checkers"], "gdl(sheet=checkers)"),
    "unknown game option": (["search", "nogo(siez=3)"], "size"),
    "game text": (["search", "nogo(size=3"], "nogo(size=3"),
    "size": (["search", "nogo", "--size", "0"], "0"),
    "size text": (["search", "nogo", "--size", "big"], "big"),
    "size twice": (["search", "nogo(size=3)", "--size", "3"], "twice"),
    "unknown agent": (["search", *NOGO, "--agent", "grve"], "Did you mean 'grave'?"),
    "unknown parameter": (["search", *NOGO, "--agent", "grave(rf=5)"], "ref"),
    "no playouts": (["search", *NOGO, "--playouts", "0"], "at least 1 playout"),
    "negative playouts": (["search", *NOGO, "--playouts", "-3"], "at least 1 playout"),
    "no seconds": (["search", *NOGO, "--seconds", "0"], "more than 0 seconds"),
    "illegal move": (["search", *NOGO, "--moves", "A1 A1"], "move 2: A1 is not legal"),
    "unknown move": (["search", *NOGO, "--moves", "Z9"], "move 1: unknown move"),
    "top": (["search", *NOGO, "--top", "0"], "--top"),
    "memory": (["search", *NOGO, "--memory", "0"], "1 MiB"),
    "match budget": (["match", *NOGO, "uct", "rave", "--playouts", "0"], "at least 1 playout"),
    "match games": (["match", *NOGO, "uct", "rave", "--games", "0"], "from 1 to 1,000,000 games"),
    "match workers": (["match", *NOGO, "uct", "rave", "--workers", "0"], "at least 1 worker"),
    "match of one agent": (["match", *NOGO, "uct"], "Missing argument 'SECOND'"),
    "match agent": (["match", *NOGO, "uct", "rvae"], "Did you mean 'rave'?"),
    "published": (["match", *NOGO, "uct", "rave", "--published", "678"], "from 0 to 100"),
    "sprt": (["match", *NOGO, "uct", "rave", "--sprt", "9", "3"], "the smaller one first"),
    "openings": (["match", *NOGO, "uct", "rave", "--opening-plies", "-1"], "from 0 to 1000"),
    "seating": (["match", *NOGO, "uct", "rave", "--seating", "singel"], "Did you mean 'single'?"),
    "db folder": (["match", *NOGO, "uct", "rave", "--db", "no/such/folder/x.db"], "no folder"),
    "db file": (["match", *NOGO, "uct", "rave", "--db", __file__], "not a graven store"),
    "play side": (["play", *NOGO, "--side", "frist"], "Did you mean 'first'?"),
    "play budget": (["play", *NOGO, "--playouts", "0"], "at least 1 playout"),
    "games": (["games", "nogoo"], "Did you mean 'nogo'?"),
    "agents": (["agents", "greave"], "Did you mean 'grave'?"),
    "agents in a file": (["agents", "./mine.py"], "name one of its policies, as in ./mine.py:tree"),
    "bench": (["bench", "tabels"], "Did you mean 'tables'?"),
    "endless": (["search", *NOGO, "--seconds", "inf"], "finitely many, not inf"),
    "play a program": (["play", *NOGO, "--agent", 'gtp("gnugo")'], "plays only matches"),
    "sweep of nan": (["sweep", *NOGO, "rave(bias=[nan])", "--against", "uct"], "bias"),
    "reproduce into": (["reproduce", "--headline", "--write", "x.txt"], ".csv or .md"),
    "new over a module": (["new", "game", "graven"], "is the name of an installed module"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence(run, case):
    arguments, named = WRONG[case]
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("graven: ")
    assert err.count("\n") == 1
    assert named in err
    assert "Traceback" not in err


def test_a_real_process_exits_with_2(run_apart):
    code, out, err = run_apart("match", "nogo", "uct", "rvae", "--games", "2")
    assert (code, out) == (2, "")
    assert err.startswith("graven: unknown tree policy 'rvae'. Did you mean 'rave'?")
    assert err.count("\n") == 1


def raise_zero_division(*_):
    raise ZeroDivisionError("by zero")


def test_a_bug_is_reported_with_the_way_to_its_traceback(run, monkeypatch):
    monkeypatch.delenv("GRAVEN_DEBUG", raising=False)
    monkeypatch.setattr(games_command, "compile_game", raise_zero_division)
    code, _, err = run("games", "nogo")
    assert code == 1
    assert "this is a bug: ZeroDivisionError: by zero" in err
    assert "GRAVEN_DEBUG=1" in err
    assert "Traceback" not in err


def test_debugging_shows_the_traceback(run, monkeypatch):
    monkeypatch.setenv("GRAVEN_DEBUG", "1")
    monkeypatch.setattr(games_command, "compile_game", raise_zero_division)
    with pytest.raises(ZeroDivisionError):
        run("games", "nogo")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "nogo", "uct", "rave", "--seed", "3"], "graven match nogo uct rave --seed 3"),
        (["games", "nogo"], "graven: stopped."),
    ],
)
def test_ctrl_c_before_there_is_a_result(run, monkeypatch, arguments, message):
    def pressed(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("graven.sources.load.load_game", pressed)
    code, out, err = run(*arguments)
    assert (code, out) == (INTERRUPTED, "")
    assert message in err


def test_an_unreadable_file_of_trials_is_named(run, tmp_path):
    (tmp_path / "mine-tune.db").write_text("not a database at all, and long enough to be one")
    tune = ["tune", *NOGO, "grave(ref=?)", "--against", "uct", "--db", str(tmp_path / "mine.db")]
    code, _, err = run(*tune)
    assert code == 2
    assert "mine-tune.db, which contains the trials, cannot be used" in err


def test_gdl_alone_lists_its_commands(run):
    code, out, _ = run("gdl")
    assert code == 0
    assert "\n  check " in out
