"""A sequential test on pairs of games: stop as soon as it is clear who is stronger.

Two games from the same opening, one from each side, make a pair, whose score is 0, 1/2, 1, 3/2 or
2 points of 2: five outcomes, hence "pentanomial". What the opening gives to one side it takes in
the other game, so pairs scatter less than games do, and the test needs fewer of them.

The test asks whether the first agent is stronger by `elo0` or by `elo1`. With p0 and p1 the most
likely distributions of pairs whose means are the scores that belong to `elo0` and `elo1`, the log
likelihood ratio of n pairs is sum of counts * log(p1 / p0); the test ends when it leaves
(log(b / (1 - a)), log((1 - b) / a)), a and b being the two risks of a wrong answer (Wald 1945; the
generalised form is Van den Bergh's, as used for testing Stockfish).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from graven.core.errors import UsageError

POINTS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
# An outcome not seen yet is not impossible.
UNSEEN = 1e-3


def score_of(elo: float) -> float:
    """The share of points that an advantage of so many Elo gives."""
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


@dataclass(frozen=True)
class Sprt:
    """Which two claims are tested, and the risk of accepting the wrong one."""

    elo0: float
    elo1: float
    risk: float = 0.05

    def __post_init__(self) -> None:
        if not (isfinite(self.elo0) and isfinite(self.elo1) and self.elo0 < self.elo1):
            raise UsageError(
                f"a sequential test takes two Elo differences, the smaller one first, as in "
                f"--sprt 0 20; not {self.elo0:g} {self.elo1:g}."
            )
        if max(abs(self.elo0), abs(self.elo1)) > 1000:
            raise UsageError("a sequential test takes Elo differences from -1000 to 1000.")

    @property
    def bound(self) -> float:
        """The log likelihood ratio at which it ends, in either direction."""
        return log((1 - self.risk) / self.risk)


@dataclass(frozen=True)
class Verdict:
    """How a sequential test stands: `decided` is None while it goes on, else the Elo accepted."""

    test: Sprt
    ratio: float
    pairs: int
    decided: float | None

    def __str__(self) -> str:
        test = self.test
        ends = f"log likelihood ratio {self.ratio:.2f} of {test.bound:.2f} after {self.pairs} pairs"
        if self.decided is None:
            return f"undecided between {test.elo0:g} and {test.elo1:g} Elo ({ends})"
        claim = "at least" if self.decided == test.elo1 else "no more than"
        return f"stopped early: {claim} {self.decided:g} Elo ({ends})"


class Trial:
    """A test under way, told of one game after the other.

    Pairs count in the order of their numbers up to the first that is missing, so that the verdict
    does not depend on who played how fast: short games do not come first.
    """

    def __init__(self, test: Sprt, outcomes: Mapping[int, float] | None = None) -> None:
        self._test = test
        self._outcomes: dict[int, float] = {}
        self._counts = np.zeros(5)
        self.verdict = Verdict(test, 0.0, 0, None)
        for index, outcome in (outcomes or {}).items():
            self.add(index, outcome)

    def add(self, index: int, outcome: float) -> None:
        """Game number `index` has ended: 1 a win of the first agent, 0.5 a draw, 0 a loss."""
        self._outcomes[index] = outcome
        while self.verdict.decided is None:
            first = 2 * self.verdict.pairs
            if first not in self._outcomes or first + 1 not in self._outcomes:
                return
            self._count_pair(self._outcomes.pop(first) + self._outcomes.pop(first + 1))

    def _count_pair(self, points: float) -> None:
        self._counts[round(2 * points)] += 1
        test = self._test
        ratio = likelihood_ratio(self._counts, score_of(test.elo0), score_of(test.elo1))
        decided = None
        if abs(ratio) >= test.bound:
            decided = test.elo1 if ratio > 0 else test.elo0
        self.verdict = Verdict(test, ratio, self.verdict.pairs + 1, decided)


def likelihood_ratio(counts: NDArray[np.float64], score0: float, score1: float) -> float:
    """The log likelihood ratio of two mean scores, given how often each pair score came up."""
    seen = np.where(counts > 0, counts, UNSEEN)
    shares = seen / seen.sum()
    return float(
        seen.sum()
        * np.sum(shares * (np.log(_nearest(shares, score1)) - np.log(_nearest(shares, score0))))
    )


def _nearest(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The most likely distribution with this mean: shares / (1 + t (points - mean)) for some t."""
    away = POINTS - mean

    def slope(t: float) -> float:
        return float(np.sum(shares * away / (1 + t * away)))

    low, high = -1 / away.max(), -1 / away.min()
    edge = 1e-9 * (high - low)
    t = brentq(slope, low + edge, high - edge)
    return np.asarray(shares / (1 + t * away))
