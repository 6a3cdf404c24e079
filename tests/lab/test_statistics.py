"""Confidence intervals against SciPy, against the equation they solve, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap, norm

from graven.lab.stats.intervals import (
    Score,
    elo_from_rate,
    likelihood_of_superiority,
    mean_interval,
    rate_from_elo,
    win_rate,
    win_rate_interval,
)

Z = norm.ppf(0.975)


@pytest.mark.parametrize(("wins", "losses"), [(1, 0), (0, 7), (5, 5), (61, 39), (339, 161)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_without_draws_it_is_wilsons_interval(wins, losses, confidence):
    test = binomtest(wins, wins + losses)
    expected = test.proportion_ci(confidence_level=confidence, method="wilson")
    assert win_rate_interval(wins, losses, confidence=confidence) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )


@pytest.mark.parametrize("score", [(3, 4, 5), (10, 0, 1), (0, 0, 12), (120, 90, 290)])
def test_with_draws_both_ends_solve_the_score_equation(score):
    games = sum(score)
    rate = win_rate(*score)
    share = score[2] / 4 / (games * rate * (1 - rate) + Z**2 / 4)
    for end in win_rate_interval(*score):
        variance = end * (1 - end) * (1 - share)
        assert (rate - end) ** 2 == pytest.approx(Z**2 * variance / games, abs=1e-12)


def test_intervals_of_one_sided_scores_end_at_0_and_1():
    for games in range(1, 1000):
        assert win_rate_interval(games, 0)[1] == 1.0
        assert win_rate_interval(0, games)[0] == 0.0


def test_draws_narrow_the_interval_but_never_to_a_point():
    def width(low_high):
        return low_high[1] - low_high[0]

    assert width(win_rate_interval(30, 30, 40)) < width(win_rate_interval(50, 50))
    assert width(win_rate_interval(0, 0, 5)) > 0.1


@pytest.mark.parametrize("shares", [(0.35, 0.25, 0.4), (0.9, 0.0, 0.1), (0.05, 0.8, 0.15)])
def test_the_interval_has_its_nominal_coverage(shares):
    rng = np.random.default_rng(7)
    truth = shares[0] + shares[2] / 2
    covered = 0
    for wins, losses, draws in rng.multinomial(60, shares, size=4000):
        low, high = win_rate_interval(int(wins), int(losses), int(draws))
        covered += low <= truth <= high
    assert 0.935 < covered / 4000 < 0.99


def test_without_games_the_interval_is_0_to_1():
    assert win_rate(0, 0, 0) is None
    assert win_rate_interval(0, 0, 0) == (0.0, 1.0)


def test_a_draw_is_half_a_win():
    assert win_rate(1, 1, 2) == 0.5
    assert win_rate(0, 0, 3) == 0.5
    assert win_rate(3, 1, 0) == 0.75


def test_a_score_counts_games_one_by_one():
    score = Score().plus(1.0).plus(0.5).plus(0.0).plus(1.0)
    assert score == Score(wins=2, losses=1, draws=1)
    assert score.games == 4
    assert score.win_rate == win_rate(2, 1, 1)
    assert score.ci95 == win_rate_interval(2, 1, 1)


def test_scores_add_up():
    assert Score(1, 2, 3) + Score(4, 5, 6) == Score(5, 7, 9)


def test_superiority_is_the_chance_that_a_normal_variable_is_positive():
    assert likelihood_of_superiority(Score(0, 0, 7).sample) == 0.5
    assert likelihood_of_superiority(Score(60, 40, 5).sample) == pytest.approx(norm.cdf(2.0))
    assert likelihood_of_superiority(Score(40, 60, 5).sample) == pytest.approx(norm.cdf(-2.0))


def test_elo_differences_of_win_rates():
    assert elo_from_rate(0.5) == 0
    assert elo_from_rate(10 / 11) == pytest.approx(400)
    assert elo_from_rate(0.0) == -elo_from_rate(1.0) == -np.inf
    for elo in (-300, 0, 12.5, 800):
        assert elo_from_rate(rate_from_elo(elo)) == pytest.approx(elo)


def test_the_interval_of_a_mean_is_that_of_games_where_values_are_games():
    values = [0.0] * 30 + [0.5] * 25 + [1.0] * 45
    assert mean_interval(values) == pytest.approx(win_rate_interval(45, 30, 25))
    assert mean_interval([]) == (0.0, 1.0)


@pytest.mark.parametrize("counts", [(10, 20, 60, 70, 40), (50, 5, 5, 5, 50), (0, 0, 90, 110, 0)])
def test_the_interval_of_pairs_agrees_with_scipys_bootstrap(counts):
    values = np.repeat([0, 0.25, 0.5, 0.75, 1], counts)
    rng = np.random.default_rng(1)
    expected = bootstrap((values,), np.mean, method="percentile", rng=rng).confidence_interval
    assert mean_interval(list(values)) == pytest.approx((expected.low, expected.high), abs=0.012)


def test_few_drawn_pairs_have_a_wide_interval():
    low, high = mean_interval([0.5] * 5)
    assert high - low > 0.2
