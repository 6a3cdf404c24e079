"""The default agent: the one place that says which agent plays where the user names none.

It is the candidate with the best worst case over all native games, the shipped GDL sheets, the
template of `graven new game` and games of OpenSpiel: docs/default-agent.md has the measurements.
"""

from __future__ import annotations

from graven.agents.agent import SearchAgent
from graven.core.game import Game

DEFAULT_SPEC = "grave(ref=50,k=250,c=0.2)+mast(epsilon=0.4,decay=0.2)"
# Games with strong playouts of their own: the name of the playout policy and the agent.
SPECS_BY_PLAYOUT = {"mogo": "grave(ref=100,bias=1e-6)+mogo"}


def default_spec(game: Game | None = None) -> str:
    """Return the spec of the default agent for a game; without a game, for any game."""
    for playout, spec in SPECS_BY_PLAYOUT.items():
        if game is not None and playout in game.playouts:
            return spec
    return DEFAULT_SPEC


def default_agent(game: Game | None = None) -> SearchAgent:
    """Return the agent that `play`, `search`, `serve`, `gtp` and `ggp` use if none is given."""
    return SearchAgent(default_spec(game))
