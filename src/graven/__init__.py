"""General game playing by Monte Carlo tree search with the whole RAVE family.

    import graven as gv

    game = gv.game("breakthrough", size=8)
    agent = gv.agent("grave(ref=50,bias=1e-4)")
    found = agent.search(game.start(), playouts=10_000)

Names are imported when they are first used: `import graven` itself loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graven.agents import Agent, Found, agent, spiel_bot
    from graven.agents.games import make_game as game
    from graven.core.errors import ContractError, GravenError, UsageError
    from graven.core.game import Game, Position
    from graven.foreign.wrap import wrap
    from graven.lab.match import match
    from graven.lab.store import Store
    from graven.lab.sweep import sweep
    from graven.lab.tournament import tournament
    from graven.lab.tune import tune
    from graven.solving import Solution, solve
    from graven.testing.contract import check_game as check

__version__ = "0.1.0"

_HOMES = {
    "Agent": ("graven.agents", "Agent"),
    "ContractError": ("graven.core.errors", "ContractError"),
    "Found": ("graven.agents", "Found"),
    "Game": ("graven.core.game", "Game"),
    "GravenError": ("graven.core.errors", "GravenError"),
    "Position": ("graven.core.game", "Position"),
    "Store": ("graven.lab.store", "Store"),
    "Solution": ("graven.solving", "Solution"),
    "UsageError": ("graven.core.errors", "UsageError"),
    "agent": ("graven.agents", "agent"),
    "check": ("graven.testing.contract", "check_game"),
    "game": ("graven.agents.games", "make_game"),
    "match": ("graven.lab.match", "match"),
    "sweep": ("graven.lab.sweep", "sweep"),
    "tournament": ("graven.lab.tournament", "tournament"),
    "tune": ("graven.lab.tune", "tune"),
    "solve": ("graven.solving", "solve"),
    "spiel_bot": ("graven.agents", "spiel_bot"),
    "wrap": ("graven.foreign.wrap", "wrap"),
}

__all__ = [
    "Agent",
    "ContractError",
    "Found",
    "Game",
    "GravenError",
    "Position",
    "Solution",
    "Store",
    "UsageError",
    "agent",
    "check",
    "game",
    "match",
    "solve",
    "spiel_bot",
    "sweep",
    "tournament",
    "tune",
    "wrap",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graven' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
