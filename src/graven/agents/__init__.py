"""Agents: ways to play, written as specs, and the players that they make for a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from graven.agents import openspiel_bot as openspiel_mcts
from graven.agents import puzzle_agent
from graven.agents.agent import Agent, SearchAgent
from graven.agents.default_agent import (
    BATCHED_SPEC,
    FEW_PLAYOUTS_SPEC,
    default_agent,
    default_spec,
)
from graven.agents.gtp_program import GtpAgent
from graven.agents.move_clock import MoveClock
from graven.agents.openspiel_bot import OpenSpielAgent, openspiel_bot
from graven.agents.player import ForfeitError, Player, ResignedError, SearchPlayer
from graven.agents.puzzle_agent import PuzzleAgent
from graven.agents.search_result import MoveStat, SearchResult
from graven.agents.spec_parser import Policies, game_playouts, parse
from graven.core.calls import IN_FILE, check_text
from graven.core.errors import UsageError, unknown
from graven.search.options import OPTIONS
from graven.search.policy import (
    Parameter,
    Policy,
    TreePolicy,
    playout_policies,
    tree_policies,
)
from graven.search.specs import Spec

__all__ = [
    "BATCHED_SPEC",
    "FEW_PLAYOUTS_SPEC",
    "Agent",
    "ForfeitError",
    "MoveClock",
    "MoveStat",
    "Player",
    "PolicyInfo",
    "PuzzleAgent",
    "ResignedError",
    "SearchAgent",
    "SearchPlayer",
    "SearchResult",
    "Spec",
    "agent",
    "as_agent",
    "catalogue",
    "default_agent",
    "default_spec",
    "is_external",
    "openspiel_bot",
    "parse",
    "policy_info",
]

# Kinds of agents besides our search. Each recognises its specs with `matches`.
EXTERNAL_AGENTS: tuple[type[GtpAgent] | type[OpenSpielAgent], ...] = (GtpAgent, OpenSpielAgent)


def agent(spec: str, policies: Policies = ()) -> Agent:
    """Make an agent from its spec, such as `grave(ref=50,bias=1e-4)` or `gtp("gnugo --mode gtp")`.

    The spec may name user-defined policies: those in files, and those in `policies`.
    """
    check_text("an agent", spec, "grave(ref=50)")
    if PuzzleAgent.matches(spec):
        return PuzzleAgent(spec)
    for kind in EXTERNAL_AGENTS:
        if kind.matches(spec):
            return kind(spec)
    return SearchAgent(spec, policies)


def as_agent(side: str | Agent) -> Agent:
    """Return an agent, or the one that a spec describes."""
    is_agent = hasattr(side, "check_match")
    return cast(Agent, side) if is_agent else agent(cast(str, side))


def is_external(spec: str) -> bool:
    """Return whether a spec names an external program rather than our search."""
    return any(kind.matches(spec) for kind in EXTERNAL_AGENTS)


@dataclass(frozen=True)
class PolicyInfo:
    """The description of a policy for users.

    `kind` is "tree", "playout", "game" (a playout policy that a game defines), "puzzle" (an agent
    for one-player games), "program" (an external program) or "option".
    """

    name: str
    kind: str
    summary: str
    parameters: tuple[Parameter, ...]


def catalogue() -> tuple[PolicyInfo, ...]:
    """Describe all tree policies, playout policies, external programs and search options."""
    trees = [_info(policy) for policy in tree_policies().values()]
    playouts = [_info(policy) for policy in playout_policies().values()]
    games = [PolicyInfo(name, "game", summary, ()) for name, summary in game_playouts().items()]
    openspiel = PolicyInfo(
        openspiel_mcts.NAME,
        "program",
        "OpenSpiel's C++ MCTS, as an opponent.",
        tuple(openspiel_mcts.PARAMETERS.values()),
    )
    puzzle = PolicyInfo(puzzle_agent.NAME, "puzzle", puzzle_agent.SUMMARY, ())
    options = PolicyInfo("(every tree policy)", "option", "How to search.", OPTIONS)
    return (*trees, *playouts, *games, puzzle, openspiel, options)


def policy_info(name: str) -> PolicyInfo:
    """Describe one policy, given by its name or by its place in a file (`mine.py:tree`)."""
    if IN_FILE in name:
        from graven.agents.user_policies import file_policy

        return _info(file_policy(name.strip()))
    infos = {info.name: info for info in catalogue() if info.kind != "option"}
    info = infos.get(name.strip().lower())
    if info is None and name.strip().endswith(".py"):
        raise UsageError(f"{name} is a file: name one of its policies, as in {name}:tree.")
    if info is None:
        raise unknown("policy", name, infos)
    return info


def _info(policy: Policy) -> PolicyInfo:
    kind = "tree" if isinstance(policy, TreePolicy) else "playout"
    return PolicyInfo(policy.name, kind, policy.summary, policy.parameters)
