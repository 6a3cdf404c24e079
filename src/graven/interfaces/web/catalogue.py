"""What there is to choose from: games with their options, agents with their parameters."""

from __future__ import annotations

from math import isfinite
from typing import Any

from graven import __version__
from graven.agents import PolicyInfo, catalogue
from graven.games import registry
from graven.gdl import sheets
from graven.interfaces.web.web_games import GDL, files_in
from graven.interfaces.web.web_limits import Limits
from graven.search.policy import Parameter, tree_policies

# Options of an agent that the server or the page sets in another way.
NOT_OFFERED = {"memory_mib", "playouts", "seconds"}


def choices(limits: Limits) -> dict[str, Any]:
    """All of it as plain values."""
    return {
        "version": __version__,
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
        + _written_in_gdl(),
        "policies": [_policy(info) for info in catalogue()],
        "limits": {
            "playouts": limits.playouts,
            "seconds": limits.seconds,
            "memory": limits.memory,
        },
        "files": files_in(limits.folder),
    }


def _written_in_gdl() -> list[dict[str, Any]]:
    """The games in GDL that come with graven, as one more game with an option."""
    names = sheets.names()
    option = {"name": "sheet", "default": names[0], "about": "one of " + ", ".join(names)}
    said = "games of general game playing, written in the Game Description Language"
    return [{"name": GDL, "summary": said, "players": 2, "playouts": [], "options": [option]}]


def _policy(info: PolicyInfo) -> dict[str, Any]:
    tree = tree_policies().get(info.name)
    return {
        "name": info.name,
        "kind": info.kind,
        "summary": info.summary,
        "parameters": [
            _parameter(each) for each in info.parameters if each.name not in NOT_OFFERED
        ],
        # Which parameters go with which formula: the others make no sense beside it.
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
    """JSON has no infinity: it becomes the word."""
    return value if isinstance(value, str) or isfinite(value) else str(value)
