"""The compiled methods agree exactly with their naive twins: games, weights, playouts."""

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


def new_search(position, method):
    spec = parse_method(method)
    game = position.game
    return spec.method.make(game.name, game.rules, position.state, spec.values)


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
def test_nmcs_agrees_with_its_twin(position, level):
    for seed in (1, 2):
        puzzle = Puzzle(position, seed)
        score, moves = nmcs(puzzle, puzzle.root, level)
        search, rng = new_search(position, f"nmcs(level={level})"), generator(seed)
        while not search.finished:
            search.advance(rng, search.playouts + 7)
        assert search.best == (score, list(moves))
        assert search.playouts == puzzle.playouts
        assert rng[0] == puzzle.rng[0]


def test_nmcs_of_level_three():
    position = make_game("samegame(board=112/221/331)").start()
    puzzle = Puzzle(position, 5)
    score, moves = nmcs(puzzle, puzzle.root, 3)
    search, rng = new_search(position, "nmcs(level=3)"), generator(5)
    search.advance(rng, 1 << 40)
    assert search.finished
    assert (search.best, search.playouts) == ((score, list(moves)), puzzle.playouts)


@pytest.mark.parametrize("code", ["feature", "move"])
@pytest.mark.parametrize(("level", "iterations", "alpha"), [(1, 40, 1.0), (2, 7, 0.5), (3, 3, 2.0)])
def test_nrpa_agrees_with_its_twin(position, level, iterations, alpha, code):
    puzzle = Puzzle(position, 3)
    features = code == "feature" and bool(puzzle.rules.feature)
    twin = Nrpa(puzzle, iterations, alpha, features)
    score, moves = twin.search(level)
    method = f"nrpa(level={level},iterations={iterations},alpha={alpha},code={code})"
    search, rng = new_search(position, method), generator(3)
    while not search.finished:
        search.advance(rng, search.playouts + 5)
    assert search.playouts == puzzle.playouts == iterations**level
    assert rng[0] == puzzle.rng[0]
    games = search.memory.games
    assert games.score[games.slot[level]] == score
    slot = games.slot[level]
    assert games.moves[slot, : games.length[slot]].tolist() == list(moves)
    weights = np.zeros(search.num_codes)
    for number, weight in twin.top.items():
        weights[number] = weight
    assert (search.memory.policies.weights[level] == weights).all()
