"""Win rates, their confidence intervals, and what they say about who is stronger.

A draw is half a win, so a game's result X is 0, 1/2 or 1, and with a mean p and a share d of draws
its variance is p (1 - p) - d / 4. The interval holds every p that a score test would not reject:

    (rate - p)^2 <= z^2 p (1 - p) (1 - share) / n

where `share` is the part of p (1 - p) that draws take away, n d / 4 of n rate (1 - rate). Without
draws this is Wilson's interval (1927), exactly. With draws it is narrower, as it should be. We add
z^2 / 4 to what they are a part of: a few draws in a row then say little, and an interval never
shrinks to a point because all games so far were drawn.

For results of any kind between 0 and 1, such as the means of pairs of games from the same opening,
d / 4 is the mean of X (1 - X), which is what the variance of X lacks to p (1 - p).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log10, sqrt
from statistics import NormalDist


def win_rate(wins: int, losses: int, draws: int) -> float | None:
    """The share of points won, from 0 to 1; None before the first game."""
    games = wins + losses + draws
    return (wins + draws / 2) / games if games else None


def interval(
    wins: int, losses: int, draws: int = 0, confidence: float = 0.95
) -> tuple[float, float]:
    """The confidence interval of a win rate; everything from 0 to 1 before the first game."""
    rate = win_rate(wins, losses, draws)
    if rate is None:
        return 0.0, 1.0
    return _score_interval(rate, draws / 4, wins + losses + draws, confidence)


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """The confidence interval of the mean of results from 0 to 1."""
    if not values:
        return 0.0, 1.0
    lacking = sum(value * (1 - value) for value in values)
    return _score_interval(sum(values) / len(values), lacking, len(values), confidence)


def _score_interval(
    rate: float, lacking: float, count: int, confidence: float
) -> tuple[float, float]:
    """`lacking` is the sum of X (1 - X) over `count` results."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    # The share of a two-outcome result's variance that these results lack; never quite all of it.
    spread = count * rate * (1 - rate)
    share = min(1.0, lacking / (spread + z * z / 4)) if spread else 0.0
    slack = z * z * (1 - share) / count
    middle = (rate + slack / 2) / (1 + slack)
    half = sqrt(max(0.0, middle * middle - rate * rate / (1 + slack)))
    # At the ends the formula gives 0 and 1 but for rounding.
    low = max(0.0, middle - half) if rate > 0 else 0.0
    return low, min(1.0, middle + half) if rate < 1 else 1.0


@dataclass(frozen=True)
class Score:
    """Games won, lost and drawn."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        """How many games there were."""
        return self.wins + self.losses + self.draws

    @property
    def win_rate(self) -> float | None:
        """Points won, from 0 to 1, where a draw is half a point; None before the first game."""
        return win_rate(self.wins, self.losses, self.draws)

    @property
    def ci95(self) -> tuple[float, float]:
        """The win rate's 95 % confidence interval."""
        return interval(self.wins, self.losses, self.draws)

    def plus(self, outcome: float) -> Score:
        """The score after one more game: 1 a win, 0.5 a draw, 0 a loss."""
        return Score(
            self.wins + (outcome == 1.0),
            self.losses + (outcome == 0.0),
            self.draws + (outcome == 0.5),
        )


def elo_of(rate: float) -> float:
    """The Elo difference that belongs to a share of points; infinite at 0 and 1."""
    if rate <= 0:
        return -inf
    return inf if rate >= 1 else 400 * log10(rate / (1 - rate))


def likelihood_of_superiority(score: Score) -> float:
    """How likely the first agent is the stronger one: Phi((wins - losses) / sqrt(wins + losses)).

    Draws say nothing about who is stronger.
    """
    decided = score.wins + score.losses
    return NormalDist().cdf((score.wins - score.losses) / sqrt(decided)) if decided else 0.5


def group_means(outcomes: Mapping[int, float], together: int = 2) -> list[float]:
    """The means of the groups of games from the same opening that are complete."""
    groups: dict[int, list[float]] = {}
    for index, outcome in outcomes.items():
        groups.setdefault(index // together, []).append(outcome)
    return [sum(group) / together for group in groups.values() if len(group) == together]
