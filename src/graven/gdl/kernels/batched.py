"""Bit-parallel (batched) playouts: each gate is computed for 256 lanes by a few bitwise operations.

A lane is one bit of every block (see `lane_blocks`), and plays one playout after another. A step

1. computes which moves are legal and which games are over,
2. transposes the legal bits, so that each lane has its moves in consecutive words, and draws one
   move for every role in every lane (see `lane_choices`),
3. sets the bits of the moves made, computes the next state, and copies it to the bases.

Lanes whose game is over wait, their bases frozen, until there are several of them: then their goals
are computed, and they begin new playouts.

Lane number i has bit i // WIDTH of word i % WIDTH in every block.

See `batched_tables` for how the tables are made; the state is that of `single`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import (
    CALLED,
    Codes,
    Constants,
    LeafPlayouts,
    Scores,
    State,
    ValuePolicy,
)
from graven.core.rng import Rng, draw
from graven.core.status import Status
from graven.gdl.kernels import unit_state
from graven.gdl.kernels.lane_blocks import LANES, WIDTH, both, either, every, load, store, without
from graven.gdl.kernels.lane_calls import choose_by_calls
from graven.gdl.kernels.lane_choices import (
    choose_by_values,
    choose_uniformly,
    prepare,
    read_literal,
)
from graven.gdl.kernels.lane_scratch import (
    BASES,
    CODES,
    DOES,
    FIRST,
    FIRST_BASE,
    FROZEN,
    GOAL_NUMBER,
    GOAL_PROGRAM,
    GOALS,
    HERE,
    IDLE,
    INPUTS,
    LEGAL_PROGRAM,
    NEXT,
    NEXT_PROGRAM,
    ORDER,
    OVER,
    RECORD,
    RENEWED,
    ROLES,
    RUNS,
    SHAPES,
    WAITING,
    BatchScratch,
    lane_value,
    mark,
    marked,
    parts_of,
)
from graven.gdl.kernels.unit_state import Links

UNIFORM = -1  # in addition to the rules of `ValuePolicy`: the draws of `batch_playouts`


@inlined
def _evaluate(constants: Constants, links: Links, blocks: State, program: int) -> None:
    """Compute the gates of a program, run by run."""
    out = constants[program + FIRST]
    shape, read = constants[program + SHAPES], constants[program + INPUTS]
    for _ in range(constants[program + RUNS]):
        plain, inverted = int(links[index(shape)]), int(links[index(shape + 1)])
        count = int(links[index(shape + 2)])
        shape += 3
        for _ in range(count):
            value, blocked = every(-1), every(0)
            for i in range(read, read + plain):
                value = both(value, load(blocks, int(links[index(i)])))
            read += plain
            for i in range(read, read + inverted):
                blocked = either(blocked, load(blocks, int(links[index(i)])))
            read += inverted
            store(blocks, out, without(value, blocked))
            out += WIDTH


@compiled
def move(constants: Constants, parts: BatchScratch, traces: Codes) -> int:
    """Make the moves drawn in each lane whose game is not over.

    Return how many games are over now, or -1 if a trace is full.
    """
    links = constants.view(np.int32)
    my, players = constants[HERE], constants[unit_state.PLAYERS]
    roles, codes, over = constants[my + ROLES], constants[my + CODES], constants[my + OVER]
    counted, max_steps = constants[unit_state.COUNTED], constants[unit_state.MAX_STEPS]
    for i in range(LANES * players):
        parts.blocks[index(parts.made[i])] = 0
    ended = 0
    for lane in range(LANES):
        if marked(parts.masks, FROZEN, lane):
            continue
        choosers, who, stuck = 0, 0, lane_value(parts.blocks, over, lane)
        for player in range(players):
            number = parts.numbers[index(LANES * player + lane)]
            who = player if number > 1 else who
            choosers += int(number > 1)
            stuck |= int(number == 0)
        stuck |= counted & int(parts.steps[lane] >= max_steps)
        if stuck:
            mark(parts.masks, FROZEN, lane)
            ended += 1
            continue
        parts.steps[lane] += 1
        parts.plies[lane] += 1
        bit = np.int64(1) << (lane // WIDTH)
        idle = -1
        for player in range(players):
            drawn = parts.choices[index(LANES * player + lane)]
            does = constants[roles + RECORD * player + DOES]
            at = int(links[index(does + drawn)]) + lane % WIDTH
            parts.made[index(LANES * player + lane)] = at
            parts.blocks[index(at)] |= bit
            idle = player if (idle < 0) & (at >= WIDTH * FIRST_BASE) else idle
        if choosers == 0:
            who = max(0, idle)
        low, high = (0, players) if choosers > 1 else (who, who + 1)
        at = parts.at[lane]
        if at + high - low > parts.end[lane]:
            return -1
        for player in range(low, high):
            traces[index(at)] = codes * player + parts.choices[index(LANES * player + lane)]
            at += 1
        parts.at[lane] = at
    return ended


class LeafBatch(NamedTuple):
    """Playouts to make: `playouts_per_leaf` from each state, with `stride` moves for each trace."""

    states: State
    playouts_per_leaf: int
    stride: int


@inlined
def _begin(
    constants: Constants, parts: BatchScratch, batch: LeafBatch, lane: int, playout: int
) -> None:
    """Give a lane, whose bases are all unset, a playout."""
    leaf = constants[unit_state.WORDS] * (playout // batch.playouts_per_leaf)
    bit = np.int64(1) << (lane // WIDTH)
    for word in range(constants[unit_state.BASES]):
        left = batch.states[leaf + word]
        while left:
            base = 64 * word + bits.lowest(left)
            left &= left - 1
            parts.blocks[index(WIDTH * (FIRST_BASE + base) + lane % WIDTH)] |= bit
    parts.playout[lane] = playout
    parts.plies[lane] = 0
    parts.at[lane] = playout * batch.stride
    parts.end[lane] = (playout + 1) * batch.stride
    parts.steps[lane] = batch.states[leaf + constants[unit_state.STEP]]


class BatchResults(NamedTuple):
    """Where the results of playouts go."""

    stride: int
    lengths: State
    scores: Scores


@compiled
def judge(constants: Constants, parts: BatchScratch, results: BatchResults) -> None:
    """Write the results of all games that are over, and let their lanes be renewed."""
    my, players = constants[HERE], constants[unit_state.PLAYERS]
    for lane in range(LANES):
        playout = parts.playout[lane]
        if playout == IDLE or not marked(parts.masks, FROZEN, lane):
            continue
        results.lengths[playout] = parts.at[lane] - playout * results.stride
        for player in range(players):
            role = constants[my + ROLES] + RECORD * player
            at, value = constants[role + GOALS], 0
            for i in range(at, at + 2 * constants[role + GOAL_NUMBER], 2):
                if lane_value(parts.blocks, constants[i + 1], lane):
                    value = constants[i]
                    break
            results.scores[playout * players + player] = value / 100.0
        parts.playout[lane] = IDLE
        mark(parts.masks, RENEWED, lane)


@compiled
def advance(constants: Constants, parts: BatchScratch) -> None:
    """Copy the next state to the bases. Frozen lanes keep theirs; renewed lanes lose them."""
    links = constants.view(np.int32)
    my, blocks = constants[HERE], parts.blocks
    frozen, renewed = load(parts.masks, WIDTH * FROZEN), load(parts.masks, WIDTH * RENEWED)
    kept = without(frozen, renewed)
    for base in range(constants[my + BASES]):
        now = load(blocks, WIDTH * (FIRST_BASE + base))
        following = read_literal(blocks, int(links[index(constants[my + NEXT] + base)]))
        store(parts.fresh, WIDTH * base, either(without(following, frozen), both(now, kept)))
    for base in range(constants[my + BASES]):
        store(blocks, WIDTH * (FIRST_BASE + base), load(parts.fresh, WIDTH * base))


@inlined
def play_lanes(
    begin: Callable[..., None],
    choose: Callable[..., None],
    constants: Constants,
    policy: ValuePolicy,
    playouts: LeafPlayouts,
) -> int:
    """Play all playouts; the policy's rule may be UNIFORM. Return the status.

    `begin(constants, parts, policy)` is called once, then `choose(constants, parts, policy, rng)`
    for every step: it chooses a move for every role in every lane. Both are compiled along, so that
    a search compiles only what it calls.
    """
    links, my = constants.view(np.int32), constants[HERE]
    scratch, traces, rng = playouts.scratch, playouts.traces, playouts.rng
    total = playouts.leaves * playouts.playouts_per_leaf
    stride = len(traces) // max(1, total)
    parts = parts_of(constants, scratch)
    batch = LeafBatch(playouts.states, playouts.playouts_per_leaf, stride)
    results = BatchResults(stride, playouts.lengths, playouts.out)
    for i in range(constants[my + ORDER]):
        scratch[i] = 0
    begin(constants, parts, policy)
    for lane in range(LANES):
        parts.playout[lane] = IDLE
        mark(parts.masks, FROZEN, lane)
        mark(parts.masks, RENEWED, lane)
    begun, running, waiting = 0, 0, 0
    while True:
        # The bases of renewed lanes are all unset by now: they begin a playout, or stay idle.
        for lane in range(LANES):
            if begun < total and marked(parts.masks, RENEWED, lane):
                _begin(constants, parts, batch, lane, playout=begun)
                if policy.rule != UNIFORM:
                    parts.stream[lane] = np.int64(draw(rng))
                parts.masks[WIDTH * FROZEN + lane % WIDTH] ^= np.int64(1) << (lane // WIDTH)
                begun += 1
                running += 1
        for i in range(WIDTH):
            parts.masks[WIDTH * RENEWED + i] = 0
        if running + waiting == 0:
            return Status.OK
        _evaluate(constants, links, parts.blocks, constants[my + LEGAL_PROGRAM])
        choose(constants, parts, policy, rng)
        ended = move(constants, parts, traces)
        if ended < 0:
            return Status.TOO_LONG
        running -= ended
        waiting += ended
        if waiting >= WAITING or running == 0:
            _evaluate(constants, links, parts.blocks, constants[my + GOAL_PROGRAM])
            judge(constants, parts, results)
            waiting = 0
        _evaluate(constants, links, parts.blocks, constants[my + NEXT_PROGRAM])
        advance(constants, parts)


@inlined
def no_preparation(constants: Constants, parts: BatchScratch, policy: ValuePolicy) -> None:
    """Prepare nothing: uniform playouts."""


@compiled
def choose_by_policy(
    constants: Constants, parts: BatchScratch, policy: ValuePolicy, rng: Rng
) -> None:
    """Choose a legal move for every role in every lane by a policy."""
    if policy.rule == CALLED:
        choose_by_calls(constants, parts, policy)
    else:
        choose_by_values(constants, parts, policy)


def batch_playouts(constants: Constants, *arguments: Any) -> int:
    """Play `playouts_per_leaf` uniform playouts from every leaf; see `contract.batch_calls`."""
    batch = LeafPlayouts(*arguments)
    policy = ValuePolicy(UNIFORM, 1.0, batch.out, choose=0, memory=0)
    return play_lanes(no_preparation, choose_uniformly, constants, policy, batch)


def batch_policy_playouts(
    constants: Constants,
    states: State,
    leaves: int,
    playouts_per_leaf: int,
    rule: int,
    epsilon: float,
    values: Scores,
    choose: int,
    memory: int,
    scratch: State,
    traces: Codes,
    lengths: State,
    out: Scores,
    rng: Rng,
) -> int:
    """Play `playouts_per_leaf` playouts from every leaf by a policy; see `contract.batch_calls`."""
    policy = ValuePolicy(rule, epsilon, values, choose=choose, memory=memory)
    return play_lanes(
        prepare,
        choose_by_policy,
        constants,
        policy,
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
