"""The solver: its bounds against exhaustive search, its selection, its results."""

from __future__ import annotations

import random

import numpy as np
import pytest

import graven as gv
from graven.agents import MoveClock, SearchAgent
from graven.core.contract import TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.position import Position
from graven.games.registry import make_game
from graven.search import score_bounds
from graven.search.budget import Budget
from graven.search.tree import EDGES, NODES, NONE, ROOT, SCORE_SUM
from tests.gdl import tiny as tiny_sheets
from tests.naive import formulas as naive
from tests.naive import tiny
from tests.naive.exhaustive import TooLargeError, greatest_score, guaranteed_score
from tests.search.helpers import POLICIES, assert_same_tree, run_both
from tests.search.three_player_heap import heap

# Games and the most plies that may be left for an exhaustive search to be quick.
ENDGAMES = [
    ("atarigo(size=4)", 7),
    ("breakthrough(size=5x4)", 7),
    ("domineering(size=5)", 9),
    ("havannah(size=3)", 7),
    ("hex(size=4)", 8),
    ("knightthrough(size=5)", 7),
    ("nogo(size=4)", 7),
    ("othello(size=6)", 8),
    ("misere-breakthrough(size=4x3)", 7),
    ("misere-domineering(size=5)", 9),
    ("misere-hex(size=4)", 8),
    ("misere-othello(size=4)", 8),
    ("samegame(size=5,colours=3,seed=2)", 8),
    ("morpion(variant=5D)", 6),
]
AGENTS = ["uct", "grave(ref=20,bias=1e-4)"]
POSITIONS = 24


def endgame(game: Game, plies_left: int, rng: random.Random) -> Position:
    """A position of a random game, so many plies before its end."""
    positions = [game.start()]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].legal_moves)))
    return positions[max(0, len(positions) - 1 - plies_left)]


def check_against_exhaustive_search(position: Position, agent: str, playouts: int) -> bool:
    """Compare a search's bounds and its move with exhaustive search; return whether it proves."""
    result = gv.agent(agent).search(position, playouts=playouts)
    mover = position.current_player
    after = {stat.move: position.play(stat.move) for stat in result.root_stats}
    scores = {move: guaranteed_score(end, mover) for move, end in after.items()}
    for stat in result.root_stats:
        assert stat.lower <= scores[stat.move] <= stat.upper, (position, stat)
    best = max(scores.values())
    assert result.bounds[mover][0] <= best <= result.bounds[mover][1], position
    if result.proven:
        assert result.value == best == scores[result.best_move]
        if len(result.bounds) == 2:
            assert result.bounds[1 - mover][0] <= 1.0 - best <= result.bounds[1 - mover][1]
        assert result.plies_left > 0
    return result.proven


@pytest.mark.parametrize(("spec", "most_plies"), ENDGAMES, ids=[name for name, _ in ENDGAMES])
def test_endgames_against_exhaustive_search(spec: str, most_plies: int) -> None:
    game, rng = gv.game(spec), random.Random(5)
    proven = 0
    for number in range(POSITIONS):
        position = endgame(game, rng.randint(1, most_plies), rng)
        try:
            guaranteed_score(position, position.current_player, most=100_000)
        except TooLargeError:
            continue  # other moves lead to longer games
        proven += check_against_exhaustive_search(position, AGENTS[number % 2], 2000)
    assert proven >= POSITIONS // 8


@pytest.mark.parametrize("empty", [8, 9, 10])
def test_othello_endgames(empty: int) -> None:
    game, rng = gv.game("othello"), random.Random(empty)
    for _ in range(2):
        position = game.start()
        while not position.is_over and np.count_nonzero(board_of(position) == 0) > empty:
            position = position.play(rng.choice(position.legal_moves))
        if not position.is_over:
            assert check_against_exhaustive_search(position, "uct", 400_000)


def board_of(position: Position) -> np.ndarray:
    """The squares of an Othello position: 0 where they are empty."""
    text = position.game.render(position.state, False)
    rows = [line.split()[1:9] for line in text.splitlines() if line[:1].strip().isdigit()]
    return np.array([[square != "." for square in row] for row in rows], dtype=int)


@pytest.mark.parametrize(
    ("spec", "playouts"),
    [
        ("hex(size=3)", 20_000),
        ("domineering(size=4)", 20_000),
        ("breakthrough(size=4x3)", 60_000),
        ("knightthrough(size=4)", 60_000),
        ("othello(size=4)", 60_000),
        ("nogo(size=3)", 60_000),
    ],
)
@pytest.mark.parametrize("agent", AGENTS)
def test_small_boards_from_the_start(spec: str, playouts: int, agent: str) -> None:
    assert check_against_exhaustive_search(gv.game(spec).start(), agent, playouts)


def test_every_opening_of_hex_3x3() -> None:
    small = gv.game("hex(size=3)")
    for move in small.start().legal_moves:
        assert check_against_exhaustive_search(small.start().play(move), "uct", 20_000)


@pytest.mark.parametrize("move", ["a1", "b2", "d1", "c3"])
def test_openings_of_hex_4x4(move: str) -> None:
    position = gv.game("hex(size=4)").start().play(move)
    result = gv.agent("grave").search(position, playouts=150_000)
    assert result.proven
    assert result.value == gv.prove(position).scores[1]


# Every node of a tree.


def check_every_node(search, position: Position) -> int:
    """Compare the bounds of all nodes that moves of single players lead to; return how many."""
    rules, tree, checked = search.rules, search.tree, 0
    stack, done = [(int(tree.meta[ROOT]), position)], set()
    while stack:
        node, current = stack.pop()
        if node in done:
            continue
        done.add(node)
        if tree.bounded[node]:
            checked += 1
            for player in range(rules.players):
                place = node * rules.players + player
                value = current.scores[player] if current.is_over else None
                least = guaranteed_score(current, player) if value is None else value
                assert tree.lower[place] <= least + 1e-12
                assert least <= tree.upper[place] + 1e-12
                if tree.meta[SCORE_SUM] == score_bounds.VARYING and value is None:
                    assert greatest_score(current, player) <= tree.upper[place]
        player = int(tree.turns[node])
        if player < 0 or tree.first[node * rules.players + player] == NONE:
            continue
        first = int(tree.first[node * rules.players + player])
        for edge in range(first, first + int(tree.degree[node * rules.players + player])):
            if tree.children[edge] != NONE:
                stack.append((int(tree.children[edge]), current.play(int(tree.moves[edge]))))
    return checked


@pytest.mark.parametrize(
    "options", ["", "transpositions=false", "expand=3", "batch_leaves=8,playouts_per_leaf=2"]
)
@pytest.mark.parametrize("spec", ["breakthrough(size=4x3)", "hex(size=3)", "misere-nogo(size=3)"])
def test_the_bounds_of_every_node_are_sound(spec: str, options: str) -> None:
    game = gv.game(spec)
    search = SearchAgent(f"uct({options})").bind(game)
    search.run(game.start().state, (), Budget(playouts=1200), seed=3)
    assert check_every_node(search, game.start()) > 0


def test_three_players_have_bounds_that_hold_against_both_others() -> None:
    game = heap(7)
    search = SearchAgent("uct").bind(game)
    search.run(game.start().state, (), Budget(playouts=300), seed=1)
    assert check_every_node(search, game.start()) > 0
    for size in (1, 2, 3):  # the player to move takes all
        result = gv.agent("uct").search(heap(size).start(), playouts=200)
        assert result.proven
        assert result.bounds[0] == (1.0, 1.0)
        assert result.best_move == heap(size).format_move(0, size - 1)


def shared_end_scores(constants, state, out):
    """Heaps in which both players win if the left heap is emptied last."""
    out[0] = float(state[2])
    out[1] = 1.0 - out[0]
    if state[3] == 0:
        out[0] = out[1] = 1.0


def shared_play(constants, state, joint):
    move = joint[state[2]]
    state[move // 2] -= move % 2 + 1
    state[2] = 1 - state[2]
    state[3] = move // 2


def shared_heaps() -> Game:
    return Game(
        name="shared-heaps",
        players=2,
        functions=RuleFunctions(
            start=tiny.heaps_start,
            turn=tiny.heaps_turn,
            legal=tiny.heaps_legal,
            play=shared_play,
            scores=shared_end_scores,
        ),
        bounds=Bounds(state_words=4, num_codes=4, max_moves=4, max_plies=12),
        constants=[3],
        display=Display(format_move=tiny.heaps_move_text),
    )


@pytest.mark.parametrize("seed", range(5))
def test_scores_that_do_not_have_a_constant_sum(seed: int) -> None:
    game = shared_heaps()
    search = SearchAgent("uct").bind(game)
    search.run(game.start().state, (), Budget(playouts=400), seed)
    assert search.tree.meta[SCORE_SUM] == score_bounds.VARYING
    assert check_every_node(search, game.start()) > 5


def test_positions_whose_key_is_not_exact_prove_nothing() -> None:
    game = gv.game("go(size=3,komi=0)")
    result = gv.agent("uct").search(game.start(), playouts=3000)
    assert not result.proven
    assert result.playouts == 3000
    assert set(result.bounds) == {(0.0, 1.0)}


@pytest.mark.parametrize("options", ["", "batch_leaves=16,playouts_per_leaf=4"])
def test_a_sheet(tmp_path, options: str) -> None:
    file, rng = tmp_path / "noughts.kif", random.Random(4)
    file.write_text(tiny_sheets.TIC_TAC_TOE)
    game = gv.game(str(file))
    proven = 0
    for _ in range(20):
        position = endgame(game, rng.randint(2, 6), rng)
        proven += check_against_exhaustive_search(position, f"uct({options})", 5000)
    assert proven > 10


# Agreement with the naive search.


@pytest.mark.parametrize("policy", [POLICIES[0], POLICIES[10]], ids=["uct", "grave"])
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize(
    "game", ["hex(size=3)", "breakthrough(size=4x3)", "othello(size=4)", "heap", "shared"]
)
def test_the_kernel_visits_what_its_twin_visits(policy, transpositions, game) -> None:
    made = {"heap": lambda: heap(9), "shared": shared_heaps}.get(game, lambda: make_game(game))()
    search, twin = run_both(made, *policy, playouts=1500, transpositions=transpositions)
    assert_same_tree(search, twin)
    assert twin.solver.nodes


@pytest.mark.parametrize("leaves", [4, 16])
def test_batches_agree_with_the_twin(leaves: int) -> None:
    search, twin = run_both(
        make_game("hex(size=3)"), "uct(c=0.4)", naive.uct(0.4), None, 1500, batch_leaves=leaves
    )
    assert_same_tree(search, twin)
    assert twin.solver.nodes


# What a user sees.


def test_off_searches_the_whole_budget_and_proves_nothing() -> None:
    game = gv.game("hex(size=3)")
    result = gv.agent("uct(solver=off)").search(game.start(), playouts=5000)
    assert (result.proven, result.playouts) == (False, 5000)
    assert all((stat.lower, stat.upper) == (0.0, 1.0) for stat in result.root_stats)


def test_a_proof_is_in_the_result_and_its_text() -> None:
    position = gv.game("hex(size=3)").start().play("b2")
    lost = gv.agent("uct").search(position, playouts=20_000)
    assert lost.proven
    assert lost.value == 0.0
    assert f"proven     loss in {lost.plies_left} plies" in str(lost)
    won = gv.agent("uct").search(position.play(lost.best_move), playouts=20_000)
    assert won.proven
    assert won.value == 1.0
    assert won.plies_left <= lost.plies_left - 1
    assert f"win in {won.plies_left} pl" in won.proof_text
    values = won.to_dict()
    assert values["proven"] is True
    assert values["bounds"] == [[1.0, 1.0], [0.0, 0.0]]
    assert values["plies_left"] == won.plies_left


def test_the_proven_line_ends_the_game_with_the_proven_score() -> None:
    game, rng = gv.game("breakthrough(size=5x4)"), random.Random(2)
    lines = 0
    for _ in range(20):
        position = endgame(game, 6, rng)
        result = gv.agent("uct").search(position, playouts=3000)
        if result.proven:
            mover, end = position.current_player, position
            for move in result.pv:
                end = end.play(move)
            assert end.is_over
            assert end.scores[mover] == result.value
            assert len(result.pv) <= result.plies_left
            lines += 1
    assert lines > 5


def test_a_reused_tree_that_is_proven_answers_at_once() -> None:
    game = gv.game("hex(size=3)")
    player = gv.agent("uct(reuse_tree=true)").player(game, seed=1)
    position = game.start()
    first = player.choose(position, MoveClock(Budget(20_000)))
    assert first.proven
    score, mover = first.value, position.current_player
    position = position.play(first.best_move)
    while not position.is_over:
        result = player.choose(position, MoveClock(Budget(20_000)))
        assert result.proven
        assert result.value == (score if position.current_player == mover else 1.0 - score)
        position = position.play(result.best_move)
    assert position.scores[mover] == score


def test_a_pruned_tree_keeps_its_bounds() -> None:
    game = gv.game("breakthrough(size=4x3)")
    search = SearchAgent("uct(reuse_tree=true)").bind(game)
    search.prune_above = 0
    position = game.start()
    for move in range(3):
        search.run(position.state, position.history, Budget(playouts=200), seed=move)
        check_every_node(search, position)
        position = position.play(position.legal_moves[0])


def test_a_full_tree_goes_on_proving_what_it_has() -> None:
    position = gv.game("hex(size=5)").start().play("c3")
    result = gv.agent("uct(memory_mib=2)").search(position, playouts=100_000)
    assert result.memory_full
    (low, high), _ = result.bounds
    assert low <= 1.0 <= high  # the centre opening wins


def test_skipped_edges_keep_their_statistics() -> None:
    game = gv.game("knightthrough(size=5)")
    search = SearchAgent("grave(ref=20,bias=1e-4,edges=all)").bind(game)
    search.run(game.start().state, (), Budget(playouts=800), seed=1)
    tree, edges = search.tree, int(search.tree.meta[EDGES])
    skipped = tree.skipped[:edges] != 0
    assert (tree.counts[:edges][skipped] > 0).any()
    for node in range(int(tree.meta[NODES])):
        place = 2 * node + int(tree.turns[node])
        if tree.turns[node] == TERMINAL or tree.first[place] == NONE:
            continue
        own = slice(int(tree.first[place]), int(tree.first[place] + tree.degree[place]))
        # Every simulation through the node but the first, which ended here, took one edge.
        assert tree.visits[node] == tree.counts[own].sum() + 1
        assert np.count_nonzero(tree.skipped[own]) == tree.skips[node] < tree.degree[place]


def test_a_proven_loss_is_not_played() -> None:
    """White must stop the runner: every other move loses at once."""
    game, rng = gv.game("knightthrough(size=5)"), random.Random(8)
    avoided = 0
    for _ in range(40):
        position = endgame(game, 3, rng)
        result = gv.agent("uct").search(position, playouts=200)
        lost = {stat.move for stat in result.root_stats if stat.upper == 0.0}
        if lost and len(lost) < len(result.root_stats):
            avoided += 1
            assert result.best_move not in lost
    assert avoided > 0


def test_a_draw_is_proven(tmp_path) -> None:
    """Tic-tac-toe: a proven draw is left alone while other moves may still win."""
    file = tmp_path / "noughts.kif"
    file.write_text(tiny_sheets.TIC_TAC_TOE)
    start = gv.game(str(file)).start()
    for agent in AGENTS:
        result = gv.agent(agent).search(start, playouts=20_000)
        assert result.proven
        assert result.bounds == ((0.5, 0.5), (0.5, 0.5))
