"""The clock of one move: its budget, and an event that ends it early."""

from __future__ import annotations

from dataclasses import dataclass

from graven.search.budget import Budget
from graven.search.runner import Stop

DEFAULT_BUDGET = Budget(playouts=1000)


@dataclass(frozen=True)
class MoveClock:
    """What one move may spend, and an event that ends it early."""

    budget: Budget
    stop: Stop | None = None

    @property
    def stopped(self) -> bool:
        """Whether the move has been cancelled."""
        return self.stop is not None and self.stop.is_set()
