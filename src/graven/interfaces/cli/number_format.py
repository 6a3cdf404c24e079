"""Formatting of win rates and intervals, in per cent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graven.lab.stats.comparison import Comparison
    from graven.lab.stats.match_statistics import MatchStatistics


def percent(statistics: MatchStatistics) -> str:
    """Format a win rate with its 95 % interval: 64.0 (59.7-68.1); "-" if no game was played."""
    if statistics.win_rate is None:
        return "-"
    low, high = statistics.ci95
    return f"{100 * statistics.win_rate:.1f} {span(100 * low, 100 * high)}"


def comparison_text(comparison: Comparison) -> str:
    """Format a comparison with a published win rate: difference, interval, p-value, verdict."""
    from graven.lab.reports.match_text import p_text

    low, high = comparison.ci95
    return (
        f"difference {100 * comparison.difference:+.1f} "
        f"(95 %: {100 * low:+.1f} to {100 * high:+.1f}), {p_text(comparison.p_value)}: {comparison}"
    )


def span(low: float, high: float) -> str:
    """Format an interval in per cent."""
    return f"({low:.1f}-{high:.1f})"
