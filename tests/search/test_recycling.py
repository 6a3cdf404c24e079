"""Recycling: a full tree removes its least recently used nodes, as its twin does."""

from __future__ import annotations

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.naive import tiny
from tests.search.helpers import POLICIES, assert_consistent, assert_same_tree, run_both

RECYCLE = {"full": "recycle"}
SOME = [POLICIES[i] for i in (0, 2, 10, 13, 17, 19)]
NAMES = ["uct", "rave", "grave", "hrave", "ucb1-tuned", "mcps"]


@pytest.mark.parametrize("solver", ["on", "off"])
@pytest.mark.parametrize("max_nodes", [2, 70])
@pytest.mark.parametrize("policy", SOME, ids=NAMES)
def test_a_full_tree_forgets_the_nodes_that_its_twin_forgets(policy, max_nodes, solver):
    game = make_game("breakthrough(size=5x4)")
    search, twin = run_both(game, *policy, 400, max_nodes=max_nodes, solver=solver, **RECYCLE)
    assert int(search.tree.meta[arrays.NODES]) == len(twin.members) <= max_nodes
    compared, _ = assert_same_tree(search, twin)
    assert compared == len(twin.members)  # all nodes that stay can be reached
    assert not search.arena.full
    assert search.root_visits == 400


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("go(size=3,komi=0)", {}),
        ("domineering(size=4)", {"transpositions": False}),
        ("domineering(size=4)", {"expand": 3}),
        ("nogo(size=3)", {"credit_creation": False}),
        ("nogo(size=3)", {"amaf_moves": "playout", "amaf_count": "all"}),
        ("hex(size=4)", {"fpu": 0.6}),
        ("rock paper scissors", {}),
    ],
)
@pytest.mark.parametrize("policy", [POLICIES[0], POLICIES[10]], ids=["uct", "grave"])
def test_recycling_goes_with_other_options(policy, name, options):
    game = tiny.rock_paper_scissors(4) if name.startswith("rock") else make_game(name)
    search, twin = run_both(game, *policy, 500, max_nodes=40, **RECYCLE, **options)
    assert int(search.tree.meta[arrays.NODES]) == len(twin.members) <= 40
    assert_same_tree(search, twin)


@pytest.mark.parametrize(
    "spec", ["uct(", "grave(", "mcps(", "grave(root=sh,", "grave(reuse_tree=true,"]
)
def test_a_search_at_the_limit_of_memory_goes_on_in_a_tree_that_fits(spec):
    game = make_game("hex(size=7)")
    agent = SearchAgent(f"{spec}memory_mib=2,full=recycle)")
    search = agent.bind(game)
    position = game.start()
    for _ in range(3):
        run = search.run(position.state, position.history, Budget(playouts=8_000), 1)
        assert not run.full
        assert run.playouts == 8_000
        assert search.arena.nbytes <= 2 << 20
        assert_consistent(search)
        root = search.root_statistics(position.current_player)
        assert sum(move.visits for move in root) >= run.playouts - 1
        best = max(root, key=lambda move: move.visits)
        position = position.play(best.code)


def test_a_closed_tree_is_the_default():
    game = make_game("hex(size=5)")
    closed = SearchAgent("grave(max_nodes=50)").search(game.start(), playouts=500, seed=1)
    assert closed.memory_full
    assert closed.nodes == 50
    recycled = SearchAgent("grave(max_nodes=50,full=recycle)").search(
        game.start(), playouts=500, seed=1
    )
    assert not recycled.memory_full
    assert recycled.nodes <= 50


def test_the_same_seed_gives_the_same_tree_whatever_was_searched_before():
    game = make_game("go(size=5)")
    search = SearchAgent("grave(max_nodes=60,full=recycle,batch_leaves=4)").bind(game)
    trees = []
    for _ in range(2):
        search.renew()
        search.run(game.start().state, (), Budget(playouts=800), 3)
        edges = int(search.tree.meta[arrays.EDGES])
        trees.append((search.tree.moves[:edges].copy(), search.tree.counts[:edges].copy()))
    for one, two in zip(*trees, strict=True):
        np.testing.assert_array_equal(one, two)


def test_proofs_survive():
    """A position that is proven with all nodes is proven with a few of them, too."""
    game = make_game("nogo(size=3)")
    whole = SearchAgent("uct").search(game.start(), playouts=20_000, seed=1)
    few = SearchAgent("uct(max_nodes=300,full=recycle)").search(
        game.start(), playouts=200_000, seed=1
    )
    assert whole.proven
    assert whole.nodes > 300
    assert few.proven
    assert few.value == whole.value


@pytest.mark.parametrize("parallel", ["sync", "tree", "root"])
def test_trees_of_several_threads_are_recycled(parallel):
    position = make_game("hex(size=4)").start()
    spec = f"uct(threads=2,parallel={parallel},max_nodes=50,full=recycle)"
    search = SearchAgent(spec).bind(position.game)
    for playouts in (400, 4000):
        search.renew()
        run = search.run(position.state, (), Budget(playouts), seed=playouts)
        assert run.playouts == playouts
        assert not run.full
        for member in search.members:
            assert member.tree.meta[arrays.NODES] <= 50
            assert_consistent(member)
