"""`benchmarks/ggp_base.py`: what of it can be tested without a checkout of GGP-Base."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

from tests.interfaces.ggp.helpers import RULES, SPEC

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "ggp_base.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("ggp_base_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_class_path_has_the_classes_and_libraries_of_a_built_checkout(script, tmp_path):
    with pytest.raises(SystemExit, match="build GGP-Base first"):
        script.class_path(tmp_path)
    (tmp_path / "build/classes/main").mkdir(parents=True)
    (tmp_path / "lib/Guava").mkdir(parents=True)
    (tmp_path / "lib/Guava/guava.jar").touch()
    parts = script.class_path(tmp_path).split(os.pathsep)
    assert parts == [str(tmp_path / "build/classes/main"), str(tmp_path / "lib/Guava/guava.jar")]
    command = script.opponent_command(script.parser().parse_args(["--ggp-base", str(tmp_path)]))
    assert command.format(port=9999).endswith(f"{script.RUNNER} 9999 SampleMonteCarloGamer")


def test_a_run_without_an_opponent_says_how_to_name_one(script):
    with pytest.raises(SystemExit, match="--ggp-base"):
        script.main([])
    with pytest.raises(SystemExit, match="must contain"):
        script.main(["--opponent", "graven ggp"])


def test_our_seat_rotates_and_goals_and_faults_are_counted_by_seat(script):
    assert script.seatings(3, 5) == [0, 1, 2, 0, 1]
    score = script.SheetScore("nim")
    match = {
        "terminal": True,
        "players": [
            {"goal": 100, "late": 0, "illegal": 1, "missing": 0},
            {"goal": 20, "late": 2, "illegal": 0, "missing": 3},
        ],
    }
    script.count_matches(score, [match], seat=1)
    script.count_matches(score, [match], seat=0)
    assert (score.ours, score.theirs) == ([20, 100], [100, 20])
    assert score.faults == {"late": 2, "illegal": 1, "missing": 3}
    assert script.table([score]).splitlines()[-1] == "| nim | 2 | 60.0 | 60.0 | 2 | 1 | 3 |"


def test_a_whole_run_against_another_player(script, tmp_path, capsys):
    sheet, out = tmp_path / "ttt.kif", tmp_path / "scores.json"
    sheet.write_text(RULES)
    opponent = f"{sys.executable} -m graven ggp --port {{port}} --agent {SPEC}"
    clocks = ["--start-clock", "60", "--play-clock", "3"]
    script.main([str(sheet), "--opponent", opponent, "--games", "1", *clocks, "--out", str(out)])
    (score,) = json.loads(out.read_text())
    assert score["sheet"] == "ttt"
    assert len(score["ours"]) == len(score["theirs"]) == 1
    assert score["faults"] == {"late": 0, "illegal": 0, "missing": 0}
    assert "| ttt | 1 |" in capsys.readouterr().out
