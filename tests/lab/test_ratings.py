"""Ratings against an independent implementation (choix), and their properties."""

from __future__ import annotations

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.lab.stats.intervals import Sample, Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.stats.ratings import ELO_PER_STRENGTH, fit_strengths, rate_agents

NAMES = ("a", "b", "c", "d")

SCORES = st.fixed_dictionaries(
    {
        pair: st.builds(Score, st.integers(1, 40), st.integers(1, 40), st.just(0))
        for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    }
)


def rate(agents, scores, **options):
    """Rate agents from scores of independent games."""
    matches = {pair: MatchStatistics(score) for pair, score in scores.items()}
    return rate_agents(agents, matches, **options)


@settings(max_examples=20)
@given(SCORES)
def test_strengths_are_those_of_choix(scores):
    games = []
    for (one, other), score in scores.items():
        games += [(one, other)] * score.wins + [(other, one)] * score.losses
    theirs = choix.opt_pairwise(4, games, alpha=0.0)
    ours = {rating.agent: rating.elo for rating in rate(NAMES, scores).ratings}
    expected = dict(zip(NAMES, ELO_PER_STRENGTH * (theirs - theirs.mean()), strict=True))
    assert ours == pytest.approx(expected, abs=0.05)


def test_a_draw_is_half_a_win_of_each():
    drawn = {(0, 1): Score(30, 10, 20)}
    halved = {(0, 1): Score(40, 20, 0)}
    one, other = (rate(NAMES[:2], scores).ratings for scores in (drawn, halved))
    assert [rating.elo for rating in one] == pytest.approx([rating.elo for rating in other])
    # Two agents: the difference is the one that belongs to the share of points.
    assert one[0].elo - one[1].elo == pytest.approx(400 * np.log10(2))
    # Draws say more than wins and losses that cancel out.
    assert one[0].high - one[0].low < other[0].high - other[0].low


def test_the_order_and_the_mean():
    scores = {(0, 1): Score(10, 30), (0, 2): Score(5, 35), (1, 2): Score(15, 25)}
    ladder = rate(NAMES[:3], scores)
    assert [rating.agent for rating in ladder.ratings] == ["c", "b", "a"]
    assert sum(rating.elo for rating in ladder.ratings) == pytest.approx(0, abs=1e-6)
    assert not ladder.regularised
    for rating in ladder.ratings:
        assert rating.low < rating.elo < rating.high
        assert rating.games == 80
    for i in range(3):
        for j in range(3):
            assert ladder.superiority[i][j] + ladder.superiority[j][i] == pytest.approx(1)
    assert ladder.superiority[0][2] > 0.99


def test_the_interval_has_about_its_nominal_coverage():
    """In many ladders of two equal agents, the interval contains the true difference, 0."""
    rng = np.random.default_rng(3)
    covered = 0
    for number in range(60):
        wins = int(rng.binomial(60, 0.5))
        (first, _) = rate(NAMES[:2], {(0, 1): Score(wins, 60 - wins)}, seed=number).ratings
        covered += first.low <= 0 <= first.high
    assert covered >= 52


def test_one_sided_scores_are_regularised():
    ladder = rate(NAMES[:3], {(0, 1): Score(20, 0), (0, 2): Score(10, 10), (1, 2): Score(0, 20)})
    assert ladder.regularised
    assert ladder.ratings[-1].agent == "b"
    assert all(np.isfinite(rating.elo) for rating in ladder.ratings)
    assert ladder.ratings[-1].low > -2000


def test_one_game_gives_a_wide_interval():
    ladder = rate(["a", "b"], {(0, 1): Score(wins=1)})
    best = ladder.ratings[0]
    assert best.agent == "a"
    assert best.low < best.elo < best.high
    assert 0.5 < ladder.superiority[0][1] < 0.99


def test_a_gauntlet_rates_agents_that_never_met():
    scores = {(0, 1): Score(30, 10), (0, 2): Score(10, 30)}
    ladder = rate(NAMES[:3], scores)
    assert [rating.agent for rating in ladder.ratings] == ["c", "a", "b"]
    difference = ladder.ratings[0].elo - ladder.ratings[1].elo
    assert difference == pytest.approx(400 * np.log10(3))


def test_unconnected_agents_are_not_rated():
    with pytest.raises(UsageError, match="connected by games"):
        rate(NAMES, {(0, 1): Score(3, 4), (2, 3): Score(1, 1)})


def test_newton_steps_converge_for_one_sided_scores():
    points = np.array([[0, 999.0], [0.5, 0]])
    strengths = fit_strengths(points)
    assert strengths[0] - strengths[1] == pytest.approx(np.log(1998))


def test_ratings_of_games_with_openings_count_pairs():
    """Openings that decide the games leave much of the difference between agents to chance."""
    score = Score(60, 40)
    # All pairs were won or lost by the same agent in both games: 50 results, not 100.
    pairs = Sample(((0.0, 20), (1.0, 30)), games_per_result=2)
    alone = rate_agents(["a", "b"], {(0, 1): MatchStatistics(score)}).ratings[0]
    paired = rate_agents(["a", "b"], {(0, 1): MatchStatistics(score, groups=pairs)}).ratings[0]
    assert paired.elo == alone.elo
    ratio = (paired.high - paired.low) / (alone.high - alone.low)
    assert ratio == pytest.approx(np.sqrt(2), abs=0.12)
