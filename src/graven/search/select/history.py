"""Progressive History: UCT plus a bonus for good moves (Nijssen and Winands 2010).

    mean + c * sqrt(log(N) / n) + h * w / ((1 - mean) * n + 1)

h is the mean score of all playouts of this search in which the player played the move anywhere:
the AMAF value at the root, as Sironi and Winands 2016, section III C, observe. The bonus decreases
with the move's losses, (1 - mean) * n, rather than with its playouts.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from graven.search.plan import NEVER
from graven.search.policy import Formula, Parameter, TreePolicy
from graven.search.select.selection import Edge, Node


def value(p: Any, node: Node, edge: Edge) -> float:
    """Return mean + c * sqrt(log(N) / n) + h * w / ((1 - mean) * n + 1)."""
    history = edge.amaf_total / edge.amaf_visits if edge.amaf_visits > 0.0 else 0.0
    mean = edge.total / edge.visits
    bonus = history * p.w / ((1.0 - mean) * edge.visits + 1.0)
    return mean + p.c * sqrt(node.log_visits / edge.visits) + bonus


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
        (Formula("history", value, (C, W)),),
        ref=NEVER,
    ),
)
