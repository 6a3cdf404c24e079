"""RAVE: the mean blended with the AMAF value (Gelly and Silver 2007).

All formulas but the additive one are, with a weight beta from `weights`,

    (1 - beta) * mean + beta * AMAF + c * sqrt(log(N) / n)

where a move without AMAF statistics has beta = 0. Which AMAF table is read is not decided here:
the node's own for RAVE, an ancestor's for GRAVE, the root's for HRAVE (see `grave`).
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

from graven.search.policy import Formula, Parameter, TreePolicy
from graven.search.select.selection import Edge, Node
from graven.search.select.weights import (
    additive_weight,
    beta_bias,
    beta_gelly,
    beta_k,
    beta_orego2,
    denominator_bias,
)


def amaf_mean(edge: Edge) -> float:
    """Return the AMAF value of the edge's move; 0 without AMAF statistics."""
    return edge.amaf_total / edge.amaf_visits if edge.amaf_visits > 0.0 else 0.0


def exploration(p: Any, node: Node, edge: Edge) -> float:
    """Return c * sqrt(log(N) / n)."""
    return p.c * sqrt(node.log_visits / edge.visits) if p.c != 0.0 else 0.0


def blend(beta: float, p: Any, node: Node, edge: Edge) -> float:
    """Return (1 - beta) * mean + beta * AMAF + c * sqrt(log(N) / n)."""
    weight = beta if edge.amaf_visits > 0.0 else 0.0
    blended = (1.0 - weight) * (edge.total / edge.visits) + weight * amaf_mean(edge)
    return blended + exploration(p, node, edge)


def untried(p: Any, node: Node, edge: Edge) -> float:
    """Return AMAF (beta is 1 without playouts) if c = 0 and it is known, else fpu."""
    return amaf_mean(edge) if p.c == 0.0 and edge.amaf_visits > 0.0 else node.fpu


def value_bias(p: Any, node: Node, edge: Edge) -> float:
    """Return the blend with `beta_bias` as one fraction: one division instead of four.

    With the denominator D, 1 - beta is n * (1 + bias * pa) / D, so the blend of the two means is
    ((1 + bias * pa) * sum + AMAF sum) / D. Without playouts that is the AMAF value; where `untried`
    is fpu, so is this. Tried and untried edges alternate at random: a branch would be mispredicted.
    """
    total = (1.0 + p.bias * edge.amaf_visits) * edge.total + edge.amaf_total
    blended = total / denominator_bias(p, edge) + exploration(p, node, edge)
    known = (edge.visits > 0.0) | ((p.c == 0.0) & (edge.amaf_visits > 0.0))
    return blended if known else node.fpu


def value_k(p: Any, node: Node, edge: Edge) -> float:
    """Return the blend with `beta_k`."""
    return blend(beta_k(p, node, edge), p, node, edge)


def value_gelly(p: Any, node: Node, edge: Edge) -> float:
    """Return the blend with `beta_gelly`."""
    return blend(beta_gelly(p, node, edge), p, node, edge)


def value_orego2(p: Any, node: Node, edge: Edge) -> float:
    """Return the blend with `beta_orego2`."""
    return blend(beta_orego2(p, node, edge), p, node, edge)


def value_additive(p: Any, node: Node, edge: Edge) -> float:
    """Return mean + a * AMAF + c * sqrt(log(N) / n): Rimmel et al. 2010, section 2.3."""
    weighted = additive_weight(p, node, edge) * amaf_mean(edge)
    return edge.total / edge.visits + weighted + exploration(p, node, edge)


def untried_additive(p: Any, node: Node, edge: Edge) -> float:
    """Return AMAF + a * AMAF if c = 0 and AMAF is known, else fpu."""
    if p.c == 0.0 and edge.amaf_visits > 0.0:
        return amaf_mean(edge) + additive_weight(p, node, edge) * amaf_mean(edge)
    return node.fpu


C = Parameter(
    "c",
    0.0,
    "exploration, c * sqrt(log(N) / n), beside AMAF: 0 as in Cazenave 2015, but with k or alpha "
    "0.2 as in Sironi and Winands 2016",
    low=0.0,
    auto=(0.0, 0.1, 0.2, 0.4, 0.7),
)
C_UCB = replace(C, default=0.2)
BIAS = Parameter(
    "bias",
    1e-4,
    "beta = pa / (pa + n + bias * pa * n), pa playouts of the move in AMAF (Cazenave 2015, sec. 2)",
    low=0.0,
    auto=(1e-6, 1e-4, 1e-3, 1e-2, 1e-1),
)
K = Parameter(
    "k",
    250.0,
    "beta = sqrt(k / (3 N + k)): mean and AMAF weigh the same after k playouts "
    "(Sironi and Winands 2016, eq. 3)",
    low=0.0,
    auto=(10, 50, 250, 1000, 2500),
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

FORMULAS = (
    Formula(
        "bias", value_bias, (C, BIAS), untried, weight=beta_bias, selected_by="bias", whole=True
    ),
    Formula(
        "additive",
        value_additive,
        (C_UCB, ALPHA, K),
        untried_additive,
        weight=additive_weight,
        selected_by="alpha",
    ),
    Formula("k", value_k, (C_UCB, K), untried, weight=beta_k, selected_by="k"),
    Formula("gelly", value_gelly, (C, B), untried, weight=beta_gelly, selected_by="b"),
    Formula("orego1", value_gelly, (C,), untried, weight=beta_gelly, fixed={"b": 0.0}),
    Formula("orego2", value_orego2, (C,), untried, weight=beta_orego2),
)

POLICIES = (
    TreePolicy(
        "rave",
        "The mean blended with AMAF values of the node itself (Gelly and Silver 2007).",
        FORMULAS,
        ref=0,
    ),
)
