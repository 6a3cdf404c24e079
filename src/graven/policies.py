"""Everything that a user-defined tree policy or playout policy needs.

    from graven.policies import Formula, Parameter, TreePolicy

See docs/write-a-policy.md; `graven new policy NAME` writes a file to start from.
"""

from __future__ import annotations

from graven.core.compile import inlined
from graven.core.contract import features, is_playout_move, legal, play, sample, scores, turn
from graven.core.rng import below, uniform
from graven.core.status import Status
from graven.search.plan import NEVER
from graven.search.playout.loop import play_with, random_move
from graven.search.policy import (
    Formula,
    Parameter,
    PlayoutPolicy,
    PlayoutVariant,
    TreePolicy,
)
from graven.search.tree import LENGTH

__all__ = [
    "LENGTH",
    "NEVER",
    "Formula",
    "Parameter",
    "PlayoutPolicy",
    "PlayoutVariant",
    "Status",
    "TreePolicy",
    "below",
    "features",
    "inlined",
    "is_playout_move",
    "legal",
    "play",
    "play_with",
    "random_move",
    "sample",
    "scores",
    "turn",
    "uniform",
]
