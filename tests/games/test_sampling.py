"""Playouts are uniform: `sample` draws every playout move of a position equally often."""

from __future__ import annotations

import random

import pytest

from graven.core import contract
from graven.games.registry import make_game
from graven.testing.fairness import uniformity_p_value
from tests.games.sizes import SIZES, spec

GAMES_PLAYED = 16
DRAWS = 40_000
# A fair `sample` falls below this once in a million positions, and the seeds are fixed.
UNFAIR = 1e-6

BOARDS = [
    (name, size)
    for name, sizes in SIZES.items()
    for size in sizes
    if size in (sizes[2], (8, 8), (7, 10))
]


def positions(game, seed: int):
    """Yield from each long random game a random position, and the last ones with a choice.

    On a nearly full board few empty points are legal, which a `sample` by rejection must handle.
    """
    chance = random.Random(seed)
    for _ in range(GAMES_PLAYED):
        line = [game.start()]
        while not line[-1].is_over:
            line.append(play_without_ending(line[-1], chance))
        choices = [position for position in line if len(position.legal_moves) > 1]
        yield chance.choice(choices)
        yield from choices[-2:]


def play_without_ending(position, chance: random.Random):
    """Play a random move that does not end the game, if there is one."""
    for move in chance.sample(position.legal_moves, len(position.legal_moves)):
        after = position.play(move)
        if not after.is_over:
            break
    return after


@pytest.mark.parametrize(("name", "size"), BOARDS, ids=[spec(*board) for board in BOARDS])
def test_sample_is_uniform(name, size):
    game = make_game(spec(name, size))
    for seed, position in enumerate(positions(game, seed=1)):
        moves = contract.new_moves(game.rules)
        count = contract.playout_moves(
            game.rules, position.state.copy(), position.current_player, moves
        )
        p_value = uniformity_p_value(
            game.rules,
            position.state,
            position.current_player,
            moves[:count],
            draws=DRAWS,
            seed=seed,
        )
        assert p_value > UNFAIR, position
