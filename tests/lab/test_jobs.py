"""Seats, seeds and outcomes follow from a game's number alone."""

from __future__ import annotations

import pickle

import pytest

from graven.core.errors import UsageError
from graven.lab.jobs import GameResult, plan, seating
from graven.search.engine import Budget

BUDGETS = (Budget(playouts=10), Budget(seconds=0.5))


def result(seats, scores):
    return GameResult(0, seats, scores, ("a", "b"), 20, 0.1)


def test_two_players_swap_sides_after_every_game():
    assert [seating(index, 2) for index in range(4)] == [(0, 1), (1, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_more_players_go_through_all_mixed_seatings(players):
    count = 2**players - 2
    seatings = [seating(index, players) for index in range(count)]
    assert len(set(seatings)) == count
    assert all(set(seats) == {0, 1} for seats in seatings)
    assert seating(count, players) == seatings[0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_odd_game_is_the_opposite_of_the_one_before(players):
    for index in range(0, 40, 2):
        here, next_one = seating(index, players), seating(index + 1, players)
        assert next_one == tuple(1 - side for side in here)


def test_one_player_cannot_play_a_match():
    with pytest.raises(UsageError, match="two players"):
        seating(0, 1)


def test_a_games_number_decides_its_seed():
    whole = plan("nogo", 2, ("uct", "rave"), BUDGETS, range(10), seed=3)
    rest = plan("nogo", 2, ("uct", "rave"), BUDGETS, range(6, 10), seed=3)
    assert whole[6:] == rest
    assert len({job.seed for job in whole}) == 10
    assert plan("nogo", 2, ("uct", "rave"), BUDGETS, range(1), seed=4)[0].seed != whole[0].seed


def test_jobs_and_results_pickle():
    (job,) = plan("nogo", 2, ("uct", "rave"), BUDGETS, range(1), seed=0)
    assert pickle.loads(pickle.dumps(job)) == job
    ended = result((0, 1), (1.0, 0.0))
    assert pickle.loads(pickle.dumps(ended)) == ended


@pytest.mark.parametrize(
    ("seats", "scores", "outcome"),
    [
        ((0, 1), (1.0, 0.0), 1.0),
        ((1, 0), (1.0, 0.0), 0.0),
        ((0, 1), (0.5, 0.5), 0.5),
        ((0, 1, 1), (0.4, 0.6, 0.0), 0.0),
        ((0, 1, 0), (0.2, 0.3, 0.5), 1.0),
        ((1, 0, 0, 1), (0.5, 0.5, 0.0, 0.0), 0.5),
    ],
)
def test_a_side_is_worth_its_best_seat(seats, scores, outcome):
    assert result(seats, scores).outcome == outcome
