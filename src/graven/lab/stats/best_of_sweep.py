"""The selection effect: by how much the best of several measured win rates is too high.

The best figure of a sweep is chosen because it is high, in part by chance: its expected value is
above the true win rate of the setting that it belongs to. The effect is estimated by a parametric
bootstrap: sweeps are simulated from estimated true rates, the best figure of each is
chosen as in the paper, and the effect is its mean excess over the true rate of the chosen setting.

The observed rates cannot be the true ones of the simulation: sampling has increased their
variance. We shrink them towards their mean until their variance is the observed variance less the
sampling variance (an empirical Bayes estimate with the right spread: Louis 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from graven.core.errors import UsageError
from graven.lab.stats.proportions import Proportion

SIMULATIONS = 10_000
SEED = 19790731


@dataclass(frozen=True)
class SelectionEffect:
    """The expected excess of the best of `candidates` figures over its true rate, from 0 to 1.

    `standard_deviation` is that of the excess over the simulated sweeps.
    """

    candidates: int
    best_rate: float
    excess: float
    standard_deviation: float

    @property
    def corrected_rate(self) -> float:
        """The best rate less the effect."""
        return min(1.0, max(0.0, self.best_rate - self.excess))

    def to_dict(self) -> dict[str, float]:
        """Return the effect as plain values."""
        return {**asdict(self), "corrected_rate": self.corrected_rate}


def selection_effect(
    candidates: Sequence[Proportion], *, simulations: int = SIMULATIONS, seed: int = SEED
) -> SelectionEffect:
    """Estimate the selection effect of taking the best of several proportions."""
    if not candidates or not all(0 < candidate.games < np.inf for candidate in candidates):
        raise UsageError("a selection effect needs candidates with a known number of games.")
    rates = np.array([candidate.rate for candidate in candidates])
    # Counts are drawn from whole numbers of games.
    games = np.array([max(1, round(candidate.games)) for candidate in candidates])
    true_rates = estimated_true_rates(rates, games)
    rng = np.random.default_rng(seed)
    observed = rng.binomial(games, true_rates, size=(simulations, len(candidates))) / games
    # Equal figures are chosen at random, not by their position.
    observed_or_tie = observed + 1e-9 * rng.random(observed.shape)
    chosen = observed_or_tie.argmax(axis=1)
    excess = observed[np.arange(simulations), chosen] - true_rates[chosen]
    return SelectionEffect(
        candidates=len(candidates),
        best_rate=float(rates.max()),
        excess=float(excess.mean()),
        standard_deviation=float(excess.std()),
    )


def estimated_true_rates(
    rates: NDArray[np.float64], games: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return rates shrunk towards their mean, with the variance that chance does not explain."""
    if len(rates) < 2:
        return rates
    centre = rates.mean()
    # One more win and loss than observed: a rate of 0 or 1 has a sampling variance, too.
    smoothed = (rates * games + 1) / (games + 2)
    sampling = (smoothed * (1 - smoothed) / games).mean()
    spread = rates.var(ddof=1)
    if spread <= 0:
        return rates
    return np.asarray(centre + np.sqrt(max(0.0, 1 - sampling / spread)) * (rates - centre))
