"""One search on a real Dask scheduler with two real workers."""

from __future__ import annotations

import pytest

from graven.agents import SearchAgent
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.sources.load import load_game
from tests.lab.local_cluster import cluster, wait_for_workers

pytest.importorskip("distributed", reason="the extra 'cluster' (Dask) is not installed")
__all__ = ["cluster"]  # a fixture


@pytest.mark.filterwarnings("default")
def test_a_search_on_a_cluster_adds_up_the_trees_of_its_workers(cluster):
    address, _ = cluster
    wait_for_workers(address, 2)
    position = load_game("nogo(size=5)").start()
    agent = SearchAgent("grave")
    result = agent.search(position, playouts=501, seed=3, cluster=address)
    assert result.playouts == 501
    visits: dict[str, int] = {}
    for number, playouts in enumerate((251, 250)):
        search = agent.bind(position.game)
        search.run(position.state, (), Budget(playouts), derive(3, number))
        for move in search.root_statistics(0):
            text = position.game.format_move(0, move.code)
            visits[text] = visits.get(text, 0) + move.visits
    assert {stat.move: stat.visits for stat in result.root_stats} == visits
    assert result.root_stats[0].move == result.best_move
    assert agent.search(position, playouts=501, seed=3, cluster=address).root_stats == (
        result.root_stats
    )
    assert agent.search(position, seconds=0.1, cluster=address).playouts > 2


def test_a_cluster_that_does_not_answer_is_reported():
    position = load_game("nogo(size=5)").start()
    with pytest.raises(UsageError, match="scheduler's address"):
        SearchAgent("uct").search(position, playouts=10, cluster="here")
