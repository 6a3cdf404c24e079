from __future__ import annotations

import numba
from hypothesis import example, given
from hypothesis import strategies as st

from graven.core import bits

WORDS = st.integers(-(2**63), 2**63 - 1)
HIGHEST = -(2**63)


def indices(word: int) -> list[int]:
    """The set bits of a word from the lowest up, found in plain Python."""
    return [index for index in range(64) if (word % 2**64) >> index & 1]


@numba.njit
def count(word):
    return bits.count(word)


@numba.njit
def lowest(word):
    return bits.lowest(word)


@numba.njit
def nth(word, n):
    return bits.nth(word, n)


nth_by_halves = numba.njit(bits.nth_bit_by_halves)


@numba.njit
def down(word, distance):
    return bits.down(word, distance)


@given(WORDS)
@example(0)
@example(-1)
@example(HIGHEST)
def test_count(word):
    assert count(word) == len(indices(word))


@given(WORDS.filter(bool))
@example(1)
@example(HIGHEST)
def test_lowest(word):
    assert lowest(word) == indices(word)[0]


@given(WORDS.filter(bool), st.data())
def test_nth(word, data):
    n = data.draw(st.integers(0, len(indices(word)) - 1))
    assert nth(word, n) == indices(word)[n]


def test_every_bit_of_a_full_word_is_found():
    assert [nth(-1, n) for n in range(64)] == list(range(64))


@given(WORDS, st.integers(0, 63))
@example(HIGHEST, 63)
@example(-1, 0)
def test_down_brings_in_zeros(word, distance):
    assert down(word, distance) % 2**64 == (word % 2**64) >> distance


@given(WORDS.filter(bool), st.data())
def test_nth_without_a_deposit_instruction(word, data):
    n = data.draw(st.integers(0, len(indices(word)) - 1))
    assert nth_by_halves(word, n) % 2**64 == 1 << indices(word)[n]


def test_slow_deposit_instructions_are_not_used():
    assert bits.has_fast_deposit("znver3", "+avx2,+bmi2")
    assert not bits.has_fast_deposit("znver2", "+avx2,+bmi2")
    assert not bits.has_fast_deposit("penryn", "+ssse3,-bmi2")
