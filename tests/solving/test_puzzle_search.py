"""One-player games: exhaustive search, the puzzle agent, and what it finds."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import graven as gv
from graven.core import contract
from graven.core.compile import caller, compiled
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.rng import below, generator
from graven.gdl.kernels.compact import RESTORE, compact_state
from graven.gdl.sheet_loader import SheetOptions, sheet_game
from graven.solving.assignment_search import assignment_search
from graven.solving.puzzle_search import PuzzleSearch
from graven.solving.search_shortcuts import shortcuts_of
from graven.solving.state_search import BREADTH, GREEDY, MIB, StateSearch
from tests.gdl import puzzle_sheets, shared, tiny
from tests.naive.puzzles import naive_puzzle
from tests.naive.samegame import most_points

MAZE = ["s.#.....", ".#..##.#", "...#....", ".#.##.#.", ".#....#e"]

_restore = caller(RESTORE)


@compiled
def restore(function, constants, state, words):
    _restore(function, (constants, state, words))


def game_of(text: str) -> Game:
    return sheet_game(text, "puzzle", SheetOptions())


def shortest_way(rows: list[str]) -> int:
    """Return the steps from s to e, by breadth-first search in Python."""
    cells = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    start = next(cell for cell, mark in cells.items() if mark == "s")
    steps, queue = {start: 0}, deque([start])
    while queue:
        x, y = queue.popleft()
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if cells.get(cell, "#") != "#" and cell not in steps:
                steps[cell] = steps[x, y] + 1
                queue.append(cell)
    return next(steps[cell] for cell, mark in cells.items() if mark == "e")


def complete(position, order: str, with_shortcuts: bool) -> StateSearch:
    shortcuts = shortcuts_of(position) if with_shortcuts else None
    search = StateSearch(position, order, 64 * MIB, shortcuts)
    search.advance(1 << 40)
    assert search.is_complete
    return search


@pytest.mark.parametrize("text", [tiny.TIC_TAC_TOE, tiny.LAMPS, puzzle_sheets.maze(MAZE, 20)])
def test_a_position_restored_from_its_words_is_the_position_that_was_played(text):
    game = game_of(text)
    compact, rng = compact_state(game), generator(3)
    state, constants = game.start().state.copy(), game.rules.constants
    for _ in range(20):
        position = game.start()
        for _ in range(1 + below(rng, 6)):
            if not position.is_over:
                moves = position.legal_moves
                position = position.play(moves[below(rng, len(moves))])
        words = np.append(position.state[: compact.bases], position.state[compact.step])
        restore(compact.restore, constants, state, words)
        out, expected = np.zeros(game.players), np.zeros(game.players)
        contract.scores(game.rules, state.copy(), out)
        contract.scores(game.rules, position.state.copy(), expected)
        restored = gv.Position(game, state.copy())
        assert restored.key == position.key
        assert restored.current_player == position.current_player
        assert restored.legal_moves == position.legal_moves
        assert out.tolist() == expected.tolist()
        if not position.is_over:  # what will change is restored, too
            assert (
                restored.play(position.legal_moves[0]).key
                == position.play(position.legal_moves[0]).key
            )


@pytest.mark.parametrize("order", [BREADTH, GREEDY])
@pytest.mark.parametrize("with_shortcuts", [False, True])
def test_a_maze_is_solved_in_the_shortest_time_and_not_in_less(order, with_shortcuts):
    steps = shortest_way(MAZE)
    game = game_of(puzzle_sheets.maze(MAZE, steps))
    score, codes = complete(game.start(), order, with_shortcuts).best
    assert score == 1.0
    assert len(codes) == steps
    game = game_of(puzzle_sheets.maze(MAZE, steps - 1))
    assert complete(game.start(), order, with_shortcuts).best[0] == 0.0


def test_a_search_without_short_cuts_finds_what_is_better_late():
    game = game_of(puzzle_sheets.late_prize(40))
    assert complete(game.start(), BREADTH, True).best[0] < 1.0
    assert complete(game.start(), BREADTH, False).best[0] == 1.0
    puzzle = PuzzleSearch(game.start())
    puzzle.advance(units=100_000)
    assert puzzle.is_proven
    assert puzzle.score == 1.0


def test_what_cannot_be_solved_is_proven():
    game = game_of(puzzle_sheets.maze(MAZE, shortest_way(MAZE) - 1))
    puzzle = PuzzleSearch(game.start())
    puzzle.advance(units=1_000_000)
    assert puzzle.is_proven
    assert puzzle.score == 0.0


def test_the_eight_puzzle_at_its_farthest_is_solved_in_31_moves():
    # 31 moves are the most that any position needs, and this one does: Reinefeld 1993.
    game = game_of(puzzle_sheets.eight_puzzle("867254301", 31))
    score, codes = complete(game.start(), BREADTH, True).best
    assert score == 1.0
    assert len(codes) == 31


def test_the_eight_puzzle_is_solved_in_exactly_so_many_moves():
    # It needs 31 moves, so 35 are possible: the search must waste four.
    game = game_of(puzzle_sheets.eight_puzzle("867254301", 40, exactly=35))
    puzzle = PuzzleSearch(game.start())
    puzzle.advance(units=3_000_000)
    assert puzzle.score == 1.0
    assert len(puzzle.codes) == 35


def test_a_number_of_moves_that_is_impossible_is_proven():
    # The gap changes colour with every move, so that only odd numbers are possible.
    walk = puzzle_sheets.eight_puzzle("123456708", 6, exactly=4)
    puzzle = PuzzleSearch(game_of(walk).start())
    puzzle.advance(units=100_000)
    assert puzzle.is_proven
    assert puzzle.score == 0.99


def assignment(text: str):
    position = game_of(text).start()
    return assignment_search(position, shortcuts_of(position).mask)


def test_assignments_are_found_by_constraint_propagation():
    rows = ["1000", "0030", "0400", "0002"]
    text = puzzle_sheets.sudoku(rows)
    search = assignment(text)
    search.advance(1 << 20)
    score, codes = search.best
    assert score == 1.0
    position = game_of(text).start()
    for code in codes:
        position = position.play(code)
    assert position.scores == (1.0,)


@pytest.mark.parametrize(("edges", "colours"), [("ab bc ca", 3), ("ab bc cd da ac bd", 4)])
def test_propositions_that_moves_remove_are_for_good_too(edges, colours):
    search = assignment(puzzle_sheets.colouring(edges, colours))
    search.advance(1 << 20)
    assert search.best is not None
    assert len(search.best[1]) == len(set(edges) - {" "})
    impossible = assignment(puzzle_sheets.colouring(edges, colours - 1))
    impossible.advance(1 << 20)
    assert impossible.is_complete
    assert impossible.best is None


@pytest.mark.parametrize("text", [puzzle_sheets.maze(MAZE, 20), puzzle_sheets.peg_solitaire()])
def test_moves_that_can_be_undone_are_no_assignments(text):
    assert assignment(text) is None


def test_exchangeable_moves_are_searched_in_one_order_only():
    # Switches can be exchanged. Of n lamps there are 2^n sets of switches, each found once.
    game = game_of(tiny.LAMPS)
    shortcuts = shortcuts_of(game.start())
    assert shortcuts.exchangeable[0, 1:].all()
    assert not shortcuts.exchangeable[1:, 0].any()


def test_peg_solitaire():
    game = game_of(puzzle_sheets.peg_solitaire())
    puzzle = PuzzleSearch(game.start())
    puzzle.advance(units=3_000_000)
    assert puzzle.score == 1.0
    position = game.start()
    for code in puzzle.codes:
        position = position.play(code)
    assert position.scores == (1.0,)
    assert position.ply == 31  # of 32 pegs one is left


REAL_SHEETS = [
    "hanoi",
    "hanoi_6_disks",
    "knightsTour",
    "lightsOut",
    "queens08ug",
    "sudoku",
    "sudokuGrade1",
    "tpeg",
]


@pytest.mark.parametrize("name", REAL_SHEETS)
def test_real_sheets_are_solved(name):
    game = game_of(shared.sheet_text(name))
    puzzle = PuzzleSearch(game.start())
    puzzle.advance(units=3_000_000)
    assert puzzle.score == 1.0


def test_the_player_follows_a_solution_to_its_end():
    game = game_of(puzzle_sheets.maze(MAZE, shortest_way(MAZE)))
    player = gv.default_agent(game).player(game)
    position = game.start()
    while not position.is_over:
        position = position.play(player.choose(position).best_move)
    assert position.scores == (1.0,)


def test_the_player_searches_again_where_another_move_was_played():
    game = game_of(puzzle_sheets.maze(["s...", "...e"], 6))
    player = gv.default_agent(game).player(game)
    position = game.start()
    best = player.choose(position).best_move
    position = position.play(next(move for move in position.legal_moves if move != best))
    while not position.is_over:
        position = position.play(player.choose(position).best_move)
    assert position.scores == (1.0,)


def test_results_of_the_agent():
    game = game_of(puzzle_sheets.maze(MAZE, shortest_way(MAZE)))
    agent = gv.agent("puzzle")
    assert gv.default_agent(game) == agent
    result = agent.search(game.start(), playouts=10_000)
    assert result.value == 1.0
    assert len(result.pv) == shortest_way(MAZE)
    assert result.pv[0] == result.best_move
    assert result.best_move in str(result)
    assert result.to_dict()["pv"] == list(result.pv)
    *_, last = agent.analyze(game.start(), playouts=10_000)
    assert last.value == 1.0


def test_native_games_of_one_player():
    game = gv.game("samegame(size=4x4,colours=3,seed=7)")
    result = gv.agent("puzzle").search(game.start(), playouts=50_000)
    position = game.start()
    for move in result.pv:
        position = position.play(move)
    assert position.points == most_points(naive_puzzle(game.spec))


def test_the_agent_plays_games_of_one_player_only():
    with pytest.raises(UsageError, match="2 players"):
        gv.agent("puzzle").player(gv.game("hex"))
    with pytest.raises(UsageError, match="no parameters"):
        gv.agents.PuzzleAgent("puzzle(level=2)")
