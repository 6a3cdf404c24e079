"""The game contract as machine code sees it: signatures, the `Rules` record, and how to call them.

A game is a handful of plain functions over a vector of 64-bit words, `state`, and a read-only
vector, `tables`, for whatever depends on the board's size. Each has one fixed signature:

    start(tables, state)                    set the initial position
    turn(tables, state) -> player           who moves; NOBODY when the game is over; EVERYBODY
                                            when all players move at once
    legal(tables, state, player, moves) -> n   write the legal moves, each from 0 to codes - 1
    play(tables, state, joint)              play joint[player] for every player who moves
    scores(tables, state, out)              when it is over: each player's result, from 0 to 1

and, optional:

    candidates(tables, state, player, moves) -> n   the legal moves that are worth a search, at
                                                    least one (Go's do not fill eyes)
    sensible(tables, state, player, moves) -> n     the legal moves that playouts choose from, at
                                                    least one (Go's do not fill eyes)
    sample(tables, state, player, rng) -> move      a uniformly random sensible move
    key(tables, state) -> key                       equal for equal positions, 64 bits
    feature(tables, state, player, move) -> code    the move with what surrounds it, from 0 to
                                                    features - 1 (for MASTF and PPAF)
    allowed(tables, state, player, move) -> bool    whether that move is sensible here
    coded(tables, state, player, moves, codes) -> n `sensible`, and each move's feature code
    many(tables, states, leaves, each, scratch, traces, lengths, out, rng) -> status
                                                    many uniform playouts at once (see below)

`state` is an int64 array of `words`, `moves` and `joint` are int32 arrays, `codes` is uint32, `out`
float64.

`many` plays `leaves * each` uniform playouts to the end: number i begins at position i // each,
whose words are states[words * (i // each):], and which `many` leaves as it is. Of playout i it
writes the moves, in the order in which they are played, each as player * codes + move, to
traces[i * stride:], where `stride` is len(traces) // (leaves * each) (the declared plies, times
the players if several ever move at once); how many there are to lengths[i]; and each player's
result to out[i * players:]. A begin that is already over has no moves. `scratch` is an int64 array
of `scratch` words to work in. The result is MANY_DONE, or MANY_LONG if a playout goes beyond
`stride`.
A `sample` may rearrange what `state` remembers (the order of a list, say), never the position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core.compile import caller, compiled
from graven.core.rng import Rng, below

State = NDArray[np.int64]
Tables = NDArray[np.int64]
Moves = NDArray[np.int32]
Scores = NDArray[np.float64]
Codes = NDArray[np.uint32]

NOBODY = -1
EVERYBODY = -2

# How `many` ends.
MANY_DONE, MANY_LONG = 0, 1

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
CODED = types.int64(TABLES, WORDS, types.int64, MOVES, CODES)
ALLOWED = types.boolean(TABLES, WORDS, types.int64, types.int64)
TRACES = types.Array(types.uint32, 1, "C")
MANY = types.int64(TABLES, WORDS, types.int64, types.int64, WORDS, TRACES, WORDS, SCORES, RNG)

# Features are asked for all legal moves at once, so the loop over them is compiled into the game's
# function: calling it for each move took twice as long.
FEATURE_BODY = "for i in range({4}): {5}[i] = inner({0}, {1}, {2}, {3}[i])"


class Rules(NamedTuple):
    """A game as kernels receive it. The functions are addresses; 0 where a game has none."""

    tables: Tables
    start: int
    turn: int
    legal: int
    play: int
    scores: int
    candidates: int
    sensible: int
    sample: int
    key: int
    feature: int
    allowed: int
    coded: int
    many: int
    players: int
    words: int
    codes: int
    features: int
    moves: int
    plies: int
    scratch: int
    places: int
    misere: int


RULES = types.NamedTuple([TABLES] + [types.int64] * (len(Rules._fields) - 1), Rules)

_start, _turn, _legal, _play = caller(START), caller(TURN), caller(LEGAL), caller(PLAY)
_scores, _sample, _key, _feature = caller(SCORE), caller(SAMPLE), caller(KEY), caller(FEATURE)
_allowed, _coded, _many = caller(ALLOWED), caller(CODED), caller(MANY)

_FNV = np.int64(0x100000001B3)
_ODD = np.int64(-7046029254386353131)


@compiled
def start(rules: Rules, state: State) -> None:
    """Set `state` to the initial position."""
    _start(rules.start, (rules.tables, state))


@compiled
def turn(rules: Rules, state: State) -> int:
    """Who moves: a player, NOBODY or EVERYBODY."""
    return _turn(rules.turn, (rules.tables, state))


@compiled
def legal(rules: Rules, state: State, player: int, moves: Moves) -> int:
    """Write the player's legal moves and return how many there are."""
    return _legal(rules.legal, (rules.tables, state, player, moves))


@compiled
def candidates(rules: Rules, state: State, player: int, moves: Moves) -> int:
    """Write the moves that a tree lists; where a game names none, all legal ones."""
    listing = rules.candidates if rules.candidates else rules.legal
    return _legal(listing, (rules.tables, state, player, moves))


@compiled
def sensible(rules: Rules, state: State, player: int, moves: Moves) -> int:
    """Write the moves that playouts choose from; where a game names none, all legal ones."""
    listing = rules.sensible if rules.sensible else rules.legal
    return _legal(listing, (rules.tables, state, player, moves))


@compiled
def play(rules: Rules, state: State, joint: Moves) -> None:
    """Play `joint[player]` for every player who moves."""
    _play(rules.play, (rules.tables, state, joint))


@compiled
def scores(rules: Rules, state: State, out: Scores) -> None:
    """Each player's result, turned round where the game is played misère.

    Misère keeps the sum: with n players a result s becomes (1 - s) / (n - 1), which for two
    players exchanges their results.
    """
    _scores(rules.scores, (rules.tables, state, out))
    if rules.misere:
        turn_round(out, rules.players, rules.players)


@compiled
def turn_round(out: Scores, count: int, players: int) -> None:
    """What misère makes of results."""
    others = max(1, players - 1)
    for i in range(count):
        out[i] = (1.0 - out[i]) / others


@compiled
def sample(rules: Rules, state: State, player: int, moves: Moves, rng: Rng) -> int:
    """A uniformly random sensible move, or -1 if there is none; `moves` is scratch space."""
    if rules.sample:
        return _sample(rules.sample, (rules.tables, state, player, rng))
    count = sensible(rules, state, player, moves)
    if count <= 0:
        return -1
    if count > rules.moves:
        return -2
    return moves[below(rng, count)]


@compiled
def key(rules: Rules, state: State) -> int:
    """A 64-bit key of the position; by default a hash of all its words."""
    if rules.key:
        return _key(rules.key, (rules.tables, state))
    return hash_words(state, rules.words)


@compiled
def hash_words(state: State, count: int) -> int:
    """A 64-bit hash of the first `count` words."""
    mixed = np.int64(count)
    for i in range(count):
        mixed = (mixed ^ state[i]) * _ODD
        mixed ^= (mixed >> 29) & np.int64(0x7FFFFFFFF)
    return mixed * _FNV  # type: ignore[return-value]


@compiled
def features(
    rules: Rules, state: State, player: int, moves: Moves, count: int, codes: Codes
) -> None:
    """Write the feature codes of `count` moves; without features, the moves themselves."""
    if rules.feature:
        _feature(rules.feature, (rules.tables, state, player, moves, count, codes))
    else:
        for i in range(count):
            codes[i] = moves[i]


@compiled
def coded(rules: Rules, state: State, player: int, moves: Moves, codes: Codes) -> int:
    """Write the player's sensible moves, and their feature codes beside them; how many.

    `codes` has room for `moves` of them: if there are more, no codes are written.
    """
    if rules.coded:
        return _coded(rules.coded, (rules.tables, state, player, moves, codes))
    count = sensible(rules, state, player, moves)
    if count <= rules.moves:
        features(rules, state, player, moves, count, codes)
    return count


@compiled
def allowed(rules: Rules, state: State, player: int, move: int, moves: Moves) -> bool:
    """Whether a move, from 0 to codes - 1, is sensible; `moves` is scratch space."""
    if rules.allowed:
        return _allowed(rules.allowed, (rules.tables, state, player, move))
    found = False
    for i in range(min(sensible(rules, state, player, moves), rules.moves)):
        found |= moves[i] == move
    return found


@compiled
def many(
    rules: Rules,
    states: State,
    leaves: int,
    each: int,
    scratch: State,
    traces: Codes,
    lengths: State,
    out: Scores,
    rng: Rng,
) -> int:
    """Play out `each` times from each of the positions; only where the game has `many`."""
    status = _many(
        rules.many, (rules.tables, states, leaves, each, scratch, traces, lengths, out, rng)
    )
    if rules.misere:
        turn_round(out, leaves * each * rules.players, rules.players)
    return status


def new_state(rules: Rules) -> State:
    """Room for one position."""
    return np.zeros(rules.words, dtype=np.int64)


def new_moves(rules: Rules) -> Moves:
    """Room for one player's legal moves, and some to spare for a `legal` that writes too many."""
    return np.zeros(rules.moves + rules.codes, dtype=np.int32)


def new_joint(rules: Rules) -> Moves:
    """Room for one move of each player."""
    return np.full(rules.players, -1, dtype=np.int32)


def signatures() -> dict[str, Any]:
    """The signature of each rule function, by its name in a `Game`."""
    return {
        "start": START,
        "turn": TURN,
        "legal": LEGAL,
        "play": PLAY,
        "scores": SCORE,
        "candidates": LEGAL,
        "sensible": LEGAL,
        "sample": SAMPLE,
        "key": KEY,
        "feature": FEATURE,
        "allowed": ALLOWED,
        "coded": CODED,
        "many": MANY,
    }
