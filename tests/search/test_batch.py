"""Searches in batches: the slow twin gathers leaves in the same way, and agrees visit for visit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graven.agents import SearchAgent
from graven.core.contract import BATCH_FUNCTIONS
from graven.core.errors import UsageError
from graven.core.rng import below
from graven.games.registry import make_game
from graven.gdl.network_game import network_game
from graven.search import runner
from graven.search.budget import Budget
from graven.search.playout import nst
from graven.search.policy import PlayoutPolicy
from graven.search.simulate import DONE
from tests.naive import formulas as naive
from tests.naive import tiny
from tests.naive.networks import random_gates
from tests.naive.playouts import Mast, Nst, PoolRave, Ppa
from tests.naive.search import NaiveSearch
from tests.search.helpers import POLICIES, assert_same_tree, every_node, run_both

SOME = [POLICIES[0], POLICIES[2], POLICIES[10], POLICIES[14]]


@pytest.mark.parametrize(("leaves", "each"), [(7, 1), (1, 5), (4, 3)])
@pytest.mark.parametrize(("spec", "formula", "ref"), SOME, ids=[p[0] for p in SOME])
def test_batches_visit_what_the_twin_visits(spec, formula, ref, leaves, each):
    game = make_game("breakthrough(size=5x4)")
    search, twin = run_both(
        game, spec, formula, ref, playouts=400, batch_leaves=leaves, playouts_per_leaf=each
    )
    compared, tables = assert_same_tree(search, twin)
    assert compared > 20
    assert (tables > 0) == (ref is not None)
    assert search.tree.visits[0] == 400  # no virtual loss is left behind


def test_batches_with_simultaneous_moves():
    search, twin = run_both(
        tiny.rock_paper_scissors(4),
        *POLICIES[10],
        playouts=600,
        batch_leaves=5,
        playouts_per_leaf=2,
    )
    assert_same_tree(search, twin)
    nodes = int(search.tree.meta[0])
    mine = sorted(search.tree.visits[:nodes])
    assert mine == sorted(node.visits for node in every_node(twin.root))


# What `many` of two heaps is: the same moves as one playout after another would draw.


def heaps_many(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    stride = len(traces) // (leaves * each)
    for playout in range(leaves * each):
        left, right, turn = 0, 0, 0
        base = 3 * (playout // each)
        left, right, turn = states[base], states[base + 1], states[base + 2]
        length = 0
        while left + right > 0:
            on_left = min(left, 2)
            move = below(rng, on_left + min(right, 2))
            code = move if move < on_left else 2 + move - on_left
            traces[playout * stride + length] = 4 * turn + code
            length += 1
            if code < 2:
                left -= code + 1
            else:
                right -= code - 1
            turn = 1 - turn
        lengths[playout] = length
        out[2 * playout] = float(turn)
        out[2 * playout + 1] = 1.0 - turn
    return 0


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(
    "spec",
    ["uct(batch_leaves=6,playouts_per_leaf=2)", "grave(ref=5,batch_leaves=3,playouts_per_leaf=4)"],
)
def test_batch_playouts_give_the_same_search_as_single_playouts(spec, misere):
    slow = tiny.heaps(9)
    fast = slow.changed(batch_playouts=heaps_many, batch_scratch=1)
    found = []
    for game in (slow, fast):
        if misere:
            game = game.as_misere()
        search = SearchAgent(spec).bind(game)
        assert search.batch.at_once == (game.functions.batch_playouts is not None)
        run = search.run(game.start().state, (), Budget(playouts=1000), 3)
        tree, nodes = run.tree, run.nodes
        found.append((run.plies, tree.visits[:nodes].tolist(), tree.sums[:nodes].tolist()))
    assert found[0] == found[1]


def test_only_uniform_playouts_use_batch_playouts():
    game = tiny.heaps(4).changed(batch_playouts=heaps_many)
    assert not SearchAgent("uct(batch_leaves=4)+mast(k=2)").bind(game).batch.at_once


def test_only_the_batched_function_that_a_search_calls_is_compiled():
    game = tiny.heaps(4).changed(
        batch_playouts=heaps_many, batch_policy_playouts=too_long, batch_scratch=1
    )
    compiled = {
        spec: [bool(getattr(SearchAgent(spec).bind(game).rules, name)) for name in BATCH_FUNCTIONS]
        for spec in (
            "uct",
            "uct+mast",
            "uct(batch_leaves=4)",
            "uct(batch_leaves=4)+mast",
            "uct(batch_leaves=4,learn_after=batch)+nst",
        )
    }
    assert list(compiled.values()) == [
        [False, False],
        [False, False],
        [True, False],
        [False, False],
        [False, True],
    ]


@pytest.mark.parametrize("playout", ["nst", "mastf(k=8)", "ppa(alpha=0.3)", "poolrave(min=5)"])
def test_playouts_that_learn_do_so_within_batches(playout):
    game = make_game("breakthrough(size=5)")
    found = SearchAgent(f"grave(batch_leaves=8,playouts_per_leaf=2)+{playout}").search(
        game.start(), playouts=500, seed=4
    )
    assert found.playouts == 500
    assert sum(stat.visits for stat in found.root_stats) == 498  # the first two began at the root


LEARNING = [
    ("mast(epsilon=0.4)", lambda: Mast(epsilon=0.4)),
    ("mast(epsilon=0.1,unseen=0.5,batch=30)", lambda: Mast(epsilon=0.1, unseen=0.5, batch=30)),
    ("mast(k=5)", lambda: Mast(k=5.0)),
    ("nst(epsilon=0.3,min=3)", lambda: Nst(epsilon=0.3, least=3)),
    ("nst(k=3,n=2,min=2,unseen=0.4)", lambda: Nst(k=3.0, n=2, least=2, unseen=0.4)),
    ("ppa(alpha=0.4)", lambda: Ppa(0.4, batches=True)),
    ("ppa(alpha=0.2,policy=shared)", lambda: Ppa(0.2, shared=True, batches=True)),
    ("poolrave(p=0.6,size=4,min=20)", lambda: PoolRave(0.6, 4, 20)),
    ("poolrave(p=0.6,size=4,min=20,pool=node)", lambda: PoolRave(0.6, 4, 20, shared=True)),
]
# The first is played one playout after another, the others at once by a game that can.
SHAPES = [
    {"batch_leaves": 5, "playouts_per_leaf": 2},
    {"batch_leaves": 16, "playouts_per_leaf": 3},
    {"batch_leaves": 8, "playouts_per_leaf": 4, "batch_growth": 3},
]


def networks():
    """Random games that go on for a while, by the network kernels: alternating, simultaneous."""
    for seed, turns in ((3, True), (5, False)):
        yield network_game(random_gates(seed, 2, turns).network(), steps=9)


@pytest.mark.parametrize("options", SHAPES, ids=["small", "large", "growing"])
@pytest.mark.parametrize(("playout", "twin_playout"), LEARNING, ids=[p[0] for p in LEARNING])
def test_learning_after_a_batch_visits_what_the_twin_visits(playout, twin_playout, options):
    games = [make_game("breakthrough(size=5x4)"), *networks()]
    for game in games:
        text = ",".join(f"{name}={value}" for name, value in options.items())
        agent = SearchAgent(f"grave(ref=20,bias=1e-4,{text},learn_after=batch)+{playout}")
        search = agent.bind(game)
        search.run(game.start().state, (), Budget(playouts=400), 1)
        twin = NaiveSearch(
            game, naive.bias(1e-4), 20, playout=twin_playout(), learn_after="batch", **options
        )
        twin.set_root(game.start().state)
        twin.run(1, 400)
        assert_same_tree(search, twin)
        assert search.tree.visits[0] == 400
    assert (len(set(twin.batches)) > 5) == ("batch_growth" in options)


@pytest.mark.parametrize("playout", ["ppaf", "lgrf", "mastf", "mast(epsilon=0.2,joint=true)"])
def test_playouts_that_cannot_learn_after_a_batch_are_refused(playout):
    game = make_game("breakthrough(size=5)")
    with pytest.raises(UsageError, match="can only learn after each playout"):
        SearchAgent(f"grave(batch_leaves=8,learn_after=batch)+{playout}").bind(game)


def test_playouts_of_the_game_itself_are_not_played_in_batches():
    game = make_game("go(size=5)")
    with pytest.raises(UsageError, match="game's own playout mogo"):
        SearchAgent("grave(batch_leaves=8,learn_after=batch)+poolrave(over=mogo)").bind(game)


def test_threads_do_not_learn_choices_of_each_other_that_a_policy_does_not_leave_for_them():
    game, (variant, *_) = make_game("breakthrough(size=5)"), nst.POLICIES[0].variants
    silent = replace(variant, batch=replace(variant.batch, count_later=None))
    policies = [PlayoutPolicy("mine", "A policy.", (silent,))]
    spec = "uct(threads=2,batch_leaves=8,learn_after=batch{})+mine"
    SearchAgent(spec.format(",parallel=tree"), policies).bind(game)
    with pytest.raises(UsageError, match="set count_later, or use parallel=tree"):
        SearchAgent(spec.format(""), policies).bind(game)


def test_a_growing_table_of_sequences_changes_nothing(monkeypatch):
    """Batches with a table that grows, and with one that was large enough."""
    game = next(networks())
    agent = SearchAgent("uct(batch_leaves=16,playouts_per_leaf=3,learn_after=batch)+nst(min=2)")
    found = []
    # A quarter of the smaller table is full at some time; the rest has room for one batch.
    for slots in (1 << 12, 1 << 18):
        monkeypatch.setattr(nst, "FIRST_SLOTS", slots)
        search = agent.bind(game)
        assert len(search.playout_memory.record.keys) == slots
        search.run(game.start().state, (), Budget(playouts=2000), 7)
        assert (len(search.playout_memory.record.keys) > slots) == (slots == 1 << 12)
        found.append(search.tree.visits[: int(search.tree.meta[0])].tolist())
    assert found[0] == found[1]


def test_where_a_search_pauses_changes_nothing(monkeypatch):
    game = make_game("knightthrough(size=6)")
    agent = SearchAgent("grave(batch_leaves=16,playouts_per_leaf=3)")
    first = agent.search(game.start(), playouts=3000, seed=9)
    monkeypatch.setattr(runner, "CHUNK_SECONDS", 1e-6)
    second = agent.search(game.start(), playouts=3000, seed=9)
    assert first.root_stats == second.root_stats
    assert first.plies == second.plies


def test_a_budget_is_kept_to_the_playout():
    game = make_game("breakthrough(size=5)")
    for playouts in (1, 2, 31, 32, 33, 100):
        search = SearchAgent("uct(batch_leaves=8,playouts_per_leaf=4)").bind(game)
        assert search.run(game.start().state, (), Budget(playouts=playouts), 1).playouts == playouts
        assert search.control[DONE] == 0


def test_batches_find_the_winning_move():
    game = tiny.heaps(5)
    position = game.start().play("left-1")  # 4 and 5: the winner makes them differ by 0 or 3
    found = SearchAgent("uct(c=0.7,batch_leaves=16)").search(position, playouts=4000, seed=1)
    twin = NaiveSearch(game, naive.uct(0.7))
    twin.set_root(position.state)
    twin.run(1, 4000)
    best = max(twin.root.count, key=lambda played: twin.root.count[played])
    assert found.best_move == game.format_move(*best)


def test_batches_too_large_for_the_memory_are_refused():
    game = make_game("go(size=19)")
    with pytest.raises(UsageError, match="too little for batches of 4096 leaves"):
        SearchAgent("uct(batch_leaves=4096,memory_mib=64)").bind(game)


def test_batch_playouts_that_are_too_long_are_reported():
    game = tiny.heaps(4).changed(batch_playouts=too_long, batch_scratch=1)
    with pytest.raises(Exception, match="beyond the declared"):
        SearchAgent("uct(batch_leaves=4)").search(game.start(), playouts=100)


def too_long(*arguments):
    return 1
