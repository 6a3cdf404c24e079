"""`benchmarks/doc_matches.py`: tables of the documentation, written from a store of games."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from graven.lab.experiments.frontier import run_frontier
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.store import Store
from graven.search.budget import Budget

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "doc_matches.py"


@pytest.fixture
def doc_matches(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    spec = importlib.util.spec_from_file_location("doc_matches", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "doc_matches", module)
    spec.loader.exec_module(module)
    module.TABLES.clear()
    return module


PAGE = """# A page

<!-- matches: small -->

| agent | NoGo 3x3 | Hex 3x3 |
| --- | --- | --- |
| `uct` | 12.5 (1.0 to 40.0), {games} games | 61.0 (55.0 to 67.0) |

<!-- end of matches -->
"""


@pytest.mark.parametrize("games", [1, 5])
def test_a_figure_stays_while_the_store_has_fewer_games_of_it(doc_matches, games):
    nogo, hexes, othello = (
        doc_matches.MatchCell(game, "uct(c=0.4)", "grave(ref=50,bias=1e-4)", 20, 4)
        for game in ("nogo(size=3)", "hex(size=3)", "othello(size=4)")
    )
    doc_matches.TABLES["small"] = doc_matches.MatchTable(
        ("agent", "NoGo 3x3", "Hex 3x3", "Othello 4x4"),
        (("`uct`", nogo, hexes, othello), ("`rave`", *[othello] * 3)),
    )
    page, db = Path("docs/page.md"), "games.db"
    page.write_text(PAGE.format(games=games))
    doc_matches.TABLES["played"] = doc_matches.MatchTable(("agent", "NoGo"), (("`uct`", nogo),))
    doc_matches.play(["played"], db)
    doc_matches.write(db)
    head, _, row = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert head == "| agent | NoGo 3x3 | Hex 3x3 |"
    kept = "12.5 (1.0 to 40.0), 5 games"
    assert (kept in row) == (games == 5)
    assert ("12.5" in row) == (games == 5)
    assert row.endswith("| 61.0 (55.0 to 67.0) |")  # not in the store at all


def test_the_frontier_has_the_points_of_its_tournaments(doc_matches):
    agents = "uct(c=0.4)", "grave(ref=50,bias=0.0001)", "rave(bias=0.0001)"
    games = ["nogo(size=3)", "hex(size=3)"]
    doc_matches.TABLES["some"] = doc_matches.FrontierTable(
        agents, {"small": tuple(games), "none": ("othello(size=4)",)}, Budget(20), 2
    )
    page, db = Path("docs/page.md"), "games.db"
    page.write_text("<!-- matches: some -->\n<!-- end of matches -->\n")
    with Store(db) as store:
        config = RunConfig(budget=Budget(20), workers=1, store=store)
        result = run_frontier(games, agents, config, games_per_pair=2)
    doc_matches.write(db)
    rows = [line.strip("| ").split(" | ") for line in page.read_text().splitlines()]
    points = {row[0].strip("`"): row[2] for row in rows if len(row) == 4}
    assert points.keys() - {"agent", "---"} == set(agents)
    for record in result.records:
        assert points[record.agent].startswith(f"{100 * record.score.win_rate:.1f} (")
    assert "12 games." in page.read_text()
    text = page.read_text()
    doc_matches.write("empty.db")
    assert page.read_text() == text


def test_games_are_kept_as_files(doc_matches):
    nogo = doc_matches.MatchCell("nogo(size=3)", "uct(c=0.4)", "grave(ref=50,bias=1e-4)", 20, 4)
    doc_matches.TABLES["small"] = doc_matches.MatchTable(("agent", "NoGo"), (("`uct`", nogo),))
    page = Path("docs/page.md")
    page.write_text("<!-- matches: small -->\n<!-- end of matches -->\n")
    doc_matches.play(["small"], "games.db")
    doc_matches.write("games.db")
    text = page.read_text()
    assert [file.name for file in Path("results/matches").glob("*.gz")] == ["small.csv.gz"]
    page.write_text("<!-- matches: small -->\n<!-- end of matches -->\n")
    doc_matches.write("another.db")
    assert page.read_text() == text
    with Store("another.db") as store:
        assert [summary.games for summary in store.summaries()] == [4]


def test_matches_whose_figures_are_on_a_page_are_not_played_again(doc_matches):
    nogo, hexes = (
        doc_matches.MatchCell(game, "uct(c=0.4)", "grave(ref=50,bias=1e-4)", 20, 2)
        for game in ("nogo(size=3)", "hex(size=3)")
    )
    doc_matches.TABLES["small"] = doc_matches.MatchTable(
        ("agent", "NoGo 3x3", "Hex 3x3"), (("`uct`", nogo, hexes),)
    )
    Path("docs/page.md").write_text(PAGE.format(games=1))
    doc_matches.play(["small"], "games.db")
    with Store("games.db") as store:
        assert [summary.pairing.game for summary in store.summaries()] == ["nogo(size=3x3)"]
