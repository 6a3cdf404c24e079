"""Matches: the same games whatever the number of workers, and what they add up to."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

import graven as gv
from graven.agents import agent
from graven.core.errors import UsageError
from graven.lab.experiments.job import FailedGame, GameJob
from graven.lab.experiments.match import match
from tests.naive import tiny

GAME = "nogo(size=3)"
KEYS = [
    "pairing",
    "game",
    "first",
    "second",
    "budgets",
    "games",
    "wins",
    "draws",
    "losses",
    "win_rate",
    "ci95",
    "elo",
    "elo_ci95",
    "likelihood_of_superiority",
    "p_value",
    "by_seat",
    "first_seat",
    "seat_points",
    "pairs",
    "pentanomial",
    "new",
    "plies",
    "playouts_per_second",
    "seed",
    "opening_plies",
    "failures",
]
QUICK = {"games": 6, "playouts": 30, "seed": 5}

SCRIPT = """
import graven as gv
print(gv.match("nogo(size=3)", "uct", "rave", games=2, playouts=20, workers=2).games)
"""


def replay(result, game):
    for ended in result.results:
        position = game.start().play_moves(ended.moves)
        assert position.is_over
        assert position.scores == ended.scores


def moves_of(result):
    return [(ended.index, ended.seats, ended.moves, ended.scores) for ended in result.results]


def test_the_same_seed_gives_the_same_games_whatever_the_workers():
    alone = match(GAME, "grave(ref=5)", "uct", workers=1, **QUICK)
    together = match(GAME, "grave(ref=5)", "uct", workers=2, **QUICK)
    assert moves_of(alone) == moves_of(together)
    assert alone.games == 6
    replay(alone, gv.game(GAME))


def test_another_seed_gives_other_games():
    one = match(GAME, "uct", "rave", workers=1, games=4, playouts=30, seed=1)
    other = match(GAME, "uct", "rave", workers=1, games=4, playouts=30, seed=2)
    assert moves_of(one) != moves_of(other)


def test_the_text_of_a_match_names_games_that_failed():
    result = match(GAME, "uct", "rave", workers=1, games=2, playouts=10)
    job = GameJob(result.pairing, 7)
    failed = replace(result, failures=(FailedGame(job, "`scores` returned None"),))
    assert "failed" not in str(result)
    assert "1 game; game 7 of uct" in str(failed)
    assert "`scores` returned None" in str(failed)


def test_going_on_from_where_a_match_stopped_gives_the_same_match(tmp_path):
    whole = match(GAME, "uct", "rave", workers=1, **QUICK)
    start = match(GAME, "uct", "rave", workers=1, store=tmp_path / "a.db", **{**QUICK, "games": 4})
    rest = match(GAME, "uct", "rave", workers=2, store=tmp_path / "a.db", **QUICK)
    assert (whole.new, start.new, rest.new) == (6, 4, 2)
    assert moves_of(start) == moves_of(whole)[:4]
    assert moves_of(rest) == moves_of(whole)
    again = match(GAME, "uct", "rave", store=tmp_path / "a.db", **QUICK)
    assert again.new == 0
    assert again.summary == rest.summary


def test_without_a_file_nothing_is_remembered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    match(GAME, "uct", "rave", workers=1, games=2, playouts=20)
    assert not list(tmp_path.iterdir())


def test_games_begin_with_the_opening_of_their_pair():
    result = match(GAME, "uct", "rave", workers=1, opening_plies=2, **QUICK)
    openings = [ended.moves[:2] for ended in result.results]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) > 1
    replay(result, gv.game(GAME))


def test_a_sequential_test_stops_early_and_says_so():
    strong, weak = "uct(playouts=300)", "uct(playouts=2)"
    result = match("knightthrough(size=5)", strong, weak, games=1000, sprt=(0, 50), workers=1)
    assert result.verdict.accepted_elo == 50
    assert result.games == 2 * result.verdict.pairs < 1000
    assert "stopped early: at least 50 Elo" in str(result.verdict)
    apart = match("knightthrough(size=5)", strong, weak, games=1000, sprt=(0, 50), workers=2)
    assert apart.verdict == result.verdict


def test_json_has_the_documented_shape():
    result = match(GAME, "uct", "rave", workers=1, **QUICK).to_dict()
    assert list(result) == KEYS
    assert result["game"] == "nogo(size=3x3)"
    assert result["first"] == agent("uct").spec
    assert result["games"] == 6 == result["wins"] + result["losses"] + result["draws"]
    low, high = result["ci95"]
    assert low <= result["win_rate"] <= high
    assert result["seed"] == 5


def test_a_budget_in_a_spec_beats_the_matchs():
    agents = "uct(solver=off,playouts=7)", "uct(solver=off,playouts=11)"
    result = match(GAME, *agents, games=1, playouts=30, workers=1)
    (ended,) = result.results
    firsts = (ended.plies + 1) // 2
    assert ended.playouts == 7 * firsts + 11 * (ended.plies - firsts)


def test_without_a_budget_a_move_takes_a_thousand_playouts():
    (ended,) = match(GAME, "uct(solver=off)", "uct(solver=off)", games=1, workers=1).results
    assert ended.playouts == 1000 * ended.plies


def test_progress_counts_up_and_stop_keeps_what_is_finished():
    stop = threading.Event()
    seen = []

    def progress(score):
        seen.append(score.games)
        if score.games == 3:
            stop.set()

    result = match(GAME, "uct", "rave", workers=1, progress=progress, stop=stop, **QUICK)
    assert seen == [0, 1, 2, 3]
    assert result.games == 3
    assert result.planned == 6


def test_stop_drops_games_that_workers_have_under_way():
    stop = threading.Event()
    result = match(
        "nogo(size=5)",
        "uct",
        "rave",
        games=200,
        playouts=2000,
        workers=2,
        progress=lambda score: score.games and stop.set(),
        stop=stop,
    )
    assert result.games < 200
    assert len(result.results) == result.games == result.new


def test_a_game_that_only_this_process_knows_is_played_here():
    result = match(tiny.heaps(), "uct", "rave", games=2, playouts=20)
    assert result.games == 2
    with pytest.raises(UsageError, match="workers=1"):
        match(tiny.heaps(), "uct", "rave", games=2, playouts=20, workers=2)


def test_players_who_move_at_once_play_their_own_moves():
    result = match(tiny.rock_paper_scissors(), "uct", "uct", games=4, playouts=50, workers=1)
    assert all(len(ended.moves) == 3 for ended in result.results)
    assert all("," in move for ended in result.results for move in ended.moves)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"games": 0}, "from 1 to 1,000,000 games"),
        ({"workers": 0}, "at least 1 worker"),
        ({"playouts": 0}, "at least 1 playout"),
        ({"playouts": -5}, "at least 1 playout"),
        ({"playouts": None, "seconds": 0.0}, "more than 0 seconds"),
        ({"sprt": (20, 0)}, "the smaller one first"),
        ({"sprt": (0, 10**6)}, "from -1000 to 1000"),
        ({"opening_plies": -1}, "from 0 to 1000"),
    ],
)
def test_senseless_numbers_are_refused(wrong, sentence):
    with pytest.raises(UsageError, match=sentence):
        match(GAME, "uct", "rave", **{**QUICK, **wrong})


def test_unknown_names_are_refused_before_any_game():
    with pytest.raises(UsageError, match="uct"):
        match(GAME, "uctt", "rave", **QUICK)
    with pytest.raises(UsageError, match="nogo"):
        match("nogoo", "uct", "rave", **QUICK)


def test_a_script_needs_no_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=os.environ, timeout=120
    )
    assert done.stdout == "2\n", done.stderr


def test_a_match_prints_as_the_command_does_and_survives_pickle(capsys, tmp_path):
    import pickle

    from graven.interfaces.cli.app import run

    result = match(GAME, "uct", "rave", workers=1, store=tmp_path / "games.db", **QUICK)
    printed = str(result)
    assert f"{result.wins} won, {result.draws} drawn, {result.losses} lost" in printed
    assert "\n" not in repr(result)
    words = ["match", GAME, "uct", "rave", "--db", str(tmp_path / "games.db"), "--workers", "1"]
    for name, value in QUICK.items():
        words += [f"--{name}", str(value)]
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line in shown] == printed.splitlines()
    again = pickle.loads(pickle.dumps(result))
    assert again.results == result.results
    assert str(again) == printed
    assert again.to_dict() == result.to_dict()
