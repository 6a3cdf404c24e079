"""`graven gdl`: commands that analyse a rulesheet."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from graven.gdl.grounding import grounder
from graven.gdl.proof import prover
from graven.interfaces.cli.app import run
from tests.gdl import tiny


@pytest.fixture
def sheet(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / "rules.kif"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_check_accepts_a_valid_game(sheet, capsys):
    assert run(["gdl", "check", sheet(tiny.LAMPS)]) == 0
    assert "for me; no errors, no warnings" in " ".join(capsys.readouterr().out.split())


def test_check_names_the_rule_and_its_line(sheet, capsys):
    assert run(["gdl", "check", sheet(tiny.LAMPS + "\n(<= (win ?x) dark)")]) == 2
    output = capsys.readouterr().out
    line = tiny.LAMPS.count("\n") + 2
    assert f"error: line {line}: ?x in the head is not bound by the body" in output
    assert "(<= (win ?x) dark)" in output


def test_check_as_json(sheet, capsys):
    assert run(["gdl", "check", sheet(tiny.LAMPS + "(<= odd (even 2))"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["roles"] == ["me"]
    assert result["errors"] == []
    assert ["even" in warning["sentence"] for warning in result["warnings"]] == [True]


def test_a_syntax_error_is_shown_in_its_line(sheet, capsys):
    assert run(["gdl", "check", sheet("(role a)\n  (legal a ()")]) == 2
    first, shown, caret = capsys.readouterr().err.splitlines()
    assert "line 2, column 3" in first
    assert shown[caret.index("^") :] == "(legal a ()"


def test_a_missing_sheet_is_reported(capsys):
    assert run(["gdl", "check", "skirmis"]) == 2
    assert "Did you mean 'skirmish'?" in capsys.readouterr().err
    assert run(["gdl", "info", "nowhere.kif"]) == 2
    assert "nowhere.kif" in capsys.readouterr().err


def test_info_counts_moves_propositions_and_gates(sheet, capsys):
    assert run(["gdl", "info", sheet(tiny.LAMPS), "--seconds", "0.01", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["moves"] == {"me": 4}
    # Four lamps and the clock's six times.
    assert result["propositions"] == 10
    assert result["branching"] == 4.0
    assert 1 <= result["length"] <= 5
    gates = [stage["gates"] for stage in result["stages"] if stage["gates"]]
    assert gates[0] > gates[-1] > 0
    assert all(rate > 0 for rate in result["playouts_per_second"].values())


@pytest.mark.parametrize(
    "growth",
    [
        "(<= (next (on (pair ?x ?x))) (true (on ?x)))",
        "(<= (next (on (pair ?x (pair ?x ?x)))) (true (on ?x)))",
        "(tree z) (<= (tree (pair ?x ?y)) (tree ?x) (tree ?y)) (<= (next (on ?x)) (tree ?x))",
        "(tree z) (<= (tree (pair ?x ?y)) (tree ?x) (tree ?y)) (<= (legal white ?x) (tree ?x))",
    ],
)
def test_info_about_a_sheet_whose_terms_grow_is_a_sentence(sheet, capsys, monkeypatch, growth):
    limits = grounder.GroundingLimits(seconds=0.2)
    monkeypatch.setattr(grounder, "GroundingLimits", lambda: limits)
    monkeypatch.setattr(prover, "MAX_QUERY_SECONDS", 1.0)
    text = sheet(f"(role white) (init (on z)) (legal white go) (goal white 50) {growth}")
    assert run(["gdl", "info", text, "--seconds", "0.01"]) == 2
    printed = capsys.readouterr().err
    assert "bug" not in printed
    assert printed.rstrip().endswith(".")


def test_draw_shows_all_relations(sheet, tmp_path, capsys):
    path = sheet(tiny.PATHS)
    assert run(["gdl", "draw", path, "-o", str(tmp_path / "rules.svg")]) == 0
    picture = ET.parse(tmp_path / "rules.svg").getroot()
    named = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"joined", "near", "legal", "true", "terminal"} <= named
    assert run(["gdl", "draw", path]) == 0
    assert ET.fromstring(capsys.readouterr().out).tag.endswith("svg")
    assert run(["gdl", "draw", path, "-o", str(tmp_path / "rules.dot")]) == 0
    dot = (tmp_path / "rules.dot").read_text()
    assert '"near" -> "joined";' in dot
    assert '"taken" -> "legal" [style=dashed];' in dot
    assert run(["gdl", "draw", path, "-o", str(tmp_path / "rules.png")]) == 2
    assert ".svg or .dot" in capsys.readouterr().err
