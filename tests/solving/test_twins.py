"""The compiled methods agree exactly with their plain twins: games, weights, playouts."""

from __future__ import annotations

import numpy as np
import pytest

from graven.core.rng import generator
from graven.games.registry import make_game
from graven.solving import parse_method
from tests.naive.solving import Nrpa, Puzzle, nmcs

SMALL = [
    "samegame(board=1122/2121/3311)",
    "samegame(size=5x4,colours=3,seed=4)",
    "tsptw(cities=5,width=30,seed=3)",
    "tsptw(cities=6,width=90,seed=3,prune=true)",
    "misere-samegame(board=1122/2121/3311)",
]


def solver_for(position, method):
    chosen = parse_method(method)
    game = position.game
    return chosen.method.make(game.name, game.rules, position.state, chosen.values)


def late_morpion(variant: str):
    """A position of Morpion Solitaire six moves before the end of some game."""
    line = [make_game("morpion", variant=variant).start()]
    while not line[-1].is_over:
        position = line[-1]
        line.append(
            position.play(position.legal_moves[(7 * position.ply) % len(position.legal_moves)])
        )
    return line[-7]


LATE = {"morpion 4D, late": "4D", "morpion 5T, late": "5T"}


@pytest.fixture(params=[*SMALL, *LATE])
def position(request):
    if request.param in LATE:
        return late_morpion(LATE[request.param])
    return make_game(request.param).start()


@pytest.mark.parametrize("level", [1, 2])
def test_nmcs_plays_as_its_twin_does(position, level):
    for seed in (1, 2):
        puzzle = Puzzle(position, seed)
        score, moves = nmcs(puzzle, puzzle.root, level)
        solver, rng = solver_for(position, f"nmcs(level={level})"), generator(seed)
        while not solver.finished:
            solver.advance(rng, solver.playouts + 7)
        assert solver.best == (score, list(moves))
        assert solver.playouts == puzzle.playouts
        assert rng[0] == puzzle.rng[0]


def test_nmcs_of_level_three():
    position = make_game("samegame(board=112/221/331)").start()
    puzzle = Puzzle(position, 5)
    score, moves = nmcs(puzzle, puzzle.root, 3)
    solver, rng = solver_for(position, "nmcs(level=3)"), generator(5)
    solver.advance(rng, 1 << 40)
    assert solver.finished
    assert (solver.best, solver.playouts) == ((score, list(moves)), puzzle.playouts)


@pytest.mark.parametrize("code", ["feature", "move"])
@pytest.mark.parametrize(("level", "iterations", "alpha"), [(1, 40, 1.0), (2, 7, 0.5), (3, 3, 2.0)])
def test_nrpa_plays_and_learns_as_its_twin_does(position, level, iterations, alpha, code):
    puzzle = Puzzle(position, 3)
    features = code == "feature" and bool(puzzle.rules.feature)
    twin = Nrpa(puzzle, iterations, alpha, features)
    score, moves = twin.search(level)
    method = f"nrpa(level={level},iterations={iterations},alpha={alpha},code={code})"
    solver, rng = solver_for(position, method), generator(3)
    while not solver.finished:
        solver.advance(rng, solver.playouts + 5)
    assert solver.playouts == puzzle.playouts == iterations**level
    assert rng[0] == puzzle.rng[0]
    assert solver.games.score[solver.games.slot[level]] == score
    slot = solver.games.slot[level]
    assert solver.games.moves[slot, : solver.games.length[slot]].tolist() == list(moves)
    weights = np.zeros(solver.codes)
    for each, weight in twin.top.items():
        weights[each] = weight
    assert (solver.policies.weights[level] == weights).all()
