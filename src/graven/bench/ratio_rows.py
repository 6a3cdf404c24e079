"""A ratio as a row of a table, and how two rates are taken in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Row:
    """One ratio. `ratio` is `ours / other`; it should reach `target`, or stay below it."""

    name: str
    what: str
    unit: str
    target: float
    below: bool = False
    ours: float | None = None
    other: float | None = None
    ratio: float | None = None
    skipped: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if nothing was measured."""
        if self.ratio is None:
            return None
        return self.ratio < self.target if self.below else self.ratio >= self.target

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        return {**asdict(self), "met": self.met}


Rate = Callable[[], float]


class Medians(NamedTuple):
    """Two rates and their ratio, over several rounds."""

    ours: float
    other: float
    ratio: float


def in_turn(ours: Rate, other: Rate, rounds: int) -> Medians:
    """The medians of two rates, taken in turn, and of the rounds' ratios."""
    ours(), other()  # compile and warm up
    pairs = []
    for number in range(rounds):
        # Whoever comes first changes from round to round.
        if number % 2:
            second, first = other(), ours()
        else:
            first, second = ours(), other()
        pairs.append((first, second))
    return Medians(
        ours=median(first for first, _ in pairs),
        other=median(second for _, second in pairs),
        ratio=median(first / second for first, second in pairs),
    )
