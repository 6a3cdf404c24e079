"""NMCS and NRPA reach the optimum that exhaustive search or a publication gives."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

import graven as gv
from tests.naive.morpion import Morpion
from tests.naive.puzzles import naive_puzzle
from tests.naive.samegame import most_points
from tests.naive.tsptw import best_by_permutations

DUMAS = Path(__file__).parents[1] / "games" / "tsptw" / "n20w20.001.txt"
METHODS = ["nmcs(level=3)", "nrpa(level=2,iterations=60)"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "spec",
    [
        "samegame(board=1122/2121/3311)",
        "samegame(board=12121/21212/12112)",
        "samegame(size=4x4,colours=3,seed=7)",
        "samegame(size=3x6,colours=2,seed=5)",
    ],
)
def test_samegame(spec, method):
    assert gv.solve(spec, method).points == most_points(naive_puzzle(spec))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tsptw_with_seven_cities(seed, method):
    spec = f"tsptw(cities=7,width=20,seed={seed})"
    assert gv.solve(spec, method, runs=20).points == best_by_permutations(naive_puzzle(spec))


@pytest.mark.parametrize("method", METHODS)
def test_a_published_instance_of_tsptw(method):
    # 378: Dumas et al. 1995; tests/games/test_tsptw_files.py confirms it.
    game = gv.game("tsptw", file=str(DUMAS), prune="true")
    assert gv.solve(game, method).points == -378


def most_moves(game: Morpion) -> int:
    """Return the largest number of further moves, by exhaustive search."""
    solved: dict = {}

    def more(current: Morpion) -> int:
        state = (current.points, current.lines)
        if state not in solved:
            best = 0
            for move in current.moves():
                after = copy.copy(current)
                after.play(move)
                best = max(best, 1 + more(after))
            solved[state] = best
        return solved[state]

    return more(game)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("variant", ["5D", "4T"])
def test_the_end_of_a_game_of_morpion(variant, method):
    line = [gv.game("morpion", variant=variant).start()]
    while not line[-1].is_over:
        moves = line[-1].legal_moves
        line.append(line[-1].play(moves[(5 * line[-1].ply) % len(moves)]))
    ours, theirs = line[-6], Morpion(variant)
    for (code,) in ours.history:
        theirs.play(ours.game.format_move(0, code))
    solution = gv.solve(ours, method)
    assert len(solution.moves) == most_moves(theirs)


def test_morpion_4d_is_solved():
    # At most 35 moves (Quist 2008, exhaustive search; the grid is Hyyrö and Poranen's, 2007).
    solution = gv.solve("morpion(variant=4D)", "nrpa(level=3)", playouts=60_000, seed=0)
    assert solution.points == 35
