"""Many playouts at once: every gate is worked out for 256 lanes with a few bitwise operations.

A lane is one bit of every block (see `blocks`), and plays one playout after another. A step works
out which moves are legal and who has come to an end; turns the legal bits round, so that each lane
finds its moves in words of its own, and draws one of them for every role; sets the bits of the
moves made; works out the next state; and copies it to the bases. Lanes that have come to an end
wait, their bases frozen, until there are several: then their goals are worked out and they begin
new playouts.

Lane number i has bit i // WIDTH of word i % WIDTH in every block.

See `many_tables` for how the tables are made; the state is that of `one`.
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
from graven.gdl import one
from graven.gdl.blocks import (
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
from graven.gdl.one import Links

WHERE = one.MANY

# The header. In the tables: how many bases and codes; where (in 32-bit numbers) the next value of
# each base is; the literal that says that the game is over; the programs; the roles. In the scratch
# memory: where each part of `Desk` begins.
(
    BASES,
    CODES,
    NEXT,
    OVER,
    SEE,
    ACT,
    JUDGE,
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

# A program: where its first gate goes, how many runs, and where these and the inputs are.
FIRST, RUNS, SHAPES, INPUTS = range(4)

# A role: how many moves; in 32-bit numbers where each one's legal bit and its block are; its goals.
MOVES, LEGAL, DOES, GOALS, GOAL_NUMBER, RECORD = range(6)

# The first blocks: one that is always zero, one for moves that nothing depends on, then the bases.
ZERO, NOWHERE, FIRST_BASE = range(3)

# Masks of lanes: those that do not go on, as their game is over or they have none, and of these the
# ones that begin a new one.
FROZEN, RENEWED, MASK_BLOCKS = range(3)

PLAYOUT, AT, END, STEPS, DRAWS, PICKED, LANE_ARRAYS = range(7)
IDLE = -1

# How many lanes wait before goals are worked out: few enough not to be missed.
WAITING = 16


class Desk(NamedTuple):
    """The scratch memory by its parts. Arrays of lanes have LANES elements, for each role if so."""

    blocks: State
    fresh: State
    """The bases' next blocks."""
    board: State
    """A role's legal moves, 64 a word, for each lane."""
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
    """Where its trace goes on."""
    end: State
    """Where its trace's room ends."""
    steps: State
    """Steps that its game has had, where they are counted."""
    draws: State
    """Random numbers."""
    picked: State
    """The word that holds the move drawn."""


@inlined
def _desk(constants: Constants, scratch: State) -> Desk:
    my = constants[WHERE]
    lanes = scratch[constants[my + LANE] : constants[my + MASKS]]
    return Desk(
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
    """Work out the gates of a program, run by run."""
    out = constants[program + FIRST]
    shape, read = constants[program + SHAPES], constants[program + INPUTS]
    for _ in range(constants[program + RUNS]):
        yes, no = int(links[index(shape)]), int(links[index(shape + 1)])
        count = int(links[index(shape + 2)])
        shape += 3
        for _ in range(count):
            held, hindered = every(-1), every(0)
            for i in range(read, read + yes):
                held = both(held, load(blocks, int(links[index(i)])))
            read += yes
            for i in range(read, read + no):
                hindered = either(hindered, load(blocks, int(links[index(i)])))
            read += no
            store(blocks, out, without(held, hindered))
            out += WIDTH


@inlined
def _read(blocks: State, literal: int) -> Any:
    """The block that a literal stands for."""
    return unlike(load(blocks, literal >> 1), every(-(literal & 1)))


@compiled
def turn_round(constants: Constants, blocks: State, literals: int, board: State) -> None:
    """Write 64 moves' blocks as one word for each lane: bit i is the move i of these.

    A 64 by 64 matrix of bits is turned round in six steps, each exchanging the corners of ever
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
def draw_moves(
    board: State, words: int, draws: State, numbers: State, choices: State, picked: State
) -> None:
    """Draw one of each lane's moves, with equal chances; 0 for a lane that has none.

    `draws` has 64 random bits for each lane. Everything is done for all lanes in turn, without a
    branch, so that the compiler can take several at once.
    """
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
    # From here on `draws` says how many set bits to skip; it is negative once a word is found.
    if words > 1:
        for word in range(words):
            for lane in range(LANES):
                here = board[LANES * word + lane]
                skip, inside = draws[lane], bits.count(here)
                found = (skip >= 0) & (skip < inside)
                picked[lane] = here if found else picked[lane]
                choices[lane] = (word << 16) | skip if found else choices[lane]
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
def choose(constants: Constants, desk: Desk, rng: Rng) -> None:
    """Draw a legal move for every role in every lane."""
    my = constants[WHERE]
    for player in range(constants[one.PLAYERS]):
        role = constants[my + ROLES] + RECORD * player
        words = (constants[role + MOVES] + 63) >> 6
        for word in range(words):
            board = desk.board[LANES * word : LANES * word + LANES]
            turn_round(constants, desk.blocks, constants[role + LEGAL] + 64 * word, board)
        fill(rng, desk.draws)
        numbers = desk.numbers[LANES * player : LANES * player + LANES]
        choices = desk.choices[LANES * player : LANES * player + LANES]
        draw_moves(desk.board, words, desk.draws, numbers, choices, desk.picked)


@inlined
def _mark(masks: State, mask: int, lane: int) -> None:
    masks[index(WIDTH * mask + lane % WIDTH)] |= np.int64(1) << (lane // WIDTH)


@inlined
def _marked(masks: State, mask: int, lane: int) -> bool:
    return (masks[index(WIDTH * mask + lane % WIDTH)] >> (lane // WIDTH)) & 1 != 0


@inlined
def _holds(blocks: State, literal: int, lane: int) -> int:
    """Whether a literal holds in a lane: 0 or 1."""
    word = blocks[index((literal >> 1) + lane % WIDTH)]
    return ((word >> (lane // WIDTH)) ^ literal) & 1


@compiled
def move(constants: Constants, desk: Desk, traces: Codes) -> int:
    """Let each lane make the moves drawn, or come to an end; how many did, or -1 if a trace has no
    more room."""
    links = constants.view(np.int32)
    my, players = constants[WHERE], constants[one.PLAYERS]
    roles, codes, over = constants[my + ROLES], constants[my + CODES], constants[my + OVER]
    counted, most = constants[one.COUNTED], constants[one.MOST]
    for i in range(LANES * players):
        desk.blocks[index(desk.made[i])] = 0
    ended = 0
    for lane in range(LANES):
        if _marked(desk.masks, FROZEN, lane):
            continue
        choosers, who, stuck = 0, 0, _holds(desk.blocks, over, lane)
        for player in range(players):
            number = desk.numbers[index(LANES * player + lane)]
            who = player if number > 1 else who
            choosers += int(number > 1)
            stuck |= int(number == 0)
        stuck |= counted & int(desk.steps[lane] >= most)
        if stuck:
            _mark(desk.masks, FROZEN, lane)
            ended += 1
            continue
        desk.steps[lane] += 1
        bit = np.int64(1) << (lane // WIDTH)
        idle = -1
        for player in range(players):
            drawn = desk.choices[index(LANES * player + lane)]
            does = constants[roles + RECORD * player + DOES]
            at = int(links[index(does + drawn)]) + lane % WIDTH
            desk.made[index(LANES * player + lane)] = at
            desk.blocks[index(at)] |= bit
            idle = player if (idle < 0) & (at >= WIDTH * FIRST_BASE) else idle
        if choosers == 0:
            who = max(0, idle)
        low, high = (0, players) if choosers > 1 else (who, who + 1)
        at = desk.at[lane]
        if at + high - low > desk.end[lane]:
            return -1
        for player in range(low, high):
            traces[index(at)] = codes * player + desk.choices[index(LANES * player + lane)]
            at += 1
        desk.at[lane] = at
    return ended


@inlined
def _begin(
    constants: Constants, desk: Desk, states: State, each: int, stride: int, lane: int, playout: int
) -> None:
    """Give a lane, whose bases are all unset, a playout."""
    leaf = constants[one.WORDS] * (playout // each)
    bit = np.int64(1) << (lane // WIDTH)
    for word in range(constants[one.BASES]):
        left = states[leaf + word]
        while left:
            base = 64 * word + bits.lowest(left)
            left &= left - 1
            desk.blocks[index(WIDTH * (FIRST_BASE + base) + lane % WIDTH)] |= bit
    desk.playout[lane] = playout
    desk.at[lane] = playout * stride
    desk.end[lane] = (playout + 1) * stride
    desk.steps[lane] = states[leaf + constants[one.STEP]]


@compiled
def judge(constants: Constants, desk: Desk, stride: int, lengths: State, out: Scores) -> None:
    """Write the results of all lanes that have come to an end, and let them be renewed."""
    my, players = constants[WHERE], constants[one.PLAYERS]
    for lane in range(LANES):
        playout = desk.playout[lane]
        if playout == IDLE or not _marked(desk.masks, FROZEN, lane):
            continue
        lengths[playout] = desk.at[lane] - playout * stride
        for player in range(players):
            role = constants[my + ROLES] + RECORD * player
            at, value = constants[role + GOALS], 0
            for i in range(at, at + 2 * constants[role + GOAL_NUMBER], 2):
                if _holds(desk.blocks, constants[i + 1], lane):
                    value = constants[i]
                    break
            out[playout * players + player] = value / 100.0
        desk.playout[lane] = IDLE
        _mark(desk.masks, RENEWED, lane)


@compiled
def advance(constants: Constants, desk: Desk) -> None:
    """Give the bases their next values; frozen lanes keep theirs, renewed ones lose them."""
    links = constants.view(np.int32)
    my, blocks = constants[WHERE], desk.blocks
    frozen, renewed = load(desk.masks, WIDTH * FROZEN), load(desk.masks, WIDTH * RENEWED)
    kept = without(frozen, renewed)
    for base in range(constants[my + BASES]):
        now = load(blocks, WIDTH * (FIRST_BASE + base))
        then = _read(blocks, int(links[index(constants[my + NEXT] + base)]))
        store(desk.fresh, WIDTH * base, either(without(then, frozen), both(now, kept)))
    for base in range(constants[my + BASES]):
        store(blocks, WIDTH * (FIRST_BASE + base), load(desk.fresh, WIDTH * base))


def many(
    constants: Constants,
    states: State,
    leaves: int,
    each: int,
    scratch: State,
    traces: Codes,
    lengths: State,
    out: Scores,
    rng: Rng,
) -> int:
    """Play `each` times from each of the leaves; see `core.contract`."""
    links, my, desk = constants.view(np.int32), constants[WHERE], _desk(constants, scratch)
    total = leaves * each
    stride = len(traces) // max(1, total)
    for i in range(len(scratch)):
        scratch[i] = 0
    for lane in range(LANES):
        desk.playout[lane] = IDLE
        _mark(desk.masks, FROZEN, lane)
        _mark(desk.masks, RENEWED, lane)
    begun, running, waiting = 0, 0, 0
    while True:
        # Lanes that are renewed have no bases by now: they begin, or are done for good.
        for lane in range(LANES):
            if begun < total and _marked(desk.masks, RENEWED, lane):
                _begin(constants, desk, states, each, stride, lane, begun)
                desk.masks[WIDTH * FROZEN + lane % WIDTH] ^= np.int64(1) << (lane // WIDTH)
                begun += 1
                running += 1
        for i in range(WIDTH):
            desk.masks[WIDTH * RENEWED + i] = 0
        if running + waiting == 0:
            return Status.OK
        _evaluate(constants, links, desk.blocks, constants[my + SEE])
        choose(constants, desk, rng)
        ended = move(constants, desk, traces)
        if ended < 0:
            return Status.TOO_LONG
        running -= ended
        waiting += ended
        if waiting >= WAITING or running == 0:
            _evaluate(constants, links, desk.blocks, constants[my + JUDGE])
            judge(constants, desk, stride, lengths, out)
            waiting = 0
        _evaluate(constants, links, desk.blocks, constants[my + ACT])
        advance(constants, desk)
