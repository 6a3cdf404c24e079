"""The memory of finished searches is used again, but never while somebody still reads it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.games.registry import make_game
from graven.search import tree_memory
from graven.search.tree_arena import GROUPS, TreeArena
from graven.search.tree_memory import take_buffer

GAME = make_game("breakthrough(size=5)").changed(prior=None)  # a prior takes more memory


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(tree_memory, "_kept", {})
    monkeypatch.setattr(tree_memory, "_kept_bytes", [0])


def test_the_next_tree_takes_the_memory_of_the_last_one():
    arena = TreeArena(GAME.rules, 1 << 26)
    places = {name: getattr(arena.tree, name).ctypes.data for name in ("moves", "keys", "amaf")}
    del arena
    following = TreeArena(make_game("hex(size=5)").rules, 1 << 26)
    assert {name: getattr(following.tree, name).ctypes.data for name in places} == places


def test_memory_that_somebody_reads_is_not_given_away():
    arena = TreeArena(GAME.rules, 1 << 26)
    view = arena.tree.moves[3:5]
    view[:] = 7
    del arena
    following = TreeArena(GAME.rules, 1 << 26)
    following.tree.moves[:] = 0
    assert view.tolist() == [7, 7]


def test_a_tree_begins_and_grows_alike_with_memory_that_was_there():
    fresh = TreeArena(GAME.rules, 1 << 26)
    sizes = [array.nbytes for array in fresh.tree]
    for _ in range(2):
        fresh.grow(GROUPS["edges"])
    grown = fresh.nbytes
    del fresh
    again = TreeArena(GAME.rules, 1 << 26)
    assert [array.nbytes for array in again.tree] == sizes
    again.tree.moves[:] = 5
    for _ in range(2):
        again.grow(GROUPS["edges"])
    assert again.nbytes == grown
    assert (again.tree.moves[: len(again.tree.moves) // 4] == 5).all()


def test_kept_memory_has_a_limit(monkeypatch):
    monkeypatch.setattr(tree_memory, "MOST_BYTES", 0)
    del_me = TreeArena(GAME.rules, 1 << 26)
    del del_me
    assert not any(tree_memory._kept.values())
    assert len(take_buffer("moves", np.int32, 10)) >= 10


def test_an_agents_next_search_leaves_earlier_results_alone():
    position = GAME.start()
    agent, other = SearchAgent("grave"), SearchAgent("grave")
    first = agent.search(position, playouts=300, seed=1)
    second = agent.search(position.play(position.legal_moves[0]), playouts=300, seed=2)
    alone = other.search(position, playouts=300, seed=1)
    assert first.root_stats == alone.root_stats
    assert first.pv == alone.pv
    assert first.tree.to_dict() == alone.tree.to_dict()
    assert second.playouts == 300


def test_the_same_search_again_has_the_same_result():
    position, agent = GAME.start(), SearchAgent("uct+mast")
    results = [agent.search(position, playouts=200, seed=3) for _ in range(3)]
    assert results[0].root_stats == results[1].root_stats == results[2].root_stats


def test_a_result_is_pickled_with_its_details():
    result = SearchAgent("grave").search(GAME.start(), playouts=200, seed=1)
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert copy.pv == result.pv
    assert copy.tree.root.visits == 200


@pytest.mark.parametrize("spec", ["uct", "grave", "grave(threads=2)", "uct(threads=2)"])
def test_a_finished_search_leaves_the_memory_of_all_its_trees(spec):
    trees = 2 if "threads" in spec else 1
    result = SearchAgent(spec).search(GAME.start(), playouts=300, seed=1)
    assert result.tree is not None  # the result may be read after the agent is gone
    del result
    assert len(tree_memory._kept["moves"]) == trees
    assert len(tree_memory._kept["visits"]) == trees
