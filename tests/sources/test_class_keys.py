"""Keys of positions of Python classes: equal for equal positions only."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import graven as gv
from graven.sources.key_words import key_word
from tests.sources.heaps import Heaps


def test_a_key_may_be_an_integer_of_any_size():
    class Wide(Heaps):
        @property
        def key(self):
            return self.heaps[0] << 100 | self.heaps[1] << 80 | self.turn

    gv.check_game(gv.from_class(Wide))


# Numbers and tuples that Python's `hash` takes for each other.
DIFFERENT_KEYS = {
    "a man and a king": ((0, 1, -1), (0, 1, -2)),
    "men of two rows": (((0, -1), (1, -2), 1), ((0, -2), (1, -1), 1)),
    "bits of a bitboard": ((1 << 61, 5, 0), (1 << 0, 5, 0)),
    "boards of 81 cells": (1 << 80 | 1 << 70, 1 << 80 | 1 << 9),
    "negative numbers": (-1, -2),
    "sets": (frozenset([-1, 3]), frozenset([-2, 3])),
    "fractions": ((-0.5, -1.0), (-0.5, -2.0)),
}


@pytest.mark.parametrize("name", DIFFERENT_KEYS)
def test_different_keys_are_different_positions(name):
    class Choice:
        def __init__(self, made=()):
            self.made = made

        moves, scores = (0, 1), (1, 0)

        def play(self, move):
            return Choice((*self.made, move))

        @property
        def over(self):
            return len(self.made) == 3

        @property
        def key(self):
            if len(self.made) != 1:
                return str(self.made)
            return DIFFERENT_KEYS[name][self.made[0]]

    start = gv.from_class(Choice).start()
    assert start.play("0") != start.play("1")


def test_equal_keys_are_equal_positions_whatever_their_types():
    values = [(1, 0, 3), (True, 0.0, np.int8(3)), (np.float64(1), False, np.uint64(3))]
    assert len({key_word(value) for value in values}) == 1
    assert key_word((frozenset([1, 2]), "a")) == key_word((frozenset([2.0, 1.0]), "a"))


def test_keys_of_numbers_and_texts_are_the_same_in_every_process():
    code = "from graven.sources.key_words import key_word; print(key_word(('ab', (1, -1), 2.5)))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
