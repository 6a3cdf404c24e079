"""The weight of the AMAF value against the mean, one function for each of the papers.

n and mean are an edge's playouts and mean, pa and AMAF the same of its move in the AMAF table, N
the node's playouts. The weights are defined for edges with n > 0 and pa > 0.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from graven.search.select.selection import Edge, Node


def denominator_bias(p: Any, edge: Edge) -> float:
    """Return pa + n + bias * pa * n."""
    return edge.amaf_visits + edge.visits + p.bias * edge.amaf_visits * edge.visits


def beta_bias(p: Any, node: Node, edge: Edge) -> float:
    """Return pa / (pa + n + bias * pa * n): Cazenave 2015, section 2."""
    return edge.amaf_visits / denominator_bias(p, edge)


def beta_k(p: Any, node: Node, edge: Edge) -> float:
    """Return sqrt(k / (3 N + k)): Sironi and Winands 2016, equation 3."""
    return sqrt(p.k / (3.0 * node.visits + p.k))


def variance(total: float, n: float) -> float:
    """Return the variance of one result, from n results with this sum, one win and one loss.

    The two added results keep a short series of wins from having variance 0.
    """
    mean = (total + 1.0) / (n + 2.0)
    return mean * (1.0 - mean)


def beta_gelly(p: Any, node: Node, edge: Edge) -> float:
    """Return V_M / (V_M + V_R + b^2): Gelly and Silver's model in Javins, Drake and Chen.

    It has the least mean square error if the mean is unbiased, AMAF has bias b, and the two are
    independent. V_M and V_R are the variances of the mean and of AMAF: that of one result, over n
    and pa. With b = 0 it is their model 1 (equal biases, no correlation).
    """
    of_mean = variance(edge.total, edge.visits) / edge.visits
    of_amaf = variance(edge.amaf_total, edge.amaf_visits) / edge.amaf_visits
    return of_mean / (of_mean + of_amaf + p.b * p.b)


def beta_orego2(p: Any, node: Node, edge: Edge) -> float:
    """Return (V_M - Cov) / (V_M + V_R - 2 Cov): Javins, Drake and Chen, model 2.

    Equal biases, dependent estimates. Every playout that began with the move is among those that
    contain it, so with results X the mean is (1/n) * sum over A of X and AMAF is (1/pa) * sum over
    a superset of A; playouts are independent, hence Cov = (1/(n * pa)) * n * var(X) = var(X) / pa,
    with var(X) estimated from the edge's own playouts.
    """
    single = variance(edge.total, edge.visits)
    covariance = single / edge.amaf_visits
    of_mean = single / edge.visits
    of_amaf = variance(edge.amaf_total, edge.amaf_visits) / edge.amaf_visits
    spread = of_mean + of_amaf - 2.0 * covariance
    beta = (of_mean - covariance) / spread if spread > 0.0 else 0.0
    return min(1.0, max(0.0, beta))


def additive_weight(p: Any, node: Node, edge: Edge) -> float:
    """Return alpha * sqrt(k / (3 N + k)): alpha at first, alpha / 2 after k playouts.

    It multiplies AMAF in the additive formula of Rimmel et al. 2010, section 2.3, who leave open
    how it decreases.
    """
    return p.alpha * sqrt(p.k / (3.0 * node.visits + p.k))
