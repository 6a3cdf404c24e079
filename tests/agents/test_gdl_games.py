"""GDL games by name: files, shipped sheets, and specs that name the same game again."""

from __future__ import annotations

import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.sources.load import load_game
from tests.gdl import tiny


@pytest.fixture
def noughts(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noughts.kif").write_text(tiny.TIC_TAC_TOE)
    return "noughts.kif"


def test_a_spec_names_the_same_game_again(noughts: str) -> None:
    game = load_game(noughts)
    assert game.spec.startswith("gdl(file=noughts.kif,text=")
    assert load_game(game.spec) is game
    assert load_game("noughts.kif(steps=5)").max_plies == 5
    assert load_game("gdl(file=noughts.kif,steps=5)").spec == load_game(noughts, steps=5).spec
    misere = load_game(f"misere-{game.spec}")
    assert misere.misere
    assert load_game(misere.spec).spec == misere.spec


def test_a_file_that_has_changed_is_noticed(noughts: str, tmp_path) -> None:
    spec = load_game(noughts).spec
    (tmp_path / noughts).write_text(tiny.TIC_TAC_TOE + "(line 4)")
    with pytest.raises(UsageError, match=r"noughts\.kif has changed"):
        load_game(spec)
    assert load_game(noughts).spec != spec


def test_matches_in_other_processes(noughts: str) -> None:
    result = gv.match(noughts, "uct", "uct", games=4, playouts=20, workers=2, store=":memory:")
    assert result.games == 4
    again = gv.match(noughts, "uct", "uct", games=4, playouts=20, workers=1, store=":memory:")
    assert [each.moves for each in result.results] == [each.moves for each in again.results]


def test_a_match_by_proof_is_played_too(noughts: str) -> None:
    result = gv.match(f"{noughts}(by=proof)", "uct", "uct", games=2, playouts=20, workers=1)
    assert result.games == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gdl", "needs a sheet or a file"),
        ("gdl(sheet=skirmsh)", "Did you mean 'skirmish'"),
        ("gdl(sheet=skirmish,file=x.kif)", "needs a sheet or a file"),
        ("gdl(sheet=skirmish,size=8)", "unknown option of gdl 'size'"),
        ("gdl(sheet=skirmish,by=magic)", "unknown way to play a sheet"),
        ("gdl(sheet=skirmish,steps=0)", "steps must be"),
        ("gdl(sheet=skirmish,steps=many)", "steps must be"),
        ("gdl(sheet)", "is not a game"),
        ("none.kif", "there is no file"),
        ("\0.kif", "no file|invalid file name"),
    ],
)
def test_what_names_no_game_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load_game(text)
