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
def doc_matches(monkeypatch):
    spec = importlib.util.spec_from_file_location("doc_matches", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "doc_matches", module)
    spec.loader.exec_module(module)
    return module


PAGE = """# A page

<!-- matches: small -->

| agent | NoGo 3x3 | Hex 3x3 |
| --- | --- | --- |
| `uct` | 12.5 (1.0 to 40.0), {games} games | 61.0 (55.0 to 67.0) |

<!-- end of matches -->
"""


@pytest.mark.parametrize("games", [1, 5])
def test_a_figure_stays_while_the_store_has_fewer_games_of_it(doc_matches, tmp_path, games):
    nogo, hexes, othello = (
        doc_matches.MatchCell(game, "uct(c=0.4)", "grave(ref=50,bias=1e-4)", 20, 4)
        for game in ("nogo(size=3)", "hex(size=3)", "othello(size=4)")
    )
    doc_matches.TABLES["small"] = doc_matches.MatchTable(
        ("agent", "NoGo 3x3", "Hex 3x3", "Othello 4x4"),
        (("`uct`", nogo, hexes, othello), ("`rave`", *[othello] * 3)),
    )
    page, db = tmp_path / "page.md", str(tmp_path / "games.db")
    page.write_text(PAGE.format(games=games))
    doc_matches.TABLES["played"] = doc_matches.MatchTable(("agent", "NoGo"), (("`uct`", nogo),))
    doc_matches.play(["played"], db)
    doc_matches.write(str(tmp_path), db)
    head, _, row = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert head == "| agent | NoGo 3x3 | Hex 3x3 |"
    kept = "12.5 (1.0 to 40.0), 5 games"
    assert (kept in row) == (games == 5)
    assert ("12.5" in row) == (games == 5)
    assert row.endswith("| 61.0 (55.0 to 67.0) |")  # not in the store at all


def test_the_frontier_has_the_points_of_its_tournaments(doc_matches, tmp_path):
    agents = "uct(c=0.4)", "grave(ref=50,bias=0.0001)", "rave(bias=0.0001)"
    games = ["nogo(size=3)", "hex(size=3)"]
    doc_matches.TABLES["some"] = doc_matches.FrontierTable(
        agents, {"small": tuple(games), "none": ("othello(size=4)",)}, Budget(20), 2
    )
    page, db = tmp_path / "page.md", tmp_path / "games.db"
    page.write_text("<!-- matches: some -->\n<!-- end of matches -->\n")
    with Store(db) as store:
        config = RunConfig(budget=Budget(20), workers=1, store=store)
        result = run_frontier(games, agents, config, games_per_pair=2)
    doc_matches.write(str(tmp_path), str(db))
    rows = [line.strip("| ").split(" | ") for line in page.read_text().splitlines()]
    points = {row[0].strip("`"): row[2] for row in rows if len(row) == 4}
    assert points.keys() - {"agent", "---"} == set(agents)
    for record in result.records:
        assert points[record.agent].startswith(f"{100 * record.score.win_rate:.1f} (")
    assert "12 games." in page.read_text()
    text = page.read_text()
    doc_matches.write(str(tmp_path), str(tmp_path / "empty.db"))
    assert page.read_text() == text
