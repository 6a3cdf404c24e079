"""The selection effect of the best of a sweep, against order statistics and simulation."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from graven.core.errors import UsageError
from graven.lab.stats.best_of_sweep import selection_effect
from graven.lab.stats.proportions import Proportion

GAMES = 500


def expected_maximum(count):
    """Return the mean of the largest of `count` standard normal variables."""
    return quad(lambda x: x * count * norm.pdf(x) * norm.cdf(x) ** (count - 1), -9, 9)[0]


def sweep(rates, rng):
    return [Proportion(wins / GAMES, GAMES) for wins in rng.binomial(GAMES, rates)]


@pytest.mark.parametrize("count", [3, 15])
def test_equal_settings_give_the_expected_maximum_of_as_many_normal_variables(count):
    effect = selection_effect([Proportion(0.6, GAMES)] * count)
    assert effect.excess == pytest.approx(expected_maximum(count) * sqrt(0.24 / GAMES), rel=0.05)
    assert effect.best_rate == 0.6
    assert effect.corrected_rate == pytest.approx(0.6 - effect.excess)


def test_a_setting_that_is_far_better_than_all_others_has_no_selection_effect():
    candidates = [Proportion(rate, GAMES) for rate in (0.9, 0.5, 0.4, 0.45)]
    assert abs(selection_effect(candidates).excess) < 0.002


def test_one_figure_alone_was_not_selected():
    assert abs(selection_effect([Proportion(0.7, GAMES)]).excess) < 0.001


@pytest.mark.parametrize("spread", [0.0, 0.03, 0.1])
def test_the_estimate_is_right_on_average(spread):
    """Simulate sweeps whose true rates are known, and compare the true excess of their best."""
    rng = np.random.default_rng(13)
    true, estimated = [], []
    for _ in range(300):
        rates = np.clip(0.6 + spread * rng.standard_normal(15), 0.05, 0.95)
        candidates = sweep(rates, rng)
        best = max(range(15), key=lambda i: candidates[i].rate)
        true.append(candidates[best].rate - rates[best])
        estimated.append(selection_effect(candidates, simulations=400).excess)
    assert np.mean(estimated) == pytest.approx(np.mean(true), abs=0.005)


def test_the_same_sweep_gives_the_same_estimate():
    candidates = [Proportion(rate, GAMES) for rate in (0.55, 0.6, 0.62)]
    assert selection_effect(candidates) == selection_effect(candidates)


def test_candidates_without_games_are_rejected():
    with pytest.raises(UsageError, match="number of games"):
        selection_effect([Proportion(0.5, 0)])
