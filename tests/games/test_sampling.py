"""Playouts are uniform: `sample` draws every legal move of a position equally often."""

from __future__ import annotations

import random

import numpy as np
import pytest

from graven.games.registry import make_game
from graven.testing.fairness import surprise
from tests.games.sizes import SIZES, spec

GAMES_PLAYED = 12
DRAWS_PER_MOVE = 100
# A fair `sample` falls below this once in a million positions, and the seeds are fixed.
UNFAIR = 1e-6

BOARDS = [(name, size) for name, sizes in SIZES.items() for size in (sizes[2], (8, 8), (7, 10))]


def middle_games(game, count: int, seed: int):
    """Positions of random games, each at a random moment before the end."""
    chance = random.Random(seed)
    for _ in range(count):
        positions = [game.start()]
        while not positions[-1].over:
            positions.append(positions[-1].play(chance.choice(positions[-1].moves)))
        yield chance.choice(positions[:-1])


@pytest.mark.parametrize(("name", "size"), BOARDS, ids=[spec(*board) for board in BOARDS])
def test_sample_is_uniform(name, size):
    game = make_game(spec(name, size))
    for seed, position in enumerate(middle_games(game, GAMES_PLAYED, seed=1)):
        legal = np.array(position.codes_of(position.turn), dtype=np.int32)
        draws = DRAWS_PER_MOVE * len(legal)
        chance = surprise(game.rules, position.state, position.turn, legal, draws, seed)
        assert chance > UNFAIR, position
