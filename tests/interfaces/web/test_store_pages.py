"""The result store on the page: matches, recorded games, published tables, plots."""

from __future__ import annotations

import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.games.registry import make_game
from graven.interfaces.web.store_pages import StorePages, match_id
from graven.lab.experiments.match import match
from graven.lab.published import papers
from graven.lab.store.store import Store
from graven.lab.store.store_file import StoreError


@pytest.fixture
def pages(store):
    return StorePages(str(store))


def test_matches_have_the_scores_of_the_store(pages, store):
    answer = pages.matches()
    assert answer["games"] == 6
    with Store(store, write=False) as opened:
        for row, summary in zip(answer["matches"], opened.summaries(), strict=True):
            assert row["match"] == match_id(summary.pairing)
            assert row["win_rate"] == summary.score.win_rate
            assert row["games"] == summary.games


def test_a_game_is_replayed_with_its_evaluations(pages, store):
    with Store(store, write=False) as opened:
        pairing = next(each.pairing for each in opened.summaries() if each.games == 4)
        results = list(opened.results(pairing, 4))
    assert len(results) == 4
    for result in results:
        game = pages.game(match_id(pairing), result.index)
        assert game["moves"] == list(result.moves)
        assert game["seats"] == [pairing.agents[side] for side in result.seats]
        assert len(game["values"]) == len(game["moves"])
        assert all(0 <= value <= 1 for value in game["values"])
        position = make_game("nogo(size=4)").start()
        for ply, move in enumerate(["", *result.moves]):
            position = position.play(move) if move else position
            shown = pages.position(match_id(pairing), result.index, ply)
            assert shown["svg"] == position.svg()
            assert shown["cells"] == ([move] if move else [])
        assert position.scores == tuple(game["scores"])


def test_a_game_in_gdl_is_replayed(tmp_path):
    store = tmp_path / "gdl.db"
    played = match(
        "gdl(sheet=connect5)", "uct", "grave", games=1, playouts=10, workers=1, store=store
    )
    pages = StorePages(str(store))
    game = pages.game(match_id(played.pairing), 0)
    position = gv.game("gdl(sheet=connect5)").start().play_moves(game["moves"])
    assert position.is_over
    shown = pages.position(match_id(played.pairing), 0, len(game["moves"]))
    assert shown["svg"] == position.svg()


def test_unknown_names_raise_usage_errors(pages, tmp_path):
    for request in (
        lambda: pages.games("none", 0),
        lambda: pages.game(pages.matches()["matches"][0]["match"], 99),
        lambda: pages.position(pages.matches()["matches"][0]["match"], 0, 999),
        lambda: pages.plot("../../etc/passwd"),
        lambda: pages.table("cazenave2015", "99"),
        lambda: pages.table("unknown", "1"),
        lambda: StorePages(str(tmp_path / "none.db")).matches(),
    ):
        with pytest.raises(UsageError):
            request()
    wrong = tmp_path / "wrong.db"
    wrong.write_text("no store")
    with pytest.raises(StoreError):
        StorePages(str(wrong), None).matches()


def test_published_figures_and_our_results(pages):
    tables = {
        (paper["name"], table["name"]): table
        for paper in pages.papers()
        for table in paper["tables"]
    }
    assert set(tables) == {(paper.name, name) for paper in papers() for name in paper.tables}
    assert tables["cazenave2015", "6"]["run"] == 1
    (entry,) = (e for e in pages.table("cazenave2015", "6")["entries"] if e["games"])
    assert (entry["published"], entry["games"]) == (67.8, 2)


def test_new_games_in_the_store_are_shown(tmp_path):
    path = tmp_path / "graven.db"
    match("nogo(size=3)", "uct", "rave", games=2, playouts=20, workers=1, store=path)
    pages = StorePages(str(path), None)
    before, stamp = pages.matches(), pages.stamp()
    assert pages.matches() == before
    match("nogo(size=3)", "uct", "rave", games=5, playouts=20, workers=1, store=path)
    assert pages.stamp() != stamp
    assert pages.matches()["games"] == 5
    for file in path.parent.glob("graven.db*"):
        file.unlink()
    match("nogo(size=3)", "uct", "hrave", games=1, playouts=20, workers=1, store=path)
    assert pages.matches()["games"] == 1


def test_plots_are_svg_drawings(pages):
    names = [plot["name"] for plot in pages.plots()]
    assert names
    for name in names:
        assert b"<svg" in pages.plot(name)
