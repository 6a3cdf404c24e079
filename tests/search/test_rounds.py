"""Several threads in one deterministic search: every copy of the tree agrees, visit for visit, with
a twin that makes the same rounds one simulation after another (`tests/naive/rounds.py`).

Options, games and playout policies are in `test_round_options`, threads in `test_round_threads`:
each module is tested by one process.
"""

from __future__ import annotations

import pytest

from graven.games.registry import make_game
from graven.search import sync_search
from graven.search import tree as arrays
from tests.search.helpers import POLICIES
from tests.search.round_twins import EVERY_KIND, GRAVE, UCT, run_both

pytestmark = pytest.mark.usefixtures("rounds")


@EVERY_KIND
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(("spec", "formula", "ref"), POLICIES, ids=[p[0] for p in POLICIES])
def test_every_tree_policy_visits_what_its_twin_visits(spec, formula, ref, threads):
    run_both(make_game("breakthrough(size=5x4)"), spec, formula, ref, threads)


@EVERY_KIND
@pytest.mark.parametrize("policy", [UCT, GRAVE], ids=["uct", "grave"])
def test_threads_exchange_score_bounds(policy, rounds):
    game = make_game("breakthrough(size=4x4)")
    search, _ = run_both(game, *policy, threads=2, playouts=1000, solver="on")
    bounded = [member.tree.bounded[: member.tree.meta[arrays.NODES]] for member in search.members]
    assert min(each.sum() for each in bounded) > 50
    if sync_search.COMPLETE > 1000:
        assert bounded[0].sum() == bounded[1].sum()
