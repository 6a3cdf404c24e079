"""The game contract: signatures of rule functions, the `Rules` tuple, and calls for kernels.

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
        Many uniform playouts at once, as described below.
    rollout(constants, state, trace, out, rng) -> n
        One uniform playout to the end, as described below.
    batch_policy_playouts(constants, states, leaves, playouts_per_leaf, rule, epsilon, values,
                          choose, memory, scratch, traces, lengths, out, rng) -> status
        Many playouts at once whose moves a policy chooses, as described below.
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

`batch_playouts` plays `leaves * playouts_per_leaf` uniform playouts to the end. Playout i starts at
position l = i // playouts_per_leaf, whose words are states[state_words * l:]; `states` is not
modified. The moves of playout i are written in the order of play, as player * num_codes + move, to
traces[i * stride:], where `stride` is len(traces) // (leaves * playouts_per_leaf) (`max_plies`,
times the number of players if moves are ever simultaneous); their number goes to lengths[i], and
each player's score to out[i * players:]. A terminal start position has no moves. `scratch` is an
int64 array of `batch_scratch` words. The status is Status.OK, or Status.TOO_LONG if a playout
exceeds `stride`.

`rollout` plays from a position that may be terminal to the end, with the moves and the random
numbers of `sample`. It writes player * num_codes + move to the uint32 array `trace` for every move,
and each player's score to `out`, and returns the number of moves; `state` is scratch afterwards. A
game needs none: the package compiles one from its functions (`core.rollout`). One written by hand
is faster where the position fits into local variables.

`batch_policy_playouts` does the same with other playouts: values[player * num_codes + move] is the
value of a move, a finite number. With the rule GREEDY the playout move of the greatest value is
played, one of several at random, but with probability `epsilon` any playout move; with the rule
WEIGHTED a playout move is drawn with probability proportional to its value, which is not negative.
With the rule CALLED the function at the address `choose` chooses: `call_choice(choose, (memory,
playout, ply, player, legal, size, random))` returns a move for each entry of a trace, in the order
of the playout. `ply` counts from 0 in each playout; `legal` are the player's playout moves, `size`
of them, as one bit for each code, 64 in a word; `random` is the draw.
Random numbers are defined, so that the same batch is the same playouts however it is played:
see `core.value_draws`.

`proof_moves` helps a proof. It writes to bounds[0] and bounds[1] a lower and an upper bound of the
score that `player`, who is to move, reaches with best play of both, and to `moves` legal moves of
which at least one reaches that score, each once; it returns their number, which may be 0 if the two
bounds are equal. All of it must be proven, not estimated. `scratch` is an int64 array of
`proof_scratch` words; `state` is not modified. Misère games do not use it.

`sample` may reorder internal lists of `state` but must not change the position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import caller, compiled, inlined, is_given
from graven.core.rng import Rng, below, uniform

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

# How `batch_policy_playouts` chooses moves: by their values, or by a call.
GREEDY, WEIGHTED, CALLED = range(3)

WORDS = types.Array(types.int64, 1, "C")
TABLES = types.Array(types.int64, 1, "C", readonly=True)
MOVES = types.Array(types.int32, 1, "C")
SCORES = types.Array(types.float64, 1, "C")
RNG = types.Array(types.uint64, 1, "C")

START = types.void(TABLES, WORDS)
TURN = types.int64(TABLES, WORDS)
LEGAL = types.int64(TABLES, WORDS, types.int64, MOVES)
PLAY = types.void(TABLES, WORDS, MOVES)
SCORE = types.void(TABLES, WORDS, SCORES)
SAMPLE = types.int64(TABLES, WORDS, types.int64, RNG)
KEY = types.int64(TABLES, WORDS)
CODES = types.Array(types.uint32, 1, "C")
FEATURE = types.void(TABLES, WORDS, types.int64, MOVES, types.int64, CODES)
CHANCES = types.int64(TABLES, WORDS, MOVES, SCORES)
PRIOR = types.void(TABLES, WORDS, types.int64, MOVES, types.int64, SCORES)
PLAYOUT_MOVES_WITH_FEATURES = types.int64(TABLES, WORDS, types.int64, MOVES, CODES)
IS_PLAYOUT_MOVE = types.boolean(TABLES, WORDS, types.int64, types.int64)
WINNING_MOVE = types.int64(TABLES, WORDS, types.int64)
DEFENCE = types.int64(TABLES, WORDS, types.int64, types.int64, RNG)
TRACES = types.Array(types.uint32, 1, "C")
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
# How a policy chooses one move of batched playouts: its memory, then the fields of `BatchChoice`.
BATCH_CHOICE = types.int64(
    types.int64, types.int64, types.int64, types.int64, WORDS, types.int64, types.uint64
)
call_choice = caller(BATCH_CHOICE)
PROOF_MOVES = types.int64(TABLES, WORDS, types.int64, MOVES, SCORES, WORDS)

# Functions of one move that are called for all legal moves at once. The loop over them is compiled
# into the game's function: calling it for each move took twice as long.
OF_EACH_MOVE = ("feature", "prior")
EACH_MOVE_BODY = "for i in range({4}): {5}[i] = inner({0}, {1}, {2}, {3}[i])"


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

_start, _turn, _legal, _play = caller(START), caller(TURN), caller(LEGAL), caller(PLAY)
_scores, _sample, _key, _feature = caller(SCORE), caller(SAMPLE), caller(KEY), caller(FEATURE)
_prior, _chance = caller(PRIOR), caller(CHANCES)
_winning_move, _defence = caller(WINNING_MOVE), caller(DEFENCE)
_is_playout_move, _playout_moves_with_features, _batch_playouts, _batch_policy_playouts = (
    caller(IS_PLAYOUT_MOVE),
    caller(PLAYOUT_MOVES_WITH_FEATURES),
    caller(BATCH_PLAYOUTS),
    caller(BATCH_POLICY_PLAYOUTS),
)


@compiled
def start(rules: Rules, state: State) -> None:
    """Set `state` to the initial position."""
    _start(rules.start, (rules.constants, state))


@compiled
def turn(rules: Rules, state: State) -> int:
    """Who moves: a player, TERMINAL or SIMULTANEOUS."""
    return _turn(rules.turn, (rules.constants, state))


@compiled
def legal(rules: Rules, state: State, player: int, moves: Moves) -> int:
    """Write the player's legal moves and return how many there are."""
    return _legal(rules.legal, (rules.constants, state, player, moves))


@compiled
def tree_moves(rules: Rules, state: State, player: int, moves: Moves) -> int:
    """Write the moves that a tree lists; where a game names none, all legal ones."""
    listing = rules.tree_moves if rules.tree_moves else rules.legal
    return _legal(listing, (rules.constants, state, player, moves))


@compiled
def playout_moves(rules: Rules, state: State, player: int, moves: Moves) -> int:
    """Write the moves that playouts choose from; where a game names none, all legal ones."""
    if is_given(rules.playout_moves):
        return _legal(rules.playout_moves, (rules.constants, state, player, moves))
    return _legal(rules.legal, (rules.constants, state, player, moves))


@compiled
def play(rules: Rules, state: State, joint: Moves) -> None:
    """Play `joint[player]` for every player who moves."""
    _play(rules.play, (rules.constants, state, joint))


@compiled
def scores(rules: Rules, state: State, out: Scores) -> None:
    """Each player's result, turned round where the game is played misère.

    Misère keeps the sum: with n players a result s becomes (1 - s) / (n - 1), which for two
    players exchanges their results.
    """
    _scores(rules.scores, (rules.constants, state, out))
    if rules.misere:
        reverse_scores(out, rules.players, rules.players)


@compiled
def evaluate(rules: Rules, state: State, out: Scores) -> None:
    """Each player's expected score, for games that have an `evaluate`."""
    _scores(rules.evaluate, (rules.constants, state, out))
    if rules.misere:
        reverse_scores(out, rules.players, rules.players)


@compiled
def reverse_scores(out: Scores, count: int, players: int) -> None:
    """Reverse scores for misère play; see `scores`."""
    others = max(1, players - 1)
    for i in range(count):
        out[i] = (1.0 - out[i]) / others


@inlined
def are_scores(out: Scores, count: int) -> bool:
    """Return whether the first `count` scores are from 0 to 1; NaN is not."""
    valid = True
    for i in range(count):
        valid &= 0.0 <= out[i] <= 1.0
    return valid


@inlined
def are_half_points(out: Scores, count: int) -> bool:
    """Return whether the first `count` scores, from 0 to 1, are 0, 1/2 or 1."""
    valid = True
    for i in range(count):
        valid &= (out[i] == 0.0) | (out[i] == 0.5) | (out[i] == 1.0)
    return valid


@compiled
def sample(rules: Rules, state: State, player: int, moves: Moves, rng: Rng) -> int:
    """Return a uniformly random playout move; `moves` is scratch space.

    Returns -1 if there is none, -2 if there are more than `max_moves`.
    """
    if is_given(rules.sample):
        return _sample(rules.sample, (rules.constants, state, player, rng))
    count = playout_moves(rules, state, player, moves)
    if count <= 0:
        return -1
    if count > rules.max_moves:
        return -2
    return moves[below(rng, count)]


@compiled
def outcomes(rules: Rules, state: State, moves: Moves, probabilities: Scores) -> int:
    """Write the outcomes of a chance event and their probabilities; return their number.

    It is negative for a fault: -1 if there are none or the probabilities are wrong, -2 if there are
    more than `max_moves`, -3 for a code out of range.
    """
    count = _chance(rules.chance, (rules.constants, state, moves, probabilities))
    if count > rules.max_moves:
        return -2
    total = 0.0
    for i in range(count):
        if moves[i] < 0 or moves[i] >= rules.num_codes:
            return -3
        if not probabilities[i] > 0.0:
            return -1
        total += probabilities[i]
    return count if abs(total - 1.0) <= CHANCE_TOLERANCE else -1


@compiled
def draw_place(probabilities: Scores, count: int, rng: Rng) -> int:
    """Return the place of one of the first `count` probabilities, drawn by them."""
    threshold = uniform(rng)
    for i in range(count - 1):
        threshold -= probabilities[i]
        if threshold < 0.0:
            return i
    return count - 1


@compiled
def draw_outcome(rules: Rules, state: State, moves: Moves, probabilities: Scores, rng: Rng) -> int:
    """Return a random outcome, or the negative number of a fault; the arrays are scratch."""
    count = outcomes(rules, state, moves, probabilities)
    return count if count < 0 else moves[draw_place(probabilities, count, rng)]


@compiled
def key(rules: Rules, state: State) -> int:
    """Return a 64-bit key of the position; by default a hash of all its words."""
    if rules.key:
        return _key(rules.key, (rules.constants, state))
    return hash_words(state, rules.state_words)


@compiled
def hash_words(state: State, count: int) -> int:
    """Return a 64-bit hash of the first `count` words."""
    key = count
    for i in range(count):
        key = bits.mix(key, state[i])
    return key


@compiled
def features(
    rules: Rules, state: State, player: int, moves: Moves, count: int, codes: Codes
) -> None:
    """Write the feature codes of `count` moves; without features, the moves themselves."""
    if rules.feature:
        _feature(rules.feature, (rules.constants, state, player, moves, count, codes))
    else:
        for i in range(count):
            codes[i] = moves[i]


@compiled
def priors(rules: Rules, state: State, player: int, moves: Moves, count: int, out: Scores) -> None:
    """Write the priors of `count` moves, for games that have a `prior`."""
    _prior(rules.prior, (rules.constants, state, player, moves, count, out))


@compiled
def playout_moves_with_features(
    rules: Rules, state: State, player: int, moves: Moves, codes: Codes
) -> int:
    """Write the player's playout moves and their feature codes; return their number.

    `codes` holds `max_moves` entries: if there are more moves, no codes are written.
    """
    if is_given(rules.playout_moves_with_features):
        return _playout_moves_with_features(
            rules.playout_moves_with_features, (rules.constants, state, player, moves, codes)
        )
    count = playout_moves(rules, state, player, moves)
    if count <= rules.max_moves:
        features(rules, state, player, moves, count=count, codes=codes)
    return count


@compiled
def is_playout_move(rules: Rules, state: State, player: int, move: int, moves: Moves) -> bool:
    """Return whether a move is a playout move; `moves` is scratch space."""
    if is_given(rules.is_playout_move):
        return _is_playout_move(rules.is_playout_move, (rules.constants, state, player, move))
    found = False
    for i in range(min(playout_moves(rules, state, player, moves), rules.max_moves)):
        found |= moves[i] == move
    return found


@compiled
def winning_move(rules: Rules, state: State, player: int) -> int:
    """Return a move that wins at once, or -1; for games that have a `winning_move`."""
    return _winning_move(rules.winning_move, (rules.constants, state, player))


@compiled
def defence(rules: Rules, state: State, player: int, threat: int, moves: Moves, rng: Rng) -> int:
    """Return a move that prevents the opponent's winning move, or -1; `moves` is scratch space."""
    if is_given(rules.defence):
        return _defence(rules.defence, (rules.constants, state, player, threat, rng))
    return threat if is_playout_move(rules, state, player, threat, moves=moves) else -1


@compiled
def batch_playouts(
    rules: Rules,
    states: State,
    leaves: int,
    playouts_per_leaf: int,
    scratch: State,
    traces: Codes,
    lengths: State,
    out: Scores,
    rng: Rng,
) -> int:
    """Play `playouts_per_leaf` playouts from each position with the game's `batch_playouts`."""
    status = _batch_playouts(
        rules.batch_playouts,
        (rules.constants, states, leaves, playouts_per_leaf, scratch, traces, lengths, out, rng),
    )
    if rules.misere:
        reverse_scores(out, leaves * playouts_per_leaf * rules.players, rules.players)
    return status


class ValuePolicy(NamedTuple):
    """How playouts choose moves: see `batch_policy_playouts`."""

    rule: int  # GREEDY, WEIGHTED or CALLED
    epsilon: float
    values: Scores  # [player * num_codes + move]
    choose: int  # an address, and the handle of a memory; 0 unless the rule is CALLED
    memory: int


class BatchChoice(NamedTuple):
    """One choice of batched playouts: see the rule CALLED of `batch_policy_playouts`."""

    playout: int
    ply: int
    player: int
    legal: State
    size: int  # how many moves are legal
    random: np.uint64


class LeafPlayouts(NamedTuple):
    """The arguments of batched playouts, in their order, without the rules and the policy."""

    states: State
    leaves: int
    playouts_per_leaf: int
    scratch: State
    traces: Codes
    lengths: State
    out: Scores
    rng: Rng


@compiled
def batch_policy_playouts(rules: Rules, policy: ValuePolicy, batch: LeafPlayouts) -> int:
    """Play playouts from each position with the game's `batch_policy_playouts`."""
    status = _batch_policy_playouts(
        rules.batch_policy_playouts,
        (
            rules.constants,
            batch.states,
            batch.leaves,
            batch.playouts_per_leaf,
            policy.rule,
            policy.epsilon,
            policy.values,
            policy.choose,
            policy.memory,
            batch.scratch,
            batch.traces,
            batch.lengths,
            batch.out,
            batch.rng,
        ),
    )
    if rules.misere:
        count = batch.leaves * batch.playouts_per_leaf * rules.players
        reverse_scores(batch.out, count, rules.players)
    return status


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
