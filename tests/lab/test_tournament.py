"""Tournaments and sweeps: the same games as matches, added up."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import product

import numpy as np
import pytest

from graven.core.contract import TERMINAL
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, RuleFunctions
from graven.lab.experiments.match import match
from graven.lab.experiments.sweep import sweep
from graven.lab.experiments.tournament import schedule, tournament
from graven.lab.store.store import Store

GAME = "knightthrough(size=5)"
QUICK = {"games": 6, "workers": 1, "seed": 4}

# Three players take 1 or 2 stones in turn; the player who takes the last one wins.
# State: stones left, player to move.


def three_start(tables, state):
    state[0] = tables[0]
    state[1] = 0


def three_turn(tables, state):
    return state[1] if state[0] > 0 else TERMINAL


def three_legal(tables, state, player, moves):
    moves[0] = 0
    moves[1] = 1
    return min(2, state[0])


def three_play(tables, state, joint):
    state[0] -= joint[state[1]] + 1
    state[1] = (state[1] + 1) % 3


def three_scores(tables, state, out):
    out[:] = 0.0
    out[(state[1] + 2) % 3] = 1.0


def three():
    return Game(
        name="three",
        players=3,
        functions=RuleFunctions(
            start=three_start,
            turn=three_turn,
            legal=three_legal,
            play=three_play,
            scores=three_scores,
        ),
        bounds=Bounds(state_words=2, num_codes=2, max_moves=2, max_plies=10),
        constants=np.array([10]),
    )


def test_schedules():
    assert schedule(3, gauntlet=False) == [(0, 1), (0, 2), (1, 2)]
    assert schedule(4, gauntlet=True) == [(0, 1), (0, 2), (0, 3)]


def test_a_tournament_is_its_matches_and_shares_their_games(tmp_path):
    agents = ["uct(playouts=5)", "uct(playouts=50)", "rave(playouts=50)"]
    db = tmp_path / "a.db"
    played = match(GAME, agents[0], agents[1], store=db, **QUICK)
    result = tournament(GAME, agents, store=db, **QUICK)
    assert result.standings.games == result.standings.planned == 18
    assert result.standings.score(0, 1) == played.score
    assert result.standings.score(1, 0).wins == played.score.losses
    assert match(GAME, agents[1], agents[2], store=db, **QUICK).new == 0
    assert result.standings.total(0).games == 12
    names = [rating["agent"] for rating in result.to_dict()["ratings"]]
    assert names[-1] == "uct(c=0.4,playouts=5)"
    assert len(result.to_dict()["pairs"]) == 3


def test_a_gauntlet_plays_only_the_first():
    result = tournament(
        GAME, ["uct(playouts=20)", "rave", "grave"], gauntlet=True, playouts=20, **QUICK
    )
    assert result.standings.games == 12
    assert result.standings.score(1, 2) is None
    assert len(result.to_dict()["ratings"]) == 3


def test_three_players_take_all_seat_assignments():
    store = Store()
    result = tournament(
        three(), ["uct", "rave"], games=12, playouts=20, workers=1, opening_plies=1, store=store
    )
    assert result.standings.games == 12
    (pairing,) = result.pairings
    seats = [ended.seats for ended in store.results(pairing, 12)]
    assert Counter(seats) == dict.fromkeys(
        set(product((0, 1), repeat=3)) - {(0, 0, 0), (1, 1, 1)}, 2
    )
    single = match(three(), "uct", "rave", games=6, playouts=20, workers=1, seating="single")
    assert [ended.seats.count(0) for ended in single.results] == [1] * 6


@pytest.mark.parametrize(
    ("agents", "sentence"),
    [
        (["uct"], "from 2 to 100"),
        (["uct", "uct(c=0.4)"], "duplicate agent"),
        (["uct"] * 101, "from 2 to 100"),
    ],
)
def test_invalid_tournaments_are_refused(agents, sentence):
    with pytest.raises(UsageError, match=sentence):
        tournament(GAME, agents)


def test_stopping_keeps_what_is_finished(tmp_path):
    stop = threading.Event()
    seen = []

    def progress(standings):
        seen.append(standings.games)
        if standings.games == 4:
            stop.set()

    agents = ["uct", "rave", "grave"]
    kwargs = {"playouts": 20, "store": tmp_path / "a.db", **QUICK}
    assert tournament(GAME, agents, progress=progress, stop=stop, **kwargs).standings.games == 4
    assert seen == [0, 1, 2, 3, 4]
    assert tournament(GAME, agents, **kwargs).standings.games == 18


def test_a_sweep_finds_the_best_and_its_worst_case(tmp_path):
    db = tmp_path / "a.db"
    result = sweep(
        GAME,
        "uct(playouts=[2,30,200])",
        "uct(playouts=30,c=0.5)",
        robustness_against="rave(bias=[1e-2..1e-4],playouts=100)",
        store=db,
        **{**QUICK, "games": 20},
    )
    assert result.names == ("playouts",)
    assert [point.values for point in result.points] == [(2,), (30,), (200,)]
    assert result.best.values == (200,)
    rates = [point.score.win_rate for point in result.opponents]
    assert result.worst.score.win_rate == min(rates)
    assert result.games == result.planned == 120
    one = match(
        GAME, "uct(playouts=2)", "uct(playouts=30,c=0.5)", store=db, **{**QUICK, "games": 20}
    )
    assert one.new == 0
    assert one.score == result.points[0].score
    values = result.to_dict()
    assert values["best"]["values"] == [200]
    assert len(values["opponents"]) == 3


def test_a_sweep_over_two_parameters_has_every_pair():
    result = sweep(GAME, "grave(ref=[5,20],bias=[1e-2,1e-4])", "uct", playouts=10, **QUICK)
    assert len(result.points) == 4
    assert result.names == ("ref", "bias")


def test_a_grid_of_opponents_is_refused():
    with pytest.raises(UsageError, match="robustness-against"):
        sweep(GAME, "rave(bias=[1e-1..1e-3])", "uct(c=[0.1,0.2])", playouts=10, **QUICK)
