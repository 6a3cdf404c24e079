"""UCT: the mean plus an upper confidence bound (Kocsis and Szepesvári 2006).

    mean + c * sqrt(log(N) / n)

Cazenave 2015, section 2; Sironi and Winands 2016, equation 1.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from graven.search.policy import Formula, Parameter, TreePolicy
from graven.search.select.selection import Edge, Node


def value(p: Any, node: Node, edge: Edge) -> float:
    """Return mean + c * sqrt(log(N) / n)."""
    return edge.total / edge.visits + p.c * sqrt(node.log_visits / edge.visits)


C = Parameter(
    "c",
    0.4,
    "exploration: c * sqrt(log(N) / n). Cazenave 2015 uses 0.4, Sironi and Winands 2016 0.7",
    low=0.0,
    auto=(0.1, 0.2, 0.4, 0.7, 1.0),
)

POLICIES = (
    TreePolicy(
        "uct",
        "Upper confidence bounds: mean + c * sqrt(log(N) / n) (Kocsis and Szepesvári 2006).",
        (Formula("ucb", value, (C,), amaf=False),),
    ),
)
