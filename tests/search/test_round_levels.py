"""Searches of two levels by several threads in rounds: they agree with their twin."""

from __future__ import annotations

import pytest

from graven.agents import SearchAgent
from graven.core.contract import TERMINAL
from graven.core.errors import UsageError
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.naive import dice, tiny
from tests.naive import formulas as naive
from tests.naive import playouts as naive_playouts
from tests.search.delays import with_threads
from tests.search.helpers import assert_consistent, root_counts
from tests.search.round_twins import EVERY_KIND, USUALLY, nodes_by_key, run_both

pytestmark = pytest.mark.usefixtures("rounds")

SPEC, FORMULA, REF = "grave2(ref=20,bias=1e-4)", naive.bias(1e-4), 20


def run_levels(game, inner, threads=3, text=SPEC, playouts=400, **options):
    search, twin = run_both(
        game, text, FORMULA, REF, threads=threads, playouts=playouts, inner=inner, **options
    )
    for member in search.members:
        assert_consistent(member)
    return search, twin


@EVERY_KIND
@pytest.mark.parametrize("inner", [1, 7, 40, 300])
@pytest.mark.parametrize("name", ["breakthrough(size=5x4)", "go(size=3,komi=0)"])
def test_both_levels_of_all_threads_visit_what_their_twin_visits(name, inner, rounds):
    for threads in (2, 3):
        search, _ = run_levels(make_game(name), inner, threads)
        nodes = int(search.tree.meta[arrays.NODES])
        over = search.tree.turns[:nodes] == TERMINAL
        # Nothing refers to the traces that are removed with the second level.
        assert (search.tree.table[:nodes][~over] >= 0).all()
        assert search.tree.meta[arrays.TRACED] == 0


@pytest.mark.parametrize(
    "options",
    [
        {"transpositions": False},
        {"expand": 3},
        {"amaf_count": "all", "amaf_moves": "playout"},
        {"amaf_weight": "distance", "criticality": 5.0},
        {"amaf_off": 0.1, "ties": "first"},
        {"implicit": 0.4},
    ],
    ids=str,
)
def test_two_levels_go_with_other_options(options):
    run_levels(make_game("breakthrough(size=5x4)"), 12, **options)


@pytest.mark.parametrize("game", [tiny.rock_paper_scissors(4), dice.race()], ids=["rps", "race"])
def test_two_levels_go_with_simultaneous_moves_and_dice(game):
    run_levels(game, 9)


@pytest.mark.parametrize(
    ("text", "playout"),
    [
        ("nst(epsilon=0.2)", lambda: naive_playouts.Nst(epsilon=0.2)),
        ("ppa(alpha=0.3)", lambda: naive_playouts.Ppa(0.3)),
    ],
    ids=["nst", "ppa"],
)
def test_playouts_learn_from_the_second_levels_of_other_threads(text, playout):
    run_levels(make_game("breakthrough(size=5x4)"), 9, text=f"{SPEC}+{text}", playout=playout)


@USUALLY
@pytest.mark.parametrize("spec", ["grave2(ref=10,inner=12)", "grave2(inner=9,implicit=0.3)"])
def test_all_trees_have_the_same_nodes_and_playouts(spec):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(with_threads(spec, 3)).bind(game)
    search.run(game.start().state, (), Budget(playouts=2000), 1)
    first, *others = (nodes_by_key(member.tree, 2) for member in search.members)
    assert len(first) > 100
    for other in others:
        assert other == first


@EVERY_KIND
def test_it_is_grave_with_one_playout(rounds):
    game = make_game("hex(size=5)")
    one, two = (
        SearchAgent(with_threads(spec, 2)).bind(game)
        for spec in ("grave(ref=30,bias=1e-4)", "grave2(ref=30,bias=1e-4,inner=1)")
    )
    for search in (one, two):
        search.run(game.start().state, (), Budget(playouts=1000), 5)
    assert root_counts(one) == root_counts(two)
    assert one.tree.meta[arrays.NODES] == two.tree.meta[arrays.NODES]


@pytest.mark.parametrize("parallel", ["sync", "tree"])
@pytest.mark.parametrize("limit", ["memory_mib=2", "max_nodes=30"])
def test_threads_without_space_for_a_second_level_go_on(limit, parallel):
    game = make_game("hex(size=7)")
    search = SearchAgent(f"grave2(inner=40,threads=2,{limit},parallel={parallel})").bind(game)
    run = search.run(game.start().state, (), Budget(playouts=6000), 1)
    assert run.playouts == search.root_visits == 6000
    for member in search.members:
        assert_consistent(member)


def test_second_levels_that_are_too_large_to_exchange_are_refused():
    game = make_game("hex(size=7)")
    with pytest.raises(UsageError, match=r"inner=1000000 .* at most \d+, use parallel=tree"):
        SearchAgent("grave2(inner=1000000,threads=2)").bind(game)
    SearchAgent("grave2(inner=1000000,threads=2,parallel=tree)").bind(game)
