"""Agents: specs bound to games."""

from __future__ import annotations

from dataclasses import dataclass

from graven.agents import spiel as spiel_mcts
from graven.agents.agent import Agent, Found, MoveStat, Player
from graven.agents.programs import Program, is_program
from graven.agents.spec import OPTIONS, Spec, parse
from graven.agents.spiel import SpielMcts, is_spiel_bot, spiel_bot
from graven.search.policy import Parameter, playout_policies, tree_policies

__all__ = [
    "Agent",
    "Found",
    "MoveStat",
    "Player",
    "PolicyInfo",
    "Program",
    "Spec",
    "agent",
    "catalogue",
    "parse",
    "spiel_bot",
]


def agent(spec: str) -> Agent:
    """An agent from its spec, such as `grave(ref=50,bias=1e-4)` or `gtp("gnugo --mode gtp")`."""
    if is_spiel_bot(spec):
        return SpielMcts(spec)
    return Program(spec) if is_program(spec) else Agent(spec)


@dataclass(frozen=True)
class PolicyInfo:
    """What people are told of a policy. `kind` is "tree", "playout", "program" or "option"."""

    name: str
    kind: str
    summary: str
    parameters: tuple[Parameter, ...]


def catalogue() -> tuple[PolicyInfo, ...]:
    """Every tree policy and playout policy; last, the options that all tree policies take."""
    trees = [PolicyInfo(p.name, "tree", p.summary, p.parameters) for p in tree_policies().values()]
    playouts = [
        PolicyInfo(p.name, "playout", p.summary, p.parameters) for p in playout_policies().values()
    ]
    spiel = PolicyInfo(
        spiel_mcts.NAME,
        "program",
        "OpenSpiel's C++ MCTS, as an opponent.",
        tuple(spiel_mcts.PARAMETERS.values()),
    )
    options = PolicyInfo("(every tree policy)", "option", "How to search.", OPTIONS)
    return (*trees, *playouts, spiel, options)
