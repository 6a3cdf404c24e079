"""What `check_game` has checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from graven.core.plain_values import PlainValues


@dataclass(frozen=True)
class CheckReport(PlainValues):
    """A game that keeps the contract, and how that was checked. `print(report)` lists the checks.

    `positions` are those of `games` random games. `not_applicable` are checks of optional functions
    that the game does not have.
    """

    game: str
    games: int
    positions: int
    seed: int
    checked: tuple[str, ...]
    not_applicable: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            **asdict(self),
            "checked": [*self.checked],
            "not_applicable": [*self.not_applicable],
        }

    def __str__(self) -> str:
        lines = [
            f"{self.game} keeps the game contract: {len(self.checked)} checks in "
            f"{self.positions:,} positions of {self.games} random games (seed {self.seed}).",
            *(f"  {name.replace('_', ' ')}" for name in self.checked),
        ]
        if self.not_applicable:
            lines.append("Without the optional functions for it, not checked:")
            lines += [f"  {name.replace('_', ' ')}" for name in self.not_applicable]
        return "\n".join(lines)
