"""Every registered game satisfies the game contract, on boards of many sizes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.games.registry import families, make_game
from graven.testing import check_game
from tests.games.sizes import SIZES, largest, nearest, smallest, specs
from tests.naive.puzzles import PUZZLES


def test_the_contract_tests_cover_every_game():
    assert {family.name for family in families()} == set(SIZES) | set(PUZZLES)


@pytest.mark.parametrize("spec", specs())
def test_small_and_rectangular_boards(spec):
    check_game(make_game(spec), games=8, constant_sum=1.0)


@pytest.mark.parametrize("name", SIZES)
def test_the_largest_board(name):
    check_game(make_game(largest(name)), games=1, constant_sum=1.0)


@pytest.mark.parametrize("name", SIZES)
def test_the_smallest_board_in_many_games(name):
    check_game(make_game(smallest(name)), games=60, constant_sum=1.0)


@pytest.mark.parametrize("name", SIZES)
def test_misere(name):
    check_game(make_game(f"misere-{nearest(name, 5, 5)}"), games=8, constant_sum=1.0)


@settings(max_examples=60)
@given(st.sampled_from(sorted(SIZES)), st.data(), st.integers(0, 2**32))
def test_any_size_and_seed(name, data, seed):
    rows, columns = data.draw(st.tuples(st.integers(2, 9), st.integers(2, 9)), label="size")
    check_game(make_game(nearest(name, rows, columns)), games=1, seed=seed, constant_sum=1.0)
