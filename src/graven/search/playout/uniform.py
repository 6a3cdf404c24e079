"""Uniformly random moves to the end of the game.

Also serves the playout policies of a game: they replace its `sample`. Where the game's functions
compile into one `rollout`, the kernel calls that instead of `choose`.
"""

from __future__ import annotations

from graven.core.contract import Rules
from graven.search.playout.loop import random_move
from graven.search.policy import PlayoutPolicy, PlayoutVariant
from graven.search.tree import Record


def choose(rules: Rules, record: Record, memory: None, player: int) -> int:
    """Return a uniformly random move."""
    return random_move(rules, record, player)


POLICIES = (
    PlayoutPolicy(
        "uniform", "Uniformly random legal moves.", (PlayoutVariant(choose, rollout=True),)
    ),
)
