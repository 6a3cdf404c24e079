from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graven.core.exponentials import exponential, exponentials
from graven.core.vectors import LANES


@numba.njit
def one(x):
    return exponential(x)


@numba.njit
def many(values):
    exponentials(values)


@given(st.floats(-708.0, 709.0))
@example(0.0)
@example(-708.0)
@example(709.0)
@example(math.log(2) / 2)
def test_the_exponential_is_within_one_unit_in_the_last_place(x):
    assert abs(one(x) - math.exp(x)) <= math.ulp(math.exp(x))


@pytest.mark.parametrize(("x", "expected"), [(-math.inf, 0.0), (-1e300, 0.0), (-746.0, 0.0)])
def test_the_exponential_of_very_small_numbers_is_zero(x, expected):
    assert one(x) == expected


def test_numbers_too_small_for_full_precision_keep_their_magnitude():
    assert one(-740.0) == pytest.approx(math.exp(-740.0), rel=0.2)


@given(st.lists(st.floats(-800.0, 709.0), min_size=LANES, max_size=LANES))
def test_eight_numbers_at_a_time_are_as_one_at_a_time(numbers):
    values = np.array([*numbers, 7.0])
    many(values)
    assert values.tolist() == [*(one(x) for x in numbers), 7.0]
