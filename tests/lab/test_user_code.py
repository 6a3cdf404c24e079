"""User-defined rules in experiments: checked once, played in workers, and ended when they hang."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import graven as gv
from graven.core import rule_check
from graven.lab.experiments import run
from graven.lab.experiments.job import GameJob
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.experiments.processes import RuleCrashError, can_fork, play_in_workers
from graven.lab.experiments.run import PlannedGames, play_missing
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.store import Store
from graven.search.budget import Budget
from tests.lab import faulty_jobs
from tests.naive import tiny
from tests.stress.faulty_rules import write_faulty_game, write_good_game

MATCH = {"games": 2, "playouts": 40, "workers": 1}


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Play a match with rules that have a fault; return the error and the recorded games."""
    monkeypatch.setenv("GRAVEN_RULE_SECONDS", "2")

    def play(text, **options):
        store = tmp_path / "games.db"
        with pytest.raises(gv.GravenError) as caught:
            gv.match(text, "uct", "rave", store=store, **{**MATCH, **options})
        db = sqlite3.connect(store)
        (rows,) = db.execute("SELECT COUNT(*) FROM game").fetchone()
        db.close()
        return str(caught.value), rows

    return play


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("play writes one beyond", "`play` reads or writes beyond the 3 elements of `state`"),
        ("scores from 0 to 100", "divide points from 0 to 100, as GDL has them, by 100"),
        ("play does not return", "did not return within 2 s of processor time"),
        ("turn recurses", "crashed (SIGSEGV), before the first move"),
        ("play crashes late", "crashed (SIGSEGV), after the moves "),
    ],
)
def test_a_fault_is_one_sentence_and_nothing_is_recorded(play, tmp_path, kind, expected):
    message, rows = play(write_faulty_game(tmp_path, kind))
    assert expected in message
    assert rows == 0


def test_a_crash_names_the_last_moves_and_removes_the_games_of_its_run(monkeypatch):
    pairing = make_pairing("nogo(size=3)", "uct", "rave", Budget(20))
    monkeypatch.setattr(Pairing, "has_user_code", True)
    with Store() as store:
        config = RunConfig(store=store, workers=1)
        monkeypatch.setattr(run, "play_job", faulty_jobs.without_playing)
        play_missing([PlannedGames(pairing, 2)], config)
        monkeypatch.setattr(run, "play_job", faulty_jobs.crash_at_three)
        message = r"game 4 of .*crashed \(SIGSEGV\), after the moves a b\. Nothing of this run"
        with pytest.raises(RuleCrashError, match=message):
            play_missing([PlannedGames(pairing, 9)], config)
        assert store.recorded_games(pairing, 9) == {0, 1}, "the games of the first run stay"


def test_a_worker_killed_from_outside_is_no_crash(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_TEST_MARK", str(tmp_path / "died"))
    pairing = make_pairing("nogo(size=3)", "uct", "rave", Budget(20))
    jobs = [GameJob(pairing, index) for index in range(5)]
    played = list(play_in_workers(jobs, 1, play=faulty_jobs.die_once, user_code=True))
    assert sorted(job.index for job, _ in played) == list(range(5))


def test_rules_are_checked_once_for_each_version(tmp_path):
    text = write_good_game(tmp_path)
    path = Path(text.rpartition(":")[0])
    path.write_text(path.read_text() + f"\nUNIQUE = {str(tmp_path)!r}\n")
    assert rule_check.check_rules_once(gv.game(text))
    assert not rule_check.check_rules_once(gv.game(text))
    path.write_text(path.read_text().replace("state[0] = 4", "state[0] = 5"))
    assert rule_check.check_rules_once(gv.game(text))
    assert not rule_check.check_rules_once(gv.game("nogo(size=3)"))


def test_bounds_checks_do_not_change_the_games(tmp_path):
    text = write_good_game(tmp_path)
    plain = gv.match(text, "uct", "rave", **MATCH)
    checked = gv.match(text, "uct", "rave", check=True, **MATCH)
    assert [game.moves for game in plain.results] == [game.moves for game in checked.results]


def test_a_game_of_this_process_is_checked_before_its_first_game():
    game = tiny.heaps(4).changed(play=play_writes_beyond)
    with Store() as store:
        with pytest.raises(gv.ContractError, match="`play` reads or writes beyond the 3 elements"):
            gv.match(game, "uct", "rave", store=store, **MATCH)
        assert list(store.rows()) == []


def play_writes_beyond(constants, state, joint):
    move = joint[state[2]]
    state[move // 2] -= move % 2 + 1
    state[2] = 1 - state[2]
    state[3] = move


def deeper(n):
    return 0 if n < 0 else deeper(n + 1) + n


def play_overflows(constants, state, joint):
    state[0] = deeper(state[0] + 1)


def play_never_returns(constants, state, joint):
    while state[0] >= 0:
        state[1] += 1


@pytest.mark.skipif(not can_fork(), reason="processes cannot be forked here")
@pytest.mark.parametrize(
    ("rule", "expected"),
    [(play_overflows, "crashed (SIGSEGV)"), (play_never_returns, "did not return within 2 s")],
)
def test_rules_without_a_file_crash_a_process_of_their_own(monkeypatch, rule, expected):
    monkeypatch.setenv("GRAVEN_RULE_SECONDS", "2")
    with Store() as store:
        with pytest.raises(RuleCrashError) as caught:
            gv.match(tiny.heaps(4).changed(play=rule), "uct", "rave", store=store, **MATCH)
        assert expected in str(caught.value)
        assert list(store.rows()) == []
        assert gv.match(tiny.heaps(4), "uct", "rave", store=store, **MATCH).games == 2


@pytest.mark.skipif(not can_fork(), reason="processes cannot be forked here")
def test_games_of_a_forked_process_are_those_of_this_one(monkeypatch):
    forked = gv.match(tiny.heaps(4), "uct", "rave+mast", **MATCH)
    monkeypatch.setattr(run, "can_fork", lambda: False)
    here = gv.match(tiny.heaps(4), "uct", "rave+mast", **MATCH)
    assert [game.moves for game in forked.results] == [game.moves for game in here.results]


def test_match_has_an_option_to_check(tmp_path, capsys):
    from graven.interfaces.cli import app

    text = write_good_game(tmp_path)
    code = app.run(["match", text, "uct", "rave", "--games", "2", "--playouts", "20", "--check",
                    "--json"])  # fmt: skip
    assert code == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2
