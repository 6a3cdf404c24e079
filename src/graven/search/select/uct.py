"""UCT: the mean and an upper confidence bound (Kocsis and Szepesvári 2006).

    argmax over moves m of  mean_m + c * sqrt(log(playouts) / playouts_m)

Cazenave 2015, section 2; Sironi and Winands 2016, equation 1.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from graven.core.rng import Rng
from graven.search.policy import Form, Parameter, TreePolicy
from graven.search.select.best import best

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


def select_uct(
    params: Floats,
    rng: Rng,
    visits: int,
    lo: int,
    hi: int,
    moves: Ints,
    counts: Ints,
    sums: Floats,
    amaf: Floats,
    base: int,
    values: Floats,
) -> int:
    """`params`: fpu, ties, c."""
    fpu, ties, c = params[0], params[1], params[2]
    log_visits = log(visits)
    for edge in range(lo, hi):
        n = counts[edge]
        values[edge - lo] = fpu if n == 0 else sums[edge] / n + c * sqrt(log_visits / n)
    return best(values, lo, hi, moves, ties, rng)


C = Parameter(
    "c",
    0.4,
    "exploration: c * sqrt(log(N) / n). Cazenave 2015 uses 0.4, Sironi and Winands 2016 0.7",
    low=0.0,
)

POLICIES = (
    TreePolicy(
        "uct",
        "Upper confidence bounds: mean + c * sqrt(log(N) / n) (Kocsis and Szepesvári 2006).",
        (Form("ucb", select_uct, (C,)),),
    ),
)
