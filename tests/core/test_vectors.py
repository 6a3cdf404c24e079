from __future__ import annotations

import math

import numba
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from graven.core.vectors import (
    BLOCK,
    BYTE,
    COLUMNS,
    LANES,
    column_sums,
    count_reached,
    equal_mask,
    greatest_mask,
    greatest_of,
    pack_codes,
    unpack_codes,
)


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


@numba.njit
def columns(values, first, codes, mask, size, sums):
    return column_sums(values, first, codes, mask, size, sums)


@numba.njit
def reached(sums, size, column, limit):
    return count_reached(sums, size, column, limit)


@given(
    st.lists(st.tuples(st.floats(0.0, 1e9), st.integers(0, 2**32 - 1)), min_size=1, max_size=70),
    st.integers(0, COLUMNS - 1),
    st.floats(0.0, 1.1),
)
@example([(1.0, 3)] * 16, 0, 1.0)
@example([(2.0, 0)], 3, 0.5)
def test_values_are_added_in_columns(entries, column, fraction):
    first, mask = 5, 15
    values = np.zeros(first + mask + 1)
    for value, code in entries:
        values[first + (code & mask)] = value
    codes = np.full(len(entries) + BLOCK, 2**32 - 1, np.uint32)
    codes[: len(entries)] = [code for _, code in entries]
    sums = np.full(len(entries) + BLOCK, math.nan)
    totals = columns(values, first, codes, mask, len(entries), sums)
    expected, so_far = [0.0] * COLUMNS, []
    for i in range(len(entries)):
        expected[i % COLUMNS] += values[first + (int(codes[i]) & mask)]
        so_far.append(expected[i % COLUMNS])
    assert list(totals) == expected
    assert sums[: len(entries)].tolist() == so_far
    limit = fraction * expected[column]
    passed = sum(total <= limit for total in so_far[column::COLUMNS])
    if limit < expected[column]:  # else entries after the last are counted, too
        assert reached(sums, len(entries), column, limit) == passed
    else:
        assert reached(sums, len(entries), column, limit) >= passed


@numba.njit
def packed_and_unpacked(codes, count, planes, out, start, first, again):
    pack_codes(codes, count, planes, out, start)
    unpack_codes(out, start, count, planes, first, again)


@given(st.integers(0, 2), st.integers(0, 40), st.integers(0, 40), st.data())
def test_packed_codes_are_read_again(planes, count, first, data):
    numbers = st.integers(0, (1 << (BYTE + planes)) - 1)
    codes = np.array(data.draw(st.lists(numbers, min_size=count, max_size=count)), np.uint32)
    padded = np.concatenate([codes, np.full(BYTE, 2**32 - 1, np.uint32)])
    size = count + planes * -(-count // BYTE)
    out, again = np.full(3 + size + BYTE, 7, np.uint8), np.zeros(count + BYTE, np.uint32)
    packed_and_unpacked(padded, count, planes, out, 3, first, again)
    assert again[first:count].tolist() == codes[first:].tolist()
    assert out[:3].tolist() == [7] * 3


@numba.njit
def greatest_and_places(values, vectors, first, number):
    return greatest_of(values, vectors), equal_mask(values, first, vectors - first // LANES, number)


@given(
    st.integers(1, 8).flatmap(
        lambda vectors: st.lists(NUMBERS, min_size=LANES * vectors, max_size=LANES * vectors)
    ),
    NUMBERS,
    st.integers(0, 7),
)
def test_the_greatest_value_and_the_places_of_a_number(values, number, before):
    vectors = len(values) // LANES
    first = LANES * min(before, vectors - 1)
    top, places = greatest_and_places(np.array(values), vectors, first, number)
    assert top == max(values)
    expected = [i for i, value in enumerate(values[first:]) if value == number]
    assert [i for i in range(64) if places % 2**64 >> i & 1] == expected
