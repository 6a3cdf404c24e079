"""What all tree policies share: the edge of the highest value, ties broken by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.core.rng import Rng, below


@compiled
def best(values: NDArray[np.float64], count: int, rng: Rng) -> int:
    """The index of the greatest of the first `count` values; one draw if several are equal."""
    top, first, ties = values[0], 0, 1
    for i in range(1, count):
        if values[i] > top:
            top, first, ties = values[i], i, 1
        elif values[i] == top:
            ties += 1
    if ties == 1:
        return first
    skip = below(rng, ties)
    for i in range(first, count):
        if values[i] == top:
            if skip == 0:
                return i
            skip -= 1
    return first
