"""All statistics of a match, computed in one place for every command that shows them.

With random openings the games from the same opening are not independent, so intervals, likelihoods
and p-values count groups of games (pairs, for two players) instead of games.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from graven.lab.stats.intervals import (
    Sample,
    Score,
    elo_from_rate,
    equality_p_value,
    likelihood_of_superiority,
)

# The possible means of two games, each lost, drawn or won.
PAIR_RESULTS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class SeatScore:
    """The first agent's score in one seat assignment: `seats[player]` is 0 where it sits."""

    seats: tuple[int, ...]
    score: Score


@dataclass(frozen=True)
class MatchStatistics:
    """The statistics of a match from the first agent's point of view.

    `seat_scores` has the score in every seat assignment, `seat_points` the mean score of each seat.
    With random openings, `groups` has the mean results of the complete groups of games from the
    same opening, and `first_seat_groups` those of the first seat. `equal_seats` is whether both
    agents get the same seats equally often; without it, equal agents do not have equal win rates.
    """

    score: Score
    seat_scores: tuple[SeatScore, ...] = ()
    seat_points: tuple[float, ...] = ()
    groups: Sample | None = None
    first_seat_groups: Sample | None = None
    equal_seats: bool = True

    @property
    def sample(self) -> Sample:
        """The independent results: groups of games with random openings, else games."""
        return self.groups if self.groups is not None and self.groups.size else self.score.sample

    @property
    def games(self) -> int:
        """The number of games."""
        return self.score.games

    @property
    def win_rate(self) -> float | None:
        """The share of points, from 0 to 1; None without games."""
        return self.score.win_rate

    @cached_property
    def ci95(self) -> tuple[float, float]:
        """The 95 % confidence interval of the win rate."""
        return self.sample.proportion.interval()

    @property
    def elo(self) -> float | None:
        """The Elo difference of the win rate; infinite if every game ended alike."""
        if self.win_rate is None or not self.equal_seats:
            return None
        return elo_from_rate(self.win_rate)

    @property
    def elo_ci95(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the Elo difference; its ends may be infinite."""
        if self.elo is None:
            return None
        low, high = self.ci95
        return elo_from_rate(low), elo_from_rate(high)

    @property
    def superiority(self) -> float | None:
        """The likelihood that the first agent is the stronger one."""
        return likelihood_of_superiority(self.sample) if self.elo is not None else None

    @property
    def p_value(self) -> float | None:
        """The two-sided p-value of the hypothesis that the win rate is 50 %."""
        return equality_p_value(self.sample) if self.elo is not None else None

    @property
    def first_seat(self) -> MatchStatistics | None:
        """The statistics of the first of two seats, over both agents: the first-move advantage."""
        if not self.seat_scores or len(self.seat_scores[0].seats) != 2:
            return None
        total = Score()
        for seat in self.seat_scores:
            total += seat.score if seat.seats[0] == 0 else seat.score.reversed
        return MatchStatistics(total, groups=self.first_seat_groups)

    @property
    def pentanomial(self) -> tuple[int, ...] | None:
        """How many pairs of games gave 0, 1/2, 1, 3/2 and 2 points; None without paired games."""
        if self.groups is None or self.groups.games_per_result != 2:
            return None
        counts = dict(self.groups.counts)
        return tuple(counts.get(result, 0) for result in PAIR_RESULTS)

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as plain values; infinite numbers are None."""
        first_seat = self.first_seat
        return {
            **_rate_json(self),
            "elo": _finite(self.elo),
            "elo_ci95": [_finite(end) for end in self.elo_ci95] if self.elo_ci95 else None,
            "likelihood_of_superiority": self.superiority,
            "p_value": self.p_value,
            "by_seat": [
                {"seats": list(seat.seats), **_rate_json(MatchStatistics(seat.score))}
                for seat in self.seat_scores
            ],
            "first_seat": (
                {**_rate_json(first_seat), "p_value": first_seat.p_value} if first_seat else None
            ),
            "seat_points": list(self.seat_points),
            "pairs": sum(self.pentanomial) if self.pentanomial is not None else None,
            "pentanomial": list(self.pentanomial) if self.pentanomial is not None else None,
        }


def _rate_json(statistics: MatchStatistics) -> dict[str, Any]:
    score = statistics.score
    return {
        "games": score.games,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "win_rate": score.win_rate,
        "ci95": list(statistics.ci95),
    }


def _finite(value: float | None) -> float | None:
    """Return a number that JSON can write; None if it is infinite."""
    return value if value is not None and isfinite(value) else None
