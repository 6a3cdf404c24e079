"""The report of a refereed match: goals, faults, and the moves as a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

LATE, ILLEGAL, MISSING = "late", "illegal", "missing"


@dataclass
class SeatReport:
    """One player's goal and faults in a match."""

    role: str
    player: str
    goal: int | None = None
    faults: dict[str, int] = field(default_factory=lambda: {LATE: 0, ILLEGAL: 0, MISSING: 0})
    first_fault: str = ""

    def count_fault(self, kind: str, description: str) -> None:
        """Count a fault, and keep the description of the first one."""
        self.faults[kind] += 1
        self.note(description)

    def note(self, description: str) -> None:
        """Describe a fault that is not counted, unless another one came before."""
        self.first_fault = self.first_fault or description


@dataclass
class MatchReport:
    """A match as it was played; each step has the legal moves of all roles and the joint move."""

    match: str
    seats: list[SeatReport]
    steps: list[dict[str, Any]] = field(default_factory=list)
    terminal: bool = False
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return a summary as plain values."""
        return {
            "match": self.match,
            "players": [
                {"role": seat.role, "player": seat.player, "goal": seat.goal, **seat.faults}
                for seat in self.seats
            ],
            "steps": len(self.steps),
            "terminal": self.terminal,
            "seconds": round(self.seconds, 3),
        }

    def trace(self, game: str, number: int) -> dict[str, Any]:
        """Return the match in the format of the traces that `graven gdl verify` reads."""
        return {
            "game": game,
            "match": number,
            "roles": [seat.role for seat in self.seats],
            "steps": self.steps,
            "terminal": self.terminal,
            "cut": not self.terminal,
            "goals": [seat.goal for seat in self.seats] if self.terminal else None,
        }
