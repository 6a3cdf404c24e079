"""One tree that several threads search: nothing is lost, and every kind of search works."""

from __future__ import annotations

import pytest

import graven as gv
from graven.agents import SearchAgent
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.naive import dice
from tests.search.shared_trees import check_tree

SPECS = [
    "uct",
    "uct(transpositions=false)",
    "uct(solver=off)",
    "uct(credit_creation=false)",
    "ucb1-tuned",
    "grave",
    "rave+mast",
    "hrave+ppa",
    "grave+poolrave",
    "uct(implicit=0.3)",
    "grave(criticality=2)",
    "grave(ref=auto,bias=auto)",
    "grave2(inner=20)",
    "grave2(inner=7,transpositions=false)",
]


def shared(spec, threads=3, options=""):
    tree, plus, playout = spec.partition("+")
    inside = f"threads={threads},parallel=tree{options}"
    tree = f"{tree[:-1]},{inside})" if tree.endswith(")") else f"{tree}({inside})"
    return SearchAgent(tree + plus + playout)


@pytest.mark.parametrize("spec", SPECS)
def test_no_playout_is_lost(spec):
    # Knightthrough has no `evaluate`.
    game = "breakthrough(size=6)" if "implicit" in spec else "knightthrough(size=6)"
    position = make_game(game).start()
    search = shared(spec).bind(position.game)
    for playouts in (1, 2, 1000, 20_000):
        search.renew()
        run = search.run(position.state, (), Budget(playouts), seed=playouts)
        assert run.playouts == playouts
        if "credit_creation" not in spec:
            check_tree(search, playouts)


def test_one_thread_of_a_shared_tree_searches_as_a_search_of_its_own():
    """Without other threads the statistics are those of a search by one thread."""
    position = make_game("breakthrough").start()
    for spec in ("uct", "grave+mast", "grave2(inner=30)"):
        together = shared(spec, threads=2).bind(position.game)
        together.others.clear()
        together.renew()
        together.run(position.state, (), Budget(3000), seed=5)
        alone = SearchAgent(spec).bind(position.game)
        alone.run(position.state, (), Budget(3000), seed=5)
        assert together.root_statistics(0) == alone.root_statistics(0)


def test_the_tree_is_kept_between_moves():
    position = make_game("knightthrough(size=6)").start()
    player = shared("grave", options=",reuse_tree=true").player(position.game, seed=2)
    nodes = []
    while not position.is_over and len(nodes) < 8:
        search = player.search
        found = player.choose(position, gv.agents.MoveClock(Budget(2000)))
        nodes.append(found.nodes)
        visits = search.root_visits
        assert visits >= found.playouts
        position = position.play(found.best_move)
    assert nodes[1] > 2000


def test_a_full_tree_is_searched_on():
    position = make_game("breakthrough").start()
    search = shared("grave", 2, ",memory_mib=16").bind(position.game)
    run = search.run(position.state, (), Budget(60_000), seed=1)
    assert run.full
    assert run.playouts == search.root_visits == 60_000
    assert search.tree.meta[arrays.CLOSED]


def test_simultaneous_moves():
    game = gv.game("gdl(sheet=battle)")
    search = shared("uct", 2).bind(game)
    position = game.start()
    search.run(position.state, (), Budget(2000), seed=1)
    assert search.root_visits == 2000
    assert sum(move.visits for move in search.root_statistics(0)) in (1998, 1999)


@pytest.mark.parametrize("game", [dice.pig, dice.race])
def test_games_with_dice(game):
    position = game().start().rolled(1)
    search = shared("uct", 2).bind(position.game)
    search.run(position.state, (), Budget(20_000), seed=1)
    check_tree(search, 20_000)


def test_a_thread_whose_tree_begins_anew_does_not_take_playouts_away():
    position = make_game("knightthrough(size=6)").start()
    search = shared("uct", 2, ",reuse_tree=true").bind(position.game)
    search.run(position.state, (), Budget(4000), seed=1)
    search.others[0].arena.clear()
    search.others[0]._history = None
    run = search.run(position.state, (), Budget(4000), seed=2)
    assert run.playouts == 4000
    assert [member.root_visits for member in search.members] == [8000, 8000]


@pytest.mark.parametrize("spec", ["uct(expand=100000)", "grave2(inner=100000)"])
def test_a_kept_tree_that_is_only_a_root_counts_no_playout_twice(spec):
    position = make_game("knightthrough(size=6)").start()
    search = shared(spec, 2, ",reuse_tree=true").bind(position.game)
    for number in range(1, 4):
        search.run(position.state, (), Budget(1000), seed=number)
        assert [member.root_visits for member in search.members] == [1000 * number] * 2


def test_playouts_in_batches():
    game = gv.game("gdl(sheet=connect5)")
    search = shared("uct(batch_leaves=8,playouts_per_leaf=4)", 2).bind(game)
    position = game.start()
    search.run(position.state, (), Budget(4096), seed=derive(1, 2))
    assert search.root_visits == 4096


def test_a_proof_by_one_thread_is_the_result():
    position = make_game("hex(size=3)").start()
    found = shared("uct", 2).search(position, playouts=50_000)
    assert found.proven
    assert found.value == 1.0


@pytest.mark.parametrize("parallel", ["tree", "sync", "root"])
def test_all_threads_let_positions_enter_the_tree_at_the_same_playout(parallel):
    agent = SearchAgent(f"uct(expand=1000,threads=2,parallel={parallel},solver=off)")
    result = agent.search(make_game("hex(size=4)").start(), playouts=800, seed=1)
    assert result.playouts == 800
    assert result.nodes == (1 if parallel == "sync" else 2)  # the roots of two trees, or of one
