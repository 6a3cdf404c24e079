"""Regret matching at simultaneous moves: exact solutions, dominated moves, and the slow twin."""

from __future__ import annotations

import numpy as np
import pytest

import graven as gv
from graven.agents import SearchAgent
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from tests.naive import tiny
from tests.naive.matrix_games import exploitability, matrix_game, solve
from tests.search.helpers import POLICIES, assert_same_tree, every_node, run_both

REGRET = "uct(simultaneous=regret)"

# Rock against paper is a draw more often than a loss: scores of the row player.
BIASED_HANDS = [[0.5, 0.25, 1.0], [0.75, 0.5, 0.45], [0.0, 0.55, 0.5]]
# Matching pennies in which one match counts less: the equilibrium is 7 to 10.
PENNIES = [[1.0, 0.0], [0.0, 0.7]]
MATRICES = {
    "hands": BIASED_HANDS,
    "pennies": PENNIES,
    "one row dominates": [[0.9, 0.6, 0.8], [0.4, 0.5, 0.1]],
    "random": np.random.default_rng(3).random((4, 6)).round(3),
    "wins and losses": (np.random.default_rng(5).random((5, 5)) < 0.5).astype(float),
}


def strategies(result):
    """The average strategy of each player, by move."""
    return [
        np.array([stat.probability for stat in sorted(stats, key=lambda stat: int(stat.move))])
        for stats in result.by_player.values()
    ]


def exploitability_after(matrix, playouts, spec="uct(simultaneous=regret,solver=off)"):
    game = matrix_game(matrix)
    results = [
        SearchAgent(spec).search(game.start(), playouts=playouts, seed=seed) for seed in range(4)
    ]
    return np.mean([exploitability(matrix, *strategies(result)) for result in results])


@pytest.mark.parametrize("name", MATRICES)
def test_the_average_strategy_converges_to_an_equilibrium(name):
    matrix = MATRICES[name]
    early, late = (exploitability_after(matrix, playouts) for playouts in (600, 100_000))
    assert late < 0.04
    assert late < early / 2 or early < 0.02


# Rock, paper, scissors; a game in which decoupled selection goes round in circles; random ones.
SOLVED_SOON = {
    "rock, paper, scissors": [[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]],
    "biased": BIASED_HANDS,
    "pennies": PENNIES,
    **{f"random {n}": np.random.default_rng(n).random((4, 4)).round(3) for n in (1, 2, 6)},
    "15 moves each": np.random.default_rng(5).random((15, 15)).round(3),
}
BATCHES = "batch_leaves=64,playouts_per_leaf=4,batch_growth=8"


@pytest.mark.parametrize("options", ["regret_min=50", BATCHES, "threads=2", "gamma=1"])
@pytest.mark.parametrize("name", SOLVED_SOON)
def test_matrix_games_of_one_round_are_solved_within_a_few_thousand_playouts(name, options):
    matrix = np.array(SOLVED_SOON[name])
    game = matrix_game(matrix)
    for seed in range(3):
        agent = SearchAgent(f"uct(simultaneous=regret,{options})")
        result = agent.search(game.start(), playouts=10_000, seed=seed)
        assert not result.proven
        assert exploitability(matrix, *strategies(result)) < 0.005


@pytest.mark.parametrize("options", ["regret_min=50", BATCHES])
def test_two_stages_take_little_longer(options):
    for seed in range(3):
        stages = np.random.default_rng(seed).random((3, 3, 3, 3)).round(3)
        first = np.array([[solve(stages[i, j])[0] for j in range(3)] for i in range(3)])
        agent = SearchAgent(f"uct(simultaneous=regret,{options})")
        result = agent.search(matrix_game(stages).start(), playouts=100_000, seed=seed)
        assert exploitability(first, *strategies(result)) < 0.025


@pytest.mark.parametrize("options", ["batch_leaves=8,playouts_per_leaf=4", "threads=2", "gamma=1"])
def test_batches_threads_and_more_exploration_converge_as_well(options):
    spec = f"uct(simultaneous=regret,{options})"
    assert exploitability_after(BIASED_HANDS, 100_000, spec) < 0.04


def test_probabilities_are_those_of_the_only_equilibrium():
    value, row, column = solve(BIASED_HANDS)
    result = SearchAgent(REGRET).search(matrix_game(BIASED_HANDS).start(), playouts=300_000)
    found = strategies(result)
    np.testing.assert_allclose(found[0], row, atol=0.04)
    np.testing.assert_allclose(found[1], column, atol=0.04)
    means = [stat.mean for stat in result.by_player[0]]
    assert np.dot(means, [stat.probability for stat in result.by_player[0]]) == pytest.approx(
        value, abs=0.02
    )


def test_two_stages_are_solved_from_the_end():
    stages = np.random.default_rng(8).random((3, 3, 3, 3)).round(3)
    first = np.array([[solve(stages[i, j])[0] for j in range(3)] for i in range(3)])
    result = SearchAgent(REGRET).search(matrix_game(stages).start(), playouts=200_000)
    assert exploitability(first, *strategies(result)) < 0.04


def test_the_move_played_is_drawn_from_the_average_strategy():
    game = matrix_game(PENNIES)
    agent = SearchAgent(REGRET)
    played = [
        agent.search(game.start(), playouts=2_000, seed=seed).best_joint for seed in range(300)
    ]
    _, row, column = solve(PENNIES)
    for player, strategy in enumerate((row, column)):
        share = np.mean([joint[player] == "0" for joint in played])
        assert share == pytest.approx(strategy[0], abs=0.15)
    assert played == [
        agent.search(game.start(), playouts=2_000, seed=seed).best_joint for seed in range(300)
    ]


# Silent or confess: years in prison, as scores. Confessing is better whatever the other does.
PRISONER = [[0.6, 0.0], [1.0, 0.2]]
# Stag or hare: two equilibria in pure strategies, stag with stag and hare with hare.
STAG_HUNT = [[1.0, 0.0], [0.7, 0.7]]
CHICKEN = [[0.6, 0.3], [1.0, 0.0]]


@pytest.mark.parametrize("tree", ["uct", "grave(ref=50,k=250,c=0.2)"])
def test_dominated_moves_disappear_though_both_would_gain_from_them(tree):
    game = matrix_game(PRISONER, np.transpose(PRISONER))
    spec = f"{tree[:-1]}," if tree.endswith(")") else f"{tree}("
    agent = SearchAgent(f"{spec}simultaneous=regret)")
    for seed in range(5):
        result = agent.search(game.start(), playouts=5_000, seed=seed)
        assert result.best_joint == ("1", "1")
        assert all(strategy[1] > 0.95 for strategy in strategies(result))


@pytest.mark.parametrize("matrix", [STAG_HUNT, CHICKEN], ids=["stag hunt", "chicken"])
def test_in_games_without_a_constant_sum_nobody_gains_by_another_move(matrix):
    scores = np.array(matrix)
    for seed in range(5):
        result = SearchAgent(REGRET).search(
            matrix_game(scores, scores.T).start(), playouts=50_000, seed=seed
        )
        row, column = strategies(result)
        assert (scores @ column).max() - row @ scores @ column < 0.05
        assert (scores @ row).max() - column @ scores @ row < 0.05


def test_the_strategy_is_part_of_the_printed_and_the_json_result():
    result = gv.agent(REGRET).search(matrix_game(BIASED_HANDS).start(), playouts=1_000)
    assert "strategy" in result.text().splitlines()[1]
    assert f"best       {result.best_move}, drawn from the strategies" in result.text()
    stats = result.to_dict()["by_player"][1]
    assert sum(stat["probability"] for stat in stats) == pytest.approx(1.0)
    decoupled = gv.agent("uct").search(matrix_game(BIASED_HANDS).start(), playouts=1_000)
    assert "strategy" not in decoupled.text()
    assert decoupled.to_dict()["root_stats"][0]["probability"] is None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"gamma": 0.9},
        {"regret_min": 0},
        {"regret_min": 5},
        {"transpositions": False},
        {"credit_creation": False},
        {"batch_leaves": 5, "playouts_per_leaf": 2},
        {"batch_leaves": 8, "batch_growth": 4},
    ],
    ids=str,
)
@pytest.mark.parametrize("policy", [POLICIES[0], POLICIES[10]], ids=["uct", "grave"])
@pytest.mark.parametrize("game", [tiny.rock_paper_scissors(4), matrix_game(PENNIES)], ids=repr)
def test_the_kernel_draws_what_its_twin_draws(game, policy, options):
    search, twin = run_both(game, *policy, playouts=600, simultaneous="regret", **options)
    assert_same_tree(search, twin)
    assert search.tree.regrets[0] != 0.0
    mine = sorted(search.tree.visits[: int(search.tree.meta[arrays.NODES])])
    assert mine == sorted(node.visits for node in every_node(twin.root))


def test_where_players_move_in_turn_the_tree_policy_selects_as_before():
    game = make_game("breakthrough(size=5x4)")
    counts = []
    for spec in ("uct(c=0.4,edges=all)", "uct(c=0.4,simultaneous=regret)"):
        search = SearchAgent(spec).bind(game)
        search.run(game.start().state, (), Budget(playouts=500), 1)
        nodes, edges = (int(search.tree.meta[i]) for i in (arrays.NODES, arrays.EDGES))
        counts.append((search.tree.visits[:nodes].tolist(), search.tree.counts[:edges].tolist()))
    assert counts[0] == counts[1]
