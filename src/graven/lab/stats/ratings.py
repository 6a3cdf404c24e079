"""Ratings: how strong each of several agents is, from the games they played in pairs.

Bradley and Terry (1952): agent i with strength s_i gets exp(s_i) / (exp(s_i) + exp(s_j)) of the
points against j; a draw is half a win of each. The ratings are the strengths of the greatest
likelihood, found by Newton's method on a function that has only one maximum, in Elo (400 / ln 10
for each unit of strength) with a mean of zero.

A maximum exists only if there is no way to split the agents so that one part never took a point
from the other. Where there is, everybody who played each other gets half a point more from the
other, and the table says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from graven.core.errors import UsageError
from graven.lab.stats.intervals import Score

ELO = 400 / log(10)
BOOTSTRAP = 1000
SEED = 20150731
STEPS = 100
ENOUGH = 1e-10

Matrix = NDArray[np.float64]
Scores = Mapping[tuple[int, int], Score]


@dataclass(frozen=True)
class Rating:
    """One agent's place: Elo with a 95 % interval, its games and the share of points it took."""

    agent: str
    elo: float
    low: float
    high: float
    games: int
    points: float


@dataclass(frozen=True)
class Ladder:
    """Ratings, the best first. `superior[i][j]` is how likely agent i is stronger than j."""

    ratings: tuple[Rating, ...]
    superior: tuple[tuple[float, ...], ...]
    helped: bool


def rate(agents: Sequence[str], scores: Scores, seed: int = SEED) -> Ladder:
    """Ratings from the scores of pairs (i, j), each from the point of view of agent i.

    The intervals and likelihoods of superiority come from tournaments that might as well have been:
    see `_bootstrap`.
    """
    count = len(agents)
    points = _points(count, scores)
    if not bool(_connected(points + points.T)):
        raise UsageError("ratings need agents who are compared, if only by way of others.")
    helped = not bool(_connected(points))
    help_each: Matrix = np.where(points + points.T > 0, 0.5 if helped else 0.0, 0.0)
    strengths = strengths_of(points + help_each)
    drawn = _bootstrap(count, scores, seed)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    above = (drawn[:, :, None] > drawn[:, None, :]).mean(axis=0)
    level = (drawn[:, :, None] == drawn[:, None, :]).mean(axis=0)
    superior = above + level / 2
    games = (points + points.T).sum(axis=1)
    order = sorted(range(count), key=lambda i: -strengths[i])
    ratings = tuple(
        Rating(
            agents[i],
            ELO * float(strengths[i]),
            ELO * float(min(low[i], strengths[i])),
            ELO * float(max(high[i], strengths[i])),
            int(games[i]),
            float(points[i].sum() / games[i]) if games[i] else 0.5,
        )
        for i in order
    )
    rows = tuple(tuple(float(superior[i, j]) for j in order) for i in order)
    return Ladder(ratings, rows, helped)


def strengths_of(points: Matrix) -> Matrix:
    """The strengths of the greatest likelihood; `points[..., i, j]` is what i took from j.

    Their mean is zero. Agents must be connected: see the top of this file. Further dimensions in
    front are as many tournaments, all solved at once.
    """
    count = points.shape[-1]
    games = points + points.swapaxes(-1, -2)
    wins = points.sum(axis=-1)
    strengths = np.zeros(points.shape[:-1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(strengths[..., None, :] - strengths[..., :, None]))
        slope = wins - (games * expected).sum(axis=-1)
        weight = games * expected * (1 - expected)
        curve = np.eye(count) * weight.sum(axis=-1)[..., None] - weight
        # Strengths count only relative to each other: fix their mean.
        step = np.linalg.solve(curve + 1.0 / count, slope[..., None])[..., 0]
        # A step that is far too long comes from one-sided scores: take it in parts.
        longest = np.abs(step).max(axis=-1, keepdims=True)
        strengths += step / np.maximum(1.0, longest)
        if longest.max() < ENOUGH:
            break
    return np.asarray(strengths - strengths.mean(axis=-1, keepdims=True))


def _points(count: int, scores: Scores) -> Matrix:
    points = np.zeros((count, count))
    for (i, j), score in scores.items():
        points[i, j] += score.wins + score.draws / 2
        points[j, i] += score.losses + score.draws / 2
    return points


def _connected(points: Matrix) -> NDArray[np.bool_]:
    """Whether everybody took a point from everybody, if only by way of others."""
    count = points.shape[-1]
    reached = np.minimum(1.0, np.eye(count) + (points > 0))
    steps = 1
    while steps < count:
        reached = np.minimum(1.0, reached @ reached)
        steps *= 2
    return np.asarray(reached.all(axis=(-1, -2)))


def _bootstrap(count: int, scores: Scores, seed: int) -> Matrix:
    """Strengths of tournaments that might as well have been, given the games that were played.

    The shares of wins, losses and draws of each pair are drawn from what is believed of them after
    its games, and before them half a win and half a loss: a Bayesian bootstrap (Rubin 1981) that
    claims no certainty where all games so far ended alike.
    """
    chance = np.random.default_rng(seed)
    points = np.zeros((BOOTSTRAP, count, count))
    for (i, j), score in scores.items():
        if score.games:
            seen = np.array([score.wins + 0.5, score.losses + 0.5, score.draws])
            drawn = chance.standard_gamma(seen, size=(BOOTSTRAP, 3))
            wins, losses, draws = score.games * (drawn / drawn.sum(axis=1, keepdims=True)).T
            points[:, i, j] += wins + draws / 2
            points[:, j, i] += losses + draws / 2
    return strengths_of(points)
