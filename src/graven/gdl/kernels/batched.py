"""Bit-parallel (batched) playouts: each gate is computed for 256 lanes by a few bitwise operations.

A lane is one bit of every block (see `lane_blocks`), and plays one playout after another. A step

1. computes which moves are legal and which games are over,
2. transposes the legal bits, so that each lane has its moves in consecutive words, and draws one
   move for every role in every lane,
3. sets the bits of the moves made, computes the next state, and copies it to the bases.

Lanes whose game is over wait, their bases frozen, until there are several of them: then their goals
are computed, and they begin new playouts.

Lane number i has bit i // WIDTH of word i % WIDTH in every block.

See `batched_tables` for how the tables are made; the state is that of `single`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import Codes, Constants, Scores, State
from graven.core.rng import Rng, fill
from graven.core.status import Status
from graven.gdl.kernels import single
from graven.gdl.kernels.lane_blocks import (
    LANES,
    WIDTH,
    both,
    down,
    either,
    every,
    load,
    store,
    unlike,
    up,
    without,
)
from graven.gdl.kernels.single import Links

HERE = single.BATCHED

# The header. In the tables: the number of bases and codes; where (in 32-bit numbers) the literals
# of the bases' next values are; the literal of the end; the programs that compute legal moves and
# the end, the next state, and goals; the roles. In the scratch memory: where each part of
# `BatchScratch` begins.
(
    BASES,
    CODES,
    NEXT,
    OVER,
    LEGAL_PROGRAM,
    NEXT_PROGRAM,
    GOAL_PROGRAM,
    ROLES,
    BLOCKS,
    FRESH,
    BOARD,
    LANE,
    MASKS,
    NUMBERS,
    CHOICES,
    MADE,
    SCRATCH,
    HEADER,
) = range(18)

# A program: where its first gate goes, how many runs of gates of one shape, and where the shapes of
# runs and the inputs of gates are.
FIRST, RUNS, SHAPES, INPUTS = range(4)

# A role: how many moves; in 32-bit numbers where each one's legal literal and its block are; its
# goals.
MOVES, LEGAL, DOES, GOALS, GOAL_NUMBER, RECORD = range(6)

# The first blocks: the constant false, one for moves that nothing depends on, then the bases.
ZERO, NOWHERE, FIRST_BASE = range(3)

# Masks of lanes: those that do not go on, as their game is over or they have none, and of these the
# ones that begin a new single.
FROZEN, RENEWED, MASK_BLOCKS = range(3)

PLAYOUT, AT, END, STEPS, DRAWS, PICKED, LANE_ARRAYS = range(7)
IDLE = -1

# How many lanes wait before goals are computed: few, so that most lanes play.
WAITING = 16


class BatchScratch(NamedTuple):
    """The scratch memory by its parts. Arrays of lanes have LANES elements (for each role)."""

    blocks: State
    fresh: State
    """The bases' next blocks."""
    board: State
    """A role's legal moves, 64 in a word, for each lane."""
    masks: State
    numbers: State
    """For each role, how many moves are legal."""
    choices: State
    """For each role, the move drawn."""
    made: State
    """For each role, the word of `blocks` in which its move was marked."""
    playout: State
    """The lane's playout, or IDLE."""
    at: State
    """Where its trace continues."""
    end: State
    """Where its trace has to end."""
    steps: State
    """The steps of its game, if they are counted."""
    draws: State
    """Random numbers."""
    picked: State
    """The word that holds the move drawn."""


@inlined
def _parts_of(constants: Constants, scratch: State) -> BatchScratch:
    my = constants[HERE]
    lanes = scratch[constants[my + LANE] : constants[my + MASKS]]
    return BatchScratch(
        blocks=scratch[constants[my + BLOCKS] : constants[my + FRESH]],
        fresh=scratch[constants[my + FRESH] : constants[my + BOARD]],
        board=scratch[constants[my + BOARD] : constants[my + LANE]],
        masks=scratch[constants[my + MASKS] : constants[my + NUMBERS]],
        numbers=scratch[constants[my + NUMBERS] : constants[my + CHOICES]],
        choices=scratch[constants[my + CHOICES] : constants[my + MADE]],
        made=scratch[constants[my + MADE] : constants[my + SCRATCH]],
        playout=lanes[LANES * PLAYOUT : LANES * PLAYOUT + LANES],
        at=lanes[LANES * AT : LANES * AT + LANES],
        end=lanes[LANES * END : LANES * END + LANES],
        steps=lanes[LANES * STEPS : LANES * STEPS + LANES],
        draws=lanes[LANES * DRAWS : LANES * DRAWS + LANES],
        picked=lanes[LANES * PICKED : LANES * PICKED + LANES],
    )


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


@inlined
def _read(blocks: State, literal: int) -> Any:
    """Return the block of a literal."""
    return unlike(load(blocks, literal >> 1), every(-(literal & 1)))


@compiled
def transpose(constants: Constants, blocks: State, literals: int, board: State) -> None:
    """Write the blocks of 64 moves as one word for each lane: bit i is the move i of these.

    A 64 by 64 matrix of bits is transposed in six steps, each exchanging the corners of ever
    smaller squares; four matrices go side by side.
    """
    links = constants.view(np.int32)
    for row in range(64):
        store(board, WIDTH * row, _read(blocks, int(links[literals + row])))
    size, mask = 32, np.int64(0xFFFFFFFF)
    while size:
        low = every(mask)
        for half in range(0, 64, 2 * size):
            for row in range(half, half + size):
                near, far = load(board, WIDTH * row), load(board, WIDTH * (row + size))
                swapped = both(unlike(down(near, size), far), low)
                store(board, WIDTH * row, unlike(near, up(swapped, size)))
                store(board, WIDTH * (row + size), unlike(far, swapped))
        size >>= 1
        mask ^= mask << size


@compiled
def draw_moves(parts: BatchScratch, words: int, player: int) -> None:
    """Draw one of a role's legal moves in each lane, uniformly; 0 in a lane without any.

    `parts.draws` has 64 random bits for each lane. Every loop is over all lanes and has no branch,
    so that the compiler can vectorise it.
    """
    board, draws, picked = parts.board, parts.draws, parts.picked
    numbers = parts.numbers[LANES * player : LANES * player + LANES]
    choices = parts.choices[LANES * player : LANES * player + LANES]
    for lane in range(LANES):
        numbers[lane] = bits.count(board[lane])
    for word in range(1, words):
        for lane in range(LANES):
            numbers[lane] += bits.count(board[LANES * word + lane])
    for lane in range(LANES):
        high = np.uint64(draws[lane]) >> np.uint64(32)
        draws[lane] = np.int64((high * np.uint64(numbers[lane])) >> np.uint64(32))
        choices[lane] = 0
        picked[lane] = board[lane]
    # From here on `draws` is how many set bits to skip; it is negative once a word is found.
    if words > 1:
        for word in range(words):
            for lane in range(LANES):
                here = board[LANES * word + lane]
                skip, inside = draws[lane], bits.count(here)
                is_here = (skip >= 0) & (skip < inside)
                picked[lane] = here if is_here else picked[lane]
                choices[lane] = (word << 16) | skip if is_here else choices[lane]
                draws[lane] = skip - inside
        for lane in range(LANES):
            draws[lane] = choices[lane] & 0xFFFF
            choices[lane] = (choices[lane] >> 16) << 6
    for lane in range(LANES):
        left, skip, at = picked[lane], draws[lane], choices[lane]
        for half in (32, 16, 8, 4, 2, 1):
            low = bits.count(left & ((np.int64(1) << half) - 1))
            above = int(skip >= low)
            skip -= low * above
            at += half * above
            left = bits.down(left, half * above)
        choices[lane] = at if numbers[lane] else 0


@compiled
def choose(constants: Constants, parts: BatchScratch, rng: Rng) -> None:
    """Draw a legal move for every role in every lane."""
    my = constants[HERE]
    for player in range(constants[single.PLAYERS]):
        role = constants[my + ROLES] + RECORD * player
        words = (constants[role + MOVES] + 63) >> 6
        for word in range(words):
            board = parts.board[LANES * word : LANES * word + LANES]
            transpose(constants, parts.blocks, constants[role + LEGAL] + 64 * word, board)
        fill(rng, parts.draws)
        draw_moves(parts, words, player)


@inlined
def _mark(masks: State, mask: int, lane: int) -> None:
    masks[index(WIDTH * mask + lane % WIDTH)] |= np.int64(1) << (lane // WIDTH)


@inlined
def _marked(masks: State, mask: int, lane: int) -> bool:
    return (masks[index(WIDTH * mask + lane % WIDTH)] >> (lane // WIDTH)) & 1 != 0


@inlined
def _value(blocks: State, literal: int, lane: int) -> int:
    """Return the value of a literal in a lane: 0 or 1."""
    word = blocks[index((literal >> 1) + lane % WIDTH)]
    return ((word >> (lane // WIDTH)) ^ literal) & 1


@compiled
def move(constants: Constants, parts: BatchScratch, traces: Codes) -> int:
    """Make the moves drawn in each lane whose game is not over.

    Return how many games are over now, or -1 if a trace is full.
    """
    links = constants.view(np.int32)
    my, players = constants[HERE], constants[single.PLAYERS]
    roles, codes, over = constants[my + ROLES], constants[my + CODES], constants[my + OVER]
    counted, max_steps = constants[single.COUNTED], constants[single.MAX_STEPS]
    for i in range(LANES * players):
        parts.blocks[index(parts.made[i])] = 0
    ended = 0
    for lane in range(LANES):
        if _marked(parts.masks, FROZEN, lane):
            continue
        choosers, who, stuck = 0, 0, _value(parts.blocks, over, lane)
        for player in range(players):
            number = parts.numbers[index(LANES * player + lane)]
            who = player if number > 1 else who
            choosers += int(number > 1)
            stuck |= int(number == 0)
        stuck |= counted & int(parts.steps[lane] >= max_steps)
        if stuck:
            _mark(parts.masks, FROZEN, lane)
            ended += 1
            continue
        parts.steps[lane] += 1
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
    leaf = constants[single.WORDS] * (playout // batch.playouts_per_leaf)
    bit = np.int64(1) << (lane // WIDTH)
    for word in range(constants[single.BASES]):
        left = batch.states[leaf + word]
        while left:
            base = 64 * word + bits.lowest(left)
            left &= left - 1
            parts.blocks[index(WIDTH * (FIRST_BASE + base) + lane % WIDTH)] |= bit
    parts.playout[lane] = playout
    parts.at[lane] = playout * batch.stride
    parts.end[lane] = (playout + 1) * batch.stride
    parts.steps[lane] = batch.states[leaf + constants[single.STEP]]


class BatchResults(NamedTuple):
    """Where the results of playouts go."""

    stride: int
    lengths: State
    scores: Scores


@compiled
def judge(constants: Constants, parts: BatchScratch, results: BatchResults) -> None:
    """Write the results of all games that are over, and let their lanes be renewed."""
    my, players = constants[HERE], constants[single.PLAYERS]
    for lane in range(LANES):
        playout = parts.playout[lane]
        if playout == IDLE or not _marked(parts.masks, FROZEN, lane):
            continue
        results.lengths[playout] = parts.at[lane] - playout * results.stride
        for player in range(players):
            role = constants[my + ROLES] + RECORD * player
            at, value = constants[role + GOALS], 0
            for i in range(at, at + 2 * constants[role + GOAL_NUMBER], 2):
                if _value(parts.blocks, constants[i + 1], lane):
                    value = constants[i]
                    break
            results.scores[playout * players + player] = value / 100.0
        parts.playout[lane] = IDLE
        _mark(parts.masks, RENEWED, lane)


@compiled
def advance(constants: Constants, parts: BatchScratch) -> None:
    """Copy the next state to the bases. Frozen lanes keep theirs; renewed lanes lose them."""
    links = constants.view(np.int32)
    my, blocks = constants[HERE], parts.blocks
    frozen, renewed = load(parts.masks, WIDTH * FROZEN), load(parts.masks, WIDTH * RENEWED)
    kept = without(frozen, renewed)
    for base in range(constants[my + BASES]):
        now = load(blocks, WIDTH * (FIRST_BASE + base))
        following = _read(blocks, int(links[index(constants[my + NEXT] + base)]))
        store(parts.fresh, WIDTH * base, either(without(following, frozen), both(now, kept)))
    for base in range(constants[my + BASES]):
        store(blocks, WIDTH * (FIRST_BASE + base), load(parts.fresh, WIDTH * base))


def batch_playouts(
    constants: Constants,
    states: State,
    leaves: int,
    playouts_per_leaf: int,
    scratch: State,
    traces: Codes,
    lengths: State,
    out: Scores,
    rng: Rng,
) -> int:
    """Play `playouts_per_leaf` playouts from every leaf; see `core.contract`."""
    links, my, parts = constants.view(np.int32), constants[HERE], _parts_of(constants, scratch)
    total = leaves * playouts_per_leaf
    stride = len(traces) // max(1, total)
    batch, results = (
        LeafBatch(states, playouts_per_leaf, stride),
        BatchResults(stride, lengths, out),
    )
    for i in range(len(scratch)):
        scratch[i] = 0
    for lane in range(LANES):
        parts.playout[lane] = IDLE
        _mark(parts.masks, FROZEN, lane)
        _mark(parts.masks, RENEWED, lane)
    begun, running, waiting = 0, 0, 0
    while True:
        # The bases of renewed lanes are all unset by now: they begin a playout, or stay idle.
        for lane in range(LANES):
            if begun < total and _marked(parts.masks, RENEWED, lane):
                _begin(constants, parts, batch, lane, playout=begun)
                parts.masks[WIDTH * FROZEN + lane % WIDTH] ^= np.int64(1) << (lane // WIDTH)
                begun += 1
                running += 1
        for i in range(WIDTH):
            parts.masks[WIDTH * RENEWED + i] = 0
        if running + waiting == 0:
            return Status.OK
        _evaluate(constants, links, parts.blocks, constants[my + LEGAL_PROGRAM])
        choose(constants, parts, rng)
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
