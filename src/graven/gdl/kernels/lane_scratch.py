"""The scratch memory of the batched kernel, and the header of its tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import Constants, State
from graven.gdl.kernels import unit_state
from graven.gdl.kernels.lane_blocks import LANES, WIDTH
from graven.gdl.kernels.unit_state import Links

HERE = unit_state.BATCHED

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
    ORDER,
    ENDS,
    RANKED,
    BOARDS,
    LEGAL_WORDS,
    SCRATCH,
    HEADER,
) = range(23)

# A program: where its first gate goes, how many runs of gates of one shape, and where the shapes of
# runs and the inputs of gates are.
FIRST, RUNS, SHAPES, INPUTS = range(4)

# A role: how many moves; in 32-bit numbers where each one's legal literal and its block are; its
# goals.
MOVES, LEGAL, DOES, GOALS, GOAL_NUMBER, RECORD = range(6)

# The first blocks: the constant false, one for moves that nothing depends on, then the bases.
ZERO, NOWHERE, FIRST_BASE = range(3)

# Masks of lanes: those that do not go on, as their game is over or they have none, and of these the
# ones that begin a new playout.
FROZEN, RENEWED, MASK_BLOCKS = range(3)

PLAYOUT, AT, END, STEPS, DRAWS, PICKED, STREAM, LIMIT, PLIES, LANE_ARRAYS = range(10)
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
    stream: State
    """The state of the playout's random stream; see `core.value_draws`."""
    limit: State
    """The number of ranks that the move is drawn from."""
    plies: State
    """The plies that the playout has made."""
    order: State
    """For each role, the move of each rank."""
    ends: State
    """For each role and rank, the first rank of a smaller value."""
    ranked: Links
    """For each role, the legal literals of its moves by rank, as the tables have them by move."""
    boards: State
    """For each role what `board` is, where a policy's function chooses."""
    legal: State
    """The legal moves of one role in one lane."""


@inlined
def parts_of(constants: Constants, scratch: State) -> BatchScratch:
    """Return the parts of the scratch memory."""
    my = constants[HERE]
    lanes = scratch[constants[my + LANE] : constants[my + MASKS]]
    return BatchScratch(
        blocks=scratch[constants[my + BLOCKS] : constants[my + FRESH]],
        fresh=scratch[constants[my + FRESH] : constants[my + BOARD]],
        board=scratch[constants[my + BOARD] : constants[my + LANE]],
        masks=scratch[constants[my + MASKS] : constants[my + NUMBERS]],
        numbers=scratch[constants[my + NUMBERS] : constants[my + CHOICES]],
        choices=scratch[constants[my + CHOICES] : constants[my + MADE]],
        made=scratch[constants[my + MADE] : constants[my + ORDER]],
        playout=lanes[LANES * PLAYOUT : LANES * PLAYOUT + LANES],
        at=lanes[LANES * AT : LANES * AT + LANES],
        end=lanes[LANES * END : LANES * END + LANES],
        steps=lanes[LANES * STEPS : LANES * STEPS + LANES],
        draws=lanes[LANES * DRAWS : LANES * DRAWS + LANES],
        picked=lanes[LANES * PICKED : LANES * PICKED + LANES],
        stream=lanes[LANES * STREAM : LANES * STREAM + LANES],
        limit=lanes[LANES * LIMIT : LANES * LIMIT + LANES],
        plies=lanes[LANES * PLIES : LANES * PLIES + LANES],
        order=scratch[constants[my + ORDER] : constants[my + ENDS]],
        ends=scratch[constants[my + ENDS] : constants[my + RANKED]],
        ranked=scratch[constants[my + RANKED] : constants[my + BOARDS]].view(np.int32),
        boards=scratch[constants[my + BOARDS] : constants[my + LEGAL_WORDS]],
        legal=scratch[constants[my + LEGAL_WORDS] : constants[my + SCRATCH]],
    )


@inlined
def mark(masks: State, mask: int, lane: int) -> None:
    """Add a lane to a mask."""
    masks[index(WIDTH * mask + lane % WIDTH)] |= np.int64(1) << (lane // WIDTH)


@inlined
def marked(masks: State, mask: int, lane: int) -> bool:
    """Return whether a lane is in a mask."""
    return (masks[index(WIDTH * mask + lane % WIDTH)] >> (lane // WIDTH)) & 1 != 0


@inlined
def lane_value(blocks: State, literal: int, lane: int) -> int:
    """Return the value of a literal in a lane: 0 or 1."""
    word = blocks[index((literal >> 1) + lane % WIDTH)]
    return ((word >> (lane // WIDTH)) ^ literal) & 1
