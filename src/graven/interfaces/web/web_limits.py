"""Limits on what the users of the page may ask of the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graven.core.game import Game

MAX_RULES_CHARACTERS = 1 << 20  # of a game's rules as GDL text
MAX_MESSAGE_BYTES = MAX_RULES_CHARACTERS + (1 << 16)
MAX_MOVES_PER_MESSAGE = 5000
MAX_BATCH_PLAYOUTS = 1024  # a search cannot be stopped within a batch
SEND_QUEUE_SIZE = 64  # messages that a slow browser may leave unread before it is disconnected
IDLE_SECONDS = 24 * 3600.0  # how long a game without a tab is kept
# Grounding of rules that a page sends, in a process of its own.
GROUNDING_SECONDS = 30.0
PROOF_SECONDS = 5.0  # to prove the first position of rules that are too large to ground
GROUNDING_MEMORY_MIB = 1024
MAX_ATOMS, MAX_INSTANCES, MAX_LITERALS = 1_000_000, 2_000_000, 8_000_000
COMMAND_SECONDS = 30.0  # after which a command that proves rules is cancelled
MAX_WAITING_MESSAGES = 64  # of a tab, while an earlier one is acted on
UPDATES_PER_SECOND = 8.0  # of a running search, sent to the page


@dataclass(frozen=True)
class PageLimits:
    """What the server allows, for one move of an agent and in total.

    `folder` is the only directory from which games may read files; None forbids files. `games` are
    the user-defined games named on the command line, by the texts that name them; no other Python
    file is run.
    """

    playouts: int = 1_000_000
    seconds: float = 60.0
    memory_mib: int = 1024  # of all trees together
    searches: int = 4  # running at the same time
    sessions: int = 100
    threads: int = 2  # of a search
    ponder: bool = True  # agents with a time limit also search while persons think
    folder: Path | None = None
    games: Mapping[str, Game] = field(default_factory=dict)

    @property
    def tree_mib(self) -> int:
        """Return the memory of the tree of a running search."""
        return max(1, self.memory_mib // self.searches)

    @property
    def trees(self) -> int:
        """Return how many trees are kept for inspection after their searches."""
        return 2 * self.searches + 2
