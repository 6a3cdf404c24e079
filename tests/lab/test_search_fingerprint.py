"""The search fingerprint follows what a search does, not how its code is written."""

from __future__ import annotations

from math import log, sqrt

import pytest

import graven as gv
from graven.lab.experiments import search_fingerprint
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.search_fingerprint import agent_fingerprint, with_fingerprint
from graven.policies import Formula, Parameter, TreePolicy
from graven.search.budget import Budget


def confidence_bound(p, node, edge):
    """UCT's value, written by somebody else."""
    exploration = p.c * sqrt(node.log_visits / edge.visits)
    return edge.total / edge.visits + exploration


def without_logarithm(p, node, edge):
    return edge.total / edge.visits + p.c * sqrt(log(1.0 + node.log_visits) / edge.visits)


def custom_agent(value):
    c = Parameter("c", 0.4, "exploration", low=0.0)
    policy = TreePolicy("mine", "A policy.", (Formula("mine", value, (c,)),))
    return gv.agent("mine(c=0.4)", policies=[policy])


class Piles:
    """Take one or two stones from a pile of nine; who takes the last one wins."""

    max_plies, num_codes = 9, 2

    def __init__(self):
        self.stones, self.turn = 9, 0

    def moves(self):
        return ["one", "two"][: self.stones]

    def play(self, move):
        self.stones -= 1 if move == "one" else 2
        self.turn = 1 - self.turn

    @property
    def over(self):
        return self.stones == 0

    @property
    def scores(self):
        return (float(self.turn), 1.0 - self.turn)

    @property
    def key(self):
        return (self.stones, self.turn)


class Rewritten:
    """The game of `Piles` by other code: it counts upwards."""

    max_plies, num_codes = 9, 2

    def __init__(self):
        self.taken = []
        self.turn = 0

    def moves(self):
        return [word for word, count in (("one", 1), ("two", 2)) if sum(self.taken) + count <= 9]

    def play(self, move):
        self.taken.append({"one": 1, "two": 2}[move])
        self.turn = 1 - self.turn

    @property
    def over(self):
        return sum(self.taken) == 9

    @property
    def scores(self):
        return (1.0, 0.0) if self.turn == 1 else (0.0, 1.0)

    @property
    def key(self):
        return (9 - sum(self.taken), self.turn)


class LastLoses(Piles):
    """Who takes the last stone loses."""

    @property
    def scores(self):
        return (1.0 - self.turn, float(self.turn))


@pytest.fixture(scope="module")
def nogo():
    return gv.game("nogo(size=4)")


def test_a_rewritten_policy_that_searches_alike_has_the_same_fingerprint(nogo):
    ours = agent_fingerprint(nogo, gv.agent("uct(c=0.4)"))
    assert agent_fingerprint(nogo, custom_agent(confidence_bound)) == ours
    assert agent_fingerprint(nogo, custom_agent(without_logarithm)) != ours


def test_rewritten_rules_that_play_alike_have_the_same_fingerprint():
    uct = gv.agent("uct")
    ours = agent_fingerprint(gv.from_class(Piles), uct)
    assert agent_fingerprint(gv.from_class(Rewritten), uct) == ours
    assert agent_fingerprint(gv.from_class(LastLoses), uct) != ours


@pytest.mark.parametrize(
    "changed",
    [
        "grave(ref=20,bias=1e-3)",
        "grave(ref=20,bias=1e-4,ties=first)",
        "grave(ref=20,bias=1e-4,reuse_tree=true)",
        "grave(ref=3,bias=1e-4)",
        "grave(ref=20,bias=1e-4)+mast",
    ],
)
def test_settings_that_change_the_search_change_the_fingerprint(nogo, changed):
    before = gv.agent("grave(ref=20,bias=1e-4)")
    assert agent_fingerprint(nogo, gv.agent(changed)) != agent_fingerprint(nogo, before)


def test_budget_and_seed_are_no_part_of_the_fingerprint():
    short = make_pairing("nogo(size=4)", "uct", "rave", Budget(10))
    long = make_pairing("nogo(size=4)", "uct", "rave", Budget(seconds=2), seed=7)
    fingerprint = with_fingerprint(short).search_fingerprint
    assert len(fingerprint) == search_fingerprint.DIGITS
    assert with_fingerprint(long).search_fingerprint == fingerprint


def test_external_programs_have_no_fingerprint_of_ours():
    both = make_pairing("go(size=5)", 'gtp("a")', 'gtp("b")')
    assert with_fingerprint(both).search_fingerprint == ""


def test_a_damaged_cache_is_computed_again(tmp_path, monkeypatch):
    monkeypatch.setattr(search_fingerprint, "_folder", lambda: tmp_path)
    pairing = make_pairing("nogo(size=4)", "uct", "rave", Budget(10))
    first = with_fingerprint(pairing)
    files = list(tmp_path.iterdir())
    assert len(files) == 2
    for file in files:
        file.write_text("")
    assert with_fingerprint(pairing) == first


def test_games_of_another_search_are_not_counted_with_new_ones(tmp_path, monkeypatch):
    settings = {"playouts": 10, "workers": 1}
    with gv.Store() as store:
        gv.match("nogo(size=3)", "uct", "rave", games=6, store=store, **settings)
        again = gv.match("nogo(size=3)", "uct", "rave", games=6, store=store, **settings)
        assert again.new == 0
        monkeypatch.setattr(search_fingerprint, "agent_fingerprint", lambda game, spec: "another")
        monkeypatch.setattr(search_fingerprint, "_folder", lambda: tmp_path)
        other = gv.match("nogo(size=3)", "uct", "rave", games=4, store=store, **settings)
        assert (other.new, other.games) == (4, 4)
        assert sorted(summary.games for summary in store.summaries()) == [4, 6]
