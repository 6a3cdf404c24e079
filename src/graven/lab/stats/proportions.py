"""A proportion, how precisely it is known, and its confidence interval.

A proportion from n games without draws has the variance p (1 - p) / n. Draws and pairs of games
from the same opening change that variance; a published figure may come with an interval instead of
a number of games. In each case the variance is p (1 - p) / m for some m, the effective number of
games, which need not be whole. The statistics of proportions need the rate and m only.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf, sqrt
from statistics import NormalDist

Z95 = NormalDist().inv_cdf(0.975)


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(probability)


@dataclass(frozen=True)
class Proportion:
    """A rate from 0 to 1 and the effective number of games; infinite if the rate is exact."""

    rate: float
    games: float

    @classmethod
    def from_half_width(cls, rate: float, half_width: float) -> Proportion:
        """Return the proportion whose 95 % interval is rate +- half_width (Wald's interval)."""
        variance = rate * (1 - rate)
        if half_width <= 0 or variance <= 0:
            return cls(rate, inf)
        return cls(rate, Z95 * Z95 * variance / half_width**2)

    @property
    def variance(self) -> float:
        """The variance of the rate."""
        return 0.0 if isinf(self.games) else self.rate * (1 - self.rate) / self.games

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return Wilson's score interval (1927); (0, 1) without games.

        It contains every p with (rate - p)^2 <= z^2 p (1 - p) / games.
        """
        if not self.games:
            return 0.0, 1.0
        if isinf(self.games):
            return self.rate, self.rate
        rate, slack = self.rate, normal_quantile((1 + confidence) / 2) ** 2 / self.games
        centre = (rate + slack / 2) / (1 + slack)
        half_width = sqrt(max(0.0, centre * centre - rate * rate / (1 + slack)))
        # At the ends the formula gives 0 and 1 up to rounding errors.
        low = max(0.0, centre - half_width) if rate > 0 else 0.0
        return low, min(1.0, centre + half_width) if rate < 1 else 1.0
