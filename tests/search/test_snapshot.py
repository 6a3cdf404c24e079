"""A snapshot has the numbers of the naive twin, and taking one does not disturb the search."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from graven.agents import SearchAgent, parse
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.search import snapshot
from graven.search.budget import Budget
from tests.search.helpers import POLICIES, run_both

GAME = "breakthrough(size=5x4)"


@pytest.mark.parametrize(("spec", "formula", "ref"), POLICIES, ids=[spec for spec, *_ in POLICIES])
def test_every_number_of_a_node_equals_the_twins(spec, formula, ref):
    game = make_game(GAME)
    search, twin = run_both(game, spec, formula, ref, playouts=400)
    nodes, node, way = snapshot.root_path(search), twin.root, [twin.root]
    for depth in range(3):
        seen = snapshot.take_snapshot(search, nodes)
        assert (seen.turn, seen.visits) == (node.turn, node.visits)
        assert sorted(each.code for each in seen.moves) == sorted(node.moves[node.turn])
        reference = way[snapshot.amaf_readers([each.visits for each in way], 0)["rave"]]
        if ref is not None:
            enough = [each for each in way if each.visits > ref]
            reference = enough[-1] if enough else way[0]
            assert seen.amaf_depth == way.index(reference)
        else:
            assert seen.amaf_depth is None
        for each in seen.moves:
            played = (node.turn, each.code)
            n = node.count.get(played, 0)
            assert each.visits == n
            assert each.mean == (pytest.approx(node.total[played] / n) if n else None)
            value = formula(node, reference, node.turn, each.code)
            assert each.value == pytest.approx(math.inf if value is None else value)
            if ref is not None:
                pa = reference.amaf_count.get(played, 0)
                assert each.amaf_visits == pa
                assert each.amaf == (
                    pytest.approx(reference.amaf_total[played] / pa) if pa else None
                )
        visits = [each.visits for each in seen.moves]
        assert visits == sorted(visits, reverse=True)
        # On to the most visited child.
        best = seen.moves[0]
        nodes = snapshot.nodes_along(
            search, [*codes_to(search, nodes), best.code], lambda player, code: code
        )
        assert len(nodes) == depth + 2
        node = node.children[
            (best.code,) if (best.code,) in node.children else joint(game, node, best)
        ]
        way.append(node)


def joint(game, node, best):
    (found,) = (key for key in node.children if key[node.turn] == best.code)
    return found


def codes_to(search, nodes):
    """The moves along nodes that are each other's most visited children."""
    found = []
    for depth in range(1, len(nodes)):
        here = snapshot.nodes_along(search, found, lambda player, code: code)
        assert here == list(nodes[:depth])
        found.append(snapshot.take_snapshot(search, here).moves[0].code)
    return found


@pytest.mark.parametrize(
    "spec",
    [
        s
        for s, _, _ in POLICIES
        if parse(s).formula.weight is not None and "alpha" not in s and "mcps" not in s
    ],
)
def test_beta_is_the_weight_that_the_value_was_blended_with(spec):
    game = make_game(GAME)
    agent, parsed = SearchAgent(spec), parse(spec)
    search = agent.bind(game)
    search.run(game.start().state, (), Budget(playouts=500), 3)
    seen = snapshot.take_snapshot(search, snapshot.root_path(search))
    c = float(parsed.values["c"])
    checked = 0
    for each in seen.moves:
        if each.visits and each.amaf is not None:
            blend = (1 - each.beta) * each.mean + each.beta * each.amaf
            bound = c * math.sqrt(math.log(seen.visits) / each.visits) if c else 0.0
            assert each.value == pytest.approx(blend + bound)
            checked += 1
    assert checked >= 3


def test_amaf_readers_are_those_of_figure_1():
    # Sironi and Winands 2016, figure 1: RAVE the node's own, GRAVE the closest ancestor's with
    # more than ref playouts, HRAVE the root's.
    assert snapshot.amaf_readers([1000, 300, 60, 7], 50) == {"rave": 3, "grave": 2, "hrave": 0}
    assert snapshot.amaf_readers([1000, 300, 50, 7], 50) == {"rave": 3, "grave": 1, "hrave": 0}
    assert snapshot.amaf_readers([1000, 300, 60, 7], 0) == {"rave": 3, "grave": 3, "hrave": 0}
    assert snapshot.amaf_readers([40, 7], 50) == {"rave": 1, "grave": 0, "hrave": 0}
    assert snapshot.amaf_readers([1000], 50) == {"rave": 0, "grave": 0, "hrave": 0}
    assert snapshot.amaf_readers([1000, 300, 60, 7], 10**9)["grave"] == 0


def test_a_count_that_grows_while_its_sum_is_read_is_read_again():
    counts, sums = np.array([1, 5], np.int32), np.array([1.0, 2.0])

    class Overtaken(np.ndarray):
        """Ten simulations, all won, are counted for the first move just before it is read."""

        def copy(self, order="C"):
            counts[0] += 10
            sums[0] += 10.0
            return sums.copy()

    own_counts, own_sums = snapshot.read_consistently(counts, sums.view(Overtaken))
    assert own_counts.tolist() == [11, 5]
    assert own_sums.tolist() == [11.0, 2.0]


def test_a_simulation_that_is_half_counted_makes_no_impossible_mean():
    own_counts, own_sums = snapshot.read_consistently(
        np.array([3, 4], np.int32), np.array([4.0, 1.0])
    )
    assert own_counts.tolist() == [3, 4]
    assert own_sums.tolist() == [3.0, 1.0]


@pytest.mark.parametrize("spec", ["grave(ref=5)", "rave", "uct+poolrave", "hrave(reuse_tree=true)"])
def test_snapshots_of_a_running_search_are_consistent(spec):
    """Every group of arrays grows while snapshots are taken."""
    game = make_game("nogo(size=5)")
    search = SearchAgent(spec).bind(game)
    start = game.start()
    stop, failed, looks = threading.Event(), [], 0

    def work():
        try:
            for seed in range(3):
                search.run(start.state, (), Budget(playouts=15_000), derive(seed, 0), stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while thread.is_alive():
            if not snapshot.playouts_done(search):
                continue
            try:
                seen = snapshot.take_snapshot(search, snapshot.root_path(search))
            except (IndexError, ValueError):
                continue
            looks += 1
            assert {each.code for each in seen.moves} <= set(range(game.num_codes))
            assert all(0 <= each.visits <= 300_000 for each in seen.moves)
            for each in seen.moves:
                assert each.mean is None or 0 <= each.mean <= 1
                assert each.amaf is None or 0 <= each.amaf <= 1
            for player, code in snapshot.live_variation(search):
                assert 0 <= player < 2
                assert 0 <= code < game.num_codes
    finally:
        stop.set()
        thread.join()
    assert not failed
    assert looks > 10


def test_a_path_that_the_tree_does_not_have_ends_early():
    game = make_game(GAME)
    search = SearchAgent("uct").bind(game)
    search.run(game.start().state, (), Budget(playouts=50), 1)
    legal = game.start().legal_codes_of(0)
    nowhere = next(code for code in range(game.num_codes) if code not in legal)
    assert len(snapshot.nodes_along(search, [nowhere], lambda player, code: code)) == 1
    assert len(snapshot.nodes_along(search, [legal[0]] * 99, lambda player, code: code)) < 99
    assert len(snapshot.nodes_along(search, ["x"], lambda player, text: None)) == 1
