"""General game playing by Monte Carlo tree search with the whole RAVE family.

    import graven as gv

    game = gv.game("breakthrough", size=8)
    agent = gv.agent("grave(ref=50,bias=1e-4)")
    result = agent.search(game.start(), playouts=10_000)

Names are imported when they are first used: `import graven` itself loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graven.agents import Agent, SearchResult, agent, default_agent, openspiel_bot
    from graven.core.errors import ContractError, GravenError, UsageError
    from graven.core.game import Game
    from graven.core.game_parts import Bounds, Display, RuleFunctions
    from graven.core.position import Position
    from graven.lab.experiments.match import match
    from graven.lab.experiments.sweep import sweep
    from graven.lab.experiments.tournament import tournament
    from graven.lab.experiments.tune import tune
    from graven.lab.store.store import Store
    from graven.solving import ProofResult, Solution, prove, solve
    from graven.sources.load import load_game as game
    from graven.sources.python_class import from_class
    from graven.testing.contract_suite import check_game

__version__ = "0.1.0"

_HOMES = {
    "Agent": ("graven.agents", "Agent"),
    "Bounds": ("graven.core.game_parts", "Bounds"),
    "ContractError": ("graven.core.errors", "ContractError"),
    "Display": ("graven.core.game_parts", "Display"),
    "Game": ("graven.core.game", "Game"),
    "GravenError": ("graven.core.errors", "GravenError"),
    "Position": ("graven.core.position", "Position"),
    "ProofResult": ("graven.solving", "ProofResult"),
    "RunKeywords": ("graven.lab.experiments.run_config", "RunKeywords"),
    "RuleFunctions": ("graven.core.game_parts", "RuleFunctions"),
    "SearchResult": ("graven.agents", "SearchResult"),
    "Store": ("graven.lab.store.store", "Store"),
    "Solution": ("graven.solving", "Solution"),
    "UsageError": ("graven.core.errors", "UsageError"),
    "agent": ("graven.agents", "agent"),
    "default_agent": ("graven.agents", "default_agent"),
    "check_game": ("graven.testing.contract_suite", "check_game"),
    "game": ("graven.sources.load", "load_game"),
    "match": ("graven.lab.experiments.match", "match"),
    "sweep": ("graven.lab.experiments.sweep", "sweep"),
    "tournament": ("graven.lab.experiments.tournament", "tournament"),
    "tune": ("graven.lab.experiments.tune", "tune"),
    "prove": ("graven.solving", "prove"),
    "solve": ("graven.solving", "solve"),
    "openspiel_bot": ("graven.agents", "openspiel_bot"),
    "from_class": ("graven.sources.python_class", "from_class"),
}

__all__ = [
    "Agent",
    "Bounds",
    "ContractError",
    "Display",
    "Game",
    "GravenError",
    "Position",
    "ProofResult",
    "RuleFunctions",
    "RunKeywords",
    "SearchResult",
    "Solution",
    "Store",
    "UsageError",
    "agent",
    "check_game",
    "default_agent",
    "from_class",
    "game",
    "match",
    "openspiel_bot",
    "prove",
    "solve",
    "sweep",
    "tournament",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'graven' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
