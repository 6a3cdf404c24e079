"""The sequential test: its ratio against a direct optimisation, its errors against chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from graven.core.errors import UsageError
from graven.lab.stats.sprt import POINTS, Sprt, Trial, likelihood_ratio, score_of


def most_likely(counts, mean):
    """The greatest log likelihood of any distribution with this mean, by a general optimiser."""

    def loss(logits):
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        return -np.sum(counts * np.log(shares))

    def off(logits):
        shares = np.exp(logits - logits.max())
        return shares @ POINTS / shares.sum() - mean

    found = minimize(
        loss,
        np.log(counts / counts.sum()),
        constraints={"type": "eq", "fun": off},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert found.success
    return -found.fun


@pytest.mark.parametrize(
    "counts", [(10, 20, 40, 25, 5), (1, 2, 30, 2, 9), (40, 1, 1, 1, 60), (3, 3, 3, 3, 3)]
)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 20), (-30, 30), (5, 100)])
def test_the_ratio_is_that_of_two_greatest_likelihoods(counts, elo0, elo1):
    counts = np.array(counts, dtype=float)
    expected = most_likely(counts, score_of(elo1)) - most_likely(counts, score_of(elo0))
    ours = likelihood_ratio(counts, score_of(elo0), score_of(elo1))
    assert ours == pytest.approx(expected, abs=1e-3)


def decided(test, score, chance, most=4000):
    """What a test says about an agent with this share of points in independent games."""
    trial = Trial(test)
    for index in range(most):
        trial.add(index, float(chance.random() < score))
        if trial.verdict.decided is not None:
            return trial.verdict.decided
    return None


@pytest.mark.parametrize("truth", [0, 80])
def test_it_is_rarely_wrong(truth):
    chance = np.random.default_rng(11)
    test = Sprt(0, 80)
    verdicts = [decided(test, score_of(truth), chance) for _ in range(60)]
    # 5 % errors are expected: 3 of 60.
    assert sum(verdict != truth for verdict in verdicts) <= 8
    assert None not in verdicts


def test_pairs_count_in_order_whoever_is_faster():
    chance = np.random.default_rng(5)
    outcomes = dict(enumerate((chance.random(400) < 0.75).astype(float)))
    calm = Trial(Sprt(0, 60), outcomes)
    shuffled = Trial(Sprt(0, 60))
    for index in chance.permutation(400):
        shuffled.add(int(index), outcomes[int(index)])
    assert calm.verdict == shuffled.verdict
    assert calm.verdict.decided == 60
    assert calm.verdict.pairs < 200


def test_nothing_is_decided_without_pairs():
    trial = Trial(Sprt(0, 20))
    trial.add(1, 1.0)
    trial.add(3, 1.0)
    assert trial.verdict.pairs == 0
    assert "undecided" in str(trial.verdict)


def test_draws_only_are_evidence_for_equality():
    trial = Trial(Sprt(0, 200), dict.fromkeys(range(4000), 0.5))
    assert trial.verdict.decided == 0


@pytest.mark.parametrize(("elo0", "elo1"), [(5, 5), (9, 3), (float("nan"), 3), (0, float("inf"))])
def test_senseless_claims_are_refused(elo0, elo1):
    with pytest.raises(UsageError, match="the smaller one first"):
        Sprt(elo0, elo1)
