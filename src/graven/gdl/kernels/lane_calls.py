"""Let a policy's function choose the moves in every lane, one call for each."""

from __future__ import annotations

import numpy as np

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import Constants, ValuePolicy, call_choice
from graven.gdl.kernels import unit_state
from graven.gdl.kernels.lane_blocks import LANES, WIDTH
from graven.gdl.kernels.lane_choices import draw_by_lane, end_draws, transpose
from graven.gdl.kernels.lane_scratch import (
    DOES,
    FIRST_BASE,
    FROZEN,
    HERE,
    LEGAL,
    MOVES,
    OVER,
    RECORD,
    ROLES,
    BatchScratch,
    lane_value,
    marked,
)


@compiled
def list_legal(constants: Constants, parts: BatchScratch) -> None:
    """Write every role's legal moves in each lane, their number, and the first as its choice."""
    links, my = constants.view(np.int32), constants[HERE]
    size = len(parts.board)
    for player in range(constants[unit_state.PLAYERS]):
        role = constants[my + ROLES] + RECORD * player
        boards = parts.boards[size * player : size * player + size]
        numbers = parts.numbers[LANES * player : LANES * player + LANES]
        choices = parts.choices[LANES * player : LANES * player + LANES]
        for lane in range(LANES):
            numbers[lane] = 0
            choices[lane] = 0
        for word in range((constants[role + MOVES] + 63) >> 6):
            board = boards[LANES * word : LANES * word + LANES]
            transpose(links, parts.blocks, constants[role + LEGAL] + 64 * word, board)
            for lane in range(LANES):
                here = board[lane]
                first = 64 * word + bits.count((here - 1) & ~here)
                choices[lane] = first if (numbers[lane] == 0) & (here != 0) else choices[lane]
                numbers[lane] += bits.count(here)


@inlined
def movers(constants: Constants, parts: BatchScratch, lane: int) -> tuple[int, int]:
    """Return the first role that moves in a lane and the one after the last.

    They are equal if the game is over. `parts.choices` are the only moves of roles without choice.
    """
    links, my, players = constants.view(np.int32), constants[HERE], constants[unit_state.PLAYERS]
    choosers, who, idle = 0, 0, -1
    over = lane_value(parts.blocks, constants[my + OVER], lane) != 0
    for player in range(players):
        number = parts.numbers[index(LANES * player + lane)]
        who = player if number > 1 else who
        choosers += int(number > 1)
        over |= number == 0
        does = constants[constants[my + ROLES] + RECORD * player + DOES]
        at = int(links[index(does + parts.choices[index(LANES * player + lane)])])
        idle = player if (idle < 0) & (at >= WIDTH * FIRST_BASE) else idle
    over |= (constants[unit_state.COUNTED] != 0) & (
        parts.steps[lane] >= constants[unit_state.MAX_STEPS]
    )
    if over:
        return 0, 0
    if choosers > 1:
        return 0, players
    who = max(0, idle) if choosers == 0 else who
    return who, who + 1


@compiled
def choose_by_calls(constants: Constants, parts: BatchScratch, policy: ValuePolicy) -> None:
    """Let the policy's function choose for the roles that move in each lane."""
    list_legal(constants, parts)
    my, players = constants[HERE], constants[unit_state.PLAYERS]
    size = len(parts.board)
    for player in range(players):
        draw_by_lane(parts, player)
        boards = parts.boards[size * player : size * player + size]
        words = (constants[constants[my + ROLES] + RECORD * player + MOVES] + 63) >> 6
        for lane in range(LANES):
            if marked(parts.masks, FROZEN, lane):
                continue
            low, high = movers(constants, parts, lane)
            if player < low or player >= high:
                continue
            for word in range(len(parts.legal)):
                parts.legal[word] = boards[index(LANES * word + lane)] if word < words else 0
            at = index(LANES * player + lane)
            parts.choices[at] = call_choice(
                policy.choose,
                (
                    policy.memory,
                    parts.playout[lane],
                    parts.plies[lane],
                    player,
                    parts.legal,
                    parts.numbers[at],
                    np.uint64(parts.draws[lane]),
                ),
            )
    end_draws(parts, players)
