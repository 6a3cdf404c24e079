"""Win rates, their confidence intervals, and Elo differences.

A draw is half a win, so a game's result X is 0, 1/2 or 1. With mean p and a share d of draws its
variance is p (1 - p) - d / 4. The interval contains every p that a score test does not reject:

    (rate - p)^2 <= z^2 p (1 - p) (1 - share) / n

where `share` is the part of p (1 - p) by which draws reduce the variance: n d / 4 divided by
n rate (1 - rate). Without draws this is exactly Wilson's interval (1927). With draws it is
narrower: the games count as n / (1 - share) games without draws, the effective number of games. We
add 1.96^2 / 4 to the denominator of `share`: a few consecutive draws then narrow the interval
little, and it never shrinks to a point because all games so far were drawn.

For any results between 0 and 1, such as the means of pairs of games from the same opening, d / 4 is
the mean of X (1 - X), the difference between p (1 - p) and the variance of X.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log10, sqrt
from statistics import NormalDist

from graven.lab.stats.proportions import Z95, Proportion


def win_rate(wins: int, losses: int, draws: int) -> float | None:
    """Return the share of points won, from 0 to 1; None without games."""
    games = wins + losses + draws
    return (wins + draws / 2) / games if games else None


def win_rate_interval(
    wins: int, losses: int, draws: int = 0, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the confidence interval of a win rate; (0, 1) without games."""
    return Score(wins, losses, draws).sample.proportion.interval(confidence)


def mean_interval(results: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return the confidence interval of the mean of results between 0 and 1."""
    return Sample.of(results).proportion.interval(confidence)


@dataclass(frozen=True)
class Sample:
    """Independent results from 0 to 1: `counts` has pairs of a result and how often it occurred.

    A result is that of a game, or the mean of `games_per_result` games from the same opening.
    """

    counts: tuple[tuple[float, int], ...]
    games_per_result: int = 1

    @classmethod
    def of(cls, results: Iterable[float], games_per_result: int = 1) -> Sample:
        """Count results."""
        return cls(tuple(sorted(Counter(results).items())), games_per_result)

    @property
    def size(self) -> int:
        """The number of results."""
        return sum(count for _, count in self.counts)

    @property
    def proportion(self) -> Proportion:
        """The mean and the effective number of games; 0.5 of 0 games without results."""
        size = self.size
        if not size:
            return Proportion(0.5, 0.0)
        rate = sum(result * count for result, count in self.counts) / size
        reduction = sum(result * (1 - result) * count for result, count in self.counts)
        # The share of a win-or-loss variance that these results lack; never quite all of it.
        variance = size * rate * (1 - rate)
        share = min(1.0, reduction / (variance + Z95 * Z95 / 4)) if variance else 0.0
        return Proportion(rate, size / (1 - share))

    @property
    def superiority_z(self) -> float:
        """The z-score of the hypothesis that the mean is 1/2: sum(x - 1/2) / sqrt(sum (x - 1/2)^2).

        Without draws it is that of the binomial test's normal approximation, and Wilson's interval
        contains 1/2 if and only if |z| is at most 1.96.
        """
        deviation = sum((result - 0.5) * count for result, count in self.counts)
        squares = sum((result - 0.5) ** 2 * count for result, count in self.counts)
        return deviation / sqrt(squares) if squares else 0.0


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
        """The 95 % confidence interval of the win rate, with every game an independent result."""
        return self.sample.proportion.interval()

    @property
    def sample(self) -> Sample:
        """The results of the games."""
        counts = ((0.0, self.losses), (0.5, self.draws), (1.0, self.wins))
        return Sample(tuple((result, count) for result, count in counts if count))

    def plus(self, outcome: float) -> Score:
        """Return the score after one more game: 1 for a win, 0.5 for a draw, 0 for a loss."""
        return Score(
            self.wins + (outcome == 1.0),
            self.losses + (outcome == 0.0),
            self.draws + (outcome == 0.5),
        )

    @property
    def reversed(self) -> Score:
        """The score from the second agent's point of view."""
        return Score(self.losses, self.wins, self.draws)

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


def likelihood_of_superiority(sample: Sample) -> float:
    """Return the likelihood that the first agent is the stronger one, Phi(z).

    For games it is Phi((wins - losses) / sqrt(wins + losses)): draws carry no information about
    which agent is stronger.
    """
    return NormalDist().cdf(sample.superiority_z)


def equality_p_value(sample: Sample) -> float:
    """Return the two-sided p-value of the hypothesis that the win rate is 50 %."""
    return 2 * NormalDist().cdf(-abs(sample.superiority_z))
