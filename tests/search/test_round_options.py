"""Rounds of several threads agree with their twin for all games, options and playout policies."""

from __future__ import annotations

import pytest

from graven.core.contract import CHANCE
from graven.games.registry import make_game
from graven.gdl.network_game import network_game
from graven.search import tree as arrays
from tests.naive import dice, tiny
from tests.naive import playouts as naive_playouts
from tests.naive.networks import random_gates
from tests.search.round_twins import EVERY_KIND, GRAVE, UCT, run_both
from tests.search.three_player_heap import heap

pytestmark = pytest.mark.usefixtures("rounds")


@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
@pytest.mark.parametrize(
    "game", [tiny.rock_paper_scissors(4), heap(9), make_game("go(size=3,komi=0)")], ids=repr
)
def test_simultaneous_moves_three_players_and_go(game, policy):
    run_both(game, *policy, threads=3)


@pytest.mark.parametrize(
    "options",
    [
        {"transpositions": False},
        {"expand": 3},
        {"fpu": 0.6},
        {"ties": "first"},
        {"batch_leaves": 4, "playouts_per_leaf": 3},
        {"credit_creation": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
def test_search_options_mean_the_same_to_both(policy, options):
    # The twin plays the playouts of a batch one after another, as games without batches do.
    game = "breakthrough(size=5x4)" if "batch_leaves" in options else "domineering(size=4)"
    run_both(make_game(game), *policy, threads=2, **options)


@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
def test_threads_exchange_the_probabilities_of_drawn_moves(policy):
    game = tiny.rock_paper_scissors(4)
    search, _ = run_both(game, *policy, threads=3, simultaneous="regret", regret_min=10)
    assert search.tree.strategies[0] > 0.0


@EVERY_KIND
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
@pytest.mark.parametrize("game", [dice.pig(), dice.race()], ids=["pig", "race"])
def test_threads_exchange_the_outcomes_of_dice(game, policy, transpositions, rounds):
    search, _ = run_both(game, *policy, threads=3, transpositions=transpositions)
    nodes = int(search.tree.meta[arrays.NODES])
    assert (search.tree.turns[:nodes] == CHANCE).any()


@EVERY_KIND
@pytest.mark.parametrize("solver", ["on", "off"])
@pytest.mark.parametrize("max_nodes", [2, 70])
@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
def test_full_trees_forget_what_their_twins_forget(policy, max_nodes, solver, rounds):
    game = make_game("breakthrough(size=5x4)")
    options = {"max_nodes": max_nodes, "full": "recycle", "solver": solver}
    search, _ = run_both(game, *policy, threads=3, **options)
    for member in search.members:
        assert member.tree.meta[arrays.NODES] <= max_nodes


def test_trees_below_simultaneous_moves_are_recycled():
    game = tiny.rock_paper_scissors(4)
    run_both(game, *UCT, threads=3, max_nodes=40, full="recycle")


PLAYOUTS = [
    ("mast(k=4)", lambda: naive_playouts.Mast(k=4.0)),
    ("mast(epsilon=0.4,batch=30)", lambda: naive_playouts.Mast(epsilon=0.4, batch=30)),
    ("mastf(k=8)", lambda: naive_playouts.Mast(k=8.0, features=True)),
    ("ppa(alpha=0.3)", lambda: naive_playouts.Ppa(0.3)),
    ("ppaf(alpha=0.3)", lambda: naive_playouts.Ppa(0.3, features=True)),
    ("npa(alpha=0.3,min=3)", lambda: naive_playouts.Npa(0.3, least=3)),
    ("nst(epsilon=0.2)", lambda: naive_playouts.Nst(epsilon=0.2)),
    ("poolrave(p=0.5,size=5,min=20)", lambda: naive_playouts.PoolRave(0.5, 5, 20)),
]


@pytest.mark.parametrize(("text", "playout"), PLAYOUTS, ids=[p[0] for p in PLAYOUTS])
def test_learning_playouts_learn_from_the_simulations_of_all_threads(text, playout):
    spec, formula, ref = GRAVE
    game = make_game("breakthrough(size=5x4)")
    run_both(game, f"{spec}+{text}", formula, ref, threads=2, playout=playout)


BATCHES = {"batch_leaves": 8, "playouts_per_leaf": 3, "learn_after": "batch"}
AFTER_BATCHES = [
    ("nst(epsilon=0.3,min=3)", lambda: naive_playouts.Nst(epsilon=0.3, least=3)),
    ("nst(k=3,n=2,min=2)", lambda: naive_playouts.Nst(k=3.0, n=2, least=2)),
    ("ppam(alpha=0.4)", lambda: naive_playouts.Ppa(0.4, batches=True)),
    ("ppa(alpha=0.2,policy=shared)", lambda: naive_playouts.Ppa(0.2, shared=True, batches=True)),
]


@EVERY_KIND
@pytest.mark.parametrize(("text", "playout"), AFTER_BATCHES, ids=[p[0] for p in AFTER_BATCHES])
def test_playouts_that_learn_after_a_batch_learn_from_the_batches_of_all_threads(
    text, playout, rounds
):
    spec, formula, ref = GRAVE
    simultaneous = network_game(random_gates(5, 2, False).network(), steps=9)
    for game in (make_game("breakthrough(size=5x4)"), simultaneous):
        run_both(game, f"{spec}+{text}", formula, ref, threads=3, playout=playout, **BATCHES)


@pytest.mark.parametrize("turns", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize(
    "options", [{}, {"batch_leaves": 8, "playouts_per_leaf": 4, "learn_after": "batch"}], ids=str
)
def test_gdl_networks_with_single_and_batched_kernels(options, turns):
    spec, formula, ref = GRAVE
    game = network_game(random_gates(3 if turns else 5, 2, turns).network(), steps=9)
    learning = lambda: naive_playouts.Mast(k=5.0)  # noqa: E731
    run_both(game, f"{spec}+mast(k=5)", formula, ref, threads=2, playout=learning, **options)
