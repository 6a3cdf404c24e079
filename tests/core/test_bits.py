from __future__ import annotations

import numba
import numpy as np
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


@numba.njit
def append(moves, size, word, factor, offset):
    return bits.append(moves, size, word, factor, offset)


@numba.njit
def append_indices(moves, size, word):
    return bits.append(moves, size, word)


append_one_by_one = numba.njit(bits.append_one_by_one)
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


@given(WORDS, st.integers(0, 5), st.integers(1, 9), st.integers(-600, 600), st.booleans())
@example(-1, 0, 1, 0, True)
@example(0, 5, 4, 7, False)
@example(HIGHEST, 0, 4, -250, True)
def test_append_writes_every_set_bit_from_the_lowest_up(word, size, factor, offset, codes):
    expected = [factor * index + offset for index in indices(word)]
    # Long enough for vectors of 16, and too short for them.
    for spare in (128, 0):
        length = size + len(expected) + spare
        for write in (append, append_one_by_one):
            moves = np.full(length, 77, np.int32)
            view = moves.view(np.uint32) if codes else moves
            assert write(view, size, word, factor, offset) == size + len(expected)
            assert moves[:size].tolist() == [77] * size
            assert moves[size : size + len(expected)].tolist() == expected


@given(WORDS)
def test_append_writes_indices_by_default(word):
    moves = np.zeros(200, np.int32)
    assert append_indices(moves, 0, word) == len(indices(word))
    assert moves[: len(indices(word))].tolist() == indices(word)


@given(WORDS)
def test_append_to_every_second_entry_of_an_array(word):
    moves = np.zeros(400, np.int32)
    append_indices(moves[::2], 0, word)
    assert moves[: 2 * len(indices(word)) : 2].tolist() == indices(word)
    assert not moves[1::2].any()
