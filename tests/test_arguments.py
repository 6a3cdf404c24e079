"""Arguments of the wrong type raise a UsageError that names the argument and its value."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graven as gv

GAME = "nogo(size=3)"
WRONG = ("1", 1.5, float("nan"), [1])


def play_match(**keywords):
    return gv.match(GAME, "uct", "rave", **{"games": 2, "playouts": 5, "workers": 1} | keywords)


def play_tournament(**keywords):
    settings = {"games": 2, "playouts": 5, "workers": 1} | keywords
    return gv.tournament(GAME, ["uct", "rave"], **settings)


def play_sweep(**keywords):
    settings = {"games": 2, "playouts": 5, "workers": 1} | keywords
    return gv.sweep(GAME, "uct(c=[0.1,0.2])", "rave", **settings)


def run_tuning(**keywords):
    settings = {"games": 2, "playouts": 5, "workers": 1, "trials": 1} | keywords
    return gv.tune(GAME, "uct(c=?)", "rave", **settings)


def search(**keywords):
    return gv.agent("uct").search(gv.game(GAME).start(), **{"playouts": 5} | keywords)


def analyze(**keywords):
    position = gv.game(GAME).start()
    return list(gv.agent("uct").analyze(position, **{"playouts": 5} | keywords))


def check(**keywords):
    return gv.check_game(gv.game(GAME), **keywords)


def solve(**keywords):
    return gv.solve("samegame(size=3)", "nrpa(level=1)", **keywords)


def prove(**keywords):
    return gv.prove(GAME, **keywords)


NUMBERS = [
    *((play_match, name) for name in ("games", "seed", "workers", "playouts", "opening_plies")),
    *((play_tournament, name) for name in ("games", "seed", "workers")),
    *((play_sweep, name) for name in ("games", "seed", "workers")),
    *((run_tuning, name) for name in ("games", "trials", "seed", "workers", "validate")),
    *((search, name) for name in ("playouts", "seed", "memory")),
    *((analyze, name) for name in ("playouts", "seed")),
    *((check, name) for name in ("games", "seed")),
    *((solve, name) for name in ("playouts", "runs", "seed")),
    *((prove, name) for name in ("nodes", "memory_mib", "seed")),
]


@pytest.mark.parametrize(
    ("function", "name"), NUMBERS, ids=[f"{function.__name__}-{name}" for function, name in NUMBERS]
)
def test_a_number_of_the_wrong_type_is_named(function, name):
    for value in WRONG:
        with pytest.raises(gv.UsageError, match=f"^{name} must be ") as caught:
            function(**{name: value})
        assert repr(value) in str(caught.value)


@pytest.mark.parametrize("function", [play_match, play_tournament, play_sweep, run_tuning, search])
def test_a_seed_that_is_missing_is_an_error(function):
    """A match with seed=None once returned a result without games."""
    with pytest.raises(gv.UsageError, match=r"^seed must be an integer, got None\.$"):
        function(seed=None)


@pytest.mark.parametrize("function", [play_match, play_tournament, play_sweep, run_tuning])
def test_numbers_of_numpy_are_numbers(function):
    plain = function(seed=3, games=2, playouts=5)
    for kind in (np.int64, np.int32):
        numpy = function(seed=kind(3), games=kind(2), playouts=kind(5))
        assert json.loads(numpy.to_json()) == json.loads(plain.to_json()) | {
            name: value
            for name, value in json.loads(numpy.to_json()).items()
            if name == "playouts_per_second"
        }


def test_a_seed_of_numpy_gives_the_games_of_the_plain_one():
    assert search(seed=np.int64(7)).root_stats == search(seed=7).root_stats
    assert solve(seed=np.int64(7)).moves == solve(seed=7).moves
    assert prove(seed=np.int64(7)).scores == prove(seed=7).scores


def test_whole_floats_are_integers():
    assert play_match(games=2.0).games == 2
    assert search(playouts=1e1).playouts <= 10


@pytest.mark.parametrize("value", [None, 3, ["uct"], object])
def test_what_is_not_an_agent_is_refused(value):
    for play in (
        lambda: gv.agent(value),
        lambda: gv.match(GAME, value, "uct", games=2),
        lambda: gv.match(GAME, "uct", value, games=2),
        lambda: gv.tournament(GAME, ["uct", value], games=2),
        lambda: gv.tune(GAME, "uct(c=?)", value, games=2, trials=1),
    ):
        with pytest.raises(gv.UsageError, match="an agent is written as a text such as") as caught:
            play()
        assert repr(value) in str(caught.value)


def test_the_agents_of_a_tournament_are_a_list():
    for value in ("uct", None, 3):
        with pytest.raises(gv.UsageError, match="agents must be a list of agents") as caught:
            gv.tournament(GAME, value, games=2)
        assert repr(value) in str(caught.value)


@pytest.mark.parametrize("value", [None, 3, ["hex"]])
def test_what_is_not_a_game_is_refused(value):
    for function in (gv.game, gv.solve, gv.prove):
        with pytest.raises(gv.UsageError, match="a game is written as a text such as") as caught:
            function(value)
        assert repr(value) in str(caught.value)
    if value is not None:
        with pytest.raises(gv.UsageError, match="not a game"):
            gv.default_agent(value)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"store": 3}, r"store must be a file or a gv\.Store, got 3\."),
        ({"store": object}, "store must be a file"),
        ({"policies": 3}, r"policies must be a list of policies, got 3\."),
        ({"policies": None}, "policies must be a list of policies, got None"),
        ({"seating": 1}, "unknown seating 1"),
        ({"seating": None}, "unknown seating None"),
        ({"sprt": (0,)}, "sprt must be"),
        ({"sprt": "a"}, "sprt must be"),
        ({"sprt": (0, "20")}, "sprt must be"),
    ],
)
def test_other_settings_of_a_match_are_checked(keywords, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gv.UsageError, match=message):
        play_match(**keywords)
    assert not list(tmp_path.iterdir())  # store=3 once made a file "3"


def test_moves_are_a_list():
    position = gv.game(GAME).start()
    for value in ("a1 b1", None, 3):
        with pytest.raises(gv.UsageError, match="moves must be a list such as") as caught:
            position.play_moves(value)
        assert repr(value) in str(caught.value)
    with pytest.raises(gv.UsageError, match="moves must be a list such as"):
        gv.prove(GAME, moves="a1 b1")


def test_codes_players_and_texts_of_positions_are_checked():
    position = gv.game(GAME).start()
    with pytest.raises(gv.UsageError, match=r"code must be an integer, got 'a1'\."):
        position.play_code("a1")
    for value in (2, -1):
        with pytest.raises(gv.UsageError, match=f"player must be from 0 to 1, got {value}"):
            position.legal_moves_of(value)
    with pytest.raises(gv.UsageError, match=r"player must be an integer, got 'Black'\."):
        position.legal_moves_of("Black")
    assert position.legal_moves_of(1) == ()
    with pytest.raises(gv.UsageError, match=r"a position is read from a text, got 3\."):
        position.game.parse(3)


def test_the_limit_of_a_saved_tree_is_a_number(tmp_path):
    tree = search().tree
    with pytest.raises(gv.UsageError, match=r"limit must be an integer, got '3'\."):
        tree.save(tmp_path / "tree.svg", limit="3")


def test_the_interval_of_an_analysis_is_a_number():
    with pytest.raises(gv.UsageError, match=r"every must be a number, got '1'\."):
        analyze(every="1")
