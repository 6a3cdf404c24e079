"""MCPS: Monte Carlo Permutation Search (Cazenave 2025, arXiv 2510.06381).

    (sum + AMAF sum + permutation sum) / (n + pa + pp)

A move has three estimates: its mean, over n playouts; the AMAF value, over pa playouts, of the
table that GRAVE would read; and the mean of all pp playouts of the search that contain every move
from the root to the node and the move itself, in any order (see `search.permutations`).

The weights are those of least mean square error if the estimates are independent and unbiased and
one result has the same variance V in all three. With weights w that sum to 1 the error is
V * (w1^2 / n + w2^2 / pa + w3^2 / pp); it is least where all w_i / n_i are equal, so that each
estimate has the weight of its playouts. The derivation is ours: docs/policies/mcps.md.
"""

from __future__ import annotations

from typing import Any

from graven.search.policy import Formula, TreePolicy
from graven.search.select.grave import REF
from graven.search.select.selection import Edge, Node


def playouts(edge: Edge) -> float:
    """Return the playouts of all three estimates together."""
    return edge.visits + edge.amaf_visits + edge.permuted_visits


def value(p: Any, node: Node, edge: Edge) -> float:
    """Return the mean of the three estimates, weighed by their playouts; fpu without any."""
    total = edge.total + edge.amaf_total + edge.permuted_total
    return total / playouts(edge) if playouts(edge) > 0.0 else node.fpu


def amaf_weight(p: Any, node: Node, edge: Edge) -> float:
    """Return the weight of AMAF: pa / (n + pa + pp)."""
    return edge.amaf_visits / playouts(edge)


POLICIES = (
    TreePolicy(
        "mcps",
        "Mean, AMAF, and playouts with the moves of the path in any order (Cazenave 2025).",
        (Formula("pooled", value, weight=amaf_weight, whole=True),),
        ref=REF,
    ),
)
