"""Comparison of two proportions: our win rate with a published one.

All tests are score tests of the difference d = ours - published: the variance is that of the
maximum likelihood rates under the hypothesis that the difference is d (Mee 1984; Farrington and
Manning 1990). For d = 0 this is the pooled z-test, the chi-squared test without continuity
correction. The 95 % interval contains the differences that the test does not reject at 5 %, so it
excludes 0 exactly if the p-value is below 0.05.

The equivalence test is two one-sided tests (TOST, Schuirmann 1987) of "ours is lower by `margin` or
more" and "ours is higher by `margin` or more". Its p-value is the larger one of the two.

- *equivalent*: both are rejected. The difference, if there is one, is smaller than the margin.
- *differs*: not equivalent, and the hypothesis of no difference is rejected.
- *undecided*: neither. `more_games` is the number of our games that would probably decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import acos, ceil, copysign, cos, inf, isinf, pi, sqrt
from statistics import NormalDist
from typing import Any

from scipy.optimize import brentq

from graven.core.errors import UsageError
from graven.lab.stats.proportions import Proportion, normal_quantile

EQUIVALENT, DIFFERS, UNDECIDED = "equivalent", "differs", "undecided"
DEFAULT_MARGIN = 0.05
DEFAULT_ALPHA = 0.05
DEFAULT_POWER = 0.8
# The search for the number of games that would decide ends here.
MOST_MORE_GAMES = 1_000_000
GAMES_STEP = 1.02
TINY = 1e-12


@dataclass(frozen=True)
class Comparison:
    """Our proportion compared with a published one; rates and margin are from 0 to 1.

    `played` is the number of our games, which draws and pairs make different from the effective
    number in `ours`. `corrected_p` and `corrected_equivalence_p` are the p-values after Holm's
    correction where several comparisons are judged together, and `family` is their number.
    """

    ours: Proportion
    published: Proportion
    played: int
    margin: float = DEFAULT_MARGIN
    alpha: float = DEFAULT_ALPHA
    corrected_p: float | None = None
    corrected_equivalence_p: float | None = None
    family: int = 1

    @property
    def difference(self) -> float:
        """Our rate minus the published one."""
        return self.ours.rate - self.published.rate

    @cached_property
    def ci95(self) -> tuple[float, float]:
        """The 95 % confidence interval of the difference."""
        return difference_interval(self.ours, self.published)

    @cached_property
    def p_value(self) -> float:
        """The two-sided p-value of the hypothesis that there is no difference."""
        return 2 * NormalDist().cdf(-abs(difference_z(self.ours, self.published, 0.0)))

    @cached_property
    def equivalence_p(self) -> float:
        """The p-value of the hypothesis that the difference is at least the margin."""
        above = difference_z(self.ours, self.published, -self.margin)
        below = difference_z(self.ours, self.published, self.margin)
        return NormalDist().cdf(max(-above, below))

    @property
    def verdict(self) -> str:
        """Equivalent, differs or undecided; from the corrected p-values if there are any."""
        return self._verdict(
            self.p_value if self.corrected_p is None else self.corrected_p,
            self.equivalence_p
            if self.corrected_equivalence_p is None
            else self.corrected_equivalence_p,
        )

    def _verdict(self, p_value: float, equivalence_p: float) -> str:
        if equivalence_p < self.alpha:
            return EQUIVALENT
        return DIFFERS if p_value < self.alpha else UNDECIDED

    @cached_property
    def more_games(self) -> int | None:
        """How many more games of ours would decide with probability 80 %, in two digits.

        0 if decided; None if no number of games has this probability: see `decision_limit`. Among
        several comparisons the level is Bonferroni's, which decides whatever the others give.
        """
        if self.verdict != UNDECIDED:
            return 0
        games = games_that_decide(
            self.ours, self.published, self.played, margin=self.margin, alpha=self._level
        )
        return None if games is None else _two_digits_up(max(1, games - self.played))

    @property
    def decision_limit(self) -> float:
        """The probability of a verdict after any number of games of ours."""
        if self.verdict != UNDECIDED:
            return 1.0
        return FutureGames.after(
            self.ours, self.published, self.played, margin=self.margin, alpha=self._level
        ).decision_probability(inf)

    @property
    def _level(self) -> float:
        return self.alpha / self.family

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values; rates are from 0 to 1."""
        return {
            "difference": self.difference,
            "ci95": list(self.ci95),
            "p_value": self.p_value,
            "equivalence_p": self.equivalence_p,
            "margin": self.margin,
            "verdict": self.verdict,
            "more_games": self.more_games,
            "decision_limit": self.decision_limit,
        }

    def __str__(self) -> str:
        if self.verdict != UNDECIDED:
            return self.verdict
        if self.more_games is None:
            return f"{UNDECIDED} (more games decide with {100 * self.decision_limit:.0f} % at most)"
        return f"{UNDECIDED} ({self.more_games:,} more games)"


def compare(
    ours: Proportion,
    published: Proportion,
    played: int | None = None,
    *,
    margin: float = DEFAULT_MARGIN,
    alpha: float = DEFAULT_ALPHA,
) -> Comparison:
    """Compare our proportion with a published one.

    `played` is the number of our games if it is not the effective number in `ours`. `margin` is the
    largest difference that does not matter: 0.05 is 5 percentage points.
    """
    check_margin(margin)
    if not 0 < alpha < 0.5:
        raise UsageError(f"alpha must be above 0 and below 0.5, got {alpha:g}.")
    if not ours.games:
        raise UsageError("a comparison needs at least one game.")
    return Comparison(
        ours=ours,
        published=published,
        played=round(ours.games) if played is None else played,
        margin=margin,
        alpha=alpha,
    )


def check_margin(margin: float) -> None:
    """Raise a UsageError unless a margin is above 0 and below 1."""
    if not 0 < margin < 1:
        raise UsageError(
            f"an equivalence margin is above 0 and below 100 percentage points, got "
            f"{100 * margin:g}."
        )


def judge_together(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons judged as one family, with Holm's correction of both p-values.

    The probability that any true hypothesis of the family is rejected is then at most alpha.
    """
    p_values = holm([comparison.p_value for comparison in comparisons])
    equivalence = holm([comparison.equivalence_p for comparison in comparisons])
    return [
        replace(
            comparison, corrected_p=p, corrected_equivalence_p=equivalent, family=len(comparisons)
        )
        for comparison, p, equivalent in zip(comparisons, p_values, equivalence, strict=True)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number by Holm's step-down method (1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def difference_z(one: Proportion, other: Proportion, difference: float) -> float:
    """Return the z-score of the hypothesis that the two rates differ by `difference`."""
    deviation = one.rate - other.rate - difference
    first, second = _restricted_rates(one, other, difference)
    variance = first * (1 - first) / one.games + second * (1 - second) / other.games
    if abs(deviation) < 1e-15:
        return 0.0
    return deviation / sqrt(variance) if variance > 0 else copysign(inf, deviation)


def difference_interval(
    one: Proportion, other: Proportion, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the confidence interval of the difference of two rates (Mee 1984)."""
    z = normal_quantile((1 + confidence) / 2)
    estimate = one.rate - other.rate

    def end(limit: float, sign: int) -> float:
        def excess(difference: float) -> float:
            return sign * difference_z(one, other, difference) - z

        # The score is monotone in the difference; at the limit it may stay below z.
        return float(brentq(excess, estimate, limit)) if excess(limit) > 0 else limit

    return end(-1.0, 1), end(1.0, -1)


def _restricted_rates(one: Proportion, other: Proportion, difference: float) -> tuple[float, float]:
    """Return the maximum likelihood rates whose difference is `difference`.

    They solve a cubic equation, whose root Farrington and Manning (1990) give in closed form.
    """
    lowest, highest = max(0.0, difference), min(1.0, 1 + difference)
    if isinf(other.games):
        rate = other.rate + difference
    elif isinf(one.games):
        rate = one.rate
    else:
        ratio = other.games / one.games
        a = 1 + ratio
        b = -(1 + ratio + one.rate + ratio * other.rate + difference * (ratio + 2))
        c = difference**2 + difference * (2 * one.rate + ratio + 1) + one.rate + ratio * other.rate
        d = -one.rate * difference * (1 + difference)
        v = (b / (3 * a)) ** 3 - b * c / (6 * a * a) + d / (2 * a)
        u = copysign(sqrt(max(0.0, (b / (3 * a)) ** 2 - c / (3 * a))), v)
        angle = (pi + acos(min(1.0, max(-1.0, v / u**3)))) / 3 if u else pi / 2
        rate = 2 * u * cos(angle) - b / (3 * a)
    rate = min(highest, max(lowest, rate))
    return rate, min(1.0, max(0.0, rate - difference))


def games_that_decide(
    ours: Proportion,
    published: Proportion,
    played: int,
    *,
    margin: float = DEFAULT_MARGIN,
    alpha: float = DEFAULT_ALPHA,
    power: float = DEFAULT_POWER,
) -> int | None:
    """Return the number of games in all after which a verdict is reached with probability `power`.

    None if no number of games is enough: see `FutureGames`.
    """
    future = FutureGames.after(ours, published, played, margin=margin, alpha=alpha)
    if future.decision_probability(inf) < power:
        return None
    games = float(max(2, played))
    while games <= played + MOST_MORE_GAMES:
        if future.decision_probability(ceil(games)) >= power:
            return ceil(games)
        games *= GAMES_STEP
    return None


@dataclass(frozen=True)
class FutureGames:
    """The prediction of our win rate after more games, given those played so far.

    The true win rate is uncertain: given our games it has a normal distribution around the observed
    one (a flat prior). Before the first game it is assumed to be the published one. The published
    figure keeps its own error, so if it is known too imprecisely for the margin, even an infinite
    number of our games may not decide. `variance` is that of one game.
    """

    rate: float
    variance: float
    played: int
    published: Proportion
    margin: float
    alpha: float

    @classmethod
    def after(
        cls, ours: Proportion, published: Proportion, played: int, *, margin: float, alpha: float
    ) -> FutureGames:
        """Return the prediction after `played` games with the result `ours`."""
        if not played:
            rate = published.rate
            return cls(rate, rate * (1 - rate), 0, published, margin, alpha)
        # Two wins and two losses more (Agresti and Coull): a rate of 0 or 1 is not certain.
        smoothed = (ours.rate * ours.games + 2) / (ours.games + 4)
        variance = smoothed * (1 - smoothed) * played / ours.games
        return cls(ours.rate, variance, played, published, margin, alpha)

    def decision_probability(self, games: float) -> float:
        """Return the probability of a verdict after `games` games in all, which may be infinite."""
        error = sqrt(self.variance / games + self.published.variance)
        differs_above = normal_quantile(1 - self.alpha / 2) * error
        equivalent_below = self.margin - normal_quantile(1 - self.alpha) * error
        if self.played:
            spread = self.variance * max(0.0, 1 / self.played - 1 / games)
        else:
            spread = error * error
        difference = NormalDist(self.rate - self.published.rate, sqrt(spread) + TINY)
        inside = min(max(0.0, equivalent_below), differs_above)
        return (
            difference.cdf(-differs_above)
            + (1 - difference.cdf(differs_above))
            + (difference.cdf(inside) - difference.cdf(-inside))
        )


def _two_digits_up(count: int) -> int:
    """Round a planned number of games up to two significant digits."""
    step = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // step) * step
