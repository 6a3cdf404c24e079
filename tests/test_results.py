"""The games in `results/`: they can be replayed, and the documentation shows what they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graven.interfaces.cli.result_pages import read_results, updated_page
from graven.lab.experiments.replay import differences
from graven.lab.experiments.replay import replay as play_again
from graven.lab.experiments.reproduce import table_file
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.lab.store.game_files import read_folder

ROOT = Path(__file__).parents[1]
GAMES = ROOT / "results" / "games"
SAMPLE = 3


@pytest.fixture(scope="module")
def files():
    return read_folder(GAMES)


def test_every_game_belongs_to_the_published_table_of_its_file(files):
    assert files
    for name, games in files.items():
        assert {table_file(pairing) for pairing, _ in games} == {name}


def test_no_game_stands_in_two_files(files):
    keys = [key for games in files.values() for key in games]
    assert len(set(keys)) == len(keys)


def test_a_sample_of_games_is_replayed_as_recorded(files):
    """The shortest games of a few pairings, among those of the present search."""
    shortest = {}
    for games in files.values():
        for (pairing, index), result in games.items():
            known = shortest.get(pairing)
            if known is None or result.playouts < known[1].playouts:
                shortest[pairing] = index, result
    cheapest = sorted(shortest, key=lambda pairing: shortest[pairing][1].playouts)
    tested = 0
    for pairing in cheapest[: 4 * SAMPLE]:
        index, recorded = shortest[pairing]
        pairing = replace(pairing, players=len(recorded.seats))
        if with_fingerprint(pairing) != pairing:
            continue
        replayed = play_again(pairing, index)
        assert replayed is not None
        assert differences(recorded, replayed) == []
        tested += 1
        if tested == SAMPLE:
            return
    assert tested, "no game of the present search: play results/ again (see docs/results.md)"


def test_the_tables_of_the_documentation_are_up_to_date():
    results = read_results(ROOT / "results")
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    with_tables = [page for page in pages if "<!-- results: " in page.read_text()]
    assert len(with_tables) > 4
    for page in with_tables:
        text = page.read_text()
        assert updated_page(text, results) == text, f"{page} is out of date: run `make results`"


def test_a_page_changes_with_the_results():
    results = read_results(ROOT / "results")
    page = "Before\n<!-- results: headline -->\nold\n<!-- end of results -->\nAfter\n"
    new = updated_page(page, results)
    assert new.startswith("Before\n<!-- results: headline -->\n\nPlayed: ")
    assert new.endswith("\n\n<!-- end of results -->\nAfter\n")
    assert "old" not in new
    assert "| cazenave2015 | 6 | knightthrough(size=8x8) | 1,000 |" in new
    assert updated_page(new, results) == new


def test_a_page_can_show_a_few_cells_with_their_policies():
    results = read_results(ROOT / "results")
    tables = "<!-- results: headline cazenave2016/2 cazenave2015/13 -->\n<!-- end of results -->\n"
    rows = updated_page(tables, results).splitlines()[4:6]
    assert rows[0].startswith("| `breakthrough(size=8x8)` | 10,000 | UCT+PPAF v UCT | 81.4 ")
    assert rows[1].startswith("| `go(size=9x9,komi=7.5,colors=2)` | 1,000 | RAVE+MOGO v UCT")
