"""Does AMAF order the moves of a position as their own playouts do?

AMAF helps where a move is worth about the same now and later in the game. Where it is not, as in
Connect Four, AMAF's order of the moves contradicts the order of their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Protocol

MIN_MOVES = 4
MIN_VISITS = 30
# A difference of means below so many standard errors says nothing about the order of two moves.
STANDARD_ERRORS = 2.0
MIN_PAIRS = 5
# Below this are 3 % of the positions of games to which AMAF suits: see docs/default-agent.md.
STRONG_DISAGREEMENT = -0.8


class RankedMove(Protocol):
    """The statistics of a move: of a result, or of a snapshot of a running search."""

    @property
    def visits(self) -> int:
        """The playouts of the move."""

    @property
    def mean(self) -> float | None:
        """Their mean score."""

    @property
    def amaf(self) -> float | None:
        """The AMAF value of the move."""


def amaf_misleads(stats: Sequence[RankedMove]) -> bool:
    """Return whether AMAF orders the moves strongly against their means."""
    agreement = amaf_agreement(stats)
    return agreement is not None and agreement < STRONG_DISAGREEMENT


def amaf_agreement(stats: Sequence[RankedMove]) -> float | None:
    """Return Kendall's rank correlation, from -1 to 1, of AMAF values and means.

    Only pairs of moves whose means differ significantly count. None with fewer than MIN_PAIRS.
    """
    tried = [
        (stat.visits, stat.mean, stat.amaf)
        for stat in stats
        if stat.visits >= MIN_VISITS and stat.mean is not None and stat.amaf is not None
    ]
    if len(tried) < MIN_MOVES:
        return None
    agree = disagree = 0
    for (visits, mean, amaf), (other_visits, other_mean, other_amaf) in combinations(tried, 2):
        # A score from 0 to 1 has a variance of at most 1/4.
        error = 0.5 * (1 / visits + 1 / other_visits) ** 0.5
        if abs(mean - other_mean) < STANDARD_ERRORS * error:
            continue
        product = (mean - other_mean) * (amaf - other_amaf)
        agree += product > 0
        disagree += product < 0
    pairs = agree + disagree
    return (agree - disagree) / pairs if pairs >= MIN_PAIRS else None
