"""Numba's signatures of the rule functions."""

from __future__ import annotations

from typing import Any

from numba import types

from graven.core.contract.rules_record import CODES, MOVES, RNG, SCORES, TABLES, TRACES, WORDS

START = types.void(TABLES, WORDS)
TURN = types.int64(TABLES, WORDS)
LEGAL = types.int64(TABLES, WORDS, types.int64, MOVES)
PLAY = types.void(TABLES, WORDS, MOVES)
SCORE = types.void(TABLES, WORDS, SCORES)
SAMPLE = types.int64(TABLES, WORDS, types.int64, RNG)
KEY = types.int64(TABLES, WORDS)
FEATURE = types.void(TABLES, WORDS, types.int64, MOVES, types.int64, CODES)
CHANCES = types.int64(TABLES, WORDS, MOVES, SCORES)
PRIOR = types.void(TABLES, WORDS, types.int64, MOVES, types.int64, SCORES)
PLAYOUT_MOVES_WITH_FEATURES = types.int64(TABLES, WORDS, types.int64, MOVES, CODES)
IS_PLAYOUT_MOVE = types.boolean(TABLES, WORDS, types.int64, types.int64)
WINNING_MOVE = types.int64(TABLES, WORDS, types.int64)
DEFENCE = types.int64(TABLES, WORDS, types.int64, types.int64, RNG)
BATCH_PLAYOUTS = types.int64(
    TABLES, WORDS, types.int64, types.int64, WORDS, TRACES, WORDS, SCORES, RNG
)
BATCH_POLICY_PLAYOUTS = types.int64(
    TABLES,
    WORDS,
    types.int64,
    types.int64,
    types.int64,
    types.float64,
    SCORES,
    types.int64,
    types.int64,
    WORDS,
    TRACES,
    WORDS,
    SCORES,
    RNG,
)
PROOF_MOVES = types.int64(TABLES, WORDS, types.int64, MOVES, SCORES, WORDS)

# Functions of one move that are called for all legal moves at once. The loop over them is compiled
# into the game's function: calling it for each move took twice as long.
OF_EACH_MOVE = ("feature", "prior")
EACH_MOVE_BODY = "for i in range({4}): {5}[i] = inner({0}, {1}, {2}, {3}[i])"


def signatures() -> dict[str, Any]:
    """Return the signature of each rule function by its name."""
    return {
        "start": START,
        "turn": TURN,
        "legal": LEGAL,
        "play": PLAY,
        "scores": SCORE,
        "tree_moves": LEGAL,
        "playout_moves": LEGAL,
        "sample": SAMPLE,
        "key": KEY,
        "feature": FEATURE,
        "is_playout_move": IS_PLAYOUT_MOVE,
        "playout_moves_with_features": PLAYOUT_MOVES_WITH_FEATURES,
        "batch_playouts": BATCH_PLAYOUTS,
        "batch_policy_playouts": BATCH_POLICY_PLAYOUTS,
        "prior": PRIOR,
        "evaluate": SCORE,
        "chance": CHANCES,
        "winning_move": WINNING_MOVE,
        "defence": DEFENCE,
    }
