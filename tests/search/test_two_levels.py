"""Searches of two levels: a new node gets a search below it, whose nodes are then removed."""

from __future__ import annotations

import pytest

from graven.agents import SearchAgent
from graven.core.errors import UsageError
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from graven.search.two_levels import MOST_NODES
from tests.naive import formulas as naive
from tests.naive import tiny
from tests.naive.search import NaiveSearch
from tests.search.helpers import assert_consistent, assert_same_tree, every_node, root_counts

FORMULAS = {"bias=1e-4": naive.bias(1e-4), "k=250,c=0.2": naive.hand_k(250.0, 0.2)}
GAMES = ["breakthrough(size=5x4)", "go(size=3,komi=0)", "domineering(size=4)", "nogo(size=3)"]


def run_two_levels(game, inner, ref=20, formula="bias=1e-4", playouts=500, **options):
    """The kernel's and the twin's search of the start position."""
    text = "".join(f",{name}={str(value).lower()}" for name, value in options.items())
    search = SearchAgent(f"grave2(ref={ref},inner={inner},{formula}{text})").bind(game)
    search.run(game.start().state, (), Budget(playouts=playouts), 1)
    twin = NaiveSearch(game, FORMULAS[formula], ref, solver="off", inner=inner, **options)
    twin.set_root(game.start().state)
    twin.run(1, playouts)
    return search, twin


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("inner", [1, 2, 7, 40, 10_000])
def test_both_levels_visit_what_their_twin_visits(name, inner):
    search, twin = run_two_levels(make_game(name), inner)
    compared, tables = assert_same_tree(search, twin)
    nodes = every_node(twin.root)
    assert compared == len(nodes) == int(search.tree.meta[arrays.NODES])
    assert tables == sum(node.turn >= 0 for node in nodes)  # every node of the first level has one
    assert search.root_visits == 500
    assert_consistent(search)


@pytest.mark.parametrize(
    "options",
    [
        {"transpositions": False},
        {"expand": 3},
        {"ref": 0},
        {"ref": 200},
        {"formula": "k=250,c=0.2"},
        {"root": "sh"},
        {"amaf_count": "all", "amaf_moves": "playout"},
        {"amaf_weight": "distance", "criticality": 5.0},
        {"amaf_off": 0.1, "ties": "first"},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_two_levels_go_with_other_options(options):
    for game in (make_game("knightthrough(size=5)"), make_game("go(size=3,komi=0)")):
        search, twin = run_two_levels(game, 12, **options)
        assert_same_tree(search, twin)
        assert_consistent(search)


def test_players_may_move_at_once():
    for transpositions in (True, False):
        game = tiny.rock_paper_scissors(4)
        search, twin = run_two_levels(game, 9, transpositions=transpositions)
        assert_same_tree(search, twin)
        mine = sorted(search.tree.visits[: int(search.tree.meta[arrays.NODES])])
        assert mine == sorted(node.visits for node in every_node(twin.root))


@pytest.mark.parametrize("inner", [1, 5000])
def test_it_is_grave_with_one_playout_and_with_all(inner):
    game = make_game("hex(size=5)")
    two = SearchAgent(f"grave2(ref=30,inner={inner},bias=1e-4)").bind(game)
    one = SearchAgent("grave(ref=30,bias=1e-4,solver=off)").bind(game)
    for search in (one, two):
        search.run(game.start().state, (), Budget(playouts=2000), 5)
    if inner == 1:
        assert root_counts(one) == root_counts(two)
        assert one.tree.meta[arrays.NODES] == two.tree.meta[arrays.NODES]
        return
    statistics = [
        {move.code: (move.visits, move.mean) for move in search.root_statistics(0)}
        for search in (one, two)
    ]
    assert statistics[0] == statistics[1]
    assert two.tree.meta[arrays.NODES] == 1


def test_few_nodes_stay():
    game = make_game("hex(size=7)")
    search = SearchAgent("grave2(inner=50)").bind(game)
    search.run(game.start().state, (), Budget(playouts=5000), 1)
    nodes = int(search.tree.meta[arrays.NODES])
    # A node for every 50 playouts, and at most 49 below a leaf.
    assert 50 < nodes <= 100
    assert search.level is not None
    assert nodes < search.level.now[MOST_NODES] <= nodes + 50
    assert search.tree.meta[arrays.TRACED] == 0


@pytest.mark.parametrize("limit", ["memory_mib=1", "max_nodes=30"])
def test_a_second_level_without_space_ends_and_the_search_goes_on(limit):
    game = make_game("hex(size=7)")
    search = SearchAgent(f"grave2(inner=40,{limit})").bind(game)
    run = search.run(game.start().state, (), Budget(playouts=6000), 1)
    assert run.playouts == 6000
    assert search.root_visits == 6000
    assert_consistent(search)


def test_a_kept_tree_is_searched_on():
    game = make_game("hex(size=5)")
    position = game.start()
    search = SearchAgent("grave2(inner=20,reuse_tree=true)").bind(game)
    visits = 0
    for _ in range(4):
        run = search.run(position.state, position.history, Budget(playouts=630), 3)
        assert search.root_visits == run.playouts + visits
        assert_consistent(search)
        root = search.root_statistics(position.current_player)
        best = max(root, key=lambda move: move.visits)
        node = search.tree.children[
            next(
                edge
                for edge in range(int(search.tree.meta[arrays.EDGES]))
                if search.tree.moves[edge] == best.code and search.tree.counts[edge] == best.visits
            )
        ]
        visits = int(search.tree.visits[node])
        assert visits > 20
        position = position.play(best.code)


def test_a_search_that_pauses_is_the_same_search():
    """Deadlines are tested between chunks of simulations: they end no second level."""
    game = make_game("hex(size=5)")
    one, two = (SearchAgent("grave2(inner=30)").bind(game) for _ in range(2))
    one.run(game.start().state, (), Budget(playouts=400), 2)
    goal = two.begin(game.start().state, (), Budget(playouts=400), 2)
    for until in range(1, goal + 1):
        assert two.simulate(until, goal) == 0
    two.end(1.0)
    assert root_counts(one) == root_counts(two)


@pytest.mark.parametrize(
    "option",
    ["batch_leaves=4", "playouts_per_leaf=2", "full=recycle", "credit_creation=false"],
)
def test_what_two_levels_cannot_do_is_refused(option):
    name = option.partition("=")[0]
    with pytest.raises(UsageError, match=f"grave2: {name} does not go with searches of two levels"):
        SearchAgent(f"grave2({option})")


def test_live_results_are_those_of_a_search():
    game = make_game("hex(size=5)")
    agent = SearchAgent("grave2(inner=30)")
    results = list(agent.analyze(game.start(), playouts=30_000, seed=1, every=0.005))
    assert results[-1].playouts == 30_000
    whole = agent.search(game.start(), playouts=30_000, seed=1)
    assert results[-1].root_stats == whole.root_stats
