"""Searches by several threads: budgets, interrupts, deadlines, memory, snapshots and faults."""

from __future__ import annotations

import threading
import time

import pytest

import graven as gv
from graven.agents import MoveClock, SearchAgent
from graven.core.errors import ContractError, UsageError
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from graven.search.snapshot import root_path, take_snapshot
from tests.naive import tiny
from tests.sources.heaps import Heaps

BOTH = pytest.mark.parametrize("parallel", ["sync", "root"])
ALL = pytest.mark.parametrize("parallel", ["sync", "tree", "root"])


@pytest.fixture(scope="module")
def start():
    return make_game("breakthrough").start()


def agent_of(parallel, threads=2, options="", tree="grave"):
    return SearchAgent(f"{tree}(threads={threads},parallel={parallel}{options})")


def test_the_spec_names_threads_only_where_there_are_several():
    assert SearchAgent("uct(threads=1,parallel=sync)").spec == SearchAgent("uct").spec
    assert "threads=2" in agent_of("sync").spec
    assert "parallel" not in agent_of("sync").spec
    assert "threads=2,parallel=root" in agent_of("root").spec
    with pytest.raises(UsageError, match="threads must be from 1 to"):
        SearchAgent("uct(threads=0)")
    with pytest.raises(UsageError, match="parallel is one of sync, tree, root, not 'leaf'"):
        SearchAgent("uct(parallel=leaf)")


@ALL
@pytest.mark.parametrize("threads", [2, 3])
def test_a_search_plays_exactly_its_playouts(start, parallel, threads):
    for playouts in (1, 2, 7, 1234):
        found = agent_of(parallel, threads).search(start, playouts=playouts)
        assert found.playouts == playouts
        assert found.best_move in start.legal_moves
        # The first playout of a tree starts at the root itself; each of the others tries a move.
        trees = min(threads, playouts) if parallel == "root" else 1
        tried = sum(stat.visits for stat in found.root_stats)
        if parallel == "tree":  # while one thread lists the root's moves, others play from there
            assert playouts - threads <= tried <= playouts - 1
        else:
            assert tried == playouts - trees


@BOTH
def test_same_seed_same_search_other_seed_another(start, parallel):
    agent = agent_of(parallel)
    one, two, three = (agent.search(start, playouts=2000, seed=seed) for seed in (1, 1, 2))
    assert one.root_stats == two.root_stats
    assert one.pv == two.pv
    assert one.root_stats != three.root_stats


def test_root_parallel_search_adds_up_searches_by_one_thread(start):
    search = agent_of("root").bind(start.game)
    search.run(start.state, (), Budget(playouts=1001), 5)
    sums = {}
    for number, playouts in enumerate((501, 500)):
        single = SearchAgent("grave").bind(start.game)
        single.run(start.state, (), Budget(playouts=playouts), derive(5, number))
        for move in single.root_statistics(0):
            visits, total = sums.get(move.code, (0, 0.0))
            sums[move.code] = visits + move.visits, total + move.total
    merged = {move.code: (move.visits, move.total) for move in search.root_statistics(0)}
    assert merged == sums


@ALL
def test_another_thread_can_stop_a_search(start, parallel):
    stop, found = threading.Event(), []
    agent = agent_of(parallel)
    thread = threading.Thread(
        target=lambda: found.append(agent.search(start, playouts=10**9, stop=stop))
    )
    thread.start()
    time.sleep(0.3)
    stop.set()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert 0 < found[0].playouts < 10**9
    assert found[0].best_move in start.legal_moves


@ALL
def test_an_interrupted_search_loses_no_simulation_and_can_be_continued(start, parallel):
    search = agent_of(parallel, 3, ",reuse_tree=true").bind(start.game)
    total = 0
    for number in range(10):
        timer = threading.Timer(0.02, search.interrupt)
        timer.start()
        total += search.run(start.state, (), Budget(playouts=10**9), seed=number).playouts
        timer.join()
    # Every copy of a synchronous search has all simulations, also those of an interrupted round.
    visits = [member.root_visits for member in search.members]
    if parallel == "tree":
        assert search.root_visits == total
    else:
        assert visits == [total] * 3 if parallel == "sync" else sum(visits) == total
    assert search.run(start.state, (), Budget(playouts=100), seed=99).playouts == 100


@ALL
def test_a_search_in_seconds_ends(start, parallel):
    found = agent_of(parallel).search(start, seconds=0.2)
    assert found.playouts > 1
    assert found.seconds >= 0.2


@ALL
def test_trees_share_the_memory_limit(start, parallel):
    found = agent_of(parallel, options=",memory_mib=8").search(start, playouts=60_000)
    assert found.memory_full
    assert found.playouts == 60_000
    assert found.memory_mib <= 8
    assert not agent_of(parallel).search(start, playouts=100).memory_full
    with pytest.raises(UsageError, match=r"too little for 8 threads.* use fewer threads"):
        agent_of(parallel, 8, ",memory_mib=4").search(start, playouts=100)


def test_full_trees_are_the_same_in_every_run(start):
    trees = []
    for _ in range(2):
        search = agent_of("sync", options=",memory_mib=8").bind(start.game)
        search.run(start.state, (), Budget(playouts=40_000), 1)
        assert search.tree.meta[arrays.CLOSED]
        assert [member.root_visits for member in search.members] == [40_000] * 2
        held = [(member.tree, int(member.tree.meta[arrays.EDGES])) for member in search.members]
        trees.append([tree.counts[:edges].tolist() for tree, edges in held])
    assert trees[0] == trees[1]


@ALL
def test_snapshots_show_the_playouts_of_all_threads(start, parallel):
    search = agent_of(parallel).bind(start.game)
    search.run(start.state, (), Budget(playouts=2000), 1)
    root = take_snapshot(search, root_path(search))
    assert root.visits == 2000
    trees = 2 if parallel == "root" else 1
    tried = sum(move.visits for move in root.moves)
    assert tried == 2000 - trees or (parallel == "tree" and tried == 1998)
    assert {move.code: move.visits for move in root.moves} == {
        move.code: move.visits for move in search.root_statistics(0)
    }


@ALL
def test_results_can_be_streamed(start, parallel):
    results = list(agent_of(parallel).analyze(start, seconds=0.3, every=0.1))
    assert results[-1].playouts > 0
    assert all(result.best_move in start.legal_moves for result in results)


@BOTH
def test_a_player_gives_the_same_moves_for_the_same_seed(parallel):
    game = make_game("breakthrough(size=5)")
    games = []
    for _ in range(2):
        position = game.start()
        player = agent_of(parallel, options=",reuse_tree=true").player(game, seed=9)
        while not position.is_over:
            clock = MoveClock(Budget(playouts=200))
            position = position.play(player.choose(position, clock).best_move)
        games.append(position.history)
    assert games[0] == games[1]


def test_rules_in_python_have_one_thread():
    game = gv.from_class(Heaps)
    with pytest.raises(UsageError, match="run in Python, which only one thread at a time can do"):
        SearchAgent("uct(threads=2)").search(game.start(), playouts=10)


def too_long(constants, state):
    return 0


@ALL
def test_a_fault_of_the_rules_ends_all_threads(parallel):
    game = tiny.heaps(4).changed(turn=too_long)
    agent = agent_of(parallel, tree="uct")
    with pytest.raises(ContractError, match="break the game contract"):
        agent.search(game.start(), playouts=100_000)


@ALL
def test_a_proof_by_one_thread_ends_the_search(parallel):
    game = tiny.heaps(3)
    agent = agent_of(parallel, tree="uct", options=",c=0.7")
    for _ in range(2):  # the second time with a reused search
        result = agent.search(game.start(), playouts=100_000, seed=1)
        assert result.proven
        assert result.playouts < 100_000
        assert result.value == SearchAgent("uct").search(game.start(), playouts=100_000).value


@ALL
def test_permutation_statistics_work_with_threads(start, parallel):
    assert agent_of(parallel, tree="mcps").search(start, playouts=500).playouts == 500
