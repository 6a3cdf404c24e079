"""Ratios of two quantities as rows of a table, with the spread of the rounds behind each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

Rate = Callable[[], float]
Range = tuple[float, float]

ROUNDS = 5
LONG_ROUNDS = 3


@dataclass(frozen=True)
class RatioRow:
    """One ratio, `ours / other`, which should reach `target`, or stay below it if `below`.

    `ours`, `other` and `ratio` are medians over `rounds` rounds; the ranges are the smallest and
    the largest value of a round, and None if there was only one measurement. `skipped` is the
    reason why nothing was measured.
    """

    name: str
    what: str
    unit: str
    target: float
    below: bool = False
    ours: float | None = None
    other: float | None = None
    ratio: float | None = None
    rounds: int = 0
    ours_range: Range | None = None
    other_range: Range | None = None
    ratio_range: Range | None = None
    skipped: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if nothing was measured."""
        if self.ratio is None:
            return None
        return self.ratio < self.target if self.below else self.ratio >= self.target

    def with_rounds(self, rounds: Sequence[tuple[float, float]]) -> RatioRow:
        """Return the row with medians and ranges of rounds, each (ours, other)."""
        ours = [ours for ours, _ in rounds]
        other = [other for _, other in rounds]
        ratios = [ours / other for ours, other in rounds]
        several = len(rounds) > 1
        return replace(
            self,
            ours=median(ours),
            other=median(other),
            ratio=median(ratios),
            rounds=len(rounds),
            ours_range=(min(ours), max(ours)) if several else None,
            other_range=(min(other), max(other)) if several else None,
            ratio_range=(min(ratios), max(ratios)) if several else None,
        )

    def with_value(self, ours: float, other: float) -> RatioRow:
        """Return the row with a single measurement."""
        return self.with_rounds([(ours, other)])

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values."""
        return {**asdict(self), "met": self.met}


def measure_ratio(row: RatioRow, ours: Rate, other: Rate, rounds: int = ROUNDS) -> RatioRow:
    """Return the row with two rates that are measured alternately.

    Both rates are measured once before the first round, to compile and to warm up. The one that is
    measured first alternates between rounds.
    """
    ours(), other()
    pairs = []
    for number in range(rounds):
        if number % 2:
            second, first = other(), ours()
        else:
            first, second = ours(), other()
        pairs.append((first, second))
    return row.with_rounds(pairs)
