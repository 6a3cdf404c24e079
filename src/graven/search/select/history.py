"""Progressive History: UCT with a bonus for moves that did well wherever they were played.

    argmax over moves m of  mean_m + c * sqrt(log(N) / n_m) + h_m * w / ((1 - mean_m) * n_m + 1)

(Nijssen and Winands 2010.) h_m is the mean score of all playouts of this search in which the player
played the move anywhere: the AMAF value at the root, as Sironi and Winands 2016, section III C,
observe. The bonus fades with the move's losses, (1 - mean) * n, rather than with its playouts.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from graven.core.rng import Rng
from graven.search.plan import NEVER
from graven.search.policy import Form, Parameter, TreePolicy
from graven.search.select.best import best

ONE = np.uint64(1)

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


def select_history(
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
    """`params`: fpu, ties, c, w."""
    fpu, ties, c, w = params[0], params[1], params[2], params[3]
    log_visits = log(visits)
    for edge in range(lo, hi):
        n = counts[edge]
        if n == 0:
            values[edge - lo] = fpu
            continue
        entry = np.uint64(base + 2 * moves[edge])
        seen = amaf[entry]
        history = amaf[entry + ONE] / seen if seen > 0.0 else 0.0
        mean = sums[edge] / n
        bonus = history * w / ((1.0 - mean) * n + 1.0)
        values[edge - lo] = mean + c * sqrt(log_visits / n) + bonus
    return best(values, lo, hi, moves, ties, rng)


C = Parameter("c", 0.4, "exploration: c * sqrt(log(N) / n), as in UCT", low=0.0)
W = Parameter(
    "w",
    5.0,
    "the bonus h * w / ((1 - mean) * n + 1) for a history h (Nijssen and Winands 2010); 0 is UCT",
    low=0.0,
)

POLICIES = (
    TreePolicy(
        "history",
        "Progressive History: UCT and a bonus for moves that did well anywhere.",
        (Form("history", select_history, (C, W)),),
        ref=NEVER,
    ),
)
