"""Choose a legal move for every role in every lane: uniformly, or by the values of moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import GREEDY, Constants, Scores, State, ValuePolicy
from graven.core.rng import Rng, advanced, drawn_ahead, fill, scaled
from graven.core.value_draws import (
    TINY,
    explores,
    fraction,
    rank_moves,
    threshold_of,
)
from graven.gdl.kernels import unit_state
from graven.gdl.kernels.lane_blocks import (
    LANES,
    WIDTH,
    both,
    down,
    every,
    load,
    store,
    unlike,
    up,
)
from graven.gdl.kernels.lane_scratch import (
    CODES,
    FROZEN,
    HERE,
    LEGAL,
    MOVES,
    RECORD,
    ROLES,
    BatchScratch,
    marked,
)
from graven.gdl.kernels.unit_state import Links

NEVER = 0  # the literal of the constant false


@inlined
def read_literal(blocks: State, literal: int) -> Any:
    """Return the block of a literal."""
    return unlike(load(blocks, literal >> 1), every(-(literal & 1)))


@compiled
def transpose(links: Links, blocks: State, literals: int, board: State) -> None:
    """Write the blocks of 64 moves as one word for each lane: bit i is the move i of these.

    The moves' literals are links[literals:].

    A 64 by 64 matrix of bits is transposed in six steps, each exchanging the corners of ever
    smaller squares; four matrices go side by side.
    """
    for row in range(64):
        store(board, WIDTH * row, read_literal(blocks, int(links[literals + row])))
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


@inlined
def count_legal(parts: BatchScratch, words: int, player: int) -> None:
    """Count a role's legal moves in each lane.

    Here as below, every loop is over all lanes and has no branch, so that the compiler can
    vectorise it.
    """
    numbers = parts.numbers[LANES * player : LANES * player + LANES]
    for lane in range(LANES):
        numbers[lane] = bits.count(parts.board[lane])
    for word in range(1, words):
        for lane in range(LANES):
            numbers[lane] += bits.count(parts.board[LANES * word + lane])


@inlined
def pick(parts: BatchScratch, words: int, player: int) -> None:
    """Find set bit number `draws` (from 0) of the moves in each lane; 0 in a lane without any."""
    board, draws, picked = parts.board, parts.draws, parts.picked
    numbers = parts.numbers[LANES * player : LANES * player + LANES]
    choices = parts.choices[LANES * player : LANES * player + LANES]
    for lane in range(LANES):
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
def draw_moves(parts: BatchScratch, words: int, player: int) -> None:
    """Draw one of a role's legal moves in each lane, uniformly; 0 in a lane without any.

    `parts.draws` has 64 random bits for each lane.
    """
    count_legal(parts, words, player)
    draws, numbers = parts.draws, parts.numbers[LANES * player : LANES * player + LANES]
    for lane in range(LANES):
        draws[lane] = scaled(np.uint64(draws[lane]), numbers[lane])
    pick(parts, words, player)


@compiled
def draw_greedy(parts: BatchScratch, words: int, player: int, threshold: int) -> None:
    """Draw one of a role's best legal moves in each lane, or any; see `core.value_draws`.

    The bits of `parts.board` are in the order of ranks: a lane's best moves are its first bit and
    those of equal value. `parts.draws` has 64 random bits for each lane.
    """
    count_legal(parts, words, player)
    board, draws, limit = parts.board, parts.draws, parts.limit
    choices = parts.choices[LANES * player : LANES * player + LANES]
    codes = len(parts.order) // (len(parts.choices) // LANES)
    order = parts.order[codes * player : codes * player + codes]
    ends = parts.ends[codes * player : codes * player + codes]
    for lane in range(LANES):
        limit[lane] = 0
    for word in range(words - 1, -1, -1):
        for lane in range(LANES):
            here = board[LANES * word + lane]
            first = 64 * word + bits.count((here - 1) & ~here)
            limit[lane] = first if here else limit[lane]
    for lane in range(LANES):
        is_any = explores(np.uint64(draws[lane]), threshold)
        limit[lane] = 64 * words if is_any else ends[index(limit[lane])]
    for lane in range(LANES):
        choices[lane] = 0
    for word in range(words):
        for lane in range(LANES):
            inside = min(max(limit[lane] - 64 * word, 0), 64)
            # The lowest `inside` bits: shifting by 64 is not defined.
            within = bits.down(-1, (64 - inside) & 63) if inside else np.int64(0)
            choices[lane] += bits.count(board[LANES * word + lane] & within)
    for lane in range(LANES):
        draws[lane] = scaled(np.uint64(draws[lane]), choices[lane])
    pick(parts, words, player)
    for lane in range(LANES):
        choices[lane] = order[index(choices[lane])]


@inlined
def greatest(board: State, values: Scores, words: int, lane: int, random: np.uint64) -> int:
    """Return the move of the greatest value in a lane, one of several at random."""
    top, equal = -1.0, 0
    for word in range(words):
        left = board[index(LANES * word + lane)]
        while left:
            value = values[index(64 * word + bits.lowest(left))]
            left &= left - 1
            equal = 1 if value > top else equal + int(value == top)
            top = max(top, value)
    skip, chosen = scaled(random, equal), 0
    for word in range(words):
        left = board[index(LANES * word + lane)]
        while left:
            move = 64 * word + bits.lowest(left)
            left &= left - 1
            if values[index(move)] == top:
                chosen = move if skip == 0 else chosen
                skip -= 1
    return chosen


@compiled
def draw_weighted(parts: BatchScratch, values: Scores, words: int, player: int) -> None:
    """Draw a role's legal moves by their weights; see `core.value_draws`."""
    count_legal(parts, words, player)
    board, draws = parts.board, parts.draws
    for lane in range(LANES):
        total, random = 0.0, np.uint64(draws[lane])
        if marked(parts.masks, FROZEN, lane):
            continue
        if parts.numbers[index(LANES * player + lane)] > 1:
            for word in range(words):
                left = board[index(LANES * word + lane)]
                while left:
                    total += values[index(64 * word + bits.lowest(left))]
                    left &= left - 1
            if not total >= TINY:
                chosen = greatest(board, values, words, lane, random=random)
                parts.choices[index(LANES * player + lane)] = chosen
                continue
        least, reached, chosen = total * fraction(random), 0.0, 0
        for word in range(words):
            left = board[index(LANES * word + lane)]
            while left and (reached <= least or total == 0.0):
                chosen = 64 * word + bits.lowest(left)
                reached += values[index(chosen)]
                left &= left - 1
        parts.choices[index(LANES * player + lane)] = chosen


@compiled
def prepare(constants: Constants, parts: BatchScratch, policy: ValuePolicy) -> None:
    """Rank the moves of every role by their values, if the policy's rule needs it."""
    if policy.rule != GREEDY:
        return
    links, my = constants.view(np.int32), constants[HERE]
    codes = constants[my + CODES]
    padded = (codes + 63) >> 6 << 6
    for player in range(constants[unit_state.PLAYERS]):
        role = constants[my + ROLES] + RECORD * player
        moves, base = constants[role + MOVES], codes * player
        order = parts.order[base : base + moves]
        rank_moves(policy.values[base : base + moves], order, parts.ends[base : base + moves])
        for rank in range(padded):
            literal = links[constants[role + LEGAL] + order[rank]] if rank < moves else NEVER
            parts.ranked[padded * player + rank] = literal


@compiled
def choose_uniformly(
    constants: Constants, parts: BatchScratch, policy: ValuePolicy, rng: Rng
) -> None:
    """Draw a legal move for every role in every lane."""
    links, my = constants.view(np.int32), constants[HERE]
    for player in range(constants[unit_state.PLAYERS]):
        role = constants[my + ROLES] + RECORD * player
        words = (constants[role + MOVES] + 63) >> 6
        for word in range(words):
            board = parts.board[LANES * word : LANES * word + LANES]
            transpose(links, parts.blocks, constants[role + LEGAL] + 64 * word, board)
        fill(rng, parts.draws)
        draw_moves(parts, words, player)


@inlined
def draw_by_lane(parts: BatchScratch, player: int) -> None:
    """Fill `draws` with the draws that a role's choices use in this ply."""
    for lane in range(LANES):
        parts.draws[lane] = np.int64(drawn_ahead(np.uint64(parts.stream[lane]), player))


@inlined
def end_draws(parts: BatchScratch, players: int) -> None:
    """Advance the streams of all lanes to the next ply."""
    for lane in range(LANES):
        parts.stream[lane] = np.int64(advanced(np.uint64(parts.stream[lane]), players))


@compiled
def choose_by_values(constants: Constants, parts: BatchScratch, policy: ValuePolicy) -> None:
    """Choose a legal move for every role in every lane by a policy; `prepare` comes before."""
    links, my, players = constants.view(np.int32), constants[HERE], constants[unit_state.PLAYERS]
    codes, threshold = constants[my + CODES], threshold_of(policy.epsilon)
    padded = (codes + 63) >> 6 << 6
    for player in range(players):
        role = constants[my + ROLES] + RECORD * player
        words = (constants[role + MOVES] + 63) >> 6
        for word in range(words):
            board = parts.board[LANES * word : LANES * word + LANES]
            if policy.rule == GREEDY:
                transpose(parts.ranked, parts.blocks, padded * player + 64 * word, board)
            else:
                transpose(links, parts.blocks, constants[role + LEGAL] + 64 * word, board)
        draw_by_lane(parts, player)
        if policy.rule == GREEDY:
            draw_greedy(parts, words, player, threshold)
        else:
            draw_weighted(parts, policy.values[codes * player :], words, player)
    end_draws(parts, players)
