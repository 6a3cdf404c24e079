"""NRPA samples moves according to its weights and stays finite for all weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from graven.core.rng import generator
from graven.games.registry import make_game
from graven.solving import parse_method
from graven.solving.nrpa_kernels import sample_index, write_exponentials


def exponentials(weights):
    """Return the values and their sum that a playout samples from."""
    weights = np.array(weights, dtype=np.float64)
    codes = np.arange(weights.size, dtype=np.uint32)
    values = np.zeros(weights.size)
    with np.errstate(over="ignore"):
        total = write_exponentials(weights, np.exp(weights), codes, np.zeros(0), values)
    return values, total


@pytest.mark.parametrize(
    "weights",
    [
        [0.0, 0.0, 0.0],
        [1.0, 2.0, 0.5, -1.0],
        [0.3] * 20,
        [1000.0, 1001.0, 999.0],  # their exponentials overflow
        [-1000.0, -1001.0, -999.5],  # or vanish
        [5000.0, 5001.0, -5000.0],
    ],
)
def test_moves_are_sampled_with_the_probabilities_of_their_weights(weights):
    values, total = exponentials(weights)
    rng, draws = generator(7), 100_000
    counts = np.bincount(
        [sample_index(values, len(weights), total, rng) for _ in range(draws)],
        minlength=len(weights),
    )
    chances = np.exp(np.array(weights) - max(weights))
    chances /= chances.sum()
    likely = chances > 1e-12
    assert counts[~likely].sum() == 0
    assert chisquare(counts[likely], draws * chances[likely]).pvalue > 1e-4


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=30), st.integers(0, 2**64 - 1))
def test_any_weights_can_be_sampled(weights, seed):
    values, total = exponentials(weights)
    assert 0 < total < math.inf
    assert np.isfinite(values).all()
    index = sample_index(values, len(weights), total, generator(seed))
    assert 0 <= index < len(weights)
    assert values[index] > 0


@pytest.mark.parametrize("alpha", [10.24, 1000])
@pytest.mark.parametrize("spec", ["samegame(size=6x6,colours=3,seed=1)", "tsptw", "morpion"])
def test_large_steps_stay_finite(spec, alpha):
    position = make_game(spec).start()
    method = parse_method(f"nrpa(level=2,iterations=60,alpha={alpha})")
    game = position.game
    search = method.method.make(game.name, game.rules, position.state, method.values)
    search.advance(generator(1), 1 << 40)
    assert search.finished
    weights = search.memory.policies.weights
    assert np.isfinite(weights).all()
    # The exponentials of such weights underflow or overflow.
    assert abs(weights).max() > (700 if alpha == 1000 else 10)
    assert 0 <= search.best[0] <= 1


def test_without_learning_playouts_are_uniform():
    # One of the two first moves clears the board; with alpha = 0 both are equally likely.
    position = make_game("samegame(board=12/12)").start()
    method = parse_method("nrpa(level=1,iterations=4000,alpha=0)")
    game = position.game
    search = method.method.make(game.name, game.rules, position.state, method.values)
    games = search.memory.games
    rng, first_moves = generator(2), []
    for goal in range(1, 2001):
        search.advance(rng, goal)
        # A game that is not worse replaces the level's game: here it is the latest playout.
        first_moves.append(int(games.moves[games.slot[1], 0]))
    counts = np.unique(first_moves, return_counts=True)[1]
    assert len(counts) == 2
    assert chisquare(counts).pvalue > 1e-4
