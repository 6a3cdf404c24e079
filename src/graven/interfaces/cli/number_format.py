"""Formatting of win rates and intervals, in per cent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graven.lab.stats.intervals import Score


def percent(score: Score) -> str:
    """Format a win rate with its 95 % interval: 64.0 (59.7-68.1); "-" if no game was played."""
    if score.win_rate is None:
        return "-"
    low, high = score.ci95
    return f"{100 * score.win_rate:.1f} {span(100 * low, 100 * high)}"


def span(low: float, high: float) -> str:
    """Format an interval in per cent."""
    return f"({low:.1f}-{high:.1f})"
