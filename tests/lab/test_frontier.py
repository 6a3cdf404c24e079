"""The frontier: tournaments of the same agents in several games, and their points over all."""

from __future__ import annotations

import json

import pytest

from graven.interfaces.cli import app
from graven.lab.experiments.frontier import AGENTS, NATIVE_GAMES, gdl_games, run_frontier
from graven.lab.experiments.run_config import RunConfig
from graven.lab.experiments.tournament import tournament
from graven.lab.store.store import Store
from graven.search.budget import Budget
from graven.sources.load import load_game

GAMES, POLICIES = ["nogo(size=3)", "hex(size=3)"], ["uct", "grave", "rave"]
QUICK = ["--games", "2", "--playouts", "20", "--workers", "1"]


def command(tmp_path, *more):
    agents = [part for name in POLICIES for part in ("--agent", name)]
    return ["frontier", *GAMES, *agents, *QUICK, "--db", str(tmp_path / "f.db"), *more]


def test_every_game_is_the_tournament_of_its_own(tmp_path):
    with Store(tmp_path / "a.db") as store:
        config = RunConfig(budget=Budget(20), workers=1, store=store)
        result = run_frontier(GAMES, POLICIES, config, games_per_pair=2)
    assert result.finished
    for game, found in zip(GAMES, result.tournaments, strict=True):
        alone = tournament(game, POLICIES, games=2, playouts=20, workers=1)
        assert found.standings.scores == alone.standings.scores
    for record in result.records:
        index = result.tournaments[0].standings.agents.index(record.agent)
        rates = [each.standings.total(index).win_rate for each in result.tournaments]
        assert record.score.games == 8
        assert record.score.win_rate == pytest.approx(sum(rates) / 2)
        assert record.worst[1] == min(rates)
        assert record.best[1] == max(rates)


def test_the_command_goes_on_where_it_stopped(tmp_path, capsys):
    assert app.run(command(tmp_path, "--json")) == 0
    first = json.loads(capsys.readouterr().out)
    assert [each["game"] for each in first["tournaments"]] == ["nogo(size=3x3)", "hex(size=3x3)"]
    assert app.run(command(tmp_path)) == 0
    shown = capsys.readouterr().out
    assert all(record["agent"].partition("(")[0] in shown for record in first["agents"])
    with Store(tmp_path / "f.db", write=False) as store:
        assert sum(1 for _ in store.rows()) == 12


def test_a_wrong_set_is_refused(capsys):
    assert app.run(["frontier", "--set", "chess"]) == 2
    assert "--set must be one of native, gdl, all" in capsys.readouterr().err


def test_the_games_and_agents_exist():
    assert all(load_game(game).players == 2 for game in NATIVE_GAMES)
    assert len(gdl_games()) == 15
    assert len(set(AGENTS)) == len(AGENTS)
