"""Packed AMAF tables have the numbers of wide ones, and become wide at the first other score."""

from __future__ import annotations

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.core.contract import TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, RuleFunctions
from graven.games.registry import make_game
from graven.search import search_rules, snapshot
from graven.search.budget import Budget
from graven.search.stored_traces import stored_length, stored_size
from graven.search.tree import NODES, NONE, PACKED, ROOT, WIDE
from tests.naive import formulas as naive
from tests.search.helpers import amaf_table, assert_same_tree, root_counts, run_both

# Take 1 to 3 stones from a heap; the last stone wins, but less after many moves that took one.
# State: stones, whose turn, how many moves took one. Constants: stones, how many moves are many.


def start(constants, state):
    state[0], state[1], state[2] = constants[0], 0, 0


def turn(constants, state):
    return state[1] if state[0] > 0 else TERMINAL


def legal(constants, state, player, moves):
    count = min(3, state[0])
    for stones in range(count):
        moves[stones] = stones
    return count


def play(constants, state, joint):
    move = joint[state[1]]
    state[0] -= move + 1
    state[1] = 1 - state[1]
    state[2] += int(move == 0)


def scores(constants, state, out):
    most = 0.9 if state[2] >= constants[1] else 1.0
    out[state[1]] = 1.0 - most
    out[1 - state[1]] = most


def heap(size, codes=3, many=6):
    return Game(
        name="graded heap",
        players=2,
        functions=RuleFunctions(start=start, turn=turn, legal=legal, play=play, scores=scores),
        bounds=Bounds(state_words=3, num_codes=codes, max_moves=3, max_plies=size),
        constants=[size, many],
    )


def run(game, spec="grave(ref=5,solver=off)", playouts=2000, seed=3):
    search = SearchAgent(spec).bind(game)
    search.run(game.start().state, (), Budget(playouts=playouts), seed)
    return search


def test_tables_are_packed_while_scores_are_half_points():
    assert run(make_game("breakthrough(size=5x4)")).rules.amaf == PACKED
    assert run(make_game("othello(size=4)")).rules.amaf == PACKED  # has draws


@pytest.mark.parametrize("solver", ["on", "off"])
@pytest.mark.parametrize("codes", [3, 200, 400, 600, 40_000])
def test_a_graded_score_makes_them_wide_in_the_middle_of_a_search(solver, codes):
    game = heap(9, codes)
    packed = run(game, playouts=20)
    assert packed.rules.amaf == PACKED
    search, twin = run_both(
        game, "grave(ref=5,bias=1e-4)", naive.bias(1e-4), 5, playouts=1000, seed=3, solver=solver
    )
    assert search.rules.amaf == WIDE
    compared, tables = assert_same_tree(search, twin)
    assert compared > 20
    assert tables > 5
    shown = snapshot.take_snapshot(search, snapshot.root_path(search))
    assert shown.visits == twin.root.visits


def test_a_renewed_search_begins_with_packed_tables():
    game = heap(9)
    search = run(game, playouts=3000)
    first = root_counts(search)
    search.renew()
    assert search.rules.amaf == PACKED
    search.run(game.start().state, (), Budget(playouts=3000), 3)
    assert search.rules.amaf == WIDE
    assert root_counts(search) == first


@pytest.mark.parametrize("name", ["breakthrough", "go(size=5)", "hex(size=5)", "knightthrough"])
@pytest.mark.parametrize(
    "options", ["", ",amaf_count=all", ",amaf_moves=playout", ",criticality=1"]
)
def test_packed_and_wide_tables_have_the_same_numbers(name, options, monkeypatch):
    game, spec = make_game(name), f"grave(ref=10{options})"
    packed = run(game, spec)
    monkeypatch.setattr(search_rules, "_entry_words", lambda spec: WIDE)
    wide = run(game, spec, seed=3)
    if wide is packed:
        pytest.skip("the agent keeps its searches")
    assert (packed.rules.amaf, wide.rules.amaf) == (PACKED, WIDE)
    nodes = int(wide.tree.meta[NODES])
    assert packed.tree.table[:nodes].tolist() == wide.tree.table[:nodes].tolist()
    tables = wide.tree.table[:nodes][wide.tree.table[:nodes] != NONE]
    assert len(tables) > 10
    for table in tables.tolist():
        np.testing.assert_array_equal(
            amaf_table(packed.rules, packed.tree, table), amaf_table(wide.rules, wide.tree, table)
        )


def test_the_twin_agrees_where_draws_are_half_points():
    game = make_game("othello(size=4)")
    search, twin = run_both(game, "grave(ref=10,bias=1e-4)", naive.bias(1e-4), 10, playouts=600)
    assert search.rules.amaf == PACKED
    compared, tables = assert_same_tree(search, twin)
    assert compared > 50
    assert tables > 5


@pytest.mark.parametrize(
    ("many", "before", "playouts"),
    [(15, 20, 2000), (18, 4200, 9000)],
    ids=["complete rounds", "brief rounds"],
)
def test_synchronous_threads_have_the_numbers_of_wide_tables(many, before, playouts, monkeypatch):
    game, spec = heap(40, many=many), "grave(ref=5,solver=off,threads=2)"
    assert all(member.rules.amaf == PACKED for member in run(game, spec, before, seed=2).members)
    packed = run(game, spec, playouts, seed=2)
    monkeypatch.setattr(search_rules, "_entry_words", lambda spec: WIDE)
    wide = run(heap(40, many=many), spec, playouts, seed=2)
    assert packed is not wide
    for ours, theirs in zip(packed.members, wide.members, strict=True):
        assert ours.rules.amaf == theirs.rules.amaf == WIDE
        nodes = int(theirs.tree.meta[NODES])
        assert ours.tree.visits[:nodes].tolist() == theirs.tree.visits[:nodes].tolist()
        tables = theirs.tree.table[:nodes][theirs.tree.table[:nodes] != NONE]
        assert len(tables) > 10
        for table in tables.tolist():
            entries = amaf_table(ours.rules, ours.tree, table)
            np.testing.assert_allclose(entries, amaf_table(theirs.rules, theirs.tree, table))


@pytest.mark.parametrize("parallel", ["sync", "tree", "root"])
def test_a_tree_with_wide_tables_can_lead_threads_with_packed_ones(parallel):
    """The tree that proves the root changes places with the first one."""
    game, spec = heap(9, many=4), f"grave(ref=5,threads=2,parallel={parallel})"
    for seed in range(5):
        search = run(game, spec, 4000, seed)
        root = int(search.tree.meta[ROOT])
        played = amaf_table(search.rules, search.tree, int(search.tree.table[root]))
        assert len({member.rules.amaf for member in search.members}) == 1
        assert 0 < played[:, 0].max() <= search.tree.visits[root]
        assert (played[:, 1] <= played[:, 0]).all()


@pytest.mark.parametrize("codes", [3, 200, 400, 600])
def test_the_length_of_a_stored_trace_follows_from_its_size(codes):
    rules = heap(9, codes).rules
    for length in range(100):
        assert stored_length(rules, stored_size(rules, length)) == length
