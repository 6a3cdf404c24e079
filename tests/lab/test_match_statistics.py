"""Statistics of a match: against a naive count, and equal in all commands for equal games."""

from __future__ import annotations

import io
import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from html import unescape
from math import inf

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from graven.lab.experiments.match import match
from graven.lab.experiments.pairing import SINGLE, make_pairing
from graven.lab.experiments.sweep import sweep
from graven.lab.experiments.tournament import tournament
from graven.lab.experiments.tune import tune
from graven.lab.reports.html_report import html
from graven.lab.stats.intervals import Score, mean_interval
from graven.lab.stats.match_statistics import MatchStatistics, SeatScore
from graven.lab.store.export import export_text
from graven.lab.store.store import Store
from graven.search.budget import Budget
from tests.lab.recorded_games import add_games

GAME = "knightthrough(size=5)"
AGENTS = ("uct(playouts=10)", "rave(playouts=20)")
STATISTICS = tuple(MatchStatistics(Score(1)).to_dict())


def exported(store, table):
    file = io.StringIO()
    export_text(store, file, "jsonl", table)
    return [json.loads(line) for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("opening_plies", [0, 3])
def test_the_statistics_are_those_of_a_naive_count(opening_plies):
    rng = np.random.default_rng(3)
    outcomes = dict(enumerate(rng.choice([0.0, 0.5, 1.0], p=[0.3, 0.2, 0.5], size=61)))
    del outcomes[10]  # an incomplete pair
    pairing = make_pairing("nogo", "uct", "rave", Budget(10), opening_plies=opening_plies)
    with Store() as store:
        add_games(store, pairing, outcomes)
        values = store.summary(pairing, 100).statistics.to_dict()
        assert store.summaries()[0].statistics.to_dict() == values
    results = list(outcomes.values())
    assert values["games"] == 60
    counts = Counter(results)
    assert (values["wins"], values["draws"], values["losses"]) == (
        counts[1.0],
        counts[0.5],
        counts[0.0],
    )
    assert values["win_rate"] == pytest.approx(np.mean(results))
    pairs = [
        (outcomes[index] + outcomes[index + 1]) / 2
        for index in range(0, 60, 2)
        if index in outcomes and index + 1 in outcomes
    ]
    independent = pairs if opening_plies else results
    assert values["ci95"] == pytest.approx(mean_interval(independent))
    deviations = np.array(independent) - 0.5
    z = deviations.sum() / np.sqrt((deviations**2).sum())
    assert values["likelihood_of_superiority"] == pytest.approx(norm.cdf(z))
    assert values["p_value"] == pytest.approx(2 * norm.sf(abs(z)))
    assert values["elo"] == pytest.approx(400 * np.log10(np.mean(results) / (1 - np.mean(results))))
    by_seat = defaultdict(list)
    for index, outcome in outcomes.items():
        by_seat[pairing.seats(index)].append(outcome)
    for seat in values["by_seat"]:
        assert seat["win_rate"] == pytest.approx(np.mean(by_seat[tuple(seat["seats"])]))
    first_seat = [x if index % 2 == 0 else 1 - x for index, x in outcomes.items()]
    assert values["first_seat"]["win_rate"] == pytest.approx(np.mean(first_seat))
    assert values["seat_points"] == pytest.approx([np.mean(first_seat), 1 - np.mean(first_seat)])
    if opening_plies:
        expected = [Counter(pairs)[points] for points in (0, 0.25, 0.5, 0.75, 1)]
        assert values["pentanomial"] == expected
        assert values["pairs"] == len(pairs) == 29
    else:
        assert values["pentanomial"] is values["pairs"] is None


def test_without_draws_the_p_value_is_close_to_the_exact_one():
    values = MatchStatistics(Score(130, 100)).to_dict()
    assert values["p_value"] == pytest.approx(binomtest(130, 230).pvalue, abs=0.01)


@pytest.mark.parametrize(("score", "elo"), [(Score(5, 0), inf), (Score(0, 5), -inf)])
def test_one_sided_scores_have_infinite_elo_and_valid_json(score, elo):
    statistics = MatchStatistics(score)
    assert statistics.elo == elo
    values = json.loads(json.dumps(statistics.to_dict(), allow_nan=False))
    assert values["elo"] is None


def test_a_match_without_games_has_no_figures():
    values = MatchStatistics(Score()).to_dict()
    assert values["win_rate"] is values["elo"] is values["p_value"] is None
    assert values["ci95"] == [0.0, 1.0]


def test_agents_with_unequal_seats_have_no_elo():
    """Of three equal players, the one that sits alone wins a third of the games, not half."""
    pairing = replace(make_pairing("nogo", "uct", "rave"), players=3, seating=SINGLE)
    with Store() as store:
        add_games(store, pairing, {0: 1.0, 1: 0.0, 2: 0.0})
        statistics = store.summaries()[0].statistics
    assert statistics.elo is statistics.p_value is statistics.superiority is None
    assert [seat.seats for seat in statistics.seat_scores] == [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert statistics.first_seat is None


def test_the_advantage_of_a_seat_is_told_apart_from_strength():
    seats = (SeatScore((0, 1), Score(40, 10)), SeatScore((1, 0), Score(10, 40)))
    statistics = MatchStatistics(Score(50, 50), seats)
    assert statistics.p_value == 1.0
    assert statistics.first_seat.win_rate == 0.8
    assert statistics.first_seat.p_value < 1e-8


@pytest.mark.parametrize("opening_plies", [0, 2])
def test_every_command_gives_the_same_numbers_for_the_same_games(tmp_path, opening_plies):
    options = {"games": 8, "seed": 2, "opening_plies": opening_plies, "workers": 1}
    with Store(tmp_path / "a.db") as store:
        played = match(GAME, *AGENTS, store=store, **options).to_dict()
        (pair,) = tournament(GAME, AGENTS, store=store, **options).to_dict()["pairs"]
        swept = sweep(GAME, "uct(playouts=[10])", AGENTS[1], store=store, **options)
        expected = {name: played[name] for name in STATISTICS}
        assert {name: pair[name] for name in STATISTICS} == expected
        assert {name: swept.points[0].to_dict()[name] for name in STATISTICS} == expected
        (row,) = exported(store, "matches")
        for name in set(STATISTICS) & set(row):
            assert row[name] == expected[name], name
        assert row["first_seat_win_rate"] == expected["first_seat"]["win_rate"]
        games = exported(store, "games")
        assert np.mean([game["outcome"] for game in games]) == expected["win_rate"]
        page = unescape(re.sub(r"<[^>]*>", "", html(store)))
    low, high = expected["ci95"]
    assert f"{100 * expected['win_rate']:.1f} ({100 * low:.1f}–{100 * high:.1f})" in page
    assert f"{expected['wins']}–{expected['draws']}–{expected['losses']}" in page
    if expected["pentanomial"]:
        assert "–".join(map(str, expected["pentanomial"])) in page


def test_tuning_with_openings_counts_pairs():
    store = Store()
    result = tune(
        GAME,
        "uct(playouts=20,c=?[0.1..1])",
        "uct(playouts=20)",
        3,
        games=20,
        validate=10,
        opening_plies=2,
        workers=1,
        store=store,
    )
    assert result.validation.pentanomial is not None
    assert sum(result.validation.pentanomial) == 5
    for trial in result.trials:
        assert sum(trial.statistics.pentanomial) == trial.score.games // 2
        assert trial.statistics.ci95 != trial.score.ci95


def test_the_moves_of_a_match_have_playouts_value_and_time(tmp_path):
    with Store(tmp_path / "a.db") as store:
        played = match(
            GAME, *AGENTS, games=3, seed=1, opening_plies=1, workers=1, store=store
        ).results
        rows = exported(store, "moves")
    assert len(rows) == sum(game.plies for game in played)
    for game in played:
        plies = [row for row in rows if row["index"] == game.index]
        assert [row["move"] for row in plies] == list(game.moves)
        assert sum(row["playouts"] or 0 for row in plies) == game.playouts
        assert sum(row["seconds"] or 0 for row in plies) == pytest.approx(game.seconds, abs=1e-3)
        opening, *searched = plies
        assert opening["playouts"] is opening["value"] is opening["agent"] is None
        for ply, row in enumerate(searched, 1):
            assert row["player"] == ply % 2
            side = game.seats[row["player"]]
            assert row["agent"] == row["second" if side else "first"]
            assert 0 < row["playouts"] <= (20 if side else 10)  # fewer where the end is proven
            assert 0 <= row["value"] <= 1


def test_moves_of_games_recorded_without_searches_are_exported(tmp_path):
    pairing = make_pairing("nogo", "uct", "rave", Budget(10))
    with Store() as store:
        add_games(store, pairing, {0: 1.0})
        rows = exported(store, "moves")
    assert [(row["ply"], row["move"], row["playouts"], row["value"]) for row in rows] == [
        (0, "a", None, None),
        (1, "b", None, None),
    ]
