"""The sequential test: its ratio against a direct optimisation, its error rates by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from graven.core.errors import UsageError
from graven.lab.stats.intervals import rate_from_elo
from graven.lab.stats.sprt import PAIR_SCORES, SequentialTest, Sprt, log_likelihood_ratio


def most_likely(counts, mean):
    """Return the maximum log-likelihood of distributions with this mean, by a general optimiser."""

    def loss(logits):
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        return -np.sum(counts * np.log(shares))

    def off(logits):
        shares = np.exp(logits - logits.max())
        return shares @ PAIR_SCORES / shares.sum() - mean

    optimum = minimize(
        loss,
        np.log(counts / counts.sum()),
        constraints={"type": "eq", "fun": off},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert optimum.success
    return -optimum.fun


@pytest.mark.parametrize(
    "counts", [(10, 20, 40, 25, 5), (1, 2, 30, 2, 9), (40, 1, 1, 1, 60), (3, 3, 3, 3, 3)]
)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 20), (-30, 30), (5, 100)])
def test_the_ratio_is_that_of_two_maximum_likelihoods(counts, elo0, elo1):
    counts = np.array(counts, dtype=float)
    expected = most_likely(counts, rate_from_elo(elo1)) - most_likely(counts, rate_from_elo(elo0))
    ours = log_likelihood_ratio(counts, rate_from_elo(elo0), rate_from_elo(elo1))
    assert ours == pytest.approx(expected, abs=1e-3)


def accepted(test, score, rng, most=4000):
    """Return the Elo that a test accepts for an agent with this share of points."""
    trial = SequentialTest(test)
    for index in range(most):
        trial.add(index, float(rng.random() < score))
        if trial.decided:
            return trial.verdict.accepted_elo
    return None


@pytest.mark.parametrize("truth", [0, 80])
def test_errors_are_as_rare_as_promised(truth):
    rng = np.random.default_rng(11)
    test = Sprt(0, 80)
    verdicts = [accepted(test, rate_from_elo(truth), rng) for _ in range(60)]
    # 5 % errors are expected: 3 of 60.
    assert sum(verdict != truth for verdict in verdicts) <= 8
    assert None not in verdicts


def test_pairs_count_in_the_order_of_their_numbers():
    rng = np.random.default_rng(5)
    outcomes = dict(enumerate((rng.random(400) < 0.75).astype(float)))
    calm = SequentialTest(Sprt(0, 60), outcomes)
    shuffled = SequentialTest(Sprt(0, 60))
    for index in rng.permutation(400):
        shuffled.add(int(index), outcomes[int(index)])
    assert calm.verdict == shuffled.verdict
    assert calm.verdict.accepted_elo == 60
    assert calm.verdict.pairs < 200


def test_nothing_is_decided_without_pairs():
    trial = SequentialTest(Sprt(0, 20))
    trial.add(1, 1.0)
    trial.add(3, 1.0)
    assert trial.verdict.pairs == 0
    assert "undecided" in str(trial.verdict)


def test_draws_only_are_evidence_for_equality():
    trial = SequentialTest(Sprt(0, 200), dict.fromkeys(range(4000), 0.5))
    assert trial.verdict.accepted_elo == 0


@pytest.mark.parametrize(("elo0", "elo1"), [(5, 5), (9, 3), (float("nan"), 3), (0, float("inf"))])
def test_invalid_hypotheses_are_rejected(elo0, elo1):
    with pytest.raises(UsageError, match="the smaller one first"):
        Sprt(elo0, elo1)


@pytest.mark.parametrize(("alpha", "beta"), [(0.01, 0.2), (0.2, 0.01)])
def test_alpha_and_beta_are_the_bounds_of_wald(alpha, beta):
    test = Sprt(0, 80, alpha, beta)
    assert test.lower_bound == pytest.approx(np.log(beta / (1 - alpha)))
    assert test.upper_bound == pytest.approx(np.log((1 - beta) / alpha))


def test_each_error_is_as_rare_as_its_own_probability():
    """A test with a large alpha accepts the higher Elo too often, and the lower one rarely."""
    rng = np.random.default_rng(12)
    test = Sprt(0, 80, alpha=0.3, beta=0.02)
    wrong = {
        truth: sum(accepted(test, rate_from_elo(truth), rng) != truth for _ in range(80))
        for truth in (0, 80)
    }
    assert 10 <= wrong[0] <= 36  # 24 expected at most
    assert wrong[80] <= 6  # 1.6 expected at most


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"alpha": 0.5}, {"beta": 1.5}, {"beta": -0.1}])
def test_invalid_error_probabilities_are_rejected(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        Sprt(0, 20, **wrong)
