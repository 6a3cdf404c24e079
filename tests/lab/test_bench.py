"""Benchmarks: order, medians, spread and targets; `graven bench` measures the rates."""

from __future__ import annotations

import random
from importlib import import_module

import pytest

from graven.bench import random_playouts
from graven.bench.benchmark_registry import BENCHMARKS, run_benchmarks
from graven.bench.ratio_rows import RatioRow, measure_ratio
from graven.bench.search_benchmarks import games_of_several_players
from graven.bench.subtraction_game import SubtractionGame, compiled_subtraction_game
from graven.core.errors import UsageError
from graven.games import registry
from graven.interfaces.cli.commands import bench_command
from graven.sources.python_class import from_class


def measured_row():
    """Return a row of three rounds, and the order in which the rates were called."""
    calls = []

    def rate(name, values):
        def measure():
            calls.append(name)
            return values[min(calls.count(name), len(values)) - 1]

        return measure

    row = RatioRow("n", "w", "u", 1.0)
    return measure_ratio(row, rate("a", [0, 2, 4, 9]), rate("b", [0, 1, 1, 3]), rounds=3), calls


def test_rates_alternate_and_so_does_the_first_one():
    row, calls = measured_row()
    assert calls == ["a", "b", "a", "b", "b", "a", "a", "b"]
    assert (row.ours, row.other, row.ratio) == (4, 1, 3)


def test_a_row_has_the_spread_of_its_rounds():
    row, _ = measured_row()
    values = row.to_dict()
    assert values["rounds"] == 3
    assert values["ours_range"] == (2, 9)
    assert values["other_range"] == (1, 3)
    assert values["ratio_range"] == (2, 4)


def test_a_single_measurement_has_no_spread():
    row = RatioRow("n", "w", "u", 1.0, below=True).with_value(2.0, 8.0)
    assert (row.ours, row.other, row.ratio, row.rounds) == (2.0, 8.0, 0.25, 1)
    assert row.ours_range is row.other_range is row.ratio_range is None


def test_the_table_shows_the_spread_below_the_median(capsys):
    row = RatioRow("n", "fast", "playouts/s", 1.0).with_rounds(
        [(327_350.0, 200_000.0), (299_000.0, 200_000.0), (13_941_000.0, 200_000.0)]
    )
    bench_command._print_rows([row])
    printed = capsys.readouterr().out
    assert "327,350" in printed
    assert "299k-13.9M" in printed
    assert "1.50-69.7" in printed
    assert "200k" not in printed, "a constant has no spread"


def test_a_target_is_reached_or_undercut_or_not_measured():
    assert RatioRow("n", "w", "u", 0.75, ratio=0.75).met is True
    assert RatioRow("n", "w", "u", 0.75, ratio=0.74).met is False
    assert RatioRow("n", "w", "u", 1.0, below=True, ratio=1.0).met is False
    assert RatioRow("n", "w", "u", 1.0, below=True, ratio=0.1).met is True
    assert RatioRow("n", "w", "u", 1.0, skipped="no peer").met is None


def test_unknown_measurements_are_reported():
    with pytest.raises(UsageError, match="openspiel"):
        list(run_benchmarks(["openspeil"]))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_exists(name):
    benchmark = BENCHMARKS[name]
    assert callable(getattr(import_module(f"graven.bench.{benchmark.module}"), benchmark.function))


def test_grave_holds_fewer_tables_than_rave_in_every_game():
    rows = list(run_benchmarks(["tables"]))
    assert len(rows) == len(list(games_of_several_players())) > 5
    assert all(row.met for row in rows)


def test_random_games_can_be_timed_both_ways():
    game = registry.make_game("breakthrough(size=5)")
    assert random_playouts.contract_rate(game.rules, 10) > 0
    assert random_playouts.contract_rate(game.rules._replace(sample=0), 10) > 0
    assert random_playouts.contract_ply_rate(game.rules, 10) > 0
    assert random_playouts.inlined_rate(game, 10) > 0


def test_the_class_and_the_compiled_game_are_the_same_game():
    python, compiled = from_class(SubtractionGame).start(), compiled_subtraction_game().start()
    rng = random.Random(1)
    while not python.is_over:
        assert [
            python.game.format_move(0, code)
            for code in python.legal_codes_of(python.current_player)
        ] == list(compiled.legal_moves)
        move = rng.choice(compiled.legal_moves)
        python, compiled = python.play(move), compiled.play(move)
    assert compiled.scores == python.scores


def test_rows_of_the_limit_are_skipped_where_it_is_not_built(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAVEN_LIMIT", str(tmp_path))
    rows = list(run_benchmarks(["limit"]))
    assert all("GRAVEN_LIMIT" in row.skipped and row.met is None for row in rows)
    assert {"liblimit.so", "libgo.so"} == {row.skipped.split()[-1] for row in rows}
