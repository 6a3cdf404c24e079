"""Searches of several threads in rounds, run beside their twin (`tests/naive/rounds.py`).

Modules that use these functions use the fixture `rounds`.
"""

from __future__ import annotations

import pytest

from graven.agents import SearchAgent
from graven.search import sync_search
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.naive.rounds import NaiveRounds
from tests.search.delays import with_threads
from tests.search.helpers import POLICIES, assert_same_tree, every_node

UCT, RAVE, GRAVE, HRAVE = POLICIES[0], POLICIES[2], POLICIES[10], POLICIES[13]

USUAL, BRIEF = (sync_search.GROWTH, sync_search.COMPLETE), (16, 0)
EVERY_KIND = pytest.mark.parametrize("rounds", [USUAL, (16, 150), BRIEF], indirect=True, ids=str)
USUALLY = pytest.mark.parametrize("rounds", [USUAL], indirect=True, ids=str)


def twin_of(search, game, formula, ref, playout=lambda: None, **options):
    return NaiveRounds(
        game,
        formula,
        ref,
        threads=len(search.members),
        alone=sync_search.ALONE,
        growth=sync_search.GROWTH,
        most=search.most,
        complete=search.complete,
        playout=playout,
        **{"solver": "off", **options},
    )


def assert_same_trees(search, twin):
    for member, copy in zip(search.members, twin.copies, strict=True):
        assert_same_tree(member, copy)
        # Nodes below simultaneous moves are found by joint move: their numbers must agree as well.
        nodes = int(member.tree.meta[arrays.NODES])
        mine = sorted(visits for visits in member.tree.visits[:nodes].tolist() if visits)
        theirs = sorted(node.visits for node in every_node(copy.root) if node.visits)
        assert mine == theirs


def run_both(game, spec, formula, ref, threads, playouts=400, seed=1, playout=None, **options):
    agent = SearchAgent(with_threads(spec, threads, **options))
    search = agent.bind(game)
    twin = twin_of(search, game, formula, ref, playout or (lambda: None), **options)
    search.run(game.start().state, (), Budget(playouts=playouts), seed)
    twin.set_root(game.start().state)
    twin.run(seed, playouts)
    assert_same_trees(search, twin)
    assert search.root_visits == playouts
    return search, twin


def nodes_by_key(tree, players):
    """By position: the playouts of each node, and those of its moves."""
    found = {}
    for node in range(int(tree.meta[arrays.NODES])):
        edges = []
        for place in range(node * players, (node + 1) * players):
            first, count = int(tree.first[place]), int(tree.degree[place])
            listed = slice(first, first + count) if first >= 0 else slice(0, 0)
            columns = tree.moves[listed], tree.counts[listed], tree.sums[listed]
            # Hex lists the moves of a position in the order in which it was reached.
            rows = zip(*(column.tolist() for column in columns), strict=True)
            edges.append(sorted(row for row in rows if row[1]))
        found[int(tree.keys[node])] = int(tree.visits[node]), edges
    return found
