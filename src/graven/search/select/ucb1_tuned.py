"""UCB1-Tuned: exploration by the variance of a move's scores (Auer, Cesa-Bianchi, Fischer 2002).

    mean + c * sqrt(log(N) / n * min(1/4, V)),  V = squares / n - mean^2 + sqrt(2 * log(N) / n)

Section 4 of "Finite-time analysis of the multiarmed bandit problem"; c = 1 there. V is an upper
confidence bound of the variance, and 1/4 the greatest variance of scores from 0 to 1.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from graven.search.policy import Formula, Parameter, TreePolicy
from graven.search.select.selection import Edge, Node


def value(p: Any, node: Node, edge: Edge) -> float:
    """Return mean + c * sqrt(log(N) / n * min(1/4, V))."""
    mean = edge.total / edge.visits
    spread = node.log_visits / edge.visits
    variance = edge.squares / edge.visits - mean * mean + sqrt(2.0 * spread)
    return mean + p.c * sqrt(spread * min(0.25, variance))


C = Parameter("c", 1.0, "exploration: c * sqrt(log(N) / n * min(1/4, V)), 1 in the paper", low=0.0)

POLICIES = (
    TreePolicy(
        "ucb1-tuned",
        "UCB1-Tuned: exploration by the variance of scores (Auer, Cesa-Bianchi and Fischer 2002).",
        (Formula("ucb1-tuned", value, (C,), amaf=False),),
    ),
)
