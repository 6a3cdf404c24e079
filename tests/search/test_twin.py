"""The kernel agrees with the slow, obvious search of `tests/naive/search.py`, visit for visit."""

from __future__ import annotations

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.core.contract import TERMINAL
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from graven.search.entries import AmafEntries, count_entries
from tests.naive import formulas as naive
from tests.naive import tiny
from tests.naive.nodes import Node
from tests.naive.search import NaiveSearch
from tests.search.helpers import (
    INFINITY,
    POLICIES,
    amaf_table,
    assert_same_tree,
    every_node,
    root_counts,
    run_both,
)

GO = ["go(size=3,komi=0)", "go(size=3,colors=3)"]
GAMES = ["breakthrough(size=5x4)", "knightthrough(size=5)", "nogo(size=3)"]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("spec", "formula", "ref"), POLICIES, ids=[p[0] for p in POLICIES])
def test_every_tree_policy_visits_what_its_twin_visits(name, spec, formula, ref):
    search, twin = run_both(make_game(name), spec, formula, ref, playouts=400)
    compared, tables = assert_same_tree(search, twin)
    assert compared > 50
    assert (tables > 0) == (ref is not None)


def test_the_variance_of_ucb1_tuned_decides_what_is_explored():
    """With few playouts the bound 1/4 hides the variance: the policy is then uct(c=0.5)."""
    game = make_game("knightthrough(size=4)")
    options = {"playouts": 3000, "solver": "off"}
    search, twin = run_both(game, "ucb1-tuned(c=1)", naive.ucb1_tuned(1.0), None, **options)
    assert_same_tree(search, twin)
    bounded, _ = run_both(game, "uct(c=0.5)", naive.uct(0.5), None, **options)
    root_moves = slice(search.rules.max_moves)
    assert search.tree.counts[root_moves].tolist() != bounded.tree.counts[root_moves].tolist()


@pytest.mark.parametrize("name", GO)
@pytest.mark.parametrize(
    ("spec", "formula", "ref"),
    [POLICIES[2], POLICIES[10], POLICIES[19]],
    ids=["rave", "grave", "mcps"],
)
def test_where_places_are_taken_again_amaf_counts_who_was_first(name, spec, formula, ref):
    search, twin = run_both(make_game(name), spec, formula, ref, playouts=400)
    assert search.rules.shared_points
    compared, tables = assert_same_tree(search, twin)
    assert compared > 50
    assert tables > 1
    # It does make a difference here: some point was taken by two players in one playout.
    again, _ = run_both(
        make_game(name).changed(shared_points=False), spec, formula, ref, playouts=400
    )
    tables = [amaf_table(each.rules, each.tree, 0) for each in (search, again)]
    assert (tables[0] != tables[1]).any()


@pytest.mark.parametrize("name", [*GAMES, *GO, "all at once"])
@pytest.mark.parametrize(
    ("spec", "formula", "ref"), [POLICIES[2], POLICIES[10]], ids=["rave", "grave"]
)
def test_statistics_are_counted_as_if_every_node_had_a_table(name, spec, formula, ref):
    game = tiny.rock_paper_scissors(4) if name == "all at once" else make_game(name)
    search, twin = run_both(game, spec, formula, ref, playouts=400, edges="all")
    nodes = [node for node in twin.nodes.values() if node.turn != TERMINAL]
    entries = [
        ({(player, move) for player in node.moves for move in node.moves[player]}, node.amaf_count)
        for node in nodes
        if node.moves is not None
    ]
    assert count_entries(search) == AmafEntries(
        nodes=len(nodes),
        legal=sum(len(legal & known.keys()) for legal, known in entries),
        all=sum(len(known) for _, known in entries),
        in_turn=0 if name == "all at once" else len(entries),
    )


@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("expand", [1, 3])
@pytest.mark.parametrize("fpu", [INFINITY, 0.6])
@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize(
    "policy", [POLICIES[0], POLICIES[10], POLICIES[19]], ids=["uct", "grave", "mcps"]
)
def test_search_options_mean_the_same_to_both(policy, transpositions, expand, fpu, ties):
    search, twin = run_both(
        make_game("domineering(size=4)"),
        *policy,
        playouts=500,
        transpositions=transpositions,
        expand=expand,
        fpu=fpu,
        ties=ties,
    )
    compared, _ = assert_same_tree(search, twin)
    assert compared > 50


@pytest.mark.parametrize("name", [GAMES[0], GO[0], "all at once"])
@pytest.mark.parametrize(
    "options",
    [
        {"offset": 0.05},
        {"offset": 0.05, "ties": "first"},
        {"untried": "amaf", "fpu": 1.0},
        {"amaf_count": "all"},
        {"amaf_count": "player"},
        {"amaf_moves": "playout"},
        {"amaf_weight": "distance"},
        {"amaf_weight": "distance", "amaf_count": "all", "amaf_moves": "playout"},
        {"amaf_off": 0.1},
        {"criticality": 20.0},
        {"criticality": 5.0, "amaf_count": "all", "amaf_weight": "distance"},
        {"amaf_off": 1.0, "solver": "off"},
        {"amaf_count": "all", "amaf_moves": "playout", "expand": 3},
        {"credit_creation": False},
        {"credit_creation": False, "transpositions": False, "amaf_moves": "playout"},
        {
            "fpu": 1.0,
            "offset": 0.01,
            "untried": "amaf",
            "amaf_count": "all",
            "credit_creation": False,
        },
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
@pytest.mark.parametrize("policy", [POLICIES[2], POLICIES[11]], ids=["rave", "grave"])
def test_options_of_the_papers_programs_mean_the_same_to_both(policy, options, name):
    game = tiny.rock_paper_scissors(4) if name == "all at once" else make_game(name)
    search, twin = run_both(game, *policy, playouts=300, **options)
    compared, tables = assert_same_tree(search, twin)
    assert compared > (0 if name == "all at once" else 30)
    assert tables > 0
    if name in GO:  # where moves occur twice in a simulation, every option makes a difference
        usual, _ = run_both(game, *policy, playouts=300)
        assert root_counts(search) != root_counts(usual)


@pytest.mark.parametrize("name", ["breakthrough(size=5x4)", "go(size=3,komi=0)"])
def test_entries_are_counted_without_the_simulation_that_adds_a_node(name):
    spec, formula, ref = POLICIES[2]
    search, twin = run_both(
        make_game(name), spec, formula, ref, 400, credit_creation=False, edges="all"
    )
    nodes = [node for node in twin.nodes.values() if node.turn != TERMINAL]
    visited = [node for node in nodes if node.moves is not None]
    legal = [{(p, m) for p in node.moves for m in node.moves[p]} for node in visited]
    assert count_entries(search) == AmafEntries(
        nodes=len(nodes),
        legal=sum(len(a & node.amaf_count.keys()) for a, node in zip(legal, visited, strict=True)),
        all=sum(len(node.amaf_count) for node in visited),
        in_turn=len(visited),
    )


def test_the_slow_search_really_shares_nodes_where_positions_are_equal():
    game = make_game("domineering(size=4)")
    _, shared = run_both(game, "uct(c=0.4)", naive.uct(0.4), None, 500, transpositions=True)
    search, _ = run_both(game, "uct(c=0.4)", naive.uct(0.4), None, 500, transpositions=False)
    assert len(shared.nodes) < int(search.tree.meta[arrays.NODES])


@pytest.mark.parametrize(
    "policy", [POLICIES[0], POLICIES[10], POLICIES[19]], ids=["uct", "grave", "mcps"]
)
@pytest.mark.parametrize("transpositions", [True, False])
def test_players_who_move_at_once_choose_from_their_own_statistics(policy, transpositions):
    search, twin = run_both(
        tiny.rock_paper_scissors(4), *policy, playouts=600, transpositions=transpositions
    )
    assert_same_tree(search, twin)
    # Below the root, nodes are found by joint move: their numbers must agree as well.
    mine = sorted(search.tree.visits[: int(search.tree.meta[arrays.NODES])])
    assert mine == sorted(node.visits for node in every_node(twin.root))


@pytest.mark.parametrize("policy", [POLICIES[i] for i in (0, 2, 10, 13, 19)], ids=lambda p: p[0])
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("pruned", [True, False])
def test_a_kept_tree_goes_on_as_if_it_had_never_stopped(policy, transpositions, pruned):
    spec, formula, ref = policy
    game = make_game("breakthrough(size=5x4)")
    position = game.start()
    flag = str(transpositions).lower()
    search = SearchAgent(spec.replace(")", f",reuse_tree=true,transpositions={flag})")).bind(game)
    search.prune_above = 0 if pruned else search.prune_above
    twin = NaiveSearch(game, formula, ref, transpositions=transpositions)
    twin.set_root(position.state)
    for move in range(4):
        search.run(position.state, position.history, Budget(playouts=300), derive(5, move))
        twin.run(derive(5, move), 300)
        assert_same_tree(search, twin)
        counts = {m[1]: n for m, n in twin.root.count.items()}
        best = max(counts, key=lambda code: (counts[code], code))
        position = position.play(best)
        child = twin.root.children[(best,)]
        twin.forget_simulations(every_node(twin.root))
        twin.root_state, twin.root = position.state.copy(), child
        if pruned and transpositions:
            # What the new root cannot reach is dropped, so the twin must forget it as well.
            kept = {id(node) for node in every_node(child)}
            twin.nodes = {key: node for key, node in twin.nodes.items() if id(node) in kept}
        assert child.visits > 1


@pytest.mark.parametrize("c", [0.0, 0.3])
@pytest.mark.parametrize("weight", [0.0, 1e-10, 1e-4, 0.1])
def test_the_fraction_is_the_papers_formula(weight, c):
    rng = np.random.default_rng(1)
    played = (0, 7)
    for _ in range(500):
        node, reference = Node(0, visits=1000), Node(0, visits=1000)
        if n := int(rng.integers(0, 50)):
            node.count[played], node.total[played] = n, n * float(rng.random())
        if pa := int(rng.integers(0, 500)):
            reference.amaf_count[played] = pa
            reference.amaf_total[played] = pa * float(rng.random())
        one = naive.bias(weight, c)(node, reference, *played)
        two = naive.textbook_bias(weight, c)(node, reference, *played)
        assert (one is None) == (two is None)
        assert one is None or one == pytest.approx(two, rel=1e-12)


def test_grave_with_ref_0_is_rave():
    game = make_game("breakthrough(size=6)")
    one = SearchAgent("grave(ref=0,bias=1e-4)").search(game.start(), playouts=3000, seed=3)
    two = SearchAgent("rave(bias=1e-4)").search(game.start(), playouts=3000, seed=3)
    assert one.root_stats == two.root_stats
    assert (one.nodes, one.amaf_tables, one.pv) == (two.nodes, two.amaf_tables, two.pv)


def test_grave_with_infinite_ref_is_hrave():
    game = make_game("knightthrough(size=6)")
    one = SearchAgent("grave(ref=inf,k=50,c=0.2)").search(game.start(), playouts=3000, seed=3)
    two = SearchAgent("hrave(k=50,c=0.2)").search(game.start(), playouts=3000, seed=3)
    assert one.root_stats == two.root_stats
    assert one.amaf_tables == two.amaf_tables == 1


def test_terminal_nodes_count_as_playouts_and_have_no_moves():
    game = make_game("nogo(size=2)")
    search, twin = run_both(game, "uct(c=0.4)", naive.uct(0.4), None, playouts=500, solver="off")
    assert_same_tree(search, twin)
    tree = search.tree
    over = [n for n in range(int(search.tree.meta[arrays.NODES])) if tree.turns[n] == TERMINAL]
    assert over
    assert max(tree.visits[n] for n in over) > 10
    assert all(
        tree.first[n * 2] == arrays.NONE and tree.first[n * 2 + 1] == arrays.NONE for n in over
    )


def test_permutations_count_every_playout_with_the_moves_of_the_path():
    """Of all simulations, whether they went through the node or not."""
    search, twin = run_both(make_game("hex(size=4)"), *POLICIES[19], playouts=700, solver="off")
    assert_same_tree(search, twin)
    (played, child) = max(twin.root.children.items(), key=lambda item: item[1].visits)
    contained = [s for s in twin.log[: child.counted] if (0, played[0]) in s.trace]
    through = [s for s in contained if s.trace[0] == (0, played[0])]
    assert len(contained) > len(through) > 100
    for player, move in list(child.permuted_count)[:10]:
        both = [s for s in contained if (player, move) in s.trace]
        assert child.permuted_count[player, move] == len(both)
        assert child.permuted_total[player, move] == sum(s.scores[player] for s in both)


HALVING = [
    ("uct(c=0.4,root=sh)", naive.uct(0.4), None, {}),
    ("uct(c=0.4,root=anytime)", naive.uct(0.4), None, {}),
    ("grave(ref=20,bias=1e-4,root=sh,root_amaf=2)", naive.bias(1e-4), 20, {"root_amaf": 2.0}),
]


@pytest.mark.parametrize("solver", ["on", "off"])
@pytest.mark.parametrize("playouts", [30, 700])
@pytest.mark.parametrize(
    ("spec", "formula", "ref", "options"), HALVING, ids=["sh", "anytime", "shuss"]
)
def test_sequential_halving_gives_the_playouts_that_its_twin_gives(
    spec, formula, ref, options, playouts, solver
):
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent(spec.replace(")", f",solver={solver})")).bind(game)
    search.run(game.start().state, (), Budget(playouts=playouts), 1)
    root = "anytime" if "anytime" in spec else "sh"
    twin = NaiveSearch(game, formula, ref, root=root, solver=solver, **options)
    twin.set_root(game.start().state)
    twin.run(1, playouts)
    compared, _ = assert_same_tree(search, twin)
    assert compared > 10


def test_the_arm_that_sequential_halving_keeps_has_the_most_playouts():
    agent = SearchAgent("uct(c=0.4,root=sh,solver=off)")
    result = agent.search(make_game("hex(size=3)").start(), playouts=901, seed=2)
    counts = sorted((move.visits for move in result.root_stats), reverse=True)
    # Nine moves, four rounds of up to 225 playouts: 9 x 25, 5 x 45, 3 x 75, 2 x 112, and the one
    # that is left; the first playout of the search is the root's own.
    assert counts == [258, 257, 145, 70, 70, 25, 25, 25, 25]


def test_root_amaf_needs_amaf_values_and_sequential_halving():
    game = make_game("hex(size=3)")
    for spec in ("uct(root=sh,root_amaf=1)", "grave(root_amaf=1)"):
        with pytest.raises(UsageError, match="root_amaf"):
            SearchAgent(spec).bind(game)
