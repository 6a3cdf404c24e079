"""Elo ratings of several agents from the games that they played in pairs.

Bradley and Terry (1952): agent i with strength s_i gets exp(s_i) / (exp(s_i) + exp(s_j)) of the
points against j; a draw is half a win for each. The ratings are the maximum likelihood strengths,
found by Newton's method (the likelihood has one maximum), in Elo (400 / ln 10 per unit of strength)
with a mean of zero.

A maximum exists only if the agents cannot be split into two groups of which one never took a point
from the other. If they can, every agent gets half a point more against every opponent that it
played (a regularisation, reported in `Ladder.regularised`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from graven.core.errors import UsageError
from graven.lab.stats.match_statistics import MatchStatistics

ELO_PER_STRENGTH = 400 / log(10)
BOOTSTRAP_SAMPLES = 1000
BOOTSTRAP_SEED = 20150731
MAX_NEWTON_STEPS = 100
CONVERGED_STEP = 1e-10

Matrix = NDArray[np.float64]
Matches = Mapping[tuple[int, int], MatchStatistics]


@dataclass(frozen=True)
class Rating:
    """An agent's Elo with its 95 % confidence interval, its games and its share of points."""

    agent: str
    elo: float
    low: float
    high: float
    games: int
    points: float


@dataclass(frozen=True)
class Ladder:
    """Ratings, the best first.

    `superiority[i][j]` is the likelihood that agent i is stronger than agent j. `regularised`
    is whether half points were added, because one-sided scores have no finite ratings.
    """

    ratings: tuple[Rating, ...]
    superiority: tuple[tuple[float, ...], ...]
    regularised: bool


def rate_agents(agents: Sequence[str], matches: Matches, seed: int = BOOTSTRAP_SEED) -> Ladder:
    """Rate agents from the matches of pairs (i, j), each from the point of view of agent i.

    The confidence intervals and likelihoods of superiority come from a bootstrap: see `_bootstrap`.
    """
    count = len(agents)
    points = _points(count, matches)
    if not bool(_connected(points + points.T)):
        raise UsageError(
            "ratings need agents that are connected by games, directly or through opponents."
        )
    regularised = not bool(_connected(points))
    extra: Matrix = np.where(points + points.T > 0, 0.5 if regularised else 0.0, 0.0)
    strengths = fit_strengths(points + extra)
    samples = _bootstrap(count, matches, seed)
    low, high = np.percentile(samples, [2.5, 97.5], axis=0)
    stronger = (samples[:, :, None] > samples[:, None, :]).mean(axis=0)
    equal = (samples[:, :, None] == samples[:, None, :]).mean(axis=0)
    superiority = stronger + equal / 2
    games = (points + points.T).sum(axis=1)
    order = sorted(range(count), key=lambda i: -strengths[i])
    ratings = tuple(
        Rating(
            agent=agents[i],
            elo=ELO_PER_STRENGTH * float(strengths[i]),
            low=ELO_PER_STRENGTH * float(min(low[i], strengths[i])),
            high=ELO_PER_STRENGTH * float(max(high[i], strengths[i])),
            games=int(games[i]),
            points=float(points[i].sum() / games[i]) if games[i] else 0.5,
        )
        for i in order
    )
    rows = tuple(tuple(float(superiority[i, j]) for j in order) for i in order)
    return Ladder(ratings, rows, regularised)


def fit_strengths(points: Matrix) -> Matrix:
    """Return the maximum likelihood strengths; `points[..., i, j]` are the points of i against j.

    Their mean is zero. Agents must be connected: see the module's docstring. Further leading
    dimensions are independent tournaments, all solved at once.
    """
    count = points.shape[-1]
    games = points + points.swapaxes(-1, -2)
    wins = points.sum(axis=-1)
    strengths = np.zeros(points.shape[:-1])
    for _ in range(MAX_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(strengths[..., None, :] - strengths[..., :, None]))
        gradient = wins - (games * expected).sum(axis=-1)
        weight = games * expected * (1 - expected)
        hessian = np.eye(count) * weight.sum(axis=-1)[..., None] - weight
        # Only differences of strengths matter, so the Hessian is singular: fix the mean.
        step = np.linalg.solve(hessian + 1.0 / count, gradient[..., None])[..., 0]
        # One-sided scores give steps that are far too long: limit them.
        longest = np.abs(step).max(axis=-1, keepdims=True)
        strengths += step / np.maximum(1.0, longest)
        if longest.max() < CONVERGED_STEP:
            break
    return np.asarray(strengths - strengths.mean(axis=-1, keepdims=True))


def _points(count: int, matches: Matches) -> Matrix:
    points = np.zeros((count, count))
    for (i, j), match in matches.items():
        score = match.score
        points[i, j] += score.wins + score.draws / 2
        points[j, i] += score.losses + score.draws / 2
    return points


def _connected(points: Matrix) -> NDArray[np.bool_]:
    """Return whether every agent took points from every other one, directly or indirectly."""
    count = points.shape[-1]
    reached = np.minimum(1.0, np.eye(count) + (points > 0))
    steps = 1
    while steps < count:
        reached = np.minimum(1.0, reached @ reached)
        steps *= 2
    return np.asarray(reached.all(axis=(-1, -2)))


def _bootstrap(count: int, matches: Matches, seed: int) -> Matrix:
    """Return the strengths of sampled tournaments, one per row: a Bayesian bootstrap (Rubin 1981).

    The shares of the results of each match (wins, losses and draws, or with random openings the
    results of pairs) are drawn from their posterior, with half a win and half a loss as the prior,
    so that intervals stay wide where all games ended alike.
    """
    rng = np.random.default_rng(seed)
    points = np.zeros((BOOTSTRAP_SAMPLES, count, count))
    for (i, j), match in matches.items():
        if match.score.games:
            posterior = {1.0: 0.5, 0.0: 0.5}
            for result, occurred in match.sample.counts:
                posterior[result] = posterior.get(result, 0.0) + occurred
            weights = rng.standard_gamma(
                np.array(list(posterior.values())), size=(BOOTSTRAP_SAMPLES, len(posterior))
            )
            rates = weights @ np.array(list(posterior)) / weights.sum(axis=1)
            points[:, i, j] += match.score.games * rates
            points[:, j, i] += match.score.games * (1 - rates)
    return fit_strengths(points)
