"""Traces of matches: those that agree, those that differ, and malformed files."""

from __future__ import annotations

import gzip
import json
import random

import pytest

from graven.core.errors import UsageError
from graven.gdl.network_game import network_game
from graven.gdl.trace_verifier import first_difference, read_traces
from graven.interfaces.cli.app import run
from tests.naive.breakthrough_gates import breakthrough
from tests.naive.networks import Naive


@pytest.fixture(scope="module")
def match():
    """A random match, played by the plain evaluator."""
    gates = breakthrough(5)
    naive, chance, steps = Naive(gates), random.Random(3), []
    state = naive.start()
    while not naive.terminal(state):
        legal = naive.legal(state)
        joint = [chance.choice(moves) for moves in legal]
        texts = [
            sorted(names[move] for move in moves)
            for names, moves in zip(gates.moves, legal, strict=True)
        ]
        made = [names[move] for names, move in zip(gates.moves, joint, strict=True)]
        steps.append({"legal": texts, "joint": made})
        state = naive.next(state, joint)
    return {
        "roles": list(gates.roles),
        "steps": steps,
        "terminal": True,
        "cut": False,
        "goals": [goals[0] for goals in naive.goals(state)],
    }


@pytest.fixture(scope="module")
def game():
    return network_game(breakthrough(5).network())


def verify(game, tmp_path, data):
    path = tmp_path / "trace.jsonl"
    path.write_text(json.dumps(data) + "\n")
    (trace,) = read_traces(str(path))
    return first_difference(game, trace)


def changed(match, change):
    copy = json.loads(json.dumps(match))
    change(copy)
    return copy


def test_a_correct_match_agrees_to_its_end(game, match, tmp_path):
    assert len(match["steps"]) > 5
    assert verify(game, tmp_path, match) is None


def test_files_may_be_compressed(game, match, tmp_path):
    path = tmp_path / "trace.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.write(json.dumps(match) + "\n\n" + json.dumps(match) + "\n")
    assert [first_difference(game, trace) for trace in read_traces(str(path))] == [None, None]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["steps"][2]["legal"][0].pop(), "step 3: the legal moves of white add"),
        (lambda m: m["steps"][3]["legal"][1].append("( x )"), r"step 4: .* black lack \( x \)"),
        (lambda m: m["steps"][1]["joint"].__setitem__(1, "( nothing )"), "step 2: "),
        (lambda m: m["steps"].pop(), "the game goes on"),
        (lambda m: m["steps"].append(m["steps"][-1]), "the game is over here"),
        (lambda m: m.update(terminal=False, goals=None), "the game is over"),
        (lambda m: m.update(goals=m["goals"][::-1]), "the goal of white is"),
        (lambda m: m.update(roles=["black", "white"]), "the roles are white, black"),
    ],
)
def test_the_first_difference_is_reported(game, match, tmp_path, change, message):
    difference = verify(game, tmp_path, changed(match, change))
    assert difference is not None
    assert pytest.raises(AssertionError, match=message).matches(AssertionError(difference))


def test_null_goals_are_not_compared(game, match, tmp_path):
    assert verify(game, tmp_path, changed(match, lambda m: m.update(goals=[None, None]))) is None


def test_a_cut_match_need_not_be_over(game, match, tmp_path):
    def cut(m):
        m["steps"] = m["steps"][:4]
        m.update(terminal=False, cut=True, goals=None)

    assert verify(game, tmp_path, changed(match, cut)) is None


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "[]",
        "{}",
        '{"roles": "ab", "steps": [], "terminal": true}',
        '{"roles": ["a"], "steps": [{"legal": [["x"]], "joint": ["x", "y"]}], "terminal": true}',
        '{"roles": ["a"], "steps": [{"legal": [[1]], "joint": ["x"]}], "terminal": true}',
        '{"roles": ["a"], "steps": [], "terminal": true, "goals": ["many"]}',
        '{"roles": ["a"], "steps": [], "terminal": true, "goals": [Infinity]}',
        '{"roles": ["a"], "steps": [], "terminal": true, "goals": [99.7]}',
        '{"roles": ["a"], "steps": [], "terminal": true, "cut": true, "goals": [1, 2]}',
        "[" * 100_000,
    ],
)
def test_malformed_traces_raise(tmp_path, text):
    path = tmp_path / "trace.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="line 1 is not a trace"):
        list(read_traces(str(path)))


def test_unreadable_files_raise(tmp_path):
    (tmp_path / "torn.jsonl.gz").write_bytes(gzip.compress(b"{}" * 1000)[:20])
    (tmp_path / "plain.jsonl.gz").write_bytes(b"{}")
    (tmp_path / "other.jsonl").write_bytes(b"\xff\xfe\x00")
    for name in ("torn.jsonl.gz", "plain.jsonl.gz", "other.jsonl", "none.jsonl", "."):
        with pytest.raises(UsageError):
            list(read_traces(str(tmp_path / name)))


def test_the_exit_code_is_whether_all_traces_agree(tmp_path, capsys):
    sheet = tmp_path / "lamp.kif"
    sheet.write_text(
        "(role me) (init off) (<= (legal me press) (true off)) (<= (next on) (does me press))"
        "(<= terminal (true on)) (<= (goal me 100) (true on)) (<= (goal me 0) (true off))"
    )
    step = {"legal": [["press"]], "joint": ["press"]}
    right = {"roles": ["me"], "steps": [step], "terminal": True, "goals": [100]}
    (tmp_path / "right.jsonl").write_text(json.dumps(right))
    (tmp_path / "wrong.jsonl").write_text(json.dumps({**right, "goals": [0]}))
    paths = [str(tmp_path / name) for name in ("right.jsonl", "wrong.jsonl")]
    for way in ("network", "proof"):
        assert run(["gdl", "verify", str(sheet), paths[0], "--by", way]) == 0
        assert "all agree (1 match, 1 step)" in capsys.readouterr().out
    assert run(["gdl", "verify", str(sheet), *paths, "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["differs"], second["differs"]) == (0, 1)
    assert second["first"]["match"] == 0
    assert run(["gdl", "verify", str(sheet), str(tmp_path / "none.jsonl")]) == 2
