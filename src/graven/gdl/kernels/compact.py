"""Positions of a network as few words, for searches that store many of them."""

from __future__ import annotations

from typing import NamedTuple

from numba import types

from graven.core.compile import address
from graven.core.contract import TABLES, WORDS
from graven.core.game import Game
from graven.gdl.kernels import single, unit_state

RESTORE = types.void(TABLES, WORDS, WORDS)
DISTANCE = types.int64(TABLES, WORDS)


class CompactState(NamedTuple):
    """How the positions of a game are stored and compared.

    A position is the first `bases` words of its state and the word `step`. `restore(constants,
    state, words)` makes a state of them, `distance(constants, state)` estimates how far the first
    player is from the best score, `top_score`. Functions are addresses, 0 if there is none: then a
    position is all words of its state. `goal_cone` is a position in the constants (see there), 0
    where there are no gates of the best score.
    """

    bases: int
    step: int  # -1: none
    restore: int
    distance: int
    top_score: float
    goal_cone: int = 0


def _is_network(game: Game) -> bool:
    """Return whether a game is a network; a misère one has other goals than its network."""
    return game.functions.play is single.play and not game.misere


def compact_state(game: Game) -> CompactState:
    """Return how positions of a game are stored: those of a network as their propositions."""
    if not _is_network(game):
        return CompactState(game.bounds.state_words, -1, 0, 0, top_score=1.0)
    tables = game.constants
    role = unit_state.role_of(tables, 0)
    goals = tables[role + unit_state.GOALS]
    top = tables[goals] / 100.0 if tables[role + unit_state.GOAL_NUMBER] else 0.0
    return CompactState(
        bases=int(tables[unit_state.BASES]),
        step=int(tables[unit_state.STEP]),
        restore=address(single.restore, RESTORE),
        distance=address(single.distance, DISTANCE),
        top_score=float(top),
        goal_cone=int(tables[unit_state.GOAL_CONE]),
    )


def learnable_game(game: Game) -> Game:
    """Return a game of one player that learning playouts solve more easily.

    In a network equal scores differ by the distance from the highest goal: most sheets have only
    the goals 0 and 100, from which nothing can be learned before the first solution.
    """
    if not _is_network(game):
        return game
    return game.changed(scores=single.scores_with_distance)
