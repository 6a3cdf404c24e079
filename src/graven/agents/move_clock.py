"""The clock of one move: its budget, a plan to use less, and an event that ends it early."""

from __future__ import annotations

from dataclasses import dataclass

from graven.agents.time_plan import PlannedStop, TimePlan
from graven.search.budget import Budget
from graven.search.runner import Search, Stop

DEFAULT_BUDGET = Budget(playouts=1000)


@dataclass(frozen=True)
class MoveClock:
    """What one move may spend, and an event that ends it early.

    With a `plan` for the whole game the search ends when the plan says so, within the budget.
    """

    budget: Budget
    stop: Stop | None = None
    plan: TimePlan | None = None

    @property
    def limits(self) -> Budget:
        """The budget, limited to what the plan allows at most."""
        if self.plan is None:
            return self.budget
        seconds = self.plan.most_seconds
        return Budget(self.budget.playouts, min(seconds, self.budget.seconds or seconds))

    def stop_of(self, search: Search) -> Stop | None:
        """Return what ends a search that begins now."""
        return self.stop if self.plan is None else PlannedStop(self.plan, search, self.stop)

    @property
    def stopped(self) -> bool:
        """Whether the move has been cancelled."""
        return self.stop is not None and self.stop.is_set()
