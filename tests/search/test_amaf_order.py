"""Whether AMAF orders moves as their means do: computed from the tree, and known games."""

from __future__ import annotations

import importlib.util
from itertools import combinations

import pytest

import graven as gv
from graven.search import amaf_order
from graven.search.amaf_order import AmafOrder
from tests.naive import formulas as naive
from tests.search.helpers import run_both

DEFAULT = gv.default_agent()


def naive_pairs(counts, sums, amaf_counts, amaf_sums):
    """The pairs of moves that AMAF orders as their means do, and the others."""
    agree = differ = 0
    tried = [move for move in counts if counts[move] >= 10 and amaf_counts.get(move)]
    for one, two in combinations(tried, 2):
        error = (0.25 / counts[one] + 0.25 / counts[two]) ** 0.5
        difference = sums[one] / counts[one] - sums[two] / counts[two]
        amaf = amaf_sums[one] / amaf_counts[one] - amaf_sums[two] / amaf_counts[two]
        if abs(difference) >= 1.5 * error:
            agree += difference * amaf > 0
            differ += difference * amaf < 0
    return agree, differ


def naive_rank(legal, counts, sums, amaf_counts, amaf_sums):
    """The share of the other moves that the most visited one exceeds by AMAF of later playouts."""
    best = max(legal, key=lambda move: counts.get(move, 0))
    values = {}
    for move in legal:
        later = amaf_counts.get(move, 0) - counts.get(move, 0)
        if later >= 5:
            values[move] = (amaf_sums[move] - sums.get(move, 0.0)) / later
    if best not in values or len(values) < 3:
        return None
    own = values.pop(best)
    return sum(1.0 if value < own else 0.5 * (value == own) for value in values.values()) / len(
        values
    )


@pytest.mark.parametrize("text", ["knightthrough(size=5)", "domineering(size=5)", "hex(size=4)"])
def test_the_order_is_that_of_all_often_visited_nodes(text, monkeypatch):
    monkeypatch.setattr(amaf_order, "NODE_VISITS", 30)
    monkeypatch.setattr(amaf_order, "MAX_NODES", 10_000)
    monkeypatch.setattr(amaf_order, "MIN_PAIRS", 10)
    monkeypatch.setattr(amaf_order, "MIN_RANKS", 5)
    formula = naive.hand_k(250.0, 0.2)
    search, twin = run_both(
        gv.game(text), "grave(ref=5,k=250,c=0.2)", formula, 5, playouts=3000, solver="off"
    )
    agree = differ = 0
    ranks = []
    for node in twin.nodes.values():
        if node.visits < 30 or not node.moves:
            continue
        (player,) = node.moves
        columns = [
            {move: value for (mover, move), value in column.items() if mover == player}
            for column in (node.count, node.total, node.amaf_count, node.amaf_total)
        ]
        pairs = naive_pairs(*columns)
        agree, differ = agree + pairs[0], differ + pairs[1]
        ranks.append(naive_rank(list(node.moves[player]), *columns))
    ranks = [rank for rank in ranks if rank is not None]
    assert agree + differ >= 10
    assert len(ranks) >= 5
    found = amaf_order.amaf_order(search.rules, search.tree)
    assert found.agreement == pytest.approx((agree - differ) / (agree + differ))
    assert found.rank == pytest.approx(sum(ranks) / len(ranks))


def test_amaf_misleads_only_if_both_statistics_are_low():
    assert AmafOrder(0.1, 0.5).misleads
    assert not AmafOrder(0.1, 0.7).misleads
    assert not AmafOrder(0.3, 0.5).misleads
    assert not AmafOrder(None, 0.5).misleads
    assert not AmafOrder(0.1, None).misleads


def test_without_amaf_or_with_few_playouts_nothing_is_known():
    start = gv.game("knightthrough(size=5)").start()
    without = gv.agent("uct").search(start, playouts=8000)
    few = gv.agent("grave").search(start, playouts=100)
    for result in (without, few):
        assert (result.amaf_agreement, result.amaf_rank) == (None, None)
        assert not result.amaf_misleads


def test_the_order_stays_when_the_agent_searches_again(monkeypatch):
    monkeypatch.setattr(amaf_order, "MIN_PAIRS", 10)
    agent = gv.agent("grave(ref=20,k=250,c=0.2,solver=off)")
    start = gv.game("knightthrough(size=5)").start()
    first, again = (agent.search(start, playouts=8000, seed=1) for _ in range(2))
    agent.search(start, playouts=100)
    assert first.amaf_agreement == again.amaf_agreement is not None
    assert first.amaf_rank == again.amaf_rank is not None


@pytest.mark.parametrize("text", ["breakthrough", "domineering"])
def test_amaf_does_not_mislead(text):
    result = DEFAULT.search(gv.game(text).start(), playouts=50_000, seed=1)
    assert result.amaf_agreement is not None
    assert result.amaf_rank is not None
    assert not result.amaf_misleads


@pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed"
)
def test_amaf_misleads_in_connect_four():
    # A move is a column: the same code is another cell later.
    middle = gv.game("spiel(connect_four)").start().play_moves(["x3", "o6", "x1", "o0", "x6", "o1"])
    result = DEFAULT.search(middle, playouts=20_000, seed=6)
    assert result.amaf_misleads
    assert "AMAF values order the moves" in str(result)
