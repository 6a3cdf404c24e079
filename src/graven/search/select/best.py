"""What all tree policies share: the edge of the highest value, and what is done about ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import inlined
from graven.core.rng import Rng, below

RANDOM, FIRST = 0.0, 1.0


@inlined
def best(
    values: NDArray[np.float64], lo: int, hi: int, moves: NDArray[np.int32], ties: float, rng: Rng
) -> int:
    """The edge from lo to hi - 1 whose value, `values[edge - lo]`, is greatest.

    Among equals: one at random (one draw), or the one with the lowest move code, as in Cazenave's
    algorithm 1, which takes a later move only if it is better.
    """
    top, first, equal = values[0], 0, 1
    for i in range(1, hi - lo):
        if values[i] > top:
            top, first, equal = values[i], i, 1
        elif values[i] == top:
            equal += 1
    if equal == 1:
        return lo + first
    if ties == FIRST:
        for i in range(first + 1, hi - lo):
            if values[i] == top and moves[lo + i] < moves[lo + first]:
                first = i
        return lo + first
    skip = below(rng, equal)
    for i in range(first, hi - lo):
        if values[i] == top:
            if skip == 0:
                return lo + i
            skip -= 1
    return lo + first
