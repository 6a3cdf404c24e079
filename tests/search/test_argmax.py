"""The greatest of a node's values, however many it has."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.compile import compiled
from graven.core.rng import below, generator
from graven.core.vectors import LANES
from graven.search.select.selection import FIRST, RANDOM, argmax


@compiled
def place_of_greatest(values, count, moves, ties, rng):
    return argmax(values, count, moves, ties, rng=rng)


@compiled
def drawn_below(rng, n):
    return below(rng, n)


# Few different values, so that the greatest often occurs more than once.
VALUES = st.lists(st.sampled_from([-math.inf, -1.0, 0.0, 0.5]), min_size=1, max_size=200)


@given(VALUES, st.sampled_from([RANDOM, FIRST]), st.integers(0, 1000))
def test_one_of_the_greatest_values_is_drawn_or_that_of_the_lowest_move(values, ties, seed):
    count = len(values)
    moves = np.random.default_rng(seed).permutation(count).astype(np.int32)
    padded = np.concatenate([values, np.full(LANES, math.inf)])
    rng, other = generator(seed), generator(seed)
    places = [i for i, value in enumerate(values) if value == max(values)]
    expected = places[0]
    if len(places) > 1:
        if ties == FIRST:
            expected = min(places, key=lambda place: moves[place])
        else:
            expected = places[drawn_below(other, len(places))]
    assert place_of_greatest(padded, count, moves, ties, rng) == expected
    assert rng[0] == other[0]


@pytest.mark.parametrize("count", [3, 100])
def test_values_that_are_not_numbers_give_the_first_move(count):
    values, moves = np.full(count + LANES, math.nan), np.arange(count, dtype=np.int32)
    assert place_of_greatest(values, count, moves, RANDOM, generator(1)) == 0
