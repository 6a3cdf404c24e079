"""Win rates, their confidence intervals, and Elo differences.

A draw is half a win, so a game's result X is 0, 1/2 or 1. With mean p and a share d of draws its
variance is p (1 - p) - d / 4. The interval contains every p that a score test does not reject:

    (rate - p)^2 <= z^2 p (1 - p) (1 - share) / n

where `share` is the part of p (1 - p) by which draws reduce the variance: n d / 4 divided by
n rate (1 - rate). Without draws this is exactly Wilson's interval (1927). With draws it is
narrower. We add z^2 / 4 to the denominator of `share`: a few consecutive draws then narrow the
interval little, and it never shrinks to a point because all games so far were drawn.

For any results between 0 and 1, such as the means of pairs of games from the same opening, d / 4 is
the mean of X (1 - X), the difference between p (1 - p) and the variance of X.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log10, sqrt
from statistics import NormalDist


def win_rate(wins: int, losses: int, draws: int) -> float | None:
    """Return the share of points won, from 0 to 1; None without games."""
    games = wins + losses + draws
    return (wins + draws / 2) / games if games else None


def win_rate_interval(
    wins: int, losses: int, draws: int = 0, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the confidence interval of a win rate; (0, 1) without games."""
    rate = win_rate(wins, losses, draws)
    if rate is None:
        return 0.0, 1.0
    return _score_interval(rate, draws / 4, wins + losses + draws, confidence)


def mean_interval(results: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return the confidence interval of the mean of results between 0 and 1."""
    if not results:
        return 0.0, 1.0
    reduction = sum(result * (1 - result) for result in results)
    return _score_interval(sum(results) / len(results), reduction, len(results), confidence)


def _score_interval(
    rate: float, reduction: float, count: int, confidence: float
) -> tuple[float, float]:
    """Solve the score equation; `reduction` is the sum of X (1 - X) over `count` results."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    # The share of a win-or-loss variance that these results lack; never quite all of it.
    variance = count * rate * (1 - rate)
    share = min(1.0, reduction / (variance + z * z / 4)) if variance else 0.0
    slack = z * z * (1 - share) / count
    centre = (rate + slack / 2) / (1 + slack)
    half_width = sqrt(max(0.0, centre * centre - rate * rate / (1 + slack)))
    # At the ends the formula gives 0 and 1 up to rounding errors.
    low = max(0.0, centre - half_width) if rate > 0 else 0.0
    return low, min(1.0, centre + half_width) if rate < 1 else 1.0


@dataclass(frozen=True)
class Score:
    """Games won, lost and drawn."""

    wins: int = 0
    losses: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.losses + self.draws

    @property
    def win_rate(self) -> float | None:
        """The share of points, from 0 to 1, with half a point for a draw; None without games."""
        return win_rate(self.wins, self.losses, self.draws)

    @property
    def ci95(self) -> tuple[float, float]:
        """The 95 % confidence interval of the win rate."""
        return win_rate_interval(self.wins, self.losses, self.draws)

    def plus(self, outcome: float) -> Score:
        """Return the score after one more game: 1 for a win, 0.5 for a draw, 0 for a loss."""
        return Score(
            self.wins + (outcome == 1.0),
            self.losses + (outcome == 0.0),
            self.draws + (outcome == 0.5),
        )

    def __add__(self, more: Score) -> Score:
        return Score(self.wins + more.wins, self.losses + more.losses, self.draws + more.draws)


def elo_from_rate(rate: float) -> float:
    """Return the Elo difference that gives a share of points; infinite at 0 and 1."""
    if rate <= 0:
        return -inf
    return inf if rate >= 1 else 400 * log10(rate / (1 - rate))


def rate_from_elo(elo: float) -> float:
    """Return the share of points that an Elo difference gives."""
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def likelihood_of_superiority(score: Score) -> float:
    """Return Phi((wins - losses) / sqrt(wins + losses)): that the first agent is the stronger one.

    Draws carry no information about which agent is stronger.
    """
    decisive = score.wins + score.losses
    return NormalDist().cdf((score.wins - score.losses) / sqrt(decisive)) if decisive else 0.5


def group_means(outcomes: Mapping[int, float], group_size: int = 2) -> list[float]:
    """Return the mean outcomes of the complete groups of games from the same opening.

    Game `index` belongs to group `index // group_size`.
    """
    groups: dict[int, list[float]] = {}
    for index, outcome in outcomes.items():
        groups.setdefault(index // group_size, []).append(outcome)
    return [sum(group) / group_size for group in groups.values() if len(group) == group_size]
