"""Policies of one's own: in a file, or given to an agent."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

import pytest

import graven as gv
from graven.agents import parse
from graven.agents.spec import with_budget
from graven.core.errors import ContractError, UsageError
from graven.lab.store.store import Store
from graven.search.engine import Budget

MINE = """
from math import log, sqrt
from graven.policies import Form, Parameter, PlayoutForm, PlayoutPolicy, TreePolicy
from graven.policies import best, play_with, sample
from upper import bound

def select(params, rng, visits, lo, hi, moves, counts, sums, amaf, base, values):
    fpu, ties, c = params[0], params[1], params[2]
    for edge in range(lo, hi):
        n = counts[edge]
        values[edge - lo] = fpu if n == 0 else sums[edge] / n + c * bound(visits, n)
    return best(values, lo, hi, moves, ties, rng)

def beyond(params, rng, visits, lo, hi, moves, counts, sums, amaf, base, values):
    return hi + 1_000_000_000

def wrong(params, rng, visits, lo, hi, moves, counts, sums, amaf, base, values):
    return lo + "one"

def any_move(rules, tree, record, learner, player, length, rng):
    return sample(rules, record.state, player, record.moves, rng)

def no_move(rules, tree, record, learner, player, length, rng):
    return 1_000_000

def play_out(rules, tree, record, learner, rng):
    return play_with(any_move, rules, tree, record, learner, rng)

def play_none(rules, tree, record, learner, rng):
    return play_with(no_move, rules, tree, record, learner, rng)

C = Parameter("c", 0.4, "exploration", low=0.0)
tree = TreePolicy("tree", "UCT, once more.", (Form("tree", select, (C,)),))
far = TreePolicy("far", "Chooses what is not there.", (Form("far", beyond, ()),))
odd = TreePolicy("odd", "Cannot be compiled.", (Form("odd", wrong, ()),))
bare = TreePolicy("bare", "Without any formula.", ())
loud = TreePolicy("loud", "", (Form("loud", select, (Parameter("C", 0.4, ""),)),))
seed = TreePolicy("seed", "", (Form("seed", select, (Parameter("memory", 0.4, ""),)),))
plain = TreePolicy("plain", "", (Form("plain", select, ("c",)),))
empty = TreePolicy("empty", "", (Form("empty", None, ()),))
named = TreePolicy("named", "", tree.forms, ref=Parameter("refs", 50, ""))
over = PlayoutPolicy("over", "", (PlayoutForm(play_out),), pool="size")
playout = PlayoutPolicy("playout", "Uniform, once more.", (PlayoutForm(play_out),))
none = PlayoutPolicy("none", "No move at all.", (PlayoutForm(play_none),))
number = 7
"""
UPPER = """
from math import log, sqrt
def bound(visits, n):
    return sqrt(log(visits) / n)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "upper.py").write_text(UPPER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(spec, policies=()):
    search = gv.agent(spec, policies).search(gv.game("nogo", size=4).start(), playouts=400, seed=3)
    return search.moves, search.value, search.plies


def test_the_same_formulas_search_the_same_tree(folder):
    shipped = found("uct(c=0.3)")
    assert found("./mine.py:tree(c=0.3)") == shipped
    assert found("uct(c=0.3)+mine.py:playout") == shipped
    assert found("mine.py:tree(c=0.3)+mine.py:playout") == shipped
    assert found("mine.py:tree(c=0.9)") != shipped
    assert found("mine.py:tree(c=0.3)+mast(k=4)") == found("uct(c=0.3)+mast(k=4)")


def digest_with_neighbour(mine):
    return hashlib.sha256(f"{mine}upper.py{UPPER}".encode()).hexdigest()[:12]


def test_they_are_recorded_with_the_digest_of_their_file(folder):
    digest = digest_with_neighbour(MINE)
    spec = gv.agent("./mine.py:tree(reuse=true,playouts=50)+mine.py:playout").spec
    assert spec == (
        f"mine.py:tree(c=0.4,reuse=true,playouts=50,digest={digest})"
        f"+mine.py:playout(digest={digest})"
    )
    assert gv.agent(spec).spec == spec
    for workers in (1, 2):
        result = gv.match(
            "nogo(size=4)", "mine.py:tree", "uct+mine.py:playout", games=4, playouts=20,
            seed=workers, workers=workers,
        )  # fmt: skip
        assert result.games == 4
        assert not result.failures
        assert result.first == f"mine.py:tree(c=0.4,digest={digest})"
    (folder / "mine.py").write_text(MINE + "\n")
    with pytest.raises(UsageError, match=r"mine\.py has changed"):
        gv.agent(spec)
    assert gv.agent("mine.py:tree").spec != spec


def test_a_digest_that_looks_like_a_number_is_none(folder):
    for n in range(100_000):
        text = f"{MINE}# {n}\n"
        digest = digest_with_neighbour(text)
        if re.fullmatch(r"\d+e\d+", digest):
            break
    (folder / "mine.py").write_text(text)
    spec = gv.agent("mine.py:tree+mine.py:playout").spec
    assert spec.count(f"digest={digest}") == 2
    assert gv.agent(spec).spec == spec
    assert f"digest={digest}" in with_budget(spec, Budget(30))
    (folder / "game.py").write_text(text + "import graven as gv\ngame = gv.game('nogo')\n")
    assert gv.game(gv.game("game.py:game").spec)


def test_a_store_of_somebody_elses_runs_nothing(folder):
    gv.match("nogo(size=4)", "mine.py:tree(seconds=1,playouts=20)", "uct", games=2, store="x.db")
    (folder / "mine.py").write_text("raise SystemExit('run')")
    with Store("x.db") as store:
        (summary,) = store.summaries()
    assert summary.pairing.sides()[0].startswith("mine.py:tree(c=0.4,playouts=20,seconds=1,digest=")
    assert "mine.py:tree" in summary.pairing.title
    with pytest.raises(UsageError, match="on one's own machine"):
        parse("mine.py:tree")
    with pytest.raises(UsageError, match="on one's own machine"):
        parse("uct+mine.py:playout")


def test_policies_can_be_given_to_an_agent(folder):
    from graven.sources.python_file import own_file

    module = own_file("mine.py").module
    assert found("tree(c=0.3)+playout", [module.tree, module.playout]) == found("uct(c=0.3)")
    agent = gv.agent("tree", [module.tree])
    assert agent.spec == "tree(c=0.4)"
    with pytest.raises(UsageError, match="in a file"):
        gv.match("nogo(size=4)", agent, "uct", games=2)
    with pytest.raises(UsageError, match="unknown tree policy 'tree'"):
        gv.agent("tree(c=0.3)")
    with pytest.raises(UsageError, match="Did you mean 'tree'"):
        gv.agent("tre", [module.tree])
    with pytest.raises(UsageError, match="Did you mean 'playout'"):
        gv.agent("uct+playuot", [module.playout])
    with pytest.raises(UsageError, match="the policy name 'uct' is taken"):
        gv.agent("uct", [replace(module.tree, name="uct")])
    with pytest.raises(UsageError, match="lower-case letters and digits, got 'Tree'"):
        gv.agent("uct", [replace(module.tree, name="Tree")])
    with pytest.raises(UsageError, match="neither a TreePolicy"):
        gv.agent("uct", [module.select])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mine.py:tre", "Did you mean 'tree'"),
        ("mine.py:number", "mine.py:number is a int: neither a TreePolicy nor a PlayoutPolicy"),
        ("mine.py:playout", "stands after the plus sign"),
        ("uct+mine.py:tree", "stands before the plus sign"),
        ("mine.py:tree(d=3)", "unknown parameter of mine.py:tree .d.. Valid: c, each"),
        ("mine.py:tree(c=-1)", "mine.py:tree: c must be at least 0"),
        ("mine.py:bare", "a tuple of Form, at least one"),
        ("mine.py:loud", "small letters only, not 'C'"),
        ("mine.py:seed", "every spec has a 'memory'"),
        ("mine.py:plain", "a tuple of Parameter"),
        ("mine.py:empty", "None is no function"),
        ("mine.py:named", "must be called 'ref'"),
        ("uct+mine.py:over", "`pool` and `over` are names of its parameters"),
        ("nowhere.py:tree", "cannot be read: No such file"),
    ],
)
def test_what_is_wrong_is_told(folder, spec, said):
    with pytest.raises(UsageError, match=said):
        gv.agent(spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mine.py:far", "the tree policy's 'beyond' chose an edge outside lo..hi - 1"),
        ("mine.py:far(leaves=4,each=2)", "'beyond' chose an edge outside"),
        ("uct+mine.py:none", "or the playout's own 'play_none' did so"),
    ],
)
def test_a_policy_that_breaks_its_contract_ends_the_search_with_a_sentence(folder, spec, said):
    with pytest.raises(ContractError, match=said):
        found(spec)


def test_a_policy_that_cannot_be_compiled_names_its_line(folder):
    line = 1 + MINE[: MINE.index('lo + "one"')].count("\n")
    with pytest.raises(gv.GravenError, match=rf"mine\.py, line {line}, `return lo \+ \"one\"`"):
        found("mine.py:odd")
