"""Seats, seeds, openings and outcomes follow from a pairing and a game's number alone."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graven as gv
from graven.core.errors import UsageError
from graven.lab.experiments.job import GameJob, GameResult
from graven.lab.experiments.pairing import ROTATE, SINGLE, Pairing, make_pairing
from graven.lab.experiments.play_game import random_opening
from graven.search.budget import Budget
from tests.naive import tiny

BUDGETS = (Budget(playouts=10), Budget(seconds=0.5))


def pairing(players=2, **changes):
    return Pairing("nogo(size=3x3)", ("uct(c=0.4)", "rave"), BUDGETS, players=players, **changes)


def result(seats, scores):
    return GameResult(
        index=0, seats=seats, seed=7, scores=scores, moves=("a", "b"), playouts=20, seconds=0.1
    )


def test_two_players_swap_sides_after_every_game():
    assert [pairing().seats(index) for index in range(4)] == [(0, 1), (1, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_more_players_go_through_all_seat_assignments(players):
    count = 2**players - 2
    seatings = [pairing(players).seats(index) for index in range(count)]
    assert len(set(seatings)) == count == pairing(players).size
    assert all(set(seats) == {0, 1} for seats in seatings)
    assert pairing(players).seats(count) == seatings[0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_odd_game_swaps_the_sides_of_the_one_before(players):
    for index in range(0, 40, 2):
        here, next_one = pairing(players).seats(index), pairing(players).seats(index + 1)
        assert next_one == tuple(1 - side for side in here)


def test_a_single_agent_takes_every_seat_in_turn():
    single = pairing(3, seating=SINGLE)
    assert [single.seats(index) for index in range(4)] == [
        (0, 1, 1),
        (1, 0, 1),
        (1, 1, 0),
        (0, 1, 1),
    ]
    assert single.size == 3


def test_a_games_number_decides_its_seed():
    seeds = [GameJob(pairing(seed=3), index).seed for index in range(10)]
    assert len(set(seeds)) == 10
    assert seeds == [GameJob(pairing(seed=3), index).seed for index in range(10)]
    assert GameJob(pairing(seed=4), 0).seed != seeds[0]


@given(
    st.integers(-(2**70), 2**70),
    st.integers(0, 9),
    st.sampled_from([ROTATE, SINGLE]),
    st.one_of(st.none(), st.floats(1e-6, 1e6)),
)
def test_a_pairing_is_read_back_from_its_key(seed, opening_plies, seating, seconds):
    written = Pairing(
        game="nogo(size=3x3)",
        agents=("uct", "rave"),
        budgets=(Budget(5), Budget(None if seconds else 9, seconds)),
        seed=seed,
        opening_plies=opening_plies,
        seating=seating,
    )
    assert Pairing.from_key(written.key) == written
    assert Pairing.from_key(written.key).key == written.key


@pytest.mark.parametrize(("seating", "stored"), [(ROTATE, "mixed"), (SINGLE, "alone")])
def test_keys_keep_the_vocabulary_of_existing_result_files(seating, stored):
    key = (
        '{"agents":["uct(c=0.4)","rave"],"budgets":[[10,null],[null,0.5]],'
        f'"game":"nogo(size=3x3)","openings":4,"seating":"{stored}","seed":7}}'
    )
    agents = ("uct(c=0.4,solver=off)", "rave(solver=off)")
    written = replace(pairing(seed=7, opening_plies=4, seating=seating), agents=agents)
    assert written.key == key
    assert Pairing.from_key(key) == written


CLOCKED_KEY = (
    '{"agents":["grave(ref=50,bias=0.0001,solver=on,time=5,increment=0.1)","uct(c=0.4,solver=on,time=5)"],'
    '"budgets":[[null,5.0],[null,5.0]],"game":"nogo(size=3x3)","openings":0,"seating":"mixed",'
    '"seed":0}'
)


def test_a_clock_is_a_budget_of_the_game():
    clocked = Pairing.from_key(CLOCKED_KEY)
    assert clocked.key == CLOCKED_KEY  # stored as before
    assert clocked.budget == "5 s a game + 0.1 s a move v 5 s a game"
    assert clocked.limits[0].to_dict() == {
        "playouts": None,
        "seconds": None,
        "time": 5.0,
        "increment": 0.1,
    }
    assert "--seconds" not in clocked.command(10)
    game, *sides = clocked.command(10)[2:5]
    again = make_pairing(game, *sides)
    assert (again.agents, again.budgets) == (clocked.agents, clocked.budgets)


@pytest.mark.parametrize(
    ("first", "second", "budget", "side"),
    [
        ("grave(time=1)", "uct(playouts=100)", "1 s a game v 100 playouts a move", "time=1)"),
        ("uct(time=60,seconds=5)", "uct(time=60,seconds=5)", "60 s a game, at most 5 s a move", ""),
        ("uct(seconds=2)", "uct(playouts=100)", "2 s v 100 playouts a move", "seconds=2)"),
        ("uct(playouts=1000)", "rave(playouts=1000)", "1,000 playouts a move", "playouts=1000)"),
    ],
)
def test_budgets_in_words(first, second, budget, side):
    described = make_pairing("nogo(size=3x3)", first, second)
    assert described.budget == budget
    assert described.sides()[0].endswith(side)


def test_a_key_with_an_infinite_number_is_refused():
    key = Pairing("nogo", ("uct", "rave"), (Budget(1), Budget(1))).key
    with pytest.raises(ValueError, match="not a whole number"):
        Pairing.from_key(key.replace('"seed":0', '"seed":1e999'))


def test_a_key_with_an_unknown_seating_is_refused():
    with pytest.raises(ValueError, match="unknown seating 'odd'"):
        Pairing.from_key(pairing().key.replace("mixed", "odd"))


def test_a_budget_inside_a_spec_is_the_same_as_one_beside_it():
    inside = make_pairing("nogo", "uct(playouts=50)", "rave(playouts=50)")
    beside = make_pairing("nogo(size=8)", "uct", "rave", Budget(playouts=50))
    assert inside == beside
    assert inside.key == beside.key
    assert make_pairing("nogo", "uct(playouts=60)", "rave", Budget(50)).key != beside.key


def test_the_command_of_a_pairing_makes_the_same_pairing():
    first = make_pairing("nogo", "uct(playouts=7)", "rave(seconds=0.5)", seed=5, opening_plies=2)
    _, _, game, one, two, *options = first.command(30)
    assert options == ["--games", "30", "--seed", "5", "--opening-plies", "2"]
    assert make_pairing(game, one, two, seed=5, opening_plies=2) == first
    same = make_pairing("nogo", "uct", "rave", Budget(50))
    options = ["--games", "9", "--playouts", "50"]
    assert same.command(9)[3:] == ["uct(c=0.4)", "rave(bias=0.0001)", *options]


def test_jobs_and_results_pickle():
    job = GameJob(pairing(), 3)
    assert pickle.loads(pickle.dumps(job)) == job
    finished = result((0, 1), (1.0, 0.0))
    assert pickle.loads(pickle.dumps(finished)) == finished


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


def test_both_games_of_a_pair_have_the_same_opening_and_pairs_differ():
    paired = pairing(seed=1, opening_plies=3)
    game = gv.game("nogo(size=3)")
    openings = []
    for index in range(8):
        position, moves = random_opening(game, 3, paired.opening_seed(index))
        assert len(moves) == 3
        assert not position.is_over
        openings.append(tuple(moves))
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) > 1


def test_an_openings_moves_are_all_equally_likely():
    game = gv.game("nogo(size=3)")
    counts = Counter(random_opening(game, 1, seed)[1][0] for seed in range(900))
    assert len(counts) == 9
    # Each has 100 of 900 expected, with a standard deviation of 9.4.
    assert all(60 < count < 140 for count in counts.values())


def test_an_opening_never_ends_the_game():
    heaps = tiny.heaps(2)
    for seed in range(30):
        position, moves = random_opening(heaps, 2, seed)
        assert not position.is_over
        assert len(moves) == 2
    with pytest.raises(UsageError, match="shorter opening"):
        random_opening(heaps, 4, 0)


def test_one_player_cannot_play_a_match():
    with pytest.raises(UsageError, match="two or more"):
        make_pairing("samegame", "uct", "rave")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"seating": "rotat"}, "Did you mean 'rotate'"),
        ({"opening_plies": -1}, "from 0 to 1000"),
        ({"opening_plies": 10**6}, "from 0 to 1000"),
    ],
)
def test_invalid_pairings_are_refused(wrong, sentence):
    with pytest.raises(UsageError, match=sentence):
        make_pairing("nogo", "uct", "rave", **wrong)
