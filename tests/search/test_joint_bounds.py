"""The solver at simultaneous moves: against exact solutions, and against the slow twin."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import graven as gv
from graven.agents import MoveClock, SearchAgent
from graven.core.contract import SIMULTANEOUS
from graven.gdl.sheet_loader import sheet_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from graven.search.score_bounds import CONSTANT, VARYING
from graven.search.tree import NONE, ROOT, SCORE_SUM
from tests.gdl.shared import sheet_text
from tests.naive import tiny
from tests.naive.exhaustive import TooLargeError
from tests.naive.matrix_games import matrix_game, solve
from tests.naive.staged_games import StagedGame
from tests.search.helpers import POLICIES, assert_consistent, assert_same_tree
from tests.search.helpers import run_both as run_with_twin
from tests.search.round_twins import UCT, assert_same_trees, twin_of, with_threads

AGENTS = ["uct", "grave(ref=20,bias=1e-4)", "uct(simultaneous=regret,regret_min=5)"]
TOLERANCE = 1e-9


def known_nodes(search, state):
    """All nodes that edges and tables of joint moves lead to, with their states."""
    rules, tree = search.rules, search.tree
    stack, done = [(int(tree.meta[ROOT]), state)], {}
    while stack:
        node, current = stack.pop()
        if node in done:
            continue
        done[node] = current
        turn, base = int(tree.turns[node]), node * rules.players
        if turn >= 0 and tree.first[base + turn] != NONE:
            first = int(tree.first[base + turn])
            for edge in range(first, first + int(tree.degree[base + turn])):
                if tree.children[edge] != NONE:
                    stack.append((int(tree.children[edge]), (current, turn, tree.moves[edge])))
        if turn == SIMULTANEOUS and tree.joint_at[node] != NONE:
            moves = [
                tree.moves[int(tree.first[p]) : int(tree.first[p]) + int(tree.degree[p])].tolist()
                for p in range(base, base + rules.players)
            ]
            for number, joint in enumerate(product(*moves)):
                child = int(tree.joint_children[int(tree.joint_at[node]) + number])
                if child != NONE:
                    stack.append((child, (current, SIMULTANEOUS, joint)))
    return done


def state_of(staged, path):
    """The state that a path of `known_nodes` leads to."""
    if isinstance(path[0], int):
        return path
    before, turn, move = path
    joint = move
    if turn != SIMULTANEOUS:
        joint = tuple(int(move) if player == turn else 0 for player in range(staged.players))
    return staged.after(state_of(staged, before), joint)


def check_every_node(staged, search):
    """Compare the bounds of all nodes with exhaustive search; return how many have any."""
    tree, checked = search.tree, 0
    for node, path in known_nodes(search, (0, 1)).items():
        if not tree.bounded[node]:
            continue
        checked += 1
        state = state_of(staged, path)
        for player in range(staged.players):
            place = node * staged.players + player
            low, high = tree.lower[place], tree.upper[place]
            assert low <= staged.guaranteed(state, player) <= high + TOLERANCE
            if staged.constant and staged.players == 2:
                value = staged.equilibrium(state)
                value = value if player == 0 else 1.0 - value
                assert low <= value + TOLERANCE
                assert value <= high + TOLERANCE
            elif tree.meta[SCORE_SUM] == VARYING:
                assert staged.most(state, player) <= high
    return checked


def search_of(staged, spec, playouts, seed=1):
    search = SearchAgent(spec).bind(staged.game)
    search.run(staged.game.start().state, (), Budget(playouts=playouts), seed)
    return search


@pytest.mark.parametrize("playouts", [60, 3000])
@pytest.mark.parametrize("agent", AGENTS)
def test_bounds_contain_the_equilibrium_of_two_players_with_a_constant_sum(agent, playouts):
    checked = 0
    for seed in range(12):
        staged = StagedGame(seed, stages=2 + seed % 2)
        search = search_of(staged, agent, playouts, seed)
        assert search.tree.meta[SCORE_SUM] == CONSTANT
        checked += check_every_node(staged, search)
    assert checked > 50


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(("players", "constant"), [(2, False), (3, True), (3, False)])
def test_bounds_of_other_games_contain_what_a_player_guarantees(agent, players, constant):
    checked = 0
    for seed in range(8):
        staged = StagedGame(seed, players, constant=constant)
        search = search_of(staged, agent, 2000, seed)
        assert search.tree.meta[SCORE_SUM] == (CONSTANT if constant else VARYING)
        checked += check_every_node(staged, search)
    assert checked > 20


@pytest.mark.parametrize("agent", AGENTS)
def test_games_with_a_saddle_point_are_proven_and_others_are_not(agent):
    proven = 0
    for seed in range(40):
        staged = StagedGame(seed)
        low, high = staged.pure((0, 1))
        result = gv.agent(agent).search(staged.game.start(), playouts=6000, seed=seed)
        assert result.proven == (low == high)
        assert result.bounds[0][0] <= low <= high <= result.bounds[0][1]
        if not result.proven:
            continue
        proven += 1
        assert result.bounds == ((low, low), (1.0 - low, 1.0 - low))
        assert result.value == low
        assert result.playouts < 6000
        children = staged.children((0, 1))
        for player, move in enumerate(result.best_joint):
            guaranteed = guaranteed_by(staged, children, player, move)
            assert guaranteed == result.bounds[player][0]
    assert 10 < proven < 40


def guaranteed_by(staged, children, player, move):
    """What a player's move guarantees; `children` are the states after all joint moves."""
    after = [child for joint, child in children.items() if str(joint[player]) == move]
    return min(staged.guaranteed(child, player) for child in after)


def test_the_bounds_of_root_moves_contain_what_they_guarantee():
    for seed in range(20):
        staged = StagedGame(seed)
        result = gv.agent("uct").search(staged.game.start(), playouts=500, seed=seed)
        children, value = staged.children((0, 1)), staged.equilibrium((0, 1))
        for player, stats in result.by_player.items():
            for stat in stats:
                guaranteed = guaranteed_by(staged, children, player, stat.move)
                assert stat.lower <= guaranteed <= stat.upper
            best = max(stat.upper for stat in stats)
            assert (value if player == 0 else 1.0 - value) <= best + TOLERANCE


# Matrix games.


def test_a_dominated_move_is_skipped_and_keeps_its_playouts():
    """Row 0 is better than row 1 in every column, while no row guarantees more than the other."""
    matrix = [[1.0, 0.5, 0.0], [0.75, 0.25, 0.0], [0.0, 0.25, 0.75]]
    search = SearchAgent("uct").bind(matrix_game(matrix))
    search.run(search_start(search), (), Budget(playouts=2000), 1)
    rows = search.root_statistics(0)
    assert [row.dominated for row in rows] == [False, True, False]
    assert 0 < rows[1].visits < 30
    assert not any(row.dominated for row in search.root_statistics(1))
    assert max(row.visits for row in rows) > 500


def search_start(search):
    game = matrix_game([[0.5]])
    return game.start().state


@pytest.mark.parametrize("agent", AGENTS)
def test_of_equal_moves_one_stays(agent):
    result = gv.agent(agent).search(matrix_game([[0.4, 0.4], [0.4, 0.4]]).start(), playouts=200)
    assert result.proven
    assert result.value == 0.4
    pennies = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    search = SearchAgent(agent).bind(matrix_game(pennies))
    search.run(search_start(search), (), Budget(playouts=500), 1)
    for player in range(2):
        rows = search.root_statistics(player)
        assert sorted([rows[0].dominated, rows[2].dominated]) == [False, True]
        assert not rows[1].dominated


def test_strategies_stay_distributions_and_converge_without_dominated_moves():
    matrix = np.array([[1.0, 0.5, 0.0], [0.75, 0.25, 0.0], [0.0, 0.25, 0.75]])
    agent = SearchAgent("uct(simultaneous=regret)")
    result = agent.search(matrix_game(matrix).start(), playouts=60_000, seed=1)
    strategies = [
        {stat.move: stat.probability for stat in stats} for stats in result.by_player.values()
    ]
    assert all(sum(each.values()) == pytest.approx(1.0) for each in strategies)
    assert strategies[0]["1"] == 0.0
    value, row, column = solve(matrix)
    for found, exact in zip(strategies, (row, column), strict=True):
        np.testing.assert_allclose([found[str(i)] for i in range(3)], exact, atol=0.06)
    assert result.bounds[0][0] <= value <= result.bounds[0][1]


def test_a_proven_root_plays_the_guaranteeing_move_instead_of_drawing_one():
    matrix = np.full((6, 6), 0.75)
    matrix[:, 0], matrix[4] = 0.25, 0.5
    agent = SearchAgent("uct(simultaneous=regret,regret_min=0)")
    for seed in range(20):
        result = agent.search(matrix_game(matrix).start(), playouts=5000, seed=seed)
        assert result.proven
        assert result.best_joint == ("4", "0")


def test_proofs_are_in_the_result_and_its_text():
    result = gv.agent("uct").search(matrix_game([[1.0, 1.0], [0.0, 0.5]]).start(), playouts=500)
    assert (result.proven, result.plies_left) == (True, 1)
    assert result.proof_text == "player 1: win in 1 ply; player 2: loss in 1 ply"
    assert f"proven     {result.proof_text}" in result.text()
    assert [stat.proof_text for stat in result.root_stats if stat.move == "0"] == ["win in 1 ply"]
    assert result.to_dict()["bounds"] == [[1.0, 1.0], [0.0, 0.0]]


def test_without_a_saddle_point_the_whole_budget_is_searched():
    result = gv.agent("uct").search(tiny.rock_paper_scissors(2).start(), playouts=500)
    assert (result.proven, result.playouts) == (False, 500)
    off = gv.agent("uct(solver=off)").search(matrix_game([[1.0, 1.0]] * 2).start(), playouts=500)
    assert (off.proven, off.playouts) == (False, 500)


def test_nodes_with_too_many_joint_moves_prove_nothing():
    size = int(arrays.MOST_JOINT**0.5)
    proves = gv.agent("uct").search(matrix_game(np.ones((size, size))).start(), playouts=3000)
    assert proves.proven
    none = gv.agent("uct").search(matrix_game(np.ones((size, size + 1))).start(), playouts=3000)
    assert not none.proven
    assert set(none.bounds) == {(0.0, 1.0)}


# The tree.


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"transpositions": False},
        {"credit_creation": False},
        {"expand": 3},
        {"batch_leaves": 4, "playouts_per_leaf": 2},
        {"simultaneous": "regret", "regret_min": 3},
        {"simultaneous": "regret", "regret_min": 3, "batch_leaves": 4},
        {"max_nodes": 40, "full": "recycle"},
    ],
    ids=str,
)
@pytest.mark.parametrize("policy", [POLICIES[0], POLICIES[10]], ids=["uct", "grave"])
def test_the_kernel_visits_what_its_twin_visits(policy, options):
    tables = skipped = 0
    kinds = [(2, True), (2, False), (3, True), (3, False)]
    for seed, (players, constant) in enumerate(kinds * 2):
        staged = StagedGame(seed, players, stages=3, constant=constant)
        search, twin = run_with_twin(staged.game, *policy, 500, seed=seed, **options)
        assert_same_tree(search, twin)
        assert_consistent(search)
        tables += int(search.tree.meta[arrays.JOINTS])
        skipped += int((search.tree.skipped[: search.tree.meta[arrays.EDGES]] != 0).sum())
    assert tables > 100
    assert skipped > 10


@pytest.mark.parametrize("complete", [0, 150, 4096])
def test_threads_in_rounds_agree_with_their_twin(complete, monkeypatch):
    monkeypatch.setattr("graven.search.sync_search.COMPLETE", complete)
    proven = 0
    for seed in range(4):
        staged = StagedGame(seed, stages=3)
        search = SearchAgent(with_threads("uct(c=0.4)", 2, solver="on")).bind(staged.game)
        twin = twin_of(search, staged.game, *UCT[1:], solver="on")
        search.run(staged.game.start().state, (), Budget(playouts=700), seed)
        twin.set_root(staged.game.start().state)
        twin.run(seed, 700)
        if search.root_visits < 700:
            proven += 1
            continue  # a proof of the second thread leads
        assert_same_trees(search, twin)
        for member in search.members:
            assert check_every_node(staged, member) > 5
    assert proven < 4


@pytest.mark.parametrize("parallel", ["sync", "tree", "root"])
def test_several_threads_prove_the_same_score(parallel):
    for seed in range(10):
        staged = StagedGame(seed)
        low, high = staged.pure((0, 1))
        spec = f"uct(threads=2,parallel={parallel})"
        result = gv.agent(spec).search(staged.game.start(), playouts=8000, seed=seed)
        assert result.proven == (low == high)
        assert result.bounds[0][0] <= low <= high <= result.bounds[0][1]


def test_a_tree_that_is_reused_keeps_valid_bounds():
    for seed in range(10):
        staged = StagedGame(seed, stages=3, ends=0.0)
        search = SearchAgent("uct(reuse_tree=true)").bind(staged.game)
        position, state = staged.game.start(), (0, 1)
        while not position.is_over:
            search.run(position.state, position.history, Budget(playouts=300), seed)
            for node, path in known_nodes(search, state).items():
                value = staged.equilibrium(state_of(staged, path))
                low, high = search.tree.lower[2 * node], search.tree.upper[2 * node]
                if search.tree.bounded[node]:
                    assert low - TOLERANCE <= value <= high + TOLERANCE
            moves = [position.legal_moves_of(player)[-1] for player in position.players_to_move]
            joint = [0, 0]
            for player, move in zip(position.players_to_move, moves, strict=True):
                joint[player] = int(move)
            position, state = position.play_joint(moves), staged.after(state, tuple(joint))


def test_a_reused_tree_that_is_proven_answers_at_once():
    seeds = [seed for seed in range(40) if len(set(StagedGame(seed).pure((0, 1)))) == 1]
    for seed in seeds[:8]:
        staged = StagedGame(seed)
        player = gv.agent("uct(reuse_tree=true)").player(staged.game, seed=1)
        first = player.choose(staged.game.start(), MoveClock(Budget(6000)))
        again = player.choose(staged.game.start(), MoveClock(Budget(6000)))
        assert first.proven
        assert (again.proven, again.value, again.best_joint) == (
            True,
            first.value,
            first.best_joint,
        )
        assert again.playouts == 0


def test_tables_grow_with_the_tree():
    """More entries than a new tree has space for; batches repeat what did not fit."""
    rng = np.random.default_rng(4)
    matrices = rng.random((8, 8, 8, 8)).round(2)
    for options in ("", "(batch_leaves=8,playouts_per_leaf=2)"):
        search = SearchAgent(f"uct{options}").bind(matrix_game(matrices))
        before = len(search.tree.joint_children)
        search.run(matrix_game(matrices).start().state, (), Budget(playouts=30_000), 1)
        assert len(search.tree.joint_children) > before
        assert search.tree.meta[arrays.JOINTS] == 64 * 65
        assert_consistent(search)
        first = np.array([[solve(matrices[i, j])[0] for j in range(8)] for i in range(8)])
        low, high = search.tree.lower[0], search.tree.upper[0]
        assert low - TOLERANCE <= solve(first)[0] <= high + TOLERANCE


def test_little_memory_closes_the_tree_but_bounds_stay_valid():
    staged = StagedGame(3, stages=5, ends=0.0)
    value = staged.equilibrium((0, 1))
    for options in ("memory_mib=1", "max_nodes=60", "memory_mib=1,full=recycle"):
        result = gv.agent(f"uct({options})").search(staged.game.start(), playouts=30_000)
        (low, high), _ = result.bounds
        assert low - TOLERANCE <= value <= high + TOLERANCE


# Rulesheets.

SHEETS = ["gdl(sheet=chinook)"]
REAL_SHEETS = ["blockerParallel", "biddingTicTacToe_10coins"]
MOST_POSITIONS = 1500


def guaranteed_score(position, player, left):
    """What one move after another guarantees a player; `left[0]` positions may be visited."""
    left[0] -= 1
    if left[0] < 0:
        raise TooLargeError
    if position.is_over:
        return position.scores[player]
    worst = {}
    own = position.players_to_move.index(player) if player in position.players_to_move else None
    for joint in product(*map(position.legal_moves_of, position.players_to_move)):
        score = guaranteed_score(position.play_joint(joint), player, left)
        move = None if own is None else joint[own]
        worst[move] = min(score, worst.get(move, score))
    return max(worst.values())


def late_positions(game, seed):
    """The last positions of a random game, the latest first."""
    rng, positions = np.random.default_rng(seed), [game.start()]
    while not positions[-1].is_over:
        position = positions[-1]
        joint = [rng.choice(position.legal_moves_of(p)) for p in position.players_to_move]
        positions.append(position.play_joint(joint))
    return positions[-2:-5:-1]


def check_late_positions(game):
    """Compare bounds with exhaustive search; return how many positions have any, or a proof."""
    bounded = proven = 0
    for seed in range(4):
        for position in late_positions(game, seed):
            players = range(game.players)
            try:
                scores = [guaranteed_score(position, p, [MOST_POSITIONS]) for p in players]
            except TooLargeError:
                break
            result = gv.agent("uct").search(position, playouts=1000, seed=seed)
            for score, (low, high) in zip(scores, result.bounds, strict=True):
                assert low <= score <= high + TOLERANCE
            for player, stats in result.by_player.items():
                assert max(stat.lower for stat in stats) <= scores[player]
            bounded += len(position.players_to_move) > 1 and set(result.bounds) != {(0.0, 1.0)}
            proven += len(position.players_to_move) > 1 and result.proven
            if result.proven and len(position.players_to_move) > 1:
                assert [low for low, _ in result.bounds] == scores
    return bounded, proven


@pytest.mark.parametrize("spec", SHEETS)
def test_late_positions_of_sheets(spec):
    bounded, _ = check_late_positions(gv.game(spec))
    assert bounded > 0


@pytest.mark.parametrize("name", REAL_SHEETS)
def test_late_positions_of_real_sheets(name):
    bounded, _ = check_late_positions(sheet_game(sheet_text(name), name))
    assert bounded > 0
