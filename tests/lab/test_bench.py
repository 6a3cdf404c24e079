"""The measuring itself: order, medians, targets. Rates are not tested here: see `graven bench`."""

from __future__ import annotations

import random

import pytest

from graven.bench import random_playouts, ratio_rows, suite
from graven.bench.heap_game import Heaps, compiled_heaps
from graven.core.errors import UsageError
from graven.games import registry
from graven.sources.python_class import from_class


def test_rates_are_taken_in_turn_and_whoever_begins_changes():
    calls = []

    def rate(name, values):
        def measure():
            calls.append(name)
            return values[min(calls.count(name), len(values)) - 1]

        return measure

    medians = ratio_rows.in_turn(rate("a", [0, 2, 4, 9]), rate("b", [0, 1, 1, 3]), rounds=3)
    assert calls == ["a", "b", "a", "b", "b", "a", "a", "b"]
    assert medians == (4, 1, 3)


def test_a_target_is_reached_or_undercut_or_not_measured():
    assert ratio_rows.Row("n", "w", "u", 0.75, ratio=0.75).met is True
    assert ratio_rows.Row("n", "w", "u", 0.75, ratio=0.74).met is False
    assert ratio_rows.Row("n", "w", "u", 1.0, below=True, ratio=1.0).met is False
    assert ratio_rows.Row("n", "w", "u", 1.0, below=True, ratio=0.1).met is True
    assert ratio_rows.Row("n", "w", "u", 1.0, skipped="no peer").met is None


def test_unknown_measurements_are_named():
    with pytest.raises(UsageError, match="openspiel"):
        list(suite.bench(["openspeil"]))


def test_grave_holds_fewer_tables_than_rave_in_every_game():
    found = list(suite.bench(["tables"]))
    assert len(found) == len(list(suite.contests())) > 5
    assert all(row.met for row in found)


def test_random_games_can_be_timed_both_ways():
    game = registry.make_game("breakthrough(size=5)")
    assert random_playouts.contract_rate(game.rules, 10) > 0
    assert random_playouts.contract_rate(game.rules._replace(sample=0), 10) > 0
    assert random_playouts.inlined_rate(game, 10) > 0


def test_the_class_and_the_compiled_game_are_the_same_game():
    one, other = from_class(Heaps).start(), compiled_heaps().start()
    chance = random.Random(1)
    while not one.is_over:
        assert [
            one.game.format_move(0, code) for code in one.legal_codes_of(one.current_player)
        ] == list(other.legal_moves)
        move = chance.choice(other.legal_moves)
        one, other = one.play(move), other.play(move)
    assert other.scores == one.scores
