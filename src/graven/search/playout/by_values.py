"""Batches of playouts by a policy, played by the game or one after another.

A learning playout policy that learns after a batch (see `policy.BatchLearning`) plays the whole
batch from what it knew when it began: by the values of moves, or by a function that chooses.
A game with `batch_policy_playouts` plays many playouts at once; a small batch, and any other game,
is played here, one playout after another with the same draws: the playouts are the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core import bits, contract
from graven.core.bits import index, words_for
from graven.core.compile import compiled, inlined
from graven.core.contract import (
    CALLED,
    GREEDY,
    SIMULTANEOUS,
    TERMINAL,
    Codes,
    LeafPlayouts,
    Moves,
    Rules,
    Scores,
    State,
    ValuePolicy,
    call_choice,
)
from graven.core.rng import Rng, draw, drawn_ahead, scaled
from graven.core.status import Status
from graven.core.value_draws import TINY, explores, fraction, rank_moves, threshold_of

FEW = 32
"""Fewer playouts than this are faster one after another than at once, in most networks."""


class ValueScratch(NamedTuple):
    """The scratch memory of playouts one after another."""

    state: State
    legal: State  # one bit for each rank or code
    order: State  # [player * codes + rank]: move
    ends: State  # [player * codes + rank]: the first rank of a smaller value
    ranks: State  # [player * codes + move]
    moves: Moves
    joint: Moves


def scratch_words(rules: Rules) -> int:
    """Return the words of scratch memory that a batch needs, with or without a batched kernel."""
    codes = rules.players * rules.num_codes
    moves = (contract.move_capacity(rules) + rules.players + 3) // 2
    own = rules.state_words + words_for(rules.num_codes) + 3 * codes + moves
    return max(own, rules.batch_scratch)


@inlined
def _parts(rules: Rules, scratch: State) -> ValueScratch:
    codes = rules.players * rules.num_codes
    legal = rules.state_words
    order = legal + ((rules.num_codes + 63) >> 6)
    narrow = scratch[order + 3 * codes :].view(np.int32)
    return ValueScratch(
        state=scratch[:legal],
        legal=scratch[legal:order],
        order=scratch[order : order + codes],
        ends=scratch[order + codes : order + 2 * codes],
        ranks=scratch[order + 2 * codes : order + 3 * codes],
        moves=narrow[rules.players :],
        joint=narrow[: rules.players],
    )


@compiled
def play_batch(rules: Rules, policy: ValuePolicy, batch: LeafPlayouts) -> int:
    """Play a batch; return its status."""
    if rules.batch_policy_playouts and batch.leaves * batch.playouts_per_leaf >= FEW:
        return contract.batch_policy_playouts(rules, policy, batch)
    return play_in_turn(rules, policy, batch)


def play_called(
    rules: Rules,
    states: State,
    leaves: int,
    playouts_per_leaf: int,
    scratch: State,
    traces: Codes,
    lengths: State,
    out: Scores,
    rng: Rng,
    memory: int,
    choose: int,
) -> int:
    """Play a batch whose moves the function at an address chooses; return its status."""
    return play_batch(
        rules,
        ValuePolicy(CALLED, 0.0, out, choose=choose, memory=memory),
        LeafPlayouts(
            states,
            leaves,
            playouts_per_leaf,
            scratch,
            traces=traces,
            lengths=lengths,
            out=out,
            rng=rng,
        ),
    )


@compiled
def play_in_turn(rules: Rules, policy: ValuePolicy, batch: LeafPlayouts) -> int:
    """Play a batch one playout after another; return its status."""
    parts, codes = _parts(rules, batch.scratch), rules.num_codes
    for player in range(rules.players):
        base = codes * player
        order, ranks = parts.order[base : base + codes], parts.ranks[base : base + codes]
        if policy.rule == GREEDY:
            rank_moves(policy.values[base : base + codes], order, parts.ends[base : base + codes])
            for rank in range(codes):
                ranks[order[rank]] = rank
        else:
            for move in range(codes):
                ranks[move] = move
    for playout in range(batch.leaves * batch.playouts_per_leaf):
        status = play_one(rules, policy, batch, parts, playout=playout)
        if status != Status.OK:
            return status
    return Status.OK


@inlined
def play_one(
    rules: Rules, policy: ValuePolicy, batch: LeafPlayouts, parts: ValueScratch, playout: int
) -> int:
    """Play one playout of a batch to the end."""
    state, joint, stream = parts.state, parts.joint, draw(batch.rng)
    stride = len(batch.traces) // (batch.leaves * batch.playouts_per_leaf)
    leaf = rules.state_words * (playout // batch.playouts_per_leaf)
    for i in range(rules.state_words):
        state[i] = batch.states[leaf + i]
    length, number = 0, 0
    while True:
        turn = contract.turn(rules, state)
        if turn == TERMINAL:
            break
        if not SIMULTANEOUS <= turn < rules.players:
            return Status.BAD_TURN
        low = 0 if turn == SIMULTANEOUS else turn
        high = rules.players if turn == SIMULTANEOUS else turn + 1
        if length + high - low > stride:
            return Status.TOO_LONG
        for player in range(low, high):
            count = contract.playout_moves(rules, state, player, parts.moves)
            if count < 1:
                return Status.NO_MOVE
            if count > rules.max_moves:
                return Status.TOO_MANY
            if not mark_legal(parts, rules.num_codes, player, count):
                return Status.BAD_CODE
            random = drawn_ahead(stream, number + player)
            base = rules.num_codes * player
            if policy.rule == CALLED:
                ply = number // rules.players
                move = call_choice(
                    policy.choose,
                    (policy.memory, playout, ply, player, parts.legal, count, random),
                )
            else:
                move = chosen(policy, parts, base, count, random)
            joint[player] = move
            batch.traces[playout * stride + length] = base + move
            length += 1
        contract.play(rules, state, joint)
        number += rules.players
    batch.lengths[playout] = length
    out = batch.out[playout * rules.players : (playout + 1) * rules.players]
    contract.scores(rules, state, out)
    return Status.OK


@inlined
def mark_legal(parts: ValueScratch, codes: int, player: int, count: int) -> bool:
    """Set the bits of the moves listed, by rank; return False if a code is out of range."""
    for word in range(len(parts.legal)):
        parts.legal[word] = 0
    for i in range(count):
        move = parts.moves[i]
        if move < 0 or move >= codes:
            return False
        rank = parts.ranks[index(codes * player + move)]
        parts.legal[index(rank >> 6)] |= np.int64(1) << (rank & 63)
    return True


@inlined
def chosen(
    policy: ValuePolicy, parts: ValueScratch, base: int, count: int, random: np.uint64
) -> int:
    """Return the move that a draw chooses among the legal ones; see `core.value_draws`."""
    legal = parts.legal
    if policy.rule == GREEDY:
        if not explores(random, threshold_of(policy.epsilon)):
            end = parts.ends[index(base + nth_set(legal, 0))]
            count = 0
            for word in range((end + 63) >> 6):
                inside = end - 64 * word
                within = np.int64(-1) if inside >= 64 else (np.int64(1) << inside) - 1
                count += bits.count(legal[word] & within)
        return parts.order[index(base + nth_set(legal, scaled(random, count)))]
    total = 0.0
    for i in range(count):
        total += policy.values[index(base + nth_set(legal, i))]
    if not total >= TINY:
        return greatest_value(policy, legal, base, count, random=random)
    least, reached, at = total * fraction(random), 0.0, 0
    while at < count:
        reached += policy.values[index(base + nth_set(legal, at))]
        if reached > least:
            break
        at += 1
    return nth_set(legal, min(at, count - 1))


@inlined
def greatest_value(
    policy: ValuePolicy, legal: State, base: int, count: int, random: np.uint64
) -> int:
    """Return the move of the greatest value, one of several at random."""
    top, equal = -1.0, 0
    for i in range(count):
        value = policy.values[index(base + nth_set(legal, i))]
        equal = 1 if value > top else equal + int(value == top)
        top = max(top, value)
    skip, move = scaled(random, equal), 0
    for i in range(count):
        here = nth_set(legal, i)
        if policy.values[index(base + here)] == top:
            move = here if skip == 0 else move
            skip -= 1
    return move


@inlined
def nth_set(legal: State, number: int) -> int:
    """Return the position of a set bit, counted from 0."""
    word = 0
    here = bits.count(legal[0])
    while number >= here:
        number -= here
        word += 1
        here = bits.count(legal[index(word)])
    return 64 * word + bits.nth(legal[index(word)], number)
