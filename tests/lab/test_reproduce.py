"""Verdicts on published figures, from games that are added to a store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graven.lab.experiments.job import GameResult
from graven.lab.experiments.reproduce import Results, column_summary, plan_entries, verdict
from graven.lab.experiments.run import Shard
from graven.lab.published import PublishedFigure, paper
from graven.lab.stats.intervals import Score
from graven.lab.store.store import Store


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


@pytest.mark.parametrize(
    ("figure", "score", "expected"),
    [
        (PublishedFigure(60.0, "", plus_minus=5.0), Score(60, 40), "agrees"),
        (PublishedFigure(60.0, "", plus_minus=5.0), Score(400, 600), "differs"),
        (PublishedFigure(60.0, "", plus_minus=5.0), Score(800, 200), "differs"),
        (PublishedFigure(60.0, "", games=500), Score(64, 36), "agrees"),
        (PublishedFigure(60.0, ""), Score(600, 400), "agrees"),
        (PublishedFigure(60.0, ""), Score(700, 300), "differs"),
        # One game has a wide interval, which contradicts nothing.
        (PublishedFigure(60.0, "", plus_minus=5.0), Score(0, 1), "agrees"),
    ],
)
def test_intervals_that_overlap_agree(figure, score, expected):
    assert verdict(figure, score) == expected


def test_the_store_is_found_by_what_was_played():
    table = paper("cazenave2015").table("6")
    with Store() as store:
        best = Results(store.summaries()).best(table)
        assert best.figure.value == 67.8
        assert best.verdict == "not yet run"
        add_games(store, best.pairing, 30, 20)
        again = Results(store.summaries()).best(table)
        assert again.verdict == "agrees"
        values = again.to_dict()
        assert (values["win_rate"], values["games"], values["published"]) == (60.0, 50, 67.8)
        assert (values["version"], values["machine"]) == ("9.9", "here")
        assert values["published_ci95"] == pytest.approx(again.figure.interval, abs=0.005)
        # Another seed is another experiment.
        assert Results(store.summaries(), seed=1).best(table).verdict == "not yet run"
        verdicts = [entry.verdict for entry in Results(store.summaries()).entries(table)]
        assert verdicts == ["not yet run", "agrees", "not yet run"]


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
        assert Results(store.summaries(), played=[new]).best(table).score == Score(1, 9)


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
