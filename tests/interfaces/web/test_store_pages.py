"""Experiments on the page: what the store has, as it grows; games as they were played."""

from __future__ import annotations

import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.games.registry import make_game
from graven.interfaces.web.store_pages import Laboratory, name_of
from graven.lab.experiments.match import match
from graven.lab.experiments.pairing import make_pairing
from graven.lab.published import papers
from graven.lab.store.store import Store
from graven.lab.store.store_file import StoreError
from graven.search.budget import Budget


@pytest.fixture
def laboratory(store):
    return Laboratory(str(store), None)


def test_matches_have_the_scores_of_the_store(laboratory, store):
    said = laboratory.matches()
    assert said["games"] == 6
    with Store(store, write=False) as opened:
        for each, summary in zip(said["matches"], opened.summaries(), strict=True):
            assert each["match"] == name_of(summary.pairing)
            assert each["rate"] == summary.score.win_rate
            assert each["games"] == summary.games


def test_a_game_is_replayed_as_it_was_played_with_what_was_believed(laboratory, store):
    pairing = make_pairing("nogo(size=4)", "grave", "uct", Budget(60))
    with Store(store, write=False) as opened:
        results = list(opened.results(pairing, 4))
    assert len(results) == 4
    for result in results:
        said = laboratory.game(name_of(pairing), result.index)
        assert said["moves"] == list(result.moves)
        assert said["seats"] == [pairing.agents[side] for side in result.seats]
        assert len(said["values"]) == len(said["moves"])
        assert all(0 <= value <= 1 for value in said["values"])
        position = make_game("nogo(size=4)").start()
        for ply, move in enumerate(["", *result.moves]):
            position = position.play(move) if move else position
            shown = laboratory.position(name_of(pairing), result.index, ply)
            assert shown["svg"] == position.svg()
            assert shown["cells"] == ([move] if move else [])
        assert position.scores == tuple(said["scores"])


def test_a_game_in_gdl_is_replayed(tmp_path):
    store = tmp_path / "gdl.db"
    played = match(
        "gdl(sheet=connect5)", "uct", "grave", games=1, playouts=10, workers=1, store=store
    )
    laboratory = Laboratory(str(store), None)
    said = laboratory.game(name_of(played.pairing), 0)
    position = gv.game("gdl(sheet=connect5)").start().play_moves(said["moves"])
    assert position.is_over
    shown = laboratory.position(name_of(played.pairing), 0, len(said["moves"]))
    assert shown["text"] == position.text()


def test_what_is_not_there_is_a_sentence(laboratory, tmp_path):
    for ask in (
        lambda: laboratory.games("none", 0),
        lambda: laboratory.game(laboratory.matches()["matches"][0]["match"], 99),
        lambda: laboratory.position(laboratory.matches()["matches"][0]["match"], 0, 999),
        lambda: laboratory.plot("../../etc/passwd"),
        lambda: laboratory.table("cazenave2015", "99"),
        lambda: laboratory.table("nobody", "1"),
        lambda: Laboratory(str(tmp_path / "none.db"), None).matches(),
    ):
        with pytest.raises(UsageError):
            ask()
    wrong = tmp_path / "wrong.db"
    wrong.write_text("no store")
    with pytest.raises(StoreError):
        Laboratory(str(wrong), None).matches()


def test_published_figures_stand_beside_ours(laboratory):
    tables = {
        (paper["name"], table["name"]): table
        for paper in laboratory.papers()
        for table in paper["tables"]
    }
    assert set(tables) == {(paper.name, name) for paper in papers() for name in paper.tables}
    assert tables["cazenave2015", "6"]["run"] == 1
    (entry,) = (e for e in laboratory.table("cazenave2015", "6")["entries"] if e["games"])
    assert (entry["published"], entry["games"]) == (67.8, 2)


def test_a_running_experiment_is_seen_to_grow(tmp_path):
    path = tmp_path / "graven.db"
    match("nogo(size=3)", "uct", "rave", games=2, playouts=20, workers=1, store=path)
    laboratory = Laboratory(str(path), None)
    before, stamp = laboratory.matches(), laboratory.stamp()
    assert laboratory.matches() == before
    match("nogo(size=3)", "uct", "rave", games=5, playouts=20, workers=1, store=path)
    assert laboratory.stamp() != stamp
    assert laboratory.matches()["games"] == 5
    for each in path.parent.glob("graven.db*"):
        each.unlink()
    match("nogo(size=3)", "uct", "hrave", games=1, playouts=20, workers=1, store=path)
    assert laboratory.matches()["games"] == 1


def test_plots_are_pictures(laboratory):
    names = [each["name"] for each in laboratory.plots()]
    assert names
    for name in names:
        assert b"<svg" in laboratory.plot(name)
