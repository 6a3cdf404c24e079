"""Many playouts of a game at a time, each in a lane of the same vector instructions.

`scratch` has fields of LANES words. A game's step is a loop over the lanes without branches, of
which LLVM makes vector instructions: it draws a move with `draw_bit`, plays it, and says whether a
lane needs `goes_on`, which tests one lane after another for the end of its game. A lane
whose game is over begins the next playout.

Each playout has its own random numbers: no playout depends on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graven.core.bits import count, nth_bit_by_halves
from graven.core.compile import inlined
from graven.core.contract import LeafPlayouts, State
from graven.core.rng import STEP, draw, mixed, scaled
from graven.core.status import Status

LANES = 16
IDLE = -1

(
    PLAYOUT,  # which playout, or IDLE
    PLAYER,  # to move
    STREAM,  # of random numbers
    AT,  # where the next move goes in the traces
    CODE,  # the move, as the traces have it
    MADE,  # 1 if it was made, 0 if it was not legal
    LANE_FIELDS,  # where the game's fields begin
) = (LANES * field for field in range(7))

nth_bit = inlined(nth_bit_by_halves)


@inlined
def draw_bit(scratch: State, lane: int, word: int) -> int:
    """Draw one of the set bits of a word, which is not 0, with the lane's random numbers."""
    stream = np.uint64(scratch[STREAM + lane]) + STEP
    scratch[STREAM + lane] = np.int64(stream)
    return nth_bit(word, scaled(mixed(stream), count(word)))


@inlined
def play_in_lanes(
    begin: Callable[..., None],
    goes_on: Callable[..., bool],
    step: Callable[..., int],
    score: Callable[..., float],
    board: Any,
    fields: int,
    batch: LeafPlayouts,
) -> int:
    """Play all playouts of a batch; see `batch_playouts` of the contract. Return the status.

    The functions are compiled along: `begin(board, batch, leaf, lane)` sets a lane to a leaf,
    `goes_on(board, batch, lane)` returns whether its game is not over, `step(board, scratch)` makes
    a move in all lanes and returns whether `goes_on` must be asked, and `score(board, scratch,
    lane)` is the first player's score of a game that is over. The last field ends at `fields`.
    """
    scratch, traces, out = batch.scratch, batch.traces, batch.out
    total = batch.leaves * batch.playouts_per_leaf
    stride = len(traces) // max(1, total)
    for i in range(fields):
        scratch[i] = 0
    for lane in range(LANES):
        scratch[PLAYOUT + lane], scratch[MADE + lane] = IDLE, 1
    begun, running, ended = 0, 0, 1
    while True:
        if ended:
            for lane in range(LANES):
                playout = scratch[PLAYOUT + lane]
                while True:
                    if playout != IDLE:
                        if goes_on(board, batch, lane):
                            break
                        batch.lengths[playout] = scratch[AT + lane] - playout * stride
                        out[2 * playout] = first = score(board, scratch, lane)
                        out[2 * playout + 1] = 1.0 - first
                        playout = IDLE
                        running -= 1
                    if begun == total:
                        break
                    begin(board, batch, begun // batch.playouts_per_leaf, lane)
                    scratch[AT + lane] = begun * stride
                    scratch[STREAM + lane] = np.int64(draw(batch.rng))
                    playout = begun
                    begun += 1
                    running += 1
                scratch[PLAYOUT + lane] = playout
            if running == 0:
                return Status.OK
        ended = step(board, scratch)
        for lane in range(LANES):
            if scratch[PLAYOUT + lane] != IDLE:
                at = scratch[AT + lane]
                traces[at] = scratch[CODE + lane]
                scratch[AT + lane] = at + scratch[MADE + lane]
