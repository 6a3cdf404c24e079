"""Calls of a game's rule functions by kernels, with the default of each optional function."""

from __future__ import annotations

from graven.core.compile import caller, compiled, inlined, is_given
from graven.core.contract.rule_signatures import (
    CHANCES,
    DEFENCE,
    FEATURE,
    IS_PLAYOUT_MOVE,
    KEY,
    LEGAL,
    PLAY,
    PLAYOUT_MOVES_WITH_FEATURES,
    PRIOR,
    SAMPLE,
    SCORE,
    START,
    TURN,
    WINNING_MOVE,
)
from graven.core.contract.rules_record import (
    CHANCE_TOLERANCE,
    Codes,
    Moves,
    Rules,
    Scores,
    State,
)
from graven.core.hash_tables import hash_words
from graven.core.rng import Rng, below, uniform

_start, _turn, _legal, _play = caller(START), caller(TURN), caller(LEGAL), caller(PLAY)
_scores, _sample, _key, _feature = caller(SCORE), caller(SAMPLE), caller(KEY), caller(FEATURE)
_prior, _chance = caller(PRIOR), caller(CHANCES)
_winning_move, _defence = caller(WINNING_MOVE), caller(DEFENCE)
_is_playout_move = caller(IS_PLAYOUT_MOVE)
_playout_moves_with_features = caller(PLAYOUT_MOVES_WITH_FEATURES)


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
