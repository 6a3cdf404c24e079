"""Does AMAF order the moves of a position as their own playouts do?

AMAF helps where a move is worth about the same now and later in the game. Where it is not, as in
Connect Four, AMAF's order of the moves contradicts the order of their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graven.agents.search_result import MoveStat

MIN_MOVES = 4
MIN_VISITS = 30
# A difference of means below so many standard errors says nothing about the order of two moves.
STANDARD_ERRORS = 2.0
MIN_PAIRS = 5
STRONG_DISAGREEMENT = -0.3


def amaf_agreement(stats: Sequence[MoveStat]) -> float | None:
    """Return Kendall's rank correlation, from -1 to 1, of AMAF values and means.

    Only pairs of moves whose means differ significantly count. None with fewer than MIN_PAIRS.
    """
    tried = [stat for stat in stats if stat.visits >= MIN_VISITS and stat.amaf is not None]
    if len(tried) < MIN_MOVES:
        return None
    agree = disagree = 0
    for one, other in combinations(tried, 2):
        assert one.amaf is not None
        assert other.amaf is not None
        # A score from 0 to 1 has a variance of at most 1/4.
        error = 0.5 * (1 / one.visits + 1 / other.visits) ** 0.5
        if abs(one.mean - other.mean) < STANDARD_ERRORS * error:
            continue
        product = (one.mean - other.mean) * (one.amaf - other.amaf)
        agree += product > 0
        disagree += product < 0
    pairs = agree + disagree
    return (agree - disagree) / pairs if pairs >= MIN_PAIRS else None
