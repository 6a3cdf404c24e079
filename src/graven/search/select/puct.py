"""PUCT: exploration in proportion to the game's prior (Rosin 2011; Silver et al. 2017).

    mean + c * P * sqrt(N) / (1 + n),  P = prior / (sum of the priors of all moves)

"Mastering the game of Go without human knowledge", Methods, "Select", whose sum over the playouts
of all moves is N less the playout that added the node. A move without playouts has the mean `fpu`,
and 0.5 if that is infinite. A game without `prior` has equal P.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from graven.search.policy import Formula, Parameter, TreePolicy
from graven.search.select.selection import Edge, Node

UNKNOWN_MEAN = 0.5


def exploration(p: Any, node: Node, edge: Edge) -> float:
    """Return c * P * sqrt(N) / (1 + n)."""
    share = edge.prior / node.prior_sum if node.prior_sum > 0.0 else 0.0
    return p.c * share * sqrt(node.visits) / (1.0 + edge.visits)


def value(p: Any, node: Node, edge: Edge) -> float:
    """Return mean + c * P * sqrt(N) / (1 + n)."""
    return edge.total / edge.visits + exploration(p, node, edge)


def untried(p: Any, node: Node, edge: Edge) -> float:
    """Return the value with the mean fpu, or 0.5 if that is infinite."""
    mean = node.fpu if node.fpu < inf else UNKNOWN_MEAN
    return mean + exploration(p, node, edge)


C = Parameter(
    "c", 1.0, "exploration: c * P * sqrt(N) / (1 + n), P the move's share of the priors", low=0.0
)

POLICIES = (
    TreePolicy(
        "puct",
        "PUCT: exploration in proportion to the game's prior (Silver et al. 2017).",
        (Formula("puct", value, (C,), untried, amaf=False),),
    ),
)
