"""What agents outside of this package have in common: they play, and hide how they search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from graven.agents.search_result import SearchResult
from graven.core.errors import UsageError
from graven.core.game import Game, GameOutline
from graven.core.position import Position


class ExternalAgent(ABC):
    """A program that plays games of two players and whose search cannot be inspected."""

    @property
    @abstractmethod
    def spec(self) -> str:
        """The spec in canonical form."""

    def check_match(self, game: Game | GameOutline) -> None:
        """Raise a UsageError for games that do not have two players."""
        if game.players != 2:
            raise UsageError(
                f"{self.spec} plays games of two players; {game.spec} has {game.players}."
            )

    def search(self, position: Position, *budget: Any, **options: Any) -> SearchResult:
        """Raise a UsageError."""
        raise self._hidden()

    def analyze(self, position: Position, *budget: Any, **options: Any) -> Iterator[SearchResult]:
        """Raise a UsageError."""
        raise self._hidden()

    def _hidden(self) -> UsageError:
        return UsageError(f"{self.spec} plays matches; its search cannot be inspected.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.spec,)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}>"
