"""The compiled methods agree exactly with their naive twins: games, weights, playouts."""

from __future__ import annotations

import numpy as np
import pytest

from graven.core import contract
from graven.core.errors import UsageError
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


@pytest.mark.parametrize(
    "options",
    [
        {"bias": 9.0},
        {"stabilise": 3},
        {"repetitions": 2},
        {"bias": 2.5, "stabilise": 2, "repetitions": 1},
    ],
    ids=lambda options: "-".join(options),
)
@pytest.mark.parametrize("name", ["samegame(size=5x4,colours=3,seed=4)", SMALL[3]])
def test_extensions_of_nrpa_agree_with_their_twin(name, options):
    position, puzzle = make_game(name).start(), Puzzle(make_game(name).start(), 3)
    twin = Nrpa(puzzle, 7, 1.0, features=True, **options)
    score, moves = twin.search(3)
    text = ",".join(f"{key}={value}" for key, value in options.items())
    search, rng = new_search(position, f"nrpa(level=3,iterations=7,{text})"), generator(3)
    while not search.finished:
        search.advance(rng, search.playouts + 5)
        saved, again = search.save(), new_search(position, f"nrpa(level=3,iterations=7,{text})")
        if not search.finished:
            again.load(saved)
            assert again.save() == saved
    assert search.playouts == puzzle.playouts
    assert (puzzle.playouts < 343) == ("repetitions" in options)
    assert rng[0] == puzzle.rng[0]
    games = search.memory.games
    slot = games.slot[3]
    assert games.score[slot] == score
    assert games.moves[slot, : games.length[slot]].tolist() == list(moves)
    for number, weight in twin.top.items():
        assert search.memory.policies.weights[3][number] == weight


def test_bias_needs_a_prior():
    with pytest.raises(UsageError, match="prior"):
        new_search(make_game("morpion").start(), "nrpa(bias=1)")


def test_the_prior_of_samegame_leaves_the_most_frequent_colour_for_later():
    """Ten blocks have colour 1, in two groups; there is one group of 2s and one of 3s."""
    position = make_game("samegame(board=1121/1221/1211/3311)").start()
    codes = np.array(position.legal_codes_of(0), np.int32)
    priors = np.zeros(len(codes))
    contract.priors(position.game.rules, position.state, 0, codes, len(codes), priors)
    colours = codes // 16
    found = sorted(zip(colours.tolist(), priors.tolist(), strict=True))
    assert found == [(1, 0.0), (1, 0.0), (2, 1.0), (3, 1.0)]
