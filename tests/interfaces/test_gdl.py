"""The commands that look at a rulesheet."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from graven.interfaces.cli.app import run
from tests.gdl import tiny


@pytest.fixture
def sheet(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / "rules.kif"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_check_says_that_a_game_is_one(sheet, capsys):
    assert run(["gdl", "check", sheet(tiny.LAMPS)]) == 0
    assert "for me; no errors, no warnings" in " ".join(capsys.readouterr().out.split())


def test_check_names_the_rule_and_its_line(sheet, capsys):
    assert run(["gdl", "check", sheet(tiny.LAMPS + "\n(<= (win ?x) dark)")]) == 2
    said = capsys.readouterr().out
    line = tiny.LAMPS.count("\n") + 2
    assert f"error: line {line}: nothing in the body gives ?x of the head a value" in said
    assert "(<= (win ?x) dark)" in said


def test_check_as_json(sheet, capsys):
    assert run(["gdl", "check", sheet(tiny.LAMPS + "(<= odd (even 2))"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["roles"] == ["me"]
    assert told["errors"] == []
    assert ["even" in each["sentence"] for each in told["warnings"]] == [True]


def test_what_cannot_be_read_is_shown(sheet, capsys):
    assert run(["gdl", "check", sheet("(role a)\n  (legal a ()")]) == 2
    first, shown, caret = capsys.readouterr().err.splitlines()
    assert "line 2, column 3" in first
    assert shown[caret.index("^") :] == "(legal a ()"


def test_a_sheet_that_is_not_there(capsys):
    assert run(["gdl", "check", "skirmis"]) == 2
    assert "Did you mean 'skirmish'?" in capsys.readouterr().err
    assert run(["gdl", "info", "nowhere.kif"]) == 2
    assert "nowhere.kif" in capsys.readouterr().err


def test_info_counts(sheet, capsys):
    assert run(["gdl", "info", sheet(tiny.LAMPS), "--seconds", "0.01", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["moves"] == {"me": 4}
    # Four lamps and the clock's six times.
    assert told["propositions"] == 10
    assert told["branching"] == 4.0
    assert 1 <= told["length"] <= 5
    gates = [stage["gates"] for stage in told["stages"] if stage["gates"]]
    assert gates[0] > gates[-1] > 0
    assert all(rate > 0 for rate in told["playouts_per_second"].values())


def test_draw_is_a_picture_of_all_relations(sheet, tmp_path, capsys):
    path = sheet(tiny.PATHS)
    assert run(["gdl", "draw", path, "-o", str(tmp_path / "rules.svg")]) == 0
    picture = ET.parse(tmp_path / "rules.svg").getroot()
    named = {each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"joined", "near", "legal", "true", "terminal"} <= named
    assert run(["gdl", "draw", path]) == 0
    assert ET.fromstring(capsys.readouterr().out).tag.endswith("svg")
    assert run(["gdl", "draw", path, "-o", str(tmp_path / "rules.dot")]) == 0
    dot = (tmp_path / "rules.dot").read_text()
    assert '"near" -> "joined";' in dot
    assert '"taken" -> "legal" [style=dashed];' in dot
    assert run(["gdl", "draw", path, "-o", str(tmp_path / "rules.png")]) == 2
    assert ".svg or .dot" in capsys.readouterr().err
