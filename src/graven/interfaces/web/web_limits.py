"""How much of the machine the people on the page may use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LONGEST_TEXT = 1 << 20  # characters of a game's rules as GDL text
MESSAGE_BYTES = LONGEST_TEXT + (1 << 16)
MOST_MOVES = 5000  # moves in one message
MOST_BATCH = 1024  # playouts in one batch: nobody can stop a search within one
WAITING_MESSAGES = 64  # messages that a slow browser may leave unread before it is let go
IDLE_SECONDS = 24 * 3600.0  # how long a game without a tab is kept
UPDATES_A_SECOND = 8.0


@dataclass(frozen=True)
class Limits:
    """What the server allows: for one move of an agent, and altogether.

    `folder`, if any, is the only place on the disk that games may read files from.
    """

    playouts: int = 1_000_000
    seconds: float = 60.0
    memory: int = 512  # MiB for a tree
    searches: int = 4  # at once
    sessions: int = 100
    folder: Path | None = None

    @property
    def trees(self) -> int:
        """How many trees are kept to be looked at after their searches."""
        return 2 * self.searches + 2
