"""Cazenave's tuning protocol: who plays whom, and what is chosen."""

from __future__ import annotations

from graven.interfaces.cli import app
from graven.lab.experiments.rave_tuning import TuningGrids, run_rave_tuning
from graven.lab.experiments.run_config import run_config
from graven.sources.load import load_game

GRIDS = TuningGrids(biases="[1e-1..1e-2]", refs="[5,20]")


def test_each_step_plays_the_best_agent_of_the_step_before():
    reported = []
    config = run_config(playouts=15, workers=1, progress=reported.append)
    tuning = run_rave_tuning(load_game("nogo(size=3)"), config, games=4, grids=GRIDS)
    assert tuning.rave.against == "uct(c=0.4,ties=first,solver=off)"
    assert [point.agent for point in tuning.rave.points] == [
        "rave(bias=0.1,ties=first,solver=off)",
        "rave(bias=0.01,ties=first,solver=off)",
    ]
    assert tuning.grave.against == tuning.rave.best.agent
    assert len(tuning.grave.points) == 4
    assert [point.agent for point in tuning.grave.opponents] == [
        point.agent for point in tuning.rave.points
    ]
    # 2 biases against UCT, 2 x 2 of GRAVE, 2 biases again.
    assert tuning.planned == tuning.games == 4 * (2 + 4 + 2)
    assert tuning.finished
    assert reported[-1] == (tuning.planned, tuning.planned)
    assert {progress.planned for progress in reported} == {tuning.planned}


def test_playouts_are_those_of_all_agents():
    grids = TuningGrids(playout="mogo")
    agents = (grids.opponent, grids.rave, grids.grave)
    assert all(agent.endswith("+mogo") for agent in agents)


def test_the_command_prints_the_steps(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [
        "tune-rave",
        "nogo",
        "--size",
        "3",
        "--games",
        "2",
        "--playouts",
        "10",
        "--workers",
        "1",
    ]
    assert app.run([*words, "--biases", "[1e-1..1e-2]", "--refs", "[5]"]) == 0
    text = capsys.readouterr().out
    assert "against uct(c=0.4,ties=first,solver=off)" in text
    assert "worst: " in text
