"""How long a search may take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from graven.core.errors import UsageError
from graven.core.number_checks import check_number, check_whole

# Playouts of a node are counted in 32 bits.
MOST_PLAYOUTS = 2_000_000_000


@dataclass(frozen=True)
class Budget:
    """Playouts or seconds for one move; with both, whichever ends first."""

    playouts: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        check_whole("playouts", self.playouts)
        check_number("seconds", self.seconds)
        if self.playouts is not None and self.playouts < 1:
            raise UsageError(f"a search needs at least 1 playout, not {self.playouts}.")
        if self.playouts is not None and self.playouts > MOST_PLAYOUTS:
            raise UsageError(f"a search has at most {MOST_PLAYOUTS:,} playouts.")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise UsageError(
                f"a search must have more than 0 seconds, and finitely many, not {self.seconds}."
            )

    @property
    def is_limited(self) -> bool:
        """Whether playouts or seconds are limited."""
        return self.playouts is not None or self.seconds is not None
