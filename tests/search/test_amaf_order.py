"""Whether AMAF orders moves as their means do: computed from the tree, and known games."""

from __future__ import annotations

import importlib.util
from itertools import combinations

import pytest

import graven as gv
from graven.search import amaf_order

DEFAULT = gv.default_agent()


def nodes_below(node, seen):
    """The nodes of a tree with 100 visits, each once."""
    if node.node in seen or node.node < 0 or node.tree.arrays.visits[node.node] < 100:
        return []
    seen.add(node.node)
    return [node, *(found for child in node.children for found in nodes_below(child, seen))]


def naive_agreement(tree):
    signs = []
    for node in nodes_below(tree.root, set()):
        tried = [move for move in node.children if move.visits >= 10 and move.amaf is not None]
        for one, two in combinations(tried, 2):
            error = (0.25 / one.visits + 0.25 / two.visits) ** 0.5
            if one.player == two.player and abs(one.mean - two.mean) >= 1.5 * error:
                signs.append((one.mean - two.mean) * (one.amaf - two.amaf))
    agree, differ = sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)
    return agree, differ


@pytest.mark.parametrize("text", ["knightthrough(size=5)", "domineering(size=5)"])
def test_all_significant_pairs_of_often_visited_nodes_count(text, monkeypatch):
    monkeypatch.setattr(amaf_order, "MIN_PAIRS", 10)
    result = gv.agent("grave(ref=20,k=250,c=0.2,solver=off)").search(
        gv.game(text).start(), playouts=8000
    )
    agree, differ = naive_agreement(result.tree)
    assert agree + differ > 30
    assert result.amaf_agreement == pytest.approx((agree - differ) / (agree + differ))


def test_without_amaf_or_with_few_playouts_nothing_is_known():
    start = gv.game("knightthrough(size=5)").start()
    assert gv.agent("uct").search(start, playouts=8000).amaf_agreement is None
    few = gv.agent("grave").search(start, playouts=100)
    assert few.amaf_agreement is None
    assert not few.amaf_misleads


def test_the_agreement_stays_when_the_agent_searches_again(monkeypatch):
    monkeypatch.setattr(amaf_order, "MIN_PAIRS", 10)
    agent = gv.agent("grave(ref=20,k=250,c=0.2,solver=off)")
    start = gv.game("knightthrough(size=5)").start()
    first, again = (agent.search(start, playouts=8000, seed=1) for _ in range(2))
    agent.search(start, playouts=100)
    assert first.amaf_agreement == again.amaf_agreement is not None


def test_amaf_suits_breakthrough():
    result = DEFAULT.search(gv.game("breakthrough").start(), playouts=20_000, seed=1)
    assert result.amaf_agreement is not None
    assert not result.amaf_misleads


@pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed"
)
def test_amaf_misleads_in_connect_four():
    # A move is a column: the same code is another cell later.
    middle = gv.game("spiel(connect_four)").start().play_moves(["x3", "o6", "x1", "o0", "x6", "o1"])
    result = DEFAULT.search(middle, playouts=20_000, seed=6)
    assert result.amaf_misleads
    assert "AMAF does not order the moves" in str(result)
