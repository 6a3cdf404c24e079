"""`Rules`, a game as kernels receive it, and the types of the arrays that its functions share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

State = NDArray[np.int64]
Constants = NDArray[np.int64]
Moves = NDArray[np.int32]
Scores = NDArray[np.float64]
Codes = NDArray[np.uint32]

TERMINAL = -1
SIMULTANEOUS = -2
CHANCE = -3
# Probabilities may add up to 1 less or more so much.
CHANCE_TOLERANCE = 1e-6

# More plies than any game has.
NO_CUTOFF = 1 << 32

WORDS = types.Array(types.int64, 1, "C")
TABLES = types.Array(types.int64, 1, "C", readonly=True)
MOVES = types.Array(types.int32, 1, "C")
SCORES = types.Array(types.float64, 1, "C")
RNG = types.Array(types.uint64, 1, "C")
CODES = types.Array(types.uint32, 1, "C")
TRACES = types.Array(types.uint32, 1, "C")


# The functions that playouts call, which may be compiled together with a playout policy.
PLAYOUT_FUNCTIONS = (
    "turn",
    "legal",
    "play",
    "scores",
    "playout_moves",
    "sample",
    "is_playout_move",
    "playout_moves_with_features",
    "chance",
    "winning_move",
    "defence",
)

# The functions that play batches: compiled for searches in batches only (`Game.with_batches`).
BATCH_FUNCTIONS = ("batch_playouts", "batch_policy_playouts")


class Rules(NamedTuple):
    """A game as kernels receive it. The functions are addresses; 0 where a game has none.

    In the code of a playout that is compiled for one game, PLAYOUT_FUNCTIONS are the functions
    themselves.
    """

    constants: Constants
    start: int
    turn: int
    legal: int
    play: int
    scores: int
    tree_moves: int
    playout_moves: int
    sample: int
    key: int
    feature: int
    is_playout_move: int
    playout_moves_with_features: int
    batch_playouts: int
    rollout: int
    batch_policy_playouts: int
    prior: int
    evaluate: int
    chance: int
    winning_move: int
    defence: int
    players: int
    state_words: int
    num_codes: int
    num_features: int
    max_moves: int
    max_plies: int
    batch_scratch: int
    shared_points: int
    misere: int
    score_bounds: int  # whether a tree can keep score bounds, see `search.score_bounds`
    # Whether the search keeps sums of squared scores: 0 in the rules of a game.
    squares: int
    # Whether it keeps permutation statistics, see `search.permutations`: 0 in the rules of a game.
    permutations: int
    # Whether the search keeps regrets at simultaneous moves: 0 in the rules of a game.
    regrets: int
    # Whether it notes when nodes were last used, see `search.recycling`: 0 in the rules of a game.
    last_use: int
    # Whether it keeps minimax values, see `search.implicit_minimax`: 0 in the rules of a game.
    implicit: int
    # The words of an entry of AMAF tables, see `search.amaf`, or 0: 0 in the rules of a game.
    amaf: int
    # The 16-bit words of a move in the lists of `search.few_edges`, 0 without such lists: 0 in the
    # rules of a game.
    few_edges: int
    # Whether it keeps the totals of AMAF tables, see `search.criticality`: 0 in those of a game.
    criticality: int
    # After how many plies playouts end with `evaluate`: NO_CUTOFF in the rules of a game.
    cutoff: int


RULES = types.NamedTuple([TABLES] + [types.int64] * (len(Rules._fields) - 1), Rules)


def new_state(rules: Rules) -> State:
    """Return a buffer for one position."""
    return np.zeros(rules.state_words, dtype=np.int64)


def move_capacity(rules: Rules) -> int:
    """Return the length of a buffer for legal moves, even of a `legal` that writes too many."""
    return rules.max_moves + rules.num_codes


def new_moves(rules: Rules) -> Moves:
    """Return a buffer for one player's legal moves."""
    return np.zeros(move_capacity(rules), dtype=np.int32)


def new_joint(rules: Rules) -> Moves:
    """Return a buffer for one move of each player."""
    return np.full(rules.players, -1, dtype=np.int32)
