"""Reading TSPTW instances from valid and invalid files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.games.registry import make_game
from graven.games.tsptw_instances import MAX_CITIES, TsptwInstance, read_instance
from graven.testing import check_game
from tests.naive.tsptw import Tsptw, shortest_on_time

FOLDER = Path(__file__).parent / "tsptw"
MATRIX = (FOLDER / "n20w20.001.txt").read_text()
COORDINATES = (FOLDER / "n20w20.001.coordinates.txt").read_text()

# A tour of n20w20.001 published with the instance, cities counted from 1 as there; length 378.
PUBLISHED = "17 10 20 18 19 11 6 16 2 12 13 7 14 8 3 5 9 21 4 15"

DECIMALS = """3
0 1.5 2.25
1.5 0 3
2.25 3.00 0
0 100
0.5 2
0 3.75
"""


def same(first: TsptwInstance, second: TsptwInstance) -> bool:
    return all(
        (getattr(first, name) == getattr(second, name)).all()
        for name in ("distances", "opens", "closes")
    )


def test_a_published_tour_has_its_published_length():
    game = make_game("tsptw", file=str(FOLDER / "n20w20.001.txt"))
    tour = [str(int(city) - 1) for city in PUBLISHED.split()]
    assert game.start().play_moves(tour).points == -378
    assert "0 late" in game.start().play_moves(tour).text()


def test_coordinates_give_the_published_matrix():
    assert same(read_instance(COORDINATES, "x"), read_instance(MATRIX, "x"))


def test_service_times_are_part_of_the_distances():
    text = "1 0 0 0 0 90 5\n2 3 4 0 10 20 2\n3 0 8 0 0 50 0\n"
    instance = read_instance(text, "x")
    # From the depot: 5 to the second city and 8 to the third, after a service of 5.
    assert instance.distances.tolist() == [[0, 10, 13], [7, 0, 7], [8, 5, 0]]
    assert instance.closes.tolist() == [90, 20, 50]


def test_decimals_are_exact(tmp_path):
    file = tmp_path / "decimals.txt"
    file.write_text(DECIMALS)
    game = make_game("tsptw", file=str(file))
    naive = Tsptw.from_matrix(DECIMALS)
    check_game(game, games=4)
    for tour in (["1", "2"], ["2", "1"]):
        theirs = Tsptw(naive.distances, naive.windows)
        for city in tour:
            theirs.play(city)
        assert game.start().play_moves(tour).points == theirs.points_now
    # 1.5 to city 1, 3 on to city 2 (which closes at 3.75: late), 2.25 back.
    assert game.start().play_moves(["1", "2"]).points == -(10**6 + 6.75)


def test_the_optimum_of_the_published_instance():
    assert shortest_on_time(Tsptw.from_matrix(MATRIX)) == 378


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "no numbers"),
        ("# nothing\n", "no numbers"),
        ("three\n", "line 1"),
        ("2\n0 1\n1 nan\n0 9\n0 9\n", "line 3"),
        ("2\n0 1e9\n1 0\n0 9\n0 9\n", "line 2"),
        ("2\n0 9999999999\n1 0\n0 9\n0 9\n", "line 2"),
        ("2\n0 1\n1 0\n0 9\n", "need 9 numbers"),
        ("2\n0 1\n1 0\n0 9\n0 9\n1\n", "need 9 numbers"),
        ("1\n0\n0 9\n", "from 2 to"),
        (f"{MAX_CITIES + 1}\n0 0\n", "from 2 to"),
        ("-2\n0 0\n", "from 2 to"),
        ("2.5\n0 0\n", "from 2 to"),
        ("2\n0 -1\n1 0\n0 9\n0 9\n", "less than 0"),
        ("2\n0 1\n1 0\n0 9\n9 1\n", "city 1 closes before it opens"),
        ("2\n0 1\n1 0\n-5 9\n0 9\n", "before time 0"),
        ("2\n0 0.1234567\n1 0\n0 9\n0 9\n", "at most 6 decimals"),
        ("1 0 0 0 0 9 0\n", "from 2 to"),
    ],
)
def test_mistakes_are_explained(text, hint):
    with pytest.raises(UsageError, match=hint) as caught:
        read_instance(text, "wrong.txt")
    assert "\n" not in str(caught.value)


def test_numbers_too_large_for_an_exact_score_are_rejected(tmp_path):
    file = tmp_path / "large.txt"
    file.write_text("2\n0 999999999.000001\n1 0\n0 9\n0 9\n")
    with pytest.raises(UsageError, match="too large"):
        make_game("tsptw", file=str(file))


@settings(max_examples=200)
@given(st.text(alphabet="0123456789. -\n#!aCUST", max_size=200) | st.text(max_size=60))
def test_any_text_is_an_instance_or_a_usage_error(text):
    with suppress(UsageError):
        instance = read_instance(text, "any.txt")
        assert (instance.opens <= instance.closes).all()


@settings(max_examples=100)
@given(st.data())
def test_a_damaged_instance_is_an_instance_or_a_usage_error(data):
    text = data.draw(st.sampled_from([MATRIX, COORDINATES, DECIMALS]))
    at = data.draw(st.integers(0, len(text)))
    put = data.draw(st.text(alphabet="0123456789. -\n", max_size=4))
    cut = data.draw(st.integers(0, 40))
    with suppress(UsageError):
        instance = read_instance(text[:at] + put + text[at + cut :], "damaged.txt")
        assert (instance.distances >= 0).all()
