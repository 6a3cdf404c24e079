"""Win rates and their confidence intervals.

A draw is half a win, so a game's result X is 0, 1/2 or 1, and with a mean p and a share d of draws
its variance is p (1 - p) - d / 4. The interval holds every p that a score test would not reject:

    (rate - p)^2 <= z^2 (p (1 - p) - d / 4) / n

Without draws this is Wilson's interval (1927), exactly. With draws it is narrower, as it should
be. We put d = draws / (n + z^2) rather than draws / n: a few draws in a row then say little, and
an interval never shrinks to a point because all games so far were drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
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
    games = wins + losses + draws
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    slack = z * z / games
    drawn = draws / (games + z * z)
    # The two ends solve (1 + slack) p^2 - (2 rate + slack) p + rate^2 + slack drawn / 4 = 0.
    middle = (rate + slack / 2) / (1 + slack)
    constant = (rate * rate + slack * drawn / 4) / (1 + slack)
    half = sqrt(max(0.0, middle * middle - constant))
    return max(0.0, middle - half), min(1.0, middle + half)


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
