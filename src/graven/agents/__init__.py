"""Agents: specs bound to games."""

from __future__ import annotations

from dataclasses import dataclass

from graven.agents import openspiel_bot as spiel_mcts
from graven.agents.agent import Agent, MoveStat, Player, SearchResult
from graven.agents.gtp_program import Program, is_program
from graven.agents.openspiel_bot import SpielMcts, is_spiel_bot, openspiel_bot
from graven.agents.spec import Own, game_playouts, parse
from graven.core.calls import IN_FILE
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
    "Agent",
    "MoveStat",
    "Player",
    "PolicyInfo",
    "Program",
    "SearchResult",
    "Spec",
    "agent",
    "catalogue",
    "openspiel_bot",
    "parse",
    "policy_info",
]


def agent(spec: str, policies: Own = ()) -> Agent:
    """An agent from its spec, such as `grave(ref=50,bias=1e-4)` or `gtp("gnugo --mode gtp")`.

    The spec may name user-defined `policies`, besides those in files.
    """
    if is_spiel_bot(spec):
        return SpielMcts(spec)
    return Program(spec) if is_program(spec) else Agent(spec, policies)


@dataclass(frozen=True)
class PolicyInfo:
    """A policy as `graven agents` and the web page describe it.

    `kind` is "tree", "playout", "game" (a playout policy that a game defines), "program" (an
    external player) or "option".
    """

    name: str
    kind: str
    summary: str
    parameters: tuple[Parameter, ...]


def catalogue() -> tuple[PolicyInfo, ...]:
    """Return all tree policies and playout policies, external players, and the search options."""
    trees = [_info(policy) for policy in tree_policies().values()]
    playouts = [_info(policy) for policy in playout_policies().values()]
    games = [PolicyInfo(name, "game", summary, ()) for name, summary in game_playouts().items()]
    spiel = PolicyInfo(
        spiel_mcts.NAME,
        "program",
        "OpenSpiel's C++ MCTS, as an opponent.",
        tuple(spiel_mcts.PARAMETERS.values()),
    )
    options = PolicyInfo("(every tree policy)", "option", "How to search.", OPTIONS)
    return (*trees, *playouts, *games, spiel, options)


def policy_info(name: str) -> PolicyInfo:
    """Return the description of a policy, by its name or in a file (`mine.py:tree`)."""
    if IN_FILE in name:
        from graven.agents.user_policies import file_policy

        return _info(file_policy(name.strip()))
    known = {info.name: info for info in catalogue() if info.kind != "option"}
    found = known.get(name.strip().lower())
    if found is None and name.strip().endswith(".py"):
        raise UsageError(f"{name} is a file: name one of its policies, as in {name}:tree.")
    if found is None:
        raise unknown("policy", name, known)
    return found


def _info(policy: Policy) -> PolicyInfo:
    kind = "tree" if isinstance(policy, TreePolicy) else "playout"
    return PolicyInfo(policy.name, kind, policy.summary, policy.parameters)
