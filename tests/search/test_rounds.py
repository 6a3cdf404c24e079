"""Several threads in one deterministic search: every copy of the tree agrees, visit for visit, with
a twin that makes the same rounds one simulation after another (`tests/naive/rounds.py`)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.gdl.network_game import network_game
from graven.search import sync_search
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.naive import playouts as naive_playouts
from tests.naive import tiny
from tests.naive.networks import random_gates
from tests.naive.rounds import NaiveRounds
from tests.search.delays import delay_at_random, trees_of, with_threads
from tests.search.helpers import POLICIES, assert_same_tree, every_node
from tests.search.three_player_heap import heap

UCT, RAVE, GRAVE, HRAVE = POLICIES[0], POLICIES[2], POLICIES[10], POLICIES[13]


@pytest.fixture(autouse=True)
def rounds(request, monkeypatch):
    """Longer rounds than usual, brief ones from 150 playouts on, or what the test says."""
    growth, complete = getattr(request, "param", (16, 150))
    monkeypatch.setattr(sync_search, "GROWTH", growth)
    monkeypatch.setattr(sync_search, "COMPLETE", complete)


USUAL, BRIEF = (sync_search.GROWTH, sync_search.COMPLETE), (16, 0)
EVERY_KIND = pytest.mark.parametrize("rounds", [USUAL, (16, 150), BRIEF], indirect=True, ids=str)
USUALLY = pytest.mark.parametrize("rounds", [USUAL], indirect=True, ids=str)


def twin_of(search, game, formula, ref, playout=lambda: None, **options):
    return NaiveRounds(
        game,
        formula,
        ref,
        threads=len(search.members),
        alone=sync_search.ALONE,
        growth=sync_search.GROWTH,
        most=search.most,
        complete=search.complete,
        playout=playout,
        **{"solver": "off", **options},
    )


def assert_same_trees(search, twin):
    for member, copy in zip(search.members, twin.copies, strict=True):
        assert_same_tree(member, copy)
        # Nodes below simultaneous moves are found by joint move: their numbers must agree as well.
        nodes = int(member.tree.meta[arrays.NODES])
        mine = sorted(visits for visits in member.tree.visits[:nodes].tolist() if visits)
        theirs = sorted(node.visits for node in every_node(copy.root) if node.visits)
        assert mine == theirs


def run_both(game, spec, formula, ref, threads, playouts=400, seed=1, playout=None, **options):
    agent = SearchAgent(with_threads(spec, threads, **options))
    search = agent.bind(game)
    twin = twin_of(search, game, formula, ref, playout or (lambda: None), **options)
    search.run(game.start().state, (), Budget(playouts=playouts), seed)
    twin.set_root(game.start().state)
    twin.run(seed, playouts)
    assert_same_trees(search, twin)
    assert search.root_visits == playouts
    return search, twin


@EVERY_KIND
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(("spec", "formula", "ref"), POLICIES, ids=[p[0] for p in POLICIES])
def test_every_tree_policy_visits_what_its_twin_visits(spec, formula, ref, threads):
    run_both(make_game("breakthrough(size=5x4)"), spec, formula, ref, threads)


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
    run_both(make_game("domineering(size=4)"), *policy, threads=2, **options)


@EVERY_KIND
@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
def test_threads_exchange_score_bounds(policy, rounds):
    game = make_game("breakthrough(size=4x4)")
    search, _ = run_both(game, *policy, threads=2, playouts=1000, solver="on")
    bounded = [member.tree.bounded[: member.tree.meta[arrays.NODES]] for member in search.members]
    assert min(each.sum() for each in bounded) > 50
    if sync_search.COMPLETE > 1000:
        assert bounded[0].sum() == bounded[1].sum()


def nodes_by_key(tree, players):
    """By position: the playouts of each node, and those of its moves."""
    found = {}
    for node in range(int(tree.meta[arrays.NODES])):
        edges = []
        for place in range(node * players, (node + 1) * players):
            first, count = int(tree.first[place]), int(tree.degree[place])
            listed = slice(first, first + count) if first >= 0 else slice(0, 0)
            columns = tree.moves[listed], tree.counts[listed], tree.sums[listed]
            # Hex lists the moves of a position in the order in which it was reached.
            edges.append(sorted(zip(*(column.tolist() for column in columns), strict=True)))
        found[int(tree.keys[node])] = int(tree.visits[node]), edges
    return found


@USUALLY
@pytest.mark.parametrize("game", ["hex(size=5)", "breakthrough(size=5x4)"])
@pytest.mark.parametrize("spec", ["uct", "grave(ref=10)+nst"])
def test_all_trees_have_the_same_nodes_and_playouts(spec, game):
    bound = make_game(game)
    search = SearchAgent(with_threads(spec, 3, solver="on")).bind(bound)
    search.run(bound.start().state, (), Budget(playouts=2000), 1)
    first, *others = (nodes_by_key(member.tree, 2) for member in search.members)
    assert len(first) > 1000
    for other in others:
        assert other == first


@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
def test_threads_exchange_the_probabilities_of_drawn_moves(policy):
    game = tiny.rock_paper_scissors(4)
    search, _ = run_both(game, *policy, threads=3, simultaneous="regret", regret_min=10)
    assert search.tree.strategies[0] > 0.0


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


@pytest.mark.parametrize("turns", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize(
    "options", [{}, {"batch_leaves": 8, "playouts_per_leaf": 4, "learn_after": "batch"}], ids=str
)
def test_gdl_networks_with_single_and_batched_kernels(options, turns):
    spec, formula, ref = GRAVE
    game = network_game(random_gates(3 if turns else 5, 2, turns).network(), steps=9)
    learning = lambda: naive_playouts.Mast(k=5.0)  # noqa: E731
    run_both(game, f"{spec}+mast(k=5)", formula, ref, threads=2, playout=learning, **options)


@pytest.mark.parametrize("policy", [UCT, GRAVE, HRAVE], ids=["uct", "grave", "hrave"])
@pytest.mark.parametrize("transpositions", [True, False])
def test_a_kept_tree_goes_on_as_if_it_had_never_stopped(policy, transpositions):
    spec, formula, ref = policy
    game = make_game("breakthrough(size=5x4)")
    position = game.start()
    agent = SearchAgent(with_threads(spec, 2, reuse_tree=True, transpositions=transpositions))
    search = agent.bind(game)
    twin = twin_of(search, game, formula, ref, transpositions=transpositions)
    twin.set_root(position.state)
    for move in range(3):
        search.run(position.state, position.history, Budget(playouts=300), derive(5, move))
        twin.run(derive(5, move), 300)
        for member, copy in zip(search.members, twin.copies, strict=True):
            assert_same_tree(member, copy)
        counts = {m[1]: n for m, n in twin.root.count.items()}
        best = max(counts, key=lambda code: (counts[code], code))
        position = position.play(best)
        for copy in twin.copies:
            copy.root_state, copy.root = position.state.copy(), copy.root.children[(best,)]
        assert twin.root.visits > 1


@pytest.mark.parametrize("parallel", ["sync", "root"])
@pytest.mark.parametrize("spec", ["uct", "grave(ref=10)", "grave(ref=10)+ppa", "uct+nst"])
def test_threads_that_are_delayed_at_random_grow_the_same_trees(spec, parallel):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(with_threads(spec, 3, parallel=parallel)).bind(game)
    expected = trees_of(search, game.start().state, 300, 7)
    delay_at_random(search, random.Random(3))
    for _ in range(100):
        for mine, other in zip(expected, trees_of(search, game.start().state, 300, 7), strict=True):
            np.testing.assert_array_equal(mine, other)


@EVERY_KIND
@pytest.mark.parametrize("spec", ["uct", "grave(ref=10)+nst"])
def test_one_thread_can_make_the_rounds_of_all(spec, rounds):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(with_threads(spec, 3)).bind(game)
    expected = trees_of(search, game.start().state, 600, 7)
    search.run = search.run_in_turn
    for mine, other in zip(expected, trees_of(search, game.start().state, 600, 7), strict=True):
        np.testing.assert_array_equal(mine, other)
