"""The trees of several threads: they are equal, can be kept, and do not depend on delays."""

from __future__ import annotations

import random

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.search.delays import delay_at_random, trees_of, with_threads
from tests.search.helpers import assert_same_tree
from tests.search.round_twins import (
    EVERY_KIND,
    GRAVE,
    HRAVE,
    UCT,
    USUALLY,
    nodes_by_key,
    twin_of,
)

pytestmark = pytest.mark.usefixtures("rounds")


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


@USUALLY
@pytest.mark.parametrize(
    "spec", ["uct(implicit=0.5)", "grave(ref=10,implicit=0.3)", "grave(ref=10,criticality=2)"]
)
def test_trees_with_evaluations_and_criticality_are_equal_whatever_the_timing(spec):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(with_threads(spec, 3)).bind(game)
    expected = trees_of(search, game.start().state, 600, 7)
    first, *others = (member.tree for member in search.members)
    nodes, edges = int(first.meta[arrays.NODES]), int(first.meta[arrays.EDGES])
    assert nodes > 300
    by_key = nodes_by_key(first, 2)
    for other in others:
        assert nodes_by_key(other, 2) == by_key
        for name in ("implicit",) if search.rules.implicit else ():
            mine, theirs = getattr(first, name)[:edges], getattr(other, name)[:edges]
            np.testing.assert_array_equal(np.sort(mine), np.sort(theirs))
    delay_at_random(search, random.Random(3))
    for _ in range(5):
        for mine, other in zip(expected, trees_of(search, game.start().state, 600, 7), strict=True):
            np.testing.assert_array_equal(mine, other)


@USUALLY
def test_the_limit_of_nodes_is_that_of_each_tree(rounds):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(with_threads("uct(max_nodes=100)", 3)).bind(game)
    assert search.run(game.start().state, (), Budget(playouts=2000), 1).full
    for member in search.members:
        assert member.root_visits == 2000
        assert member.tree.meta[arrays.NODES] == 100


LEVELS = ("grave2(ref=20,bias=1e-4)", *GRAVE[1:])


@pytest.mark.parametrize(
    ("policy", "options"),
    [(UCT, {}), (GRAVE, {}), (HRAVE, {}), (LEVELS, {"inner": 9})],
    ids=["uct", "grave", "hrave", "grave2"],
)
@pytest.mark.parametrize("transpositions", [True, False])
def test_a_kept_tree_goes_on_as_if_it_had_never_stopped(policy, options, transpositions):
    spec, formula, ref = policy
    options = {"transpositions": transpositions, **options}
    game = make_game("breakthrough(size=5x4)")
    position = game.start()
    search = SearchAgent(with_threads(spec, 2, reuse_tree=True, **options)).bind(game)
    twin = twin_of(search, game, formula, ref, **options)
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


@pytest.mark.parametrize(
    "spec",
    [
        "grave2(ref=10,inner=12)",
        "uct(batch_leaves=4,playouts_per_leaf=2,learn_after=batch)+nst(min=2)",
        "uct(batch_leaves=4,playouts_per_leaf=2,learn_after=batch)+ppa",
    ],
)
def test_delayed_threads_exchange_second_levels_and_batches(spec):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(with_threads(spec, 3)).bind(game)
    expected = trees_of(search, game.start().state, 300, 7)
    delay_at_random(search, random.Random(3))
    for _ in range(5):
        for mine, other in zip(expected, trees_of(search, game.start().state, 300, 7), strict=True):
            np.testing.assert_array_equal(mine, other)


@EVERY_KIND
@pytest.mark.parametrize("spec", ["uct", "grave(ref=10)+nst", "grave2(ref=10,inner=12)"])
def test_one_thread_can_make_the_rounds_of_all(spec, rounds):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(with_threads(spec, 3)).bind(game)
    expected = trees_of(search, game.start().state, 600, 7)
    search.run = search.run_in_turn
    for mine, other in zip(expected, trees_of(search, game.start().state, 600, 7), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_one_thread_goes_on_with_a_round_after_a_tree_has_grown():
    game = make_game("breakthrough")
    search = SearchAgent(with_threads("grave(memory_mib=6)", 3)).bind(game)
    expected = trees_of(search, game.start().state, 6000, 7)
    again = SearchAgent(with_threads("grave(memory_mib=6)", 3)).bind(game)
    again.run = again.run_in_turn
    for mine, other in zip(expected, trees_of(again, game.start().state, 6000, 7), strict=True):
        np.testing.assert_array_equal(mine, other)
