"""The compiled functions of NRPA: playout, adaptation and the iteration over levels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import TERMINAL, Rules
from graven.core.rng import Rng, uniform
from graven.core.status import Status
from graven.solving.method import FINISHED, NO_SCORE, PLAYOUTS
from graven.solving.move_replay import copy_to, play_one
from graven.solving.nrpa_memory import NrpaGames, NrpaMemory

# Sums of exponentials outside this range may have overflowed or lost precision.
MIN_SUM, MAX_SUM = 1e-200, 1e300


@compiled
def exponential(weight: float) -> float:
    """Return the exponential with exactly the bits that `adapt` computes."""
    return math.exp(weight)


@compiled
def write_exponentials(
    weights: NDArray[np.float64],
    exps: NDArray[np.float64],
    codes: NDArray[np.uint32],
    factors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Write the exponential of each code's weight and return their sum.

    Each is multiplied by its factor if there are factors.

    The sum is positive and finite for any weights. If the plain sum is out of range, all values are
    relative to the largest weight.
    """
    total = 0.0
    for i in range(codes.size):
        values[i] = exps[codes[i]] * factors[i] if factors.size else exps[codes[i]]
        total += values[i]
    if MIN_SUM < total < MAX_SUM:
        return total
    largest = -np.inf
    for i in range(codes.size):
        largest = max(largest, weights[codes[i]])
    total = 0.0
    for i in range(codes.size):
        values[i] = math.exp(weights[codes[i]] - largest)
        values[i] *= factors[i] if factors.size else 1.0
        total += values[i]
    return total


@compiled
def sample_index(values: NDArray[np.float64], count: int, total: float, rng: Rng) -> int:
    """Return an index with probability proportional to its value.

    With `count` 1 no random number is consumed.
    """
    if count == 1:
        return 0
    remaining = uniform(rng) * total
    for i in range(count - 1):
        remaining -= values[i]
        if remaining < 0.0:
            return i
    # Rounding may leave a remainder: return the last index with a positive value.
    i = count - 1
    while i > 0 and values[i] == 0.0:
        i -= 1
    return i


@compiled
def list_codes(rules: Rules, memory: NrpaMemory, slot: int, ply: int) -> int:
    """Record the codes of the legal moves in the scratch position.

    Return their number, or for NEED_MEMORY and faults -1 - status.
    """
    games, scratch = memory.games, memory.scratch
    if ply >= rules.max_plies:
        return -1 - Status.TOO_LONG
    count = contract.legal(rules, scratch.state, 0, scratch.legal)
    if count > rules.max_moves:
        return -1 - Status.TOO_MANY
    if count <= 0:
        return -1 - Status.NO_MOVE
    begin = games.ends[slot, ply]
    if begin + count > games.codes.shape[1]:
        return -1 - Status.NEED_MEMORY
    for i in range(count):
        if not 0 <= scratch.legal[i] < rules.num_codes:
            return -1 - Status.BAD_CODE
    codes = games.codes[slot, begin : begin + count]
    if memory.policies.use_features:
        contract.features(rules, scratch.state, 0, scratch.legal, count=count, codes=codes)
        for i in range(count):
            if codes[i] >= rules.num_features:
                return -1 - Status.BAD_CODE
    else:
        for i in range(count):
            codes[i] = scratch.legal[i]
    games.ends[slot, ply + 1] = begin + count
    if games.factors.size:
        contract.priors(rules, scratch.state, 0, scratch.legal, count=count, out=scratch.priors)
        if not contract.are_scores(scratch.priors, count):
            return -1 - Status.BAD_PRIOR
        for i in range(count):
            games.factors[slot, begin + i] = math.exp(memory.policies.bias * scratch.priors[i])
    return count


@compiled
def record_move(memory: NrpaMemory, slot: int, ply: int, i: int) -> int:
    """Record the i-th legal move of the scratch position as played, and return it."""
    games = memory.games
    move = memory.scratch.legal[i]
    games.moves[slot, ply] = move
    games.chosen[slot, ply] = games.ends[slot, ply] + i
    return move


@compiled
def play_out(rules: Rules, memory: NrpaMemory, rng: Rng) -> int:
    """Play a playout with the policy of level 1 into slot[0]; return a status."""
    games, scratch = memory.games, memory.scratch
    slot, ply = games.slot[0], 0
    weights, exps = memory.policies.weights[1], memory.policies.exps[1]
    copy_to(scratch.state, memory.root, rules.state_words)
    while contract.turn(rules, scratch.state) != TERMINAL:
        count = list_codes(rules, memory, slot, ply)
        if count < 0:
            return -1 - count
        begin = games.ends[slot, ply]
        codes = games.codes[slot, begin : begin + count]
        factors = games.factors[slot, begin : begin + count]  # empty without bias
        total = write_exponentials(weights, exps, codes, factors, scratch.values)
        i = sample_index(scratch.values, count, total, rng)
        play_one(rules, scratch.state, scratch.joint, record_move(memory, slot, ply, i))
        ply += 1
    contract.scores(rules, scratch.state, scratch.out)
    if not contract.are_scores(scratch.out, rules.players):
        return Status.BAD_SCORE
    games.score[slot] = scratch.out[0]
    games.length[slot] = ply
    return Status.OK


@compiled
def record_game(rules: Rules, memory: NrpaMemory, slot: int) -> int:
    """Replay a slot's moves, which must be legal, to record the codes; return a status."""
    games, scratch = memory.games, memory.scratch
    copy_to(scratch.state, memory.root, rules.state_words)
    for ply in range(games.length[slot]):
        count = list_codes(rules, memory, slot, ply)
        if count < 0:
            return -1 - count
        i = 0
        while scratch.legal[i] != games.moves[slot, ply]:
            i += 1
        play_one(rules, scratch.state, scratch.joint, record_move(memory, slot, ply, i))
    return Status.OK


@compiled
def adapt(memory: NrpaMemory, level: int) -> None:
    """Adapt a level's policy to its best game (Cazenave 2016, algorithm 1).

    All probabilities are those of the policy before the adaptation.
    """
    policies, games, values = memory.policies, memory.games, memory.scratch.values
    slot, alpha = games.slot[level], policies.alpha
    weights, exps, new_weights = policies.weights[level], policies.exps[level], policies.new_weights
    changed, is_changed = policies.changed, policies.is_changed
    count = 0
    for ply in range(games.length[slot]):
        codes = games.codes[slot, games.ends[slot, ply] : games.ends[slot, ply + 1]]
        for code in codes:
            if not is_changed[code]:
                is_changed[code] = 1
                changed[count] = code
                count += 1
                new_weights[code] = weights[code]
        new_weights[games.codes[slot, games.chosen[slot, ply]]] += alpha
        factors = games.factors[slot, games.ends[slot, ply] : games.ends[slot, ply + 1]]
        total = write_exponentials(weights, exps, codes, factors, values)
        for i in range(codes.size):
            new_weights[codes[i]] -= alpha * (values[i] / total)
    for i in range(count):
        code = changed[i]
        is_changed[code] = 0
        weights[code] = new_weights[code]
        exps[code] = math.exp(new_weights[code])


@compiled
def accept_game(memory: NrpaMemory, level: int) -> None:
    """Exchange the best games of a level and the level below if the latter is not worse.

    Count how often the level has found its best game again.
    """
    games, repeats = memory.games, memory.policies.repeats
    upper, lower = games.slot[level], games.slot[level - 1]
    if games.score[lower] < games.score[upper]:
        return
    same = games.score[lower] == games.score[upper] and games.length[lower] == games.length[upper]
    ply = 0
    while same and ply < games.length[lower]:
        same = games.moves[lower, ply] == games.moves[upper, ply]
        ply += 1
    repeats[level] = repeats[level] + 1 if same else 0
    games.slot[level] = lower
    games.slot[level - 1] = upper


@compiled
def restart_below(memory: NrpaMemory, level: int) -> None:
    """Restart the searches below a level, with its policy and without a best game."""
    policies, games = memory.policies, memory.games
    for lower in range(level - 1, 0, -1):
        copy_to(policies.weights[lower], policies.weights[level], policies.new_weights.size)
        copy_to(policies.exps[lower], policies.exps[level], policies.new_weights.size)
        policies.done[lower] = 0
        policies.repeats[lower] = 0
        games.score[games.slot[lower]] = NO_SCORE


@compiled
def update_best(games: NrpaGames) -> None:
    """Store the playout as the best game of all runs if its score is higher."""
    slot, overall = games.slot[0], games.score.size - 1
    if games.score[slot] > games.score[overall]:
        length = games.length[slot]
        games.score[overall] = games.score[slot]
        games.length[overall] = length
        copy_to(games.moves[overall], games.moves[slot], length)


@compiled
def search(rules: Rules, memory: NrpaMemory, rng: Rng, goal: int) -> int:
    """Run algorithm 2 until the total of playouts is `goal` or the run ends; return a status.

    After NEED_MEMORY the random state is restored and the last playout is not counted.
    """
    policies, games, counters = memory.policies, memory.games, memory.counters
    top = policies.done.size - 1
    while counters[PLAYOUTS] < goal and not counters[FINISHED]:
        seed = rng[0]
        status = play_out(rules, memory, rng)
        if status != Status.OK:
            rng[0] = seed
            return status
        counters[PLAYOUTS] += 1
        update_best(games)
        level = 0
        policies.playouts[0] += 1
        if policies.playouts[0] < policies.stabilise:
            accept_game(memory, 1)
            continue
        policies.playouts[0] = 0
        while level == 0 or (level < top and policies.done[level] == policies.iterations):
            level += 1
            accept_game(memory, level)
            adapt(memory, level)
            policies.done[level] += 1
            if 0 < policies.repetitions <= policies.repeats[level]:
                policies.done[level] = policies.iterations
        if policies.done[top] == policies.iterations:
            counters[FINISHED] = 1
        else:
            restart_below(memory, level)
    return Status.OK
