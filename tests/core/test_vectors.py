from __future__ import annotations

import math

import numba
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from graven.core.vectors import LANES, greatest_mask


@numba.njit
def places_of_greatest(values, vectors):
    return greatest_mask(values, vectors)


# Few different values, so that the greatest often occurs more than once.
NUMBERS = st.sampled_from([-math.inf, -1.5, 0.0, 0.25, 0.5, 1.0, math.inf])


@given(
    st.integers(1, 8).flatmap(
        lambda vectors: st.lists(NUMBERS, min_size=LANES * vectors, max_size=LANES * vectors)
    )
)
@example([0.0] * 64)
@example([-math.inf] * 8)
def test_every_place_of_the_greatest_value_is_a_bit(values):
    places = places_of_greatest(np.array(values), len(values) // LANES) % 2**64
    expected = [i for i, value in enumerate(values) if value == max(values)]
    assert [i for i in range(64) if places >> i & 1] == expected


def test_values_that_are_not_numbers_have_no_bit():
    assert places_of_greatest(np.full(LANES, math.nan), 1) == 0
