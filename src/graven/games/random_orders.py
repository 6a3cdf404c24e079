"""Random orders of empty cells: whole playouts of games in which every empty cell is legal.

Used by the batched playouts of Hex and Atarigo, which then find out where the game ends.
"""

from __future__ import annotations

import numpy as np

from graven.core.compile import inlined
from graven.core.contract import Codes, State
from graven.core.rng import drawn_ahead, scaled


@inlined
def shuffle(
    states: State, listed: int, left: int, draws: State, at: int, traces: Codes, stream: np.uint64
) -> None:
    """Write `left` codes, states[listed:], in a random order to traces[at:].

    The random places are computed first, by vector instructions, and go to draws[0:].
    """
    for i in range(left):
        traces[at + i] = states[listed + i]
        draws[i] = i + scaled(drawn_ahead(stream, i), left - i)
    for i in range(left):
        drawn = at + draws[i]
        code = traces[drawn]
        traces[drawn] = traces[at + i]
        traces[at + i] = code
