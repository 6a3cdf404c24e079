"""What all tree policies share: the edge of the highest value, ties broken by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.core.rng import Rng, below


@compiled
def best(values: NDArray[np.float64], count: int, rng: Rng) -> int:
    """The index of the greatest of the first `count` values; one draw if several are equal."""
    top = values[0]
    for i in range(1, count):
        top = max(top, values[i])
    ties = 0
    for i in range(count):
        ties += values[i] == top
    skip = below(rng, ties) if ties > 1 else 0
    for i in range(count):
        if values[i] == top:
            if skip == 0:
                return i
            skip -= 1
    return 0
