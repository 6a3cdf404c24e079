"""The game contract: the rule functions of a game, and what kernels, games and policies need of it.

A game is a set of functions over a vector of 64-bit words, `state`, and a read-only vector,
`constants`, for whatever depends on the board's size. Each has one fixed signature:

    start(constants, state)
        Set the initial position.
    turn(constants, state) -> player
        Return the player to move, TERMINAL when the game is over, SIMULTANEOUS when all players
        move at the same time, or CHANCE when dice or cards decide.
    legal(constants, state, player, moves) -> n
        Write the legal moves, each from 0 to num_codes - 1, and return their number.
    play(constants, state, joint)
        Play joint[player] for every player to move; after CHANCE, the outcome joint[0].
    scores(constants, state, out)
        At the end of the game: write each player's score, from 0 to 1.

Optional functions:

    tree_moves(constants, state, player, moves) -> n
        The legal moves that the tree considers, at least one (in Go: no eye filling).
    playout_moves(constants, state, player, moves) -> n
        The legal moves that playouts choose from, at least one (in Go: no eye filling).
    sample(constants, state, player, rng) -> move
        A uniformly random playout move.
    key(constants, state) -> key
        A 64-bit position key: equal for equal positions.
    feature(constants, state, player, move) -> code
        The move together with its surroundings, from 0 to num_features - 1 (for MASTF and PPAF).
    is_playout_move(constants, state, player, move) -> bool
        Whether the move is among the playout moves.
    playout_moves_with_features(constants, state, player, moves, codes) -> n
        The playout moves and the feature code of each.
    batch_playouts(constants, states, leaves, playouts_per_leaf, scratch, traces, lengths, out,
                   rng) -> status
        Many uniform playouts at once: see `batch_calls`.
    rollout(constants, state, trace, out, rng) -> n
        One uniform playout to the end, as described below.
    batch_policy_playouts(constants, states, leaves, playouts_per_leaf, rule, epsilon, values,
                          choose, memory, scratch, traces, lengths, out, rng) -> status
        Many playouts at once whose moves a policy chooses: see `batch_calls`.
    chance(constants, state, outcomes, probabilities) -> n
        Where `turn` returns CHANCE: write the possible outcomes, each a code as of a move, and
        their probabilities, whose sum is 1; return their number, at most `max_moves`.
    prior(constants, state, player, move) -> number
        How good a move looks before it has playouts, from 0 to 1.
    evaluate(constants, state, out)
        Before the end of the game: write each player's expected score, from 0 to 1.
    winning_move(constants, state, player) -> move
        A legal move that ends the game at once with the score 1 for the player, if the player were
        to move now; -1 if the function knows none.
    defence(constants, state, player, threat, rng) -> move
        A playout move of the player to move that prevents the opponent's winning move `threat`, one
        of several at random; -1 if there is none. By default `threat` itself, if it is a playout
        move of the player: right where a code is a point that one of them takes.
    proof_moves(constants, state, player, moves, bounds, scratch) -> n
        What the game knows for certain of a position, as described below.

`state` is an int64 array of `state_words`, `moves` and `joint` are int32 arrays, `codes` is uint32,
`out` float64.

`rollout` plays from a position that may be terminal to the end, with the moves and the random
numbers of `sample`. It writes player * num_codes + move to the uint32 array `trace` for every move,
and each player's score to `out`, and returns the number of moves; `state` is scratch afterwards. A
game needs none: the package compiles one from its functions (`core.rollout`). One written by hand
is faster where the position fits into local variables.

`proof_moves` helps a proof. It writes to bounds[0] and bounds[1] a lower and an upper bound of the
score that `player`, who is to move, reaches with best play of both, and to `moves` legal moves of
which at least one reaches that score, each once; it returns their number, which may be 0 if the two
bounds are equal. All of it must be proven, not estimated. `scratch` is an int64 array of
`proof_scratch` words; `state` is not modified. Misère games do not use it.

`sample` may reorder internal lists of `state` but must not change the position.

The modules of this package:

    rules_record     the types of arrays, `Rules` as kernels receive it, buffers
    rule_calls       calls of rule functions, with the default of each optional one
    batch_calls      calls that play many playouts at once
    rule_signatures  Numba's signatures of the rule functions, for code that compiles them

The names of the first three are imported from here, the signatures from `rule_signatures`.
"""

from __future__ import annotations

from graven.core.contract.batch_calls import (
    BATCH_CHOICE,
    CALLED,
    GREEDY,
    WEIGHTED,
    BatchChoice,
    LeafPlayouts,
    ValuePolicy,
    batch_playouts,
    batch_policy_playouts,
    call_choice,
)
from graven.core.contract.rule_calls import (
    are_half_points,
    are_scores,
    defence,
    draw_outcome,
    draw_place,
    evaluate,
    features,
    is_playout_move,
    key,
    legal,
    outcomes,
    play,
    playout_moves,
    playout_moves_with_features,
    priors,
    reverse_scores,
    sample,
    scores,
    start,
    tree_moves,
    turn,
    winning_move,
)
from graven.core.contract.rules_record import (
    BATCH_FUNCTIONS,
    CHANCE,
    CHANCE_TOLERANCE,
    CODES,
    MOVES,
    NO_CUTOFF,
    PLAYOUT_FUNCTIONS,
    RNG,
    RULES,
    SCORES,
    SIMULTANEOUS,
    TABLES,
    TERMINAL,
    TRACES,
    WORDS,
    Codes,
    Constants,
    Moves,
    Rules,
    Scores,
    State,
    move_capacity,
    new_joint,
    new_moves,
    new_state,
)

__all__ = [
    "BATCH_CHOICE",
    "BATCH_FUNCTIONS",
    "CALLED",
    "CHANCE",
    "CHANCE_TOLERANCE",
    "CODES",
    "GREEDY",
    "MOVES",
    "NO_CUTOFF",
    "PLAYOUT_FUNCTIONS",
    "RNG",
    "RULES",
    "SCORES",
    "SIMULTANEOUS",
    "TABLES",
    "TERMINAL",
    "TRACES",
    "WEIGHTED",
    "WORDS",
    "BatchChoice",
    "Codes",
    "Constants",
    "LeafPlayouts",
    "Moves",
    "Rules",
    "Scores",
    "State",
    "ValuePolicy",
    "are_half_points",
    "are_scores",
    "batch_playouts",
    "batch_policy_playouts",
    "call_choice",
    "defence",
    "draw_outcome",
    "draw_place",
    "evaluate",
    "features",
    "is_playout_move",
    "key",
    "legal",
    "move_capacity",
    "new_joint",
    "new_moves",
    "new_state",
    "outcomes",
    "play",
    "playout_moves",
    "playout_moves_with_features",
    "priors",
    "reverse_scores",
    "sample",
    "scores",
    "start",
    "tree_moves",
    "turn",
    "winning_move",
]
