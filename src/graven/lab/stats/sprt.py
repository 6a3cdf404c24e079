"""A sequential probability ratio test (SPRT) on pairs of games.

Two games from the same opening, one with each seat assignment, form a pair, whose score is 0, 1/2,
1, 3/2 or 2 points of 2: five outcomes, hence "pentanomial". An advantage of the opening for one
seat cancels within a pair, so pairs have less variance than games, and the test needs fewer games.

The test decides whether the first agent is stronger by `elo0` (hypothesis 0) or by `elo1`
(hypothesis 1). With p0 and p1 the maximum likelihood distributions of pair scores whose means are
those of `elo0` and `elo1`, the log-likelihood ratio of n pairs is sum of counts * log(p1 / p0). The
test ends when it leaves (log(b / (1 - a)), log((1 - b) / a)), where a and b are the probabilities
of the two errors (Wald 1945; the generalised form is Van den Bergh's, as used for testing
Stockfish).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from graven.core.errors import UsageError
from graven.lab.stats.intervals import rate_from_elo

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
# The count of an outcome that has not occurred: its probability must not be zero.
UNSEEN_COUNT = 1e-3
MAX_ELO = 1000

# elo0 and elo1, or these with alpha and beta: see `Sprt`.
SprtNumbers = tuple[float, float] | tuple[float, float, float, float]


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses of a sequential test and its error probabilities.

    `alpha` is the probability of accepting `elo1` where `elo0` is true, `beta` that of accepting
    `elo0` where `elo1` is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (isfinite(self.elo0) and isfinite(self.elo1) and self.elo0 < self.elo1):
            raise UsageError(
                f"a sequential test needs two Elo differences, the smaller one first, as in "
                f"--sprt 0 20; got {self.elo0:g} {self.elo1:g}."
            )
        if max(abs(self.elo0), abs(self.elo1)) > MAX_ELO:
            raise UsageError(
                f"a sequential test needs Elo differences from -{MAX_ELO} to {MAX_ELO}, got "
                f"{self.elo0:g} {self.elo1:g}."
            )

        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise UsageError(
                    f"a sequential test needs {name} above 0 and below 0.5, got {value:g}."
                )

    @property
    def lower_bound(self) -> float:
        """The log-likelihood ratio at which the test accepts `elo0`."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper_bound(self) -> float:
        """The log-likelihood ratio at which the test accepts `elo1`."""
        return log((1 - self.beta) / self.alpha)


@dataclass(frozen=True)
class SprtVerdict:
    """The state of a sequential test: `accepted_elo` is None until the test has decided."""

    test: Sprt
    log_likelihood_ratio: float
    pairs: int
    accepted_elo: float | None

    def __str__(self) -> str:
        test = self.test
        evidence = (
            f"log likelihood ratio {self.log_likelihood_ratio:.2f}, bounds "
            f"{test.lower_bound:.2f} and {test.upper_bound:.2f}, after {self.pairs} pairs"
        )
        if self.accepted_elo is None:
            return f"undecided between {test.elo0:g} and {test.elo1:g} Elo ({evidence})"
        claim = "at least" if self.accepted_elo == test.elo1 else "no more than"
        return f"stopped early: {claim} {self.accepted_elo:g} Elo ({evidence})"


class SequentialTest:
    """A test that is updated after every game.

    Pairs count in the order of their numbers up to the first one that is missing, so the verdict
    does not depend on which games end first: short games are not counted first.
    """

    def __init__(self, test: Sprt, outcomes: Mapping[int, float] | None = None) -> None:
        self._test = test
        self._outcomes: dict[int, float] = {}
        self._counts = np.zeros(len(PAIR_SCORES))
        self.verdict = SprtVerdict(test, 0.0, 0, None)
        for index, outcome in (outcomes or {}).items():
            self.add(index, outcome)

    @property
    def decided(self) -> bool:
        """Whether one of the hypotheses has been accepted."""
        return self.verdict.accepted_elo is not None

    def add(self, index: int, outcome: float) -> None:
        """Add game number `index`: 1 for a win of the first agent, 0.5 for a draw, 0 for a loss."""
        self._outcomes[index] = outcome
        while not self.decided:
            first = 2 * self.verdict.pairs
            if first not in self._outcomes or first + 1 not in self._outcomes:
                return
            self._count_pair(self._outcomes.pop(first) + self._outcomes.pop(first + 1))

    def _count_pair(self, points: float) -> None:
        self._counts[round(2 * points)] += 1
        test = self._test
        ratio = log_likelihood_ratio(
            self._counts, rate_from_elo(test.elo0), rate_from_elo(test.elo1)
        )
        accepted_elo = None
        if ratio >= test.upper_bound:
            accepted_elo = test.elo1
        elif ratio <= test.lower_bound:
            accepted_elo = test.elo0
        self.verdict = SprtVerdict(test, ratio, self.verdict.pairs + 1, accepted_elo)


def log_likelihood_ratio(counts: NDArray[np.float64], mean0: float, mean1: float) -> float:
    """Return the log-likelihood ratio of two mean scores, from the counts of the pair scores."""
    observed = np.where(counts > 0, counts, UNSEEN_COUNT)
    shares = observed / observed.sum()
    log_ratio = np.log(_most_likely(shares, mean1)) - np.log(_most_likely(shares, mean0))
    return float(observed.sum() * np.sum(shares * log_ratio))


def _most_likely(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Return the maximum likelihood distribution with this mean.

    It is shares / (1 + t (score - mean)), where t is such that the mean is right.
    """
    deviations = PAIR_SCORES - mean

    def slope(t: float) -> float:
        return float(np.sum(shares * deviations / (1 + t * deviations)))

    low, high = -1 / deviations.max(), -1 / deviations.min()
    edge = 1e-9 * (high - low)
    t = brentq(slope, low + edge, high - edge)
    return np.asarray(shares / (1 + t * deviations))
