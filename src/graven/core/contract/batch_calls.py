"""Calls of a game's functions that play many playouts at once.

`batch_playouts` plays `leaves * playouts_per_leaf` uniform playouts to the end. Playout i starts at
position l = i // playouts_per_leaf, whose words are states[state_words * l:]; `states` is not
modified. The moves of playout i are written in the order of play, as player * num_codes + move, to
traces[i * stride:], where `stride` is len(traces) // (leaves * playouts_per_leaf) (`max_plies`,
times the number of players if moves are ever simultaneous); their number goes to lengths[i], and
each player's score to out[i * players:]. A terminal start position has no moves. `scratch` is an
int64 array of `batch_scratch` words. The status is Status.OK, or Status.TOO_LONG if a playout
exceeds `stride`.

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
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from graven.core.compile import caller, compiled
from graven.core.contract.rule_calls import reverse_scores
from graven.core.contract.rule_signatures import BATCH_PLAYOUTS, BATCH_POLICY_PLAYOUTS
from graven.core.contract.rules_record import WORDS, Codes, Rules, Scores, State
from graven.core.rng import Rng

# How `batch_policy_playouts` chooses moves: by their values, or by a call.
GREEDY, WEIGHTED, CALLED = range(3)

_batch_playouts, _batch_policy_playouts = caller(BATCH_PLAYOUTS), caller(BATCH_POLICY_PLAYOUTS)
# How a policy chooses one move of batched playouts: its memory, then the fields of `BatchChoice`.
BATCH_CHOICE = types.int64(
    types.int64, types.int64, types.int64, types.int64, WORDS, types.int64, types.uint64
)
call_choice = caller(BATCH_CHOICE)


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
