"""RAVE: the mean blended with what AMAF says, by one weight for each of the papers.

Let n and mean be an edge's playouts and mean, pa and AMAF the same of its move in the AMAF table,
N the node's playouts. All but the additive form choose

    argmax of  (1 - beta) * mean + beta * AMAF + c * sqrt(log(N) / n)

A move without playouts is worth its AMAF value if c = 0 and AMAF knows it (beta is 1 there), and
`fpu` otherwise. Which table is read is not decided here: the node's own for RAVE, an ancestor's
for GRAVE, the root's for HRAVE (see `grave`).
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled, inlined
from graven.core.rng import Rng
from graven.search.policy import Form, Parameter, TreePolicy
from graven.search.select.best import best

ONE = np.uint64(1)  # unsigned indices spare Numba the question whether they are negative

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@inlined
def beta_bias(
    params: Floats, visits: int, n: float, total: float, pa: float, amaf_total: float
) -> float:
    """pa / (pa + n + bias * pa * n): Cazenave 2015, section 2. `params`: fpu, ties, c, bias."""
    return pa / (pa + n + params[3] * pa * n)


@inlined
def beta_k(
    params: Floats, visits: int, n: float, total: float, pa: float, amaf_total: float
) -> float:
    """sqrt(k / (3 N + k)): Sironi and Winands 2016, eq. 3. `params`: fpu, ties, c, k."""
    return sqrt(params[3] / (3.0 * visits + params[3]))


@inlined
def variance(total: float, n: float) -> float:
    """The variance of one result, from n results that sum to `total` and one win and one loss.

    The two added results keep a short run of wins from looking like certainty.
    """
    mean = (total + 1.0) / (n + 2.0)
    return mean * (1.0 - mean)


@inlined
def beta_gelly(
    params: Floats, visits: int, n: float, total: float, pa: float, amaf_total: float
) -> float:
    """V_M / (V_M + V_R + b^2): least mean square error if the mean is unbiased, AMAF has bias b,
    and the two are independent (Gelly and Silver's model in Javins, Drake and Chen).

    V_M and V_R are the variances of the mean and of AMAF: that of one result, over n and pa.
    With b = 0 it is their model 1 (equal biases, no correlation). `params`: fpu, ties, c, b.
    """
    bias = params[3]
    of_mean = variance(total, n) / n
    of_amaf = variance(amaf_total, pa) / pa
    return of_mean / (of_mean + of_amaf + bias * bias)


@inlined
def beta_orego2(
    params: Floats, visits: int, n: float, total: float, pa: float, amaf_total: float
) -> float:
    """(V_M - Cov) / (V_M + V_R - 2 Cov): equal biases, dependent estimates (Javins, Drake and
    Chen, model 2).

    The covariance follows from how the two estimates come about. Every playout that began with
    the move is among those that contain it, so with results X the mean is (1/n) * sum over A of X
    and AMAF is (1/pa) * sum over a superset of A; playouts are independent, hence
    Cov = (1/(n * pa)) * n * var(X) = var(X) / pa, with var(X) estimated from the mean's own
    playouts as the search goes on.
    """
    single = variance(total, n)
    covariance = single / pa
    of_mean = single / n
    of_amaf = variance(amaf_total, pa) / pa
    spread = of_mean + of_amaf - 2.0 * covariance
    beta = (of_mean - covariance) / spread if spread > 0.0 else 0.0
    return min(1.0, max(0.0, beta))


@inlined
def alpha_of(
    params: Floats, visits: int, n: float, total: float, pa: float, amaf_total: float
) -> float:
    """What AMAF is multiplied by in the additive form: alpha * sqrt(k / (3 N + k)), which is alpha
    at the start and alpha / 2 after k playouts. `params`: fpu, ties, c, alpha, k."""
    return params[3] * sqrt(params[4] / (3.0 * visits + params[4]))


@compiled
def blend(
    fpu: float,
    ties: float,
    c: float,
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
    """The best edge, given each edge's beta in `values`."""
    log_visits = log(visits) if c != 0.0 else 0.0
    for edge in range(lo, hi):
        n = counts[edge]
        entry = np.uint64(base + 2 * moves[edge])
        pa = amaf[entry]
        known = amaf[entry + ONE] / pa if pa > 0.0 else 0.0
        if n == 0:
            values[edge - lo] = known if c == 0.0 and pa > 0.0 else fpu
        else:
            beta = values[edge - lo] if pa > 0.0 else 0.0
            value = (1.0 - beta) * (sums[edge] / n) + beta * known
            if c != 0.0:
                value += c * sqrt(log_visits / n)
            values[edge - lo] = value
    return best(values, lo, hi, moves, ties, rng)


def select_bias(
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
    """The mean and AMAF weighed by `beta_bias`.

    With its denominator D, 1 - beta is n * (1 + bias * pa) / D, so the blend of the means is a
    single fraction, ((1 + bias * pa) * sum + AMAF sum) / D: one division instead of four, and
    right for n = 0 or pa = 0 as it stands.
    """
    fpu, ties, c, bias = params[0], params[1], params[2], params[3]
    log_visits = log(visits) if c != 0.0 else 0.0
    for edge in range(lo, hi):
        n = float(counts[edge])
        entry = np.uint64(base + 2 * moves[edge])
        pa = amaf[entry]
        weighted = bias * pa
        value = ((1.0 + weighted) * sums[edge] + amaf[entry + ONE]) / (pa + n + weighted * n)
        if c != 0.0:
            value = value + c * sqrt(log_visits / n) if n > 0.0 else fpu
        values[edge - lo] = value if n + pa > 0.0 else fpu
    return best(values, lo, hi, moves, ties, rng)


def select_k(
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
    """The mean and AMAF weighed by `beta_k`."""
    fpu, ties, c = params[0], params[1], params[2]
    beta = beta_k(params, visits, 0.0, 0.0, 0.0, 0.0)
    for edge in range(lo, hi):
        values[edge - lo] = beta
    return blend(fpu, ties, c, rng, visits, lo, hi, moves, counts, sums, amaf, base, values)


def select_gelly(
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
    """The mean and AMAF weighed by `beta_gelly`."""
    fpu, ties, c = params[0], params[1], params[2]
    for edge in range(lo, hi):
        n = counts[edge]
        entry = np.uint64(base + 2 * moves[edge])
        pa = amaf[entry]
        if n > 0 and pa > 0.0:
            beta = beta_gelly(params, visits, n, sums[edge], pa, amaf[entry + ONE])
            values[edge - lo] = beta
    return blend(fpu, ties, c, rng, visits, lo, hi, moves, counts, sums, amaf, base, values)


def select_orego2(
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
    """The mean and AMAF weighed by `beta_orego2`."""
    fpu, ties, c = params[0], params[1], params[2]
    for edge in range(lo, hi):
        n = counts[edge]
        entry = np.uint64(base + 2 * moves[edge])
        pa = amaf[entry]
        if n > 0 and pa > 0.0:
            beta = beta_orego2(params, visits, n, sums[edge], pa, amaf[entry + ONE])
            values[edge - lo] = beta
    return blend(fpu, ties, c, rng, visits, lo, hi, moves, counts, sums, amaf, base, values)


def select_additive(
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
    """mean + a * AMAF + c * sqrt(log(N) / n), with a falling to 0: Rimmel et al. 2010, section 2.3.

    The paper leaves open how a falls; here it is `alpha_of`. A move without playouts that AMAF
    knows has its AMAF value in place of the mean if c = 0.
    """
    fpu, ties, c = params[0], params[1], params[2]
    weight = alpha_of(params, visits, 0.0, 0.0, 0.0, 0.0)
    log_visits = log(visits) if c != 0.0 else 0.0
    for edge in range(lo, hi):
        n = counts[edge]
        entry = np.uint64(base + 2 * moves[edge])
        pa = amaf[entry]
        known = amaf[entry + ONE] / pa if pa > 0.0 else 0.0
        if n > 0:
            value = sums[edge] / n + weight * known + c * sqrt(log_visits / n)
        elif c == 0.0 and pa > 0.0:
            value = known + weight * known
        else:
            value = fpu
        values[edge - lo] = value
    return best(values, lo, hi, moves, ties, rng)


C = Parameter(
    "c",
    0.0,
    "exploration, c * sqrt(log(N) / n), beside AMAF: 0 as in Cazenave 2015, but with k or alpha "
    "0.2 as in Sironi and Winands 2016",
    low=0.0,
)
C_UCB = Parameter("c", 0.2, C.doc, low=0.0)
BIAS = Parameter(
    "bias",
    1e-4,
    "beta = pa / (pa + n + bias * pa * n), pa playouts of the move in AMAF (Cazenave 2015, sec. 2)",
    low=0.0,
)
K = Parameter(
    "k",
    250.0,
    "beta = sqrt(k / (3 N + k)): mean and AMAF weigh the same after k playouts "
    "(Sironi and Winands 2016, eq. 3)",
    low=0.0,
)
B = Parameter(
    "b",
    0.1,
    "the bias of AMAF in beta=gelly: V_M / (V_M + V_R + b^2) (Javins, Drake and Chen, after "
    "Gelly and Silver)",
    low=0.0,
)
ALPHA = Parameter(
    "alpha",
    1.0,
    "mean + a * AMAF + UCB with a = alpha * sqrt(k / (3 N + k)) (Rimmel et al. 2010, sec. 2.3)",
    low=0.0,
)

FORMS = (
    Form("bias", select_bias, (C, BIAS), beta=beta_bias, tell="bias"),
    Form("additive", select_additive, (C_UCB, ALPHA, K), beta=alpha_of, tell="alpha"),
    Form("k", select_k, (C_UCB, K), beta=beta_k, tell="k"),
    Form("gelly", select_gelly, (C, B), beta=beta_gelly, tell="b"),
    Form("orego1", select_gelly, (C,), fixed=(0.0,), beta=beta_gelly),
    Form("orego2", select_orego2, (C,), beta=beta_orego2),
)

POLICIES = (
    TreePolicy(
        "rave",
        "The mean blended with AMAF values of the node itself (Gelly and Silver 2007).",
        FORMS,
        ref=0,
    ),
)
