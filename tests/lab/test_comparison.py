"""Comparisons of two proportions against statsmodels, SciPy, published examples and simulation."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    proportions_ztest,
    tost_proportions_2indep,
)

from graven.core.errors import UsageError
from graven.lab.stats.comparison import (
    Comparison,
    compare,
    difference_interval,
    difference_z,
    games_that_decide,
    holm,
    judge_together,
)
from graven.lab.stats.intervals import Sample, Score, equality_p_value, likelihood_of_superiority
from graven.lab.stats.proportions import Proportion

COUNTS = [(56, 100, 281, 500), (30, 40, 347, 500), (0, 40, 10, 500), (339, 500, 330, 500)]


def share(wins, games):
    return Proportion(wins / games, games)


@pytest.mark.parametrize(("wins", "games"), [(0, 9), (56, 100), (339, 500), (500, 500)])
def test_the_interval_is_statsmodels_wilson_interval(wins, games):
    expected = proportion_confint(wins, games, method="wilson")
    assert share(wins, games).interval() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("half_width", [0.004, 0.024, 0.1])
def test_a_published_half_width_gives_the_games_of_its_normal_interval(half_width):
    published = Proportion.from_half_width(0.62, half_width)
    low, high = proportion_confint(0.62 * published.games, published.games, method="normal")
    assert (low, high) == pytest.approx((0.62 - half_width, 0.62 + half_width))


@pytest.mark.parametrize(("x1", "n1", "x2", "n2"), COUNTS)
def test_the_p_value_is_that_of_statsmodels_pooled_test(x1, n1, x2, n2):
    _, expected = proportions_ztest([x1, x2], [n1, n2])
    assert compare(share(x1, n1), share(x2, n2)).p_value == pytest.approx(expected)


# Newcombe (1998), Statistics in Medicine 17, table II: the intervals of Mee.
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [((56, 70, 48, 80), 0.0533, 0.3377), ((9, 10, 3, 10), 0.1821, 0.8370)],
)
def test_the_interval_of_a_difference_is_that_of_newcombes_examples(counts, low, high):
    x1, n1, x2, n2 = counts
    interval = difference_interval(share(x1, n1), share(x2, n2))
    assert interval == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("difference", [-0.2, -0.05, 0.0, 0.03, 0.3])
def test_the_score_uses_the_most_likely_rates_with_that_difference(counts, difference):
    x1, n1, x2, n2 = counts

    def loss(rate):
        other = rate - difference
        return -(
            xlogy(x1, rate)
            + xlogy(n1 - x1, 1 - rate)
            + xlogy(x2, other)
            + xlogy(n2 - x2, 1 - other)
        )

    bounds = (max(0, difference) + 1e-12, min(1, 1 + difference) - 1e-12)
    rate = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    other = rate - difference
    error = sqrt(rate * (1 - rate) / n1 + other * (1 - other) / n2)
    expected = (x1 / n1 - x2 / n2 - difference) / error
    assert difference_z(share(x1, n1), share(x2, n2), difference) == pytest.approx(
        expected, rel=1e-3, abs=1e-6
    )


@pytest.mark.parametrize(("x1", "n1", "x2", "n2"), [(560, 1000, 281, 500), (1450, 2000, 350, 500)])
def test_large_samples_agree_with_statsmodels_wald_tests(x1, n1, x2, n2):
    ours = compare(share(x1, n1), share(x2, n2))
    assert ours.ci95 == pytest.approx(
        confint_proportions_2indep(x1, n1, x2, n2, method="wald"), abs=0.002
    )
    expected = tost_proportions_2indep(x1, n1, x2, n2, -0.05, 0.05, method="wald").pvalue
    assert ours.equivalence_p == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("x1", "n1", "x2", "n2"), [*COUNTS, (360, 500, 300, 500)])
def test_interval_p_value_and_equivalence_test_do_not_contradict_each_other(x1, n1, x2, n2):
    ours = compare(share(x1, n1), share(x2, n2))
    low, high = ours.ci95
    assert (low <= 0 <= high) == (ours.p_value >= 0.05)
    low, high = difference_interval(share(x1, n1), share(x2, n2), confidence=0.9)
    assert (low > -0.05 and high < 0.05) == (ours.equivalence_p < 0.05)


def test_an_exact_published_rate_gives_the_test_of_one_proportion():
    ours = compare(share(61, 100), Proportion(0.5, inf))
    assert ours.p_value == pytest.approx(proportions_ztest(61, 100, 0.5, prop_var=0.5)[1])
    low, high = share(61, 100).interval()
    assert ours.ci95 == pytest.approx((low - 0.5, high - 0.5))


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (share(3370, 5000), "equivalent"),
        (share(300, 500), "differs"),
        (share(30, 40), "undecided"),
        # Different, but by less than the margin: what matters is equivalent.
        (share(63_000, 100_000), "equivalent"),
    ],
)
def test_verdicts(ours, verdict):
    published = Proportion(0.64, 100_000) if ours.games == 100_000 else share(339, 500)
    assert compare(ours, published).verdict == verdict


def test_a_wider_margin_makes_equivalence_easier():
    ours, published = share(337, 500), share(339, 500)
    assert compare(ours, published, margin=0.05).verdict == "undecided"
    assert compare(ours, published, margin=0.1).verdict == "equivalent"


@pytest.mark.parametrize("margin", [0.0, -0.1, 1.0])
def test_invalid_margins_are_rejected(margin):
    with pytest.raises(UsageError, match="equivalence margin"):
        compare(share(1, 2), share(3, 4), margin=margin)


def test_certain_figures_do_not_fail():
    same = compare(share(40, 40), share(500, 500))
    assert same.p_value == 1.0
    assert same.ci95[0] < 0 < same.ci95[1]
    assert compare(share(40, 40), share(0, 500)).verdict == "differs"


@pytest.mark.parametrize(("before", "won"), [(100, 66), (100, 60), (200, 132), (50, 36)])
def test_the_planned_games_decide_as_often_as_promised(before, won):
    """Continue a sample with true rates that fit it: about 80 % are decided as planned."""
    theirs = Proportion(0.66, 20_000)
    ours = share(won, before)
    games = games_that_decide(ours, theirs, before)
    rng = np.random.default_rng(5)
    truths = rng.beta(won + 0.5, before - won + 0.5, size=600)
    wins = won + rng.binomial(games - before, truths)
    decided = [compare(share(int(won), games), theirs).verdict != "undecided" for won in wins]
    assert 0.75 < np.mean(decided) < 0.86
    assert f"{compare(ours, theirs).more_games:,} more games" in str(compare(ours, theirs))


def test_the_published_sample_limits_what_more_games_can_decide():
    """With any number of our games, the published 500 leave the difference open by 4 points."""
    ours, theirs = compare(share(329, 500), share(339, 500)), share(339, 500)
    assert ours.verdict == "undecided"
    assert ours.more_games is None
    assert f"{100 * ours.decision_limit:.0f} % at most" in str(ours)
    rng = np.random.default_rng(6)
    truths = rng.beta(329.5, 171.5, size=1000)
    decided = [compare(Proportion(rate, 10**7), theirs).verdict != "undecided" for rate in truths]
    assert ours.decision_limit == pytest.approx(np.mean(decided), abs=0.05)


def test_the_games_of_a_cell_that_has_not_been_played_can_be_planned():
    games = games_that_decide(Proportion(0.5, 0), Proportion(0.6, 20_000), 0)
    # A 90 % interval of +- 5 points alone needs 1.645^2 * 0.24 / 0.05^2 = 260 games.
    assert 300 < games < 2000


def test_holms_correction_is_that_of_statsmodels():
    rng = np.random.default_rng(2)
    for count in (1, 2, 15, 40):
        p_values = rng.random(count) ** 3
        expected = multipletests(p_values, method="holm")[1]
        assert holm(list(p_values)) == pytest.approx(list(expected))


def test_a_table_judged_as_a_whole_needs_more_evidence_for_every_cell():
    published = share(300, 500)
    cells = [compare(share(wins, 500), published) for wins in (333, 320, 300, 305, 200)]
    judged = judge_together(cells)
    assert cells[0].verdict == "differs"
    assert [cell.verdict for cell in judged] == ["undecided"] * 4 + ["differs"]
    for cell, together in zip(cells, judged, strict=True):
        assert together.corrected_p >= cell.p_value
        assert together.ci95 == cell.ci95


def test_holm_keeps_the_error_of_a_whole_table_below_five_per_cent():
    rng = np.random.default_rng(8)
    errors = 0
    for _ in range(300):
        cells = [
            compare(share(int(ours), 400), share(int(theirs), 500))
            for ours, theirs in zip(
                rng.binomial(400, 0.6, size=10), rng.binomial(500, 0.6, size=10), strict=True
            )
        ]
        errors += any(cell.verdict == "differs" for cell in judge_together(cells))
    assert errors <= 26  # 15 expected at most, standard deviation 3.8


@pytest.mark.parametrize("difference", [-0.05, 0.0, 0.02])
def test_the_interval_of_a_difference_has_its_nominal_coverage(difference):
    rng = np.random.default_rng(4)
    covered = 0
    for won, theirs in zip(
        rng.binomial(60, 0.65 + difference, size=2000), rng.binomial(500, 0.65, 2000), strict=True
    ):
        low, high = difference_interval(share(int(won), 60), share(int(theirs), 500))
        covered += low <= difference <= high
    assert 0.935 < covered / 2000 < 0.97


def test_draws_and_pairs_count_as_more_games():
    decisive = Score(30, 30).sample.proportion
    drawn = Score(15, 15, 30).sample.proportion
    assert decisive.games == 60
    assert 90 < drawn.games < 120
    pairs = Sample.of([0.5] * 25 + [0.0, 1.0] * 5 + [0.25, 0.75] * 5, games_per_result=2)
    assert pairs.proportion.games > 2 * pairs.size


def test_the_p_value_against_one_half_is_statsmodels_and_fits_the_likelihood():
    sample = Score(61, 39).sample
    expected = proportions_ztest(61, 100, 0.5, prop_var=0.5)[1]
    assert equality_p_value(sample) == pytest.approx(expected)
    assert likelihood_of_superiority(sample) == pytest.approx(1 - expected / 2)
    pairs = Sample.of([0.5, 0.75, 1.0, 0.25, 0.75], games_per_result=2)
    z = 0.75 / sqrt(0.25**2 * 3 + 0.5**2)
    assert equality_p_value(pairs) == pytest.approx(2 * norm.sf(z))


def test_a_comparison_without_games_is_rejected():
    with pytest.raises(UsageError, match="at least one game"):
        compare(Score().sample.proportion, share(1, 2))
    assert isinstance(compare(Score(1).sample.proportion, share(1, 2)), Comparison)
