"""All that a tree policy or a playout policy of one's own is written with.

    from graven.policies import Form, Parameter, TreePolicy, best

See docs/adding-a-policy.md; `graven new policy NAME` writes a file to begin with.
"""

from __future__ import annotations

from graven.core.compile import inlined
from graven.core.contract import features, is_playout_move, legal, play, sample, scores, turn
from graven.core.rng import below, uniform
from graven.search.plan import NEVER, OK
from graven.search.playout.loop import play_with
from graven.search.policy import (
    Form,
    Parameter,
    PlayoutForm,
    PlayoutPolicy,
    TreePolicy,
    new_learner,
)
from graven.search.select.best import best
from graven.search.tree import LENGTH

__all__ = [
    "LENGTH",
    "NEVER",
    "OK",
    "Form",
    "Parameter",
    "PlayoutForm",
    "PlayoutPolicy",
    "TreePolicy",
    "below",
    "best",
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
