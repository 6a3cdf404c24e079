"""Moves of Python classes: played and returned as the values that the class lists."""

from __future__ import annotations

import numpy as np
import pytest

import graven as gv
from tests.sources.heaps import Frozen


class Take:
    """Take 5, 3 or 1 of the stones, or as many as `choices` says; taking the last stone wins."""

    choices = (5, 3, 1)

    def __init__(self):
        self.left, self.turn = 12, 0

    def moves(self):
        return [move for move in self.choices if int(move) <= self.left]

    def play(self, move):
        self.left, self.turn = self.left - int(move), 1 - self.turn

    @property
    def over(self):
        return self.left == 0

    @property
    def scores(self):
        return [self.turn, 1 - self.turn]

    def __str__(self):
        return f"{self.left} left"


@pytest.mark.parametrize("choices", [(5, 3, 1), tuple(np.array([5, 3, 1])), ("5", "3", "1")])
def test_a_number_is_the_move_that_the_class_lists_and_not_its_code(choices):
    start = gv.from_class(type("Take", (Take,), {"choices": choices})).start()
    for move in (1, 3, 5, np.int64(3)):
        assert str(start.play(move)) == str(start.play(str(move))) == f"{12 - move} left"
    assert str(start.play_moves([5, "3", 1])) == "3 left"
    with pytest.raises(gv.UsageError, match=r"unknown move of player 1 '2'\. Valid: 1, 3, 5"):
        start.play(2)  # the code of 1
    with pytest.raises(gv.UsageError, match=r"^5 is not legal for player 2 here\. Legal: 3, 1"):
        start.play_moves([3, 3, 3]).play(5)
    assert str(start.play_code(2)) == "11 left"
    with pytest.raises(gv.UsageError, match="the code 5000 is not legal for player 1 here"):
        start.play_code(5000)


def test_the_best_move_of_a_search_can_be_played_as_the_class_lists_it():
    for cls in (Take, Frozen):
        position = gv.from_class(cls).start()
        result = gv.agent("uct").search(position, playouts=200)
        assert position.play(result.best_object) == position.play(result.best_move)


def test_moves_may_be_tuples_lists_or_none():
    start = gv.from_class(Frozen).start()
    assert start.play((1, 2)) == start.play("(1,2)") == start.play(start.legal_codes_of(0)[3])
    with pytest.raises(gv.UsageError, match=r"unknown move of player 1 '\(1, 3\)'\. Did you mean"):
        start.play((1, 3))
    odd = type("Odd", (Take,), {"moves": lambda self: [None, [1, 2]], "play": lambda self, move: 0})
    game = gv.from_class(odd)
    assert game.start().play([1, 2]).last_move == "[1,2]"
    assert game.start().play(None).last_move == "None"


def test_moves_may_be_arrays():
    class Pairs:
        def __init__(self):
            self.played = []

        def moves(self):
            return [np.array([1, 11])] if self.played else [np.array([11, 1])]

        def play(self, move):
            self.played.append(move.tolist())

        @property
        def over(self):
            return len(self.played) == 2

        @property
        def scores(self):
            return {0: 1.0, 1: 0.0} if self.played == [[11, 1], [1, 11]] else {0: 0.0, 1: 0.0}

        def turn(self):
            return np.int64(len(self.played) % 2)

    game = gv.from_class(Pairs)
    gv.check_game(game)
    first = game.start()
    assert first.legal_moves == ("[11_1]",)
    assert first.play(first.legal_moves[0]).legal_moves == ("[1_11]",)
    assert first.play_moves(["[11_1]", "[ 1 11]"]).scores == (1.0, 0.0)


def test_outcomes_of_dice_are_played_as_the_class_lists_them():
    class Roll:
        """Player 1 wins with a six."""

        players = 2

        def __init__(self):
            self.rolled, self.turn = 0, 0

        def chances(self):
            return [] if self.over else [(6, 0.5), (1, 0.5)]

        def moves(self):
            return []

        def play(self, outcome):
            self.rolled = outcome

        @property
        def over(self):
            return self.rolled > 0

        @property
        def scores(self):
            return [float(self.rolled == 6), float(self.rolled != 6)]

    start = gv.from_class(Roll).start()
    assert start.play(6).scores == start.play("6").scores == start.play_code(0).scores == (1, 0)
    assert start.play(1).scores == (0, 1)
    assert {start.roll(seed).last_move for seed in range(20)} == {"1", "6"}
    with pytest.raises(gv.UsageError, match="one of 6, 1 is needed; got 0"):
        start.play(0)


def test_solutions_and_proofs_of_a_class_whose_moves_are_numbers():
    class Climb:
        """The score is the sum of three moves, out of 15."""

        players = 1

        def __init__(self):
            self.steps = []

        def moves(self):
            return [3, 5, 1]

        def play(self, move):
            self.steps.append(move)

        @property
        def over(self):
            return len(self.steps) == 3

        @property
        def scores(self):
            return [sum(self.steps) / 15]

    assert gv.solve(gv.from_class(Climb), playouts=300).moves == ("5", "5", "5")
    assert gv.prove(gv.from_class(Take), moves=[5, 5]).pv == ("1", "1")
