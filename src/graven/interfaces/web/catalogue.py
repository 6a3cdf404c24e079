"""The games, agents and options that the forms of the page offer, as plain values."""

from __future__ import annotations

from math import isfinite
from typing import Any

from graven import __version__
from graven.agents import PolicyInfo, catalogue, default_spec
from graven.games import registry
from graven.gdl import sheets
from graven.interfaces.web.web_games import GDL, list_files
from graven.interfaces.web.web_limits import PageLimits
from graven.search.policy import Parameter, tree_policies

# Options of an agent that the page sets in another way, or that the server limits.
NOT_OFFERED = {"memory_mib", "playouts", "seconds"}


def choices(limits: PageLimits) -> dict[str, Any]:
    """Return all games, policies, limits and files."""
    return {
        "version": __version__,
        "default_agent": default_spec(),
        "games": [
            {
                "name": family.name,
                "summary": family.summary,
                "players": family.make().players,
                "playouts": sorted(family.make().playouts),
                "options": [
                    {"name": name, "default": option.default, "about": option.about}
                    for name, option in family.options.items()
                ],
            }
            for family in registry.families()
        ]
        + [_gdl_entry()],
        "policies": [_policy(info) for info in catalogue()],
        "limits": {
            "playouts": limits.playouts,
            "seconds": limits.seconds,
            "memory_mib": limits.tree_mib,
        },
        "files": list_files(limits.folder),
    }


def _gdl_entry() -> dict[str, Any]:
    """Return the GDL games of the package as one game with an option."""
    names = sheets.names()
    return {
        "name": GDL,
        "summary": "games of general game playing, written in the Game Description Language",
        "players": 2,
        "playouts": [],
        "options": [{"name": "sheet", "default": names[0], "about": "one of " + ", ".join(names)}],
    }


def _policy(info: PolicyInfo) -> dict[str, Any]:
    tree = tree_policies().get(info.name)
    return {
        "name": info.name,
        "kind": info.kind,
        "summary": info.summary,
        "parameters": [
            _parameter(parameter)
            for parameter in info.parameters
            if parameter.name not in NOT_OFFERED
        ],
        # The parameters of each formula; the others have no effect with it.
        "forms": {
            formula.name: [parameter.name for parameter in formula.parameters]
            for formula in tree.formulas
        }
        if tree is not None
        else {},
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    default = parameter.default
    kind = "flag" if isinstance(default, bool) else "text" if isinstance(default, str) else "number"
    return {
        "name": parameter.name,
        "kind": kind,
        "default": _plain(default),
        "low": _plain(parameter.low),
        "high": _plain(parameter.high),
        "choices": list(parameter.choices),
        "doc": parameter.doc,
    }


def _plain(value: float | str | bool) -> float | str | bool:
    """Return an infinite number as text, since JSON has no infinity."""
    return value if isinstance(value, str) or isfinite(value) else str(value)
