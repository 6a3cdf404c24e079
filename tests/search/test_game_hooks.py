"""Hooks of a game: priors of moves, evaluations of positions, and what policies make of them."""

from __future__ import annotations

import pytest

import graven as gv
from graven.agents import SearchAgent
from graven.games.registry import make_game
from graven.policies import Formula, Parameter, TreePolicy
from tests.naive import formulas as naive
from tests.naive import tiny
from tests.search.helpers import INFINITY, assert_same_tree, run_both

GAMES = ["breakthrough(size=5x4)", "othello(size=4)"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("spec", "formula", "ref", "options"),
    [
        ("puct(c=2)", naive.puct(2.0), None, {}),
        ("puct(c=0.5)", naive.puct(0.5, unknown=0.0), None, {"fpu": 0.0}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"prior_bias": 1.5}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"prior_bias": 0.5, "fpu": 0.6}),
        ("grave(ref=20,bias=1e-4)", naive.bias(1e-4), 20, {"prior_amaf": 10.0}),
        ("rave(k=250,c=0.2)", naive.hand_k(250.0, 0.2), 0, {"prior_amaf": 4.0, "prior_bias": 1.0}),
        ("hrave(bias=1e-3)", naive.bias(1e-3), INFINITY, {"prior_amaf": 0.5}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"cutoff": 3}),
        ("ucb1-tuned(c=1)", naive.ucb1_tuned(1.0), None, {"cutoff": 0}),
        ("hrave(bias=1e-3)", naive.bias(1e-3), INFINITY, {"cutoff": 5}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"implicit": 0.4}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"implicit": 0.4, "solver": "off", "fpu": 0.6}),
        ("grave(ref=20,bias=1e-4)", naive.bias(1e-4), 20, {"implicit": 1.0, "expand": 2}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"implicit": 0.3, "max_nodes": 60, "full": "recycle"}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"widen": 40.0}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"widen": 3, "widen_first": 2, "solver": "off"}),
        ("uct(c=0.4)", naive.uct(0.4), None, {"widen": 0.5, "implicit": 0.2, "widen_growth": 2}),
        ("grave(ref=20,bias=1e-4)", naive.bias(1e-4), 20, {"widen": 2, "prior_amaf": 3.0}),
    ],
)
def test_the_kernel_reads_hooks_as_its_twin_does(name, spec, formula, ref, options):
    search, twin = run_both(make_game(name), spec, formula, ref, playouts=400, **options)
    assert assert_same_tree(search, twin)[0] > 50


def test_a_search_that_reads_no_prior_and_no_squares_keeps_none():
    game = make_game("breakthrough(size=5x4)")
    for spec in ("uct", "grave", "grave+mast"):
        search = SearchAgent(spec).bind(game)
        assert not len(search.tree.squares)
        assert not len(search.tree.priors)
        assert not len(search.tree.chances)
    assert len(SearchAgent("ucb1-tuned").bind(game).tree.squares)
    assert len(SearchAgent("puct").bind(game).tree.priors)
    assert not len(SearchAgent("puct").bind(make_game("hex")).tree.priors)


def variance_of(edge):
    mean = edge.total / edge.visits
    return edge.squares / edge.visits - mean * mean


def by_variance(p, node, edge):
    return edge.total / edge.visits + p.c * variance_of(edge)


def test_a_helper_of_a_formula_may_read_the_squares():
    c = Parameter("c", 1.0, "weight of the variance", low=0.0)
    policy = TreePolicy("spread", "By variance.", (Formula("spread", by_variance, (c,)),))
    assert policy.formulas[0].reads.squares
    assert not policy.formulas[0].reads.prior
    result = gv.agent("spread", policies=[policy]).search(make_game("nogo").start(), playouts=200)
    assert result.playouts == 200


def one_move(constants, state, player, move):
    return 1.0 if move == 3 else 0.0


def none_wins(constants, state, out):
    out[0], out[1] = 1.0, 0.0


def test_a_user_gives_a_game_its_hooks():
    game = tiny.heaps(3).changed(prior=one_move, evaluate=none_wins)
    result = gv.agent("puct(c=50,solver=off)").search(game.start(), playouts=300)
    assert result.root_stats[0].move == "right-2"
    assert result.root_stats[0].visits > 200
    # Playouts of no ply are evaluations: the first player always wins, unless the game has ended.
    result = gv.agent("uct(cutoff=0)").search(game.start(), playouts=10)
    assert result.value == 1.0
    assert game.fingerprint != tiny.heaps(3).fingerprint
    gv.check_game(game)


def too_much(constants, state, player, move):
    return 2.0


def test_hooks_that_are_wrong_or_missing_are_reported():
    game = tiny.heaps(3)
    with pytest.raises(gv.GravenError, match="`prior` returned no number from 0 to 1"):
        gv.agent("puct").search(game.changed(prior=too_much).start(), playouts=10)
    with pytest.raises(gv.GravenError, match=r"`prior` returned 2\.0 for move"):
        gv.check_game(game.changed(prior=too_much))
    with pytest.raises(gv.GravenError, match="heaps has no `prior`"):
        gv.agent("uct(prior_bias=1)").search(game.start())
    with pytest.raises(gv.GravenError, match="heaps has no `evaluate`"):
        gv.agent("uct(cutoff=3)").search(game.start())
    with pytest.raises(gv.GravenError, match="heaps has no `evaluate`: leave implicit out"):
        gv.agent("uct(implicit=0.5)").search(game.start())
    with pytest.raises(gv.GravenError, match=r"heaps has no `prior`: leave .* widen out"):
        gv.agent("uct(widen=5)").search(game.start())
    for option in ("amaf_off=0.1", "criticality=10"):
        with pytest.raises(gv.GravenError, match=r"amaf_weight and criticality need AMAF values"):
            gv.agent(f"uct({option})").search(game.start())
    with pytest.raises(gv.GravenError, match="prior_amaf needs AMAF values"):
        gv.agent("uct(prior_amaf=3)").search(make_game("othello").start())
    with pytest.raises(gv.GravenError, match="cutoff is a whole number"):
        gv.agent("uct(cutoff=2.5)")


class Guided:
    """Take one or two stones of eight; the last one wins. It knows how to play."""

    max_plies = 9

    def __init__(self):
        self.stones, self.turn = 8, 0

    def moves(self):
        return [stones for stones in (1, 2) if stones <= self.stones]

    def play(self, move):
        self.stones -= move
        self.turn = 1 - self.turn

    @property
    def over(self):
        return self.stones == 0

    @property
    def scores(self):
        return [self.turn, 1 - self.turn]

    def prior(self, move):
        return 1.0 if (self.stones - move) % 3 == 0 else 0.0

    def evaluate(self):
        mover = 0.0 if self.stones % 3 == 0 else 1.0
        return [mover, 1 - mover] if self.turn == 0 else [1 - mover, mover]


def test_a_class_has_hooks_as_methods():
    game = gv.from_class(Guided)
    gv.check_game(game)
    for spec in ("puct", "uct(cutoff=0)", "grave(prior_amaf=5)+mast", "uct(prior_bias=1)"):
        result = gv.agent(spec).search(game.start(), playouts=100)
        assert result.best_move == "2"
    assert gv.agent("uct(cutoff=0)").search(game.start(), playouts=100).value > 0.9
