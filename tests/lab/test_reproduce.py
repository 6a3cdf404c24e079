"""Verdicts on published figures, from games that are added to a store."""

from __future__ import annotations

from dataclasses import replace

import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from graven.core.errors import UsageError
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.reproduce import (
    Entry,
    Results,
    column_summary,
    judge_entries,
    judgement_text,
    plan_entries,
)
from graven.lab.experiments.run import Shard
from graven.lab.published import PublishedFigure, paper
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary


def finished_game(index, scores):
    return GameResult(
        index=index,
        seats=(0, 1),
        seed=1,
        scores=scores,
        moves=("a",),
        playouts=10,
        seconds=0.1,
        version="9.9",
        machine="here",
    )


def add_games(store, pairing, wins, losses):
    number = store.pairing_id(pairing)
    for index in range(wins + losses):
        scores = (1.0, 0.0) if index < wins else (0.0, 1.0)
        store.add(number, finished_game(index, scores))


def entry(figure, score, margin=0.05):
    summary = Summary(make_pairing("nogo", "uct", "rave"), MatchStatistics(score))
    return Entry("paper", "1", figure, summary.pairing, summary, margin=margin)


@pytest.mark.parametrize(
    ("figure", "score", "expected"),
    [
        (PublishedFigure(60.0, "", plus_minus=5.0), Score(400, 600), "differs"),
        (PublishedFigure(60.0, "", plus_minus=5.0), Score(800, 200), "differs"),
        (PublishedFigure(60.0, "", plus_minus=0.5), Score(605, 395), "equivalent"),
        (PublishedFigure(60.0, "", games=100_000), Score(605, 395), "equivalent"),
        (PublishedFigure(60.0, "", games=500), Score(64, 36), "undecided"),
        # Without an interval and without games the figure is exact.
        (PublishedFigure(60.0, ""), Score(600, 400), "equivalent"),
        (PublishedFigure(60.0, ""), Score(700, 300), "differs"),
        # One game has a wide interval, which neither contradicts nor confirms anything.
        (PublishedFigure(60.0, "", plus_minus=0.5), Score(0, 1), "undecided"),
    ],
)
def test_verdicts_come_from_both_samples(figure, score, expected):
    assert entry(figure, score).verdict == expected


def test_overlapping_intervals_do_not_hide_a_difference():
    figure, score = PublishedFigure(60.0, "", games=500), Score(336, 164)
    assert score.ci95[0] < figure.interval[1] / 100
    assert entry(figure, score).verdict == "differs"


def test_the_margin_decides_what_is_equivalent():
    figure, score = PublishedFigure(60.0, "", games=500), Score(300, 200)
    assert entry(figure, score).verdict == "undecided"
    assert entry(figure, score, margin=0.1).verdict == "equivalent"


def test_the_figures_of_an_entry_are_those_of_statsmodels():
    values = entry(PublishedFigure(60.0, "", games=500), Score(64, 36)).to_dict()
    _, expected = proportions_ztest([64, 300], [100, 500])
    assert values["difference"] == 4.0
    assert values["p_value"] == pytest.approx(expected, rel=0.01)
    low, high = confint_proportions_2indep(64, 100, 300, 500, method="newcomb")
    assert values["difference_ci95"] == pytest.approx([100 * low, 100 * high], abs=0.5)
    assert values["verdict"] == "undecided"


def test_a_table_is_judged_as_a_whole():
    figure = PublishedFigure(60.0, "", games=500)
    entries = judge_entries([entry(figure, Score(wins, 500 - wins)) for wins in (333, 300, 100)])
    assert [each.verdict for each in entries] == ["differs", "undecided", "differs"]
    assert [each.judged.verdict for each in entries] == ["undecided", "undecided", "differs"]
    assert "3 cells: 0 equivalent, 1 differs, 2 undecided" in judgement_text(entries)


def test_the_best_figure_of_a_sweep_has_a_selection_effect():
    results = Results(())
    best = results.best(paper("cazenave2015").table("5"))
    assert best.selection.candidates == 15
    assert 0 < best.selection.excess < 0.04
    assert best.to_dict()["selection_effect"] == pytest.approx(
        100 * best.selection.excess, abs=0.01
    )


def test_the_store_is_found_by_what_was_played():
    table = paper("cazenave2015").table("6")
    with Store() as store:
        best = Results(store.summaries()).best(table)
        assert best.figure.value == 67.8
        assert best.verdict == "not yet run"
        add_games(store, best.pairing, 30, 20)
        again = Results(store.summaries()).best(table)
        assert again.verdict == "undecided"
        values = again.to_dict()
        assert (values["win_rate"], values["games"], values["published"]) == (60.0, 50, 67.8)
        assert (values["version"], values["machine"]) == ("9.9", "here")
        assert values["published_ci95"] == pytest.approx(again.figure.interval, abs=0.005)
        # Another seed is another experiment.
        assert Results(store.summaries(), seed=1).best(table).verdict == "not yet run"
        verdicts = [entry.verdict for entry in Results(store.summaries()).entries(table)]
        assert verdicts == ["not yet run", "undecided", "not yet run"]


def test_headlines_are_the_best_playable_figures_of_tables():
    headlines = Results(()).headlines()
    best = [entry for entry in headlines if not entry.figure.headline]
    tables = [(entry.paper, entry.table) for entry in best]
    assert len(tables) == len(set(tables))
    # Cells in which ours differed belong to the headline, too.
    more = [(entry.table, entry.figure.place) for entry in headlines if entry.figure.headline]
    assert more == [
        ("1", "PPA alpha 0.32"),
        ("6", "PPAF alpha 0.32"),
        ("IV", "Chinook, RAVE"),
        ("IV", "TTCC4 2P, RAVE"),
        ("IV", "Zhadu, GRAVE"),
    ]
    for name in ("1", "6", "12"):
        assert ("cazenave2015", name) in tables
    assert ("sironi2016", "III") not in tables
    assert all(entry.pairing is not None for entry in headlines)
    (six,) = [entry for entry in headlines if (entry.paper, entry.table) == ("cazenave2015", "6")]
    assert six.figure.best


def test_every_seat_assignment_is_played_equally_often():
    table = paper("sironi2016").table("IV")
    plan = plan_entries(Results(()).entries(table), 100)
    assert {(item.pairing.players, item.games) for item in plan} == {(2, 100), (3, 102)}


def test_shards_share_out_all_games_in_whole_groups():
    table = paper("sironi2016").table("IV")
    entries = [entry for entry in Results(()).entries(table) if "3P" in entry.figure.place]
    whole = plan_entries(entries, 100)[0]
    shards = [plan_entries(entries, 100, Shard(number, 4))[0].indices() for number in range(1, 5)]
    assert sorted(index for indices in shards for index in indices) == list(range(102))
    for indices in shards:
        seats = [whole.pairing.seats(index) for index in indices]
        assert {seats.count(one) for one in seats} == {len(indices) // 6}


def test_games_of_different_searches_are_shown_apart():
    table = paper("cazenave2015").table("6")
    with Store() as store:
        pairing = Results(()).best(table).pairing
        old, new = (replace(pairing, search_fingerprint=text) for text in ("old", "new"))
        add_games(store, old, 30, 20)
        add_games(store, new, 1, 9)
        # Nothing is played: the search with the most games is shown.
        shown = Results(store.summaries()).best(table)
        assert (shown.score, shown.to_dict()["fingerprint"]) == (Score(30, 20), "old")
        assert shown.to_dict()["games_set_aside"] == 10
        after_playing = Results(store.summaries(), played=[new]).best(table)
        assert (after_playing.score, after_playing.set_aside) == (Score(1, 9), 50)


def test_more_games_than_a_match_can_have_are_refused_at_once():
    entries = Results(()).entries(paper("cazenave2015").table("6"))
    with pytest.raises(UsageError, match="at most 1,000,000 games"):
        plan_entries(entries, 10**30)


def test_equal_pairings_are_played_once():
    table = paper("cazenave2015").table("6")
    entries = Results(()).entries(table)
    assert len(plan_entries([*entries, *entries], 10)) == 3


def test_robustness_and_average_are_the_papers():
    part = paper("sironi2016").table("IV").parts[0]
    results = Results(())
    table = paper("sironi2016").table("IV")
    entries = [results.entry(table, figure) for figure in part.figures]
    assert column_summary(part, entries) == ([None] * 3, [None] * 3)

    class Published:
        def __init__(self, figure):
            wins = round(10 * figure.value)
            self.score = Score(wins, 1000 - wins)

    robustness, average = column_summary(part, [Published(figure) for figure in part.figures])
    assert robustness == list(part.robustness)
    assert average == pytest.approx(part.average, abs=0.1)
