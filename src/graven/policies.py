"""All that a tree policy or a playout policy of one's own is written with.

    from graven.policies import Formula, Parameter, TreePolicy

See docs/adding-a-policy.md; `graven new policy NAME` writes a file to begin with.
"""

from __future__ import annotations

from graven.core.compile import inlined
from graven.core.contract import (
    features,
    is_playout_move,
    legal,
    play,
    sample,
    scores,
    turn,
)
from graven.core.rng import below, uniform
from graven.search.plan import NEVER, OK
from graven.search.playout.loop import play_with
from graven.search.policy import (
    Formula,
    Parameter,
    PlayoutForm,
    PlayoutPolicy,
    TreePolicy,
    new_learner,
)
from graven.search.tree import LENGTH

__all__ = [
    "LENGTH",
    "NEVER",
    "OK",
    "Formula",
    "Parameter",
    "PlayoutForm",
    "PlayoutPolicy",
    "TreePolicy",
    "below",
    "features",
    "inlined",
    "is_playout_move",
    "legal",
    "new_learner",
    "play",
    "play_with",
    "sample",
    "scores",
    "turn",
    "uniform",
]
