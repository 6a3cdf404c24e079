"""Reports, plots and exports of a store that the tests fill."""

from __future__ import annotations

import csv
import json
import shlex
import struct
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser

import pytest

from graven.core.errors import UsageError
from graven.lab.experiments.grid import parse_grid
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.match import match
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.tournament import tournament
from graven.lab.experiments.tune import tune
from graven.lab.reports import plots
from graven.lab.reports.html_report import html
from graven.lab.reports.ladder_detection import find_ladders
from graven.lab.reports.report_data import ReportData, sweep_commands, write_plots
from graven.lab.reports.sweep_detection import find_sweeps
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.store.export import export
from graven.lab.store.provenance import version
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary
from graven.search.budget import Budget

BUDGET = Budget(1000)
AGENTS = ("uct(c=0.4)", "rave(bias=0.0001)", "grave(ref=50,bias=0.0001)")


def add(store, pairing, wins, losses, draws=0):
    number = store.pairing_id(pairing)
    outcomes = [1.0] * wins + [0.0] * losses + [0.5] * draws
    for index, outcome in enumerate(outcomes):
        seats = pairing.seats(index)
        scores = tuple(outcome if side == 0 else 1 - outcome for side in seats)
        moves = ("a1",) * (20 + index % 7)
        result = GameResult(
            index=index,
            seats=seats,
            seed=2**63,
            scores=scores,
            moves=moves,
            playouts=500,
            seconds=0.25,
            version="0.1",
            machine="m",
        )
        store.add(number, result)


@pytest.fixture
def store():
    with Store() as store:
        for power in range(1, 6):
            first, second = (
                f"rave(bias=1e-{power},ties=first,solver=off)",
                "uct(c=0.4,ties=first,solver=off)",
            )
            pairing = make_pairing("knightthrough", first, second, BUDGET)
            add(store, pairing, 10 + power, 10 - power)
        for ref in (25, 50):
            for bias in (0.01, 0.001):
                pairing = make_pairing(
                    "nogo", f"grave(ref={ref},bias={bias})", "rave", BUDGET, seed=4
                )
                add(store, pairing, ref // 5, 15 - ref // 5)
        for one, other, wins in ((0, 1, 9), (0, 2, 7), (1, 2, 10)):
            pairing = make_pairing("breakthrough", AGENTS[one], AGENTS[other], BUDGET)
            add(store, pairing, wins, 24 - wins, draws=1)
        add(
            store, make_pairing("nogo(size=5)", "uct", "uct(playouts=9)", Budget(seconds=0.5)), 1, 1
        )
        yield store


def test_sweeps_are_detected(store):
    (curve,), (grid,) = find_sweeps(store.summaries())
    assert curve.name == "bias"
    assert curve.values == (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    assert [summary.score.wins for summary in curve.summaries] == [15, 14, 13, 12, 11]
    assert set(grid.names) == {"ref", "bias"}
    assert sorted((grid.row_values, grid.column_values)) == [(0.001, 0.01), (25, 50)]
    assert all(summary is not None for row in grid.rows for summary in row)


def test_playouts_parameters_make_sweeps_too(monkeypatch):
    # The spec of a playout that may not exist: patterns read text, not agents.
    base = make_pairing("nogo", "uct", "rave", BUDGET)
    summaries = [
        Summary(
            replace(base, agents=(f"uct(c=0.4)+mast(k={k})", "rave")),
            MatchStatistics(Score(k, 9 - k)),
        )
        for k in (1, 2, 4)
    ]
    (curve,), _ = find_sweeps(summaries)
    assert (curve.name, curve.values) == ("+k", (1.0, 2.0, 4.0))


def test_a_playouts_parameter_of_the_same_name_as_the_trees_is_the_one_swept():
    base = make_pairing("nogo", "uct", "rave", BUDGET)
    summaries = [
        Summary(
            replace(base, agents=(f"rave(k=250)+mast(k={k})", "rave")),
            MatchStatistics(Score(k, 9 - k)),
        )
        for k in (1, 2, 4)
    ]
    (curve,), _ = find_sweeps(summaries)
    (command,) = sweep_commands(curve.summaries, {curve.name: curve.values})
    assert "rave(k=250)+mast(k=[1,2,4])" in command


def test_scattered_settings_are_not_a_grid():
    base = make_pairing("nogo", "grave", "rave", BUDGET)
    tried = [(10, 0.1), (20, 0.3), (30, 0.2), (40, 0.7), (50, 0.9), (60, 0.8)]
    summaries = [
        Summary(
            replace(base, agents=(f"grave(ref={ref},bias={bias})", "rave")),
            MatchStatistics(Score(1, 9)),
        )
        for ref, bias in tried
    ]
    assert find_sweeps(summaries) == ([], [])


def test_ladders_are_detected_and_sweeps_are_not_ladders(store):
    (rated,) = find_ladders(store, store.summaries())
    assert rated.pairing.game == "breakthrough(size=8x8)"
    assert [rating.agent for rating in rated.ladder.ratings] == list(reversed(AGENTS))
    assert (rated.games, rated.total) == (25, 75)


def test_a_ladder_rates_one_tournament_only(store):
    """Other games between and with its agents change neither its ratings nor its command."""
    (before,) = find_ladders(store, store.summaries())
    # More games of one pair, a stranger that met one agent, and a sweep against one agent.
    pairing = make_pairing("breakthrough", AGENTS[0], AGENTS[1], BUDGET)
    number = store.pairing_id(pairing)
    for index in range(25, 90):
        store.add(number, replace(next(store.results(pairing, 1)), index=index))
    add(store, make_pairing("breakthrough", "hrave", AGENTS[2], BUDGET), 40, 0)
    for c in (0.1, 0.2, 0.3):
        add(store, make_pairing("breakthrough", f"uct(c={c})", AGENTS[0], BUDGET), 3, 9)
    (after,) = find_ladders(store, store.summaries())
    assert after.ladder == before.ladder
    assert after.command == before.command
    assert f"--games {before.games} " in f"{before.command} "


def test_the_command_of_a_ladder_gives_its_ratings(tmp_path):
    agents = ["uct(playouts=4)", "uct(playouts=30)", "rave(playouts=30)", "rave"]
    options = {"playouts": 20, "seed": 3, "opening_plies": 2, "workers": 1}
    with Store(tmp_path / "a.db") as store:
        match("knightthrough(size=5)", agents[0], agents[1], games=11, store=store, **options)
        tournament("knightthrough(size=5)", agents, games=6, store=store, **options)
        (rated,) = find_ladders(store, store.summaries())
        _, _, game, *words = shlex.split(rated.command)
        names, arguments = words[:4], words[4:]
        assert arguments == ["--games", "6", "--seed", "3", "--opening-plies", "2"]
        again = tournament(game, names, games=6, seed=3, opening_plies=2, workers=1, store=store)
        assert again.ladder() == rated.ladder
        assert f"{shlex.join(words)}" in unescape(html(store))


def test_an_incomplete_sweep_has_the_commands_of_its_matches(store):
    base = make_pairing("nogo", "uct", "rave", BUDGET)
    summaries = [
        Summary(replace(base, agents=(f"uct(c={c})", "rave")), MatchStatistics(Score(c_games, 9)))
        for c, c_games in ((0.1, 1), (0.2, 3), (0.4, 5))
    ]
    commands = sweep_commands(summaries, {"c": (0.1, 0.2, 0.4)})
    assert [shlex.split(command)[1] for command in commands] == ["match"] * 3
    assert "--games 12 " in commands[1]


class Page(HTMLParser):
    """Collects a page's text and what it would fetch."""

    def __init__(self):
        super().__init__()
        self.fetched, self.text, self.svgs = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.svgs += tag == "svg"
        for name, value in attrs:
            inside = value.startswith(("#", "data:")) if value else True
            if name in ("src", "href", "xlink:href", "data") and not inside:
                self.fetched.append(value)

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_complete_and_fetches_nothing(store):
    page = Page()
    source = html(store)
    page.feed(source)
    text = " ".join(page.text)
    assert page.fetched == []
    assert "<script" not in source
    assert "@import" not in source
    assert page.svgs == 5
    assert "cazenave2015, table 5" in text
    swept = "'rave(bias=[1e-5,0.0001,0.001,0.01,0.1],ties=first,solver=off)'"
    assert f"graven sweep 'knightthrough(size=8x8)' {swept}" in text
    assert "graven tournament 'breakthrough(size=8x8)'" in text
    assert "graven match 'nogo(size=5x5)' 'uct(c=0.4,seconds=0.5)' 'uct(c=0.4,playouts=9)'" in text
    assert f"{ReportData(store).games:,} games in 13 matches" in text


def test_texts_of_a_hostile_store_are_escaped():
    evil = "<script>$\\frac{</script>"
    with Store() as store:
        pairing = make_pairing("nogo", "uct(playouts=5)", "rave", BUDGET)
        pairing = replace(pairing, game=evil, agents=(evil, evil))
        number = store.pairing_id(pairing)
        result = GameResult(
            index=0,
            seats=(0, 1),
            seed=1,
            scores=(1.0, 0.0),
            moves=(evil,),
            playouts=1,
            seconds=1.0,
            version=evil,
            machine=evil,
        )
        store.add(number, result)
        page = html(store)
    assert "<script" not in page
    assert "does not have the agents" in page


def test_the_command_of_a_sweep_gives_its_agents(store):
    plot = ReportData(store).plots()[0]
    (command,) = plot.commands
    spec = command.split("'")[3]
    expected = {
        f"rave(bias={value},ties=first,solver=off)"
        for value in ("0.1", "0.01", "0.001", "0.0001", "1e-5")
    }
    assert set(parse_grid(spec).agents()) == expected


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_plots_are_real_files(store, tmp_path, kind):
    written = write_plots(ReportData(store), tmp_path, kind)
    assert len(written) == 5
    for path in written:
        data = path.read_bytes()
        if kind == "png":
            assert data.startswith(b"\x89PNG")
            width, height = struct.unpack(">II", data[16:24])
            assert width > 500
            assert height > 200
        elif kind == "pdf":
            assert data.startswith(b"%PDF")
        else:
            assert ET.fromstring(data).tag.endswith("svg")


def test_the_same_results_give_the_same_plot(store):
    def drawn():
        return [plots.to_bytes(plot.draw(), "svg") for plot in ReportData(store).plots()]

    assert drawn() == drawn()


def test_published_figures_stand_beside_ours(store):
    (curve,), _ = find_sweeps(store.summaries())
    svgs = [
        plots.to_bytes(plots.win_rate_curve(curve, theirs), "svg")
        for theirs in ({}, {0.1: (60, 50, 70)})
    ]
    assert len(svgs[1]) > len(svgs[0])


def test_a_tuning_has_its_history_and_the_importance_of_its_parameters(tmp_path):
    pytest.importorskip("optuna", reason="the extra 'tune' (Optuna) is not installed")
    template = "uct(playouts=?[1..40],c=?[0.1..2])"
    options = {"games": 20, "validate": 4, "opening_plies": 1, "seed": 3, "workers": 1}
    with Store(tmp_path / "a.db") as store:
        result = tune(
            "knightthrough(size=5)", template, "uct(playouts=15)", 12, store=store, **options
        )
        data = ReportData(store)
        (tuning,) = data.tunings
        page = unescape(html(store))
    tried = [(trial.agent, trial.win_rate, trial.pruned) for trial in tuning.trials]
    assert tried == [(trial.agent, trial.score.win_rate, trial.pruned) for trial in result.trials]
    complete = sum(not trial.pruned for trial in result.trials)
    assert bool(tuning.importance) == (complete >= 10)
    if tuning.importance:
        # More playouts win more games, whatever the constant.
        assert max(tuning.importance, key=tuning.importance.get) == "playouts"
    words = shlex.split(tuning.command)
    assert words[:2] == ["graven", "tune"]
    assert {"--trials", "12", "--games", "20", "--seed", "3", "--opening-plies", "1"} <= set(words)
    assert tuning.command in page
    assert any(plot.name.startswith("tuning-1") for plot in data.plots())


def test_a_damaged_file_of_trials_does_not_prevent_a_report(store, tmp_path):
    with Store(tmp_path / "a.db") as stored:
        add(stored, make_pairing("nogo", "uct", "rave", BUDGET), 1, 1)
        (tmp_path / "a-tune.db").write_bytes(b"not a database" * 100)
        assert "2 games in 1 matches" in html(stored)


def test_a_report_has_contents_dates_and_the_version(store):
    page = html(store)
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    assert f"Written on {today}" in page
    assert f"by graven {version()}" in page
    assert "<a href='#tournaments'>Tournaments</a>" in page
    assert "id='tournaments'" in page


def test_an_empty_store_has_an_empty_report():
    with Store() as empty:
        assert "0 games in 0 matches" in html(empty)


def test_every_export_has_every_game(store, tmp_path):
    games = ReportData(store).games
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert export(store, tmp_path / name) == games
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(rows) == len(lines) == games
    assert rows[0]["first"] == lines[0]["first"] == "rave(bias=0.1,ties=first,solver=off)"
    assert rows[0]["moves"].split() == lines[0]["moves"]
    assert rows[0]["seed"] == lines[0]["seed"] == str(2**63)
    assert lines[0]["seats"] == [0, 1]
    assert sum(line["outcome"] for line in lines) == sum(float(row["outcome"]) for row in rows)
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    assert parquet.read_table(tmp_path / "a.parquet").to_pylist() == lines


def test_unknown_suffixes_are_reported(store, tmp_path):
    with pytest.raises(UsageError, match="parquet"):
        export(store, tmp_path / "a.xls")
    with pytest.raises(UsageError, match="jsonl"):
        export(store, tmp_path / "a.csv", "josnl")
