"""The games, agents and options that the forms of the page offer, as plain values."""

from __future__ import annotations

from math import isfinite
from typing import Any

from graven import __version__
from graven.agents import PolicyInfo, catalogue, default_spec
from graven.core.game import Game
from graven.games import registry
from graven.gdl import sheets
from graven.interfaces.web.featured_games import featured_entries
from graven.interfaces.web.game_titles import NAMES, game_title
from graven.interfaces.web.web_games import GDL, list_files
from graven.interfaces.web.web_limits import PageLimits
from graven.search.policy import Parameter, tree_policies
from graven.sources.gdl_text import gdl_outline

# Options of an agent that the page sets in another way, or that the server limits.
NOT_OFFERED = {"memory_mib", "playouts", "seconds"}


def choices(limits: PageLimits) -> dict[str, Any]:
    """Return all games, policies, limits and files."""
    return {
        "version": __version__,
        "default_agent": default_spec(),
        "featured": featured_entries(),
        "games": [
            *(_user_entry(spec, game) for spec, game in limits.games.items()),
            *(_family_entry(family) for family in registry.families()),
            _gdl_entry(),
        ],
        "policies": [_policy(info) for info in catalogue()],
        "limits": {
            "playouts": limits.playouts,
            "seconds": limits.seconds,
            "memory_mib": limits.tree_mib,
        },
        "files": list_files(limits.folder),
    }


def _family_entry(family: registry.Family) -> dict[str, Any]:
    """Return a game of the package with its options."""
    game = family.make()
    return {
        "name": family.name,
        "title": NAMES.get(family.name, family.name.capitalize()),
        "summary": family.summary,
        "players": game.players,
        "playouts": sorted(game.playouts),
        "default_agent": default_spec(game),
        "options": [
            {"name": name, "default": option.default, "about": option.about, "choices": []}
            for name, option in family.options.items()
        ],
    }


def _user_entry(spec: str, game: Game) -> dict[str, Any]:
    """Return a user-defined game, which has no options."""
    return {
        "name": spec,
        "title": game_title(game),
        "summary": f"your game, {spec}",
        "players": game.players,
        "playouts": sorted(game.playouts),
        "default_agent": default_spec(game),
        "options": [],
        "user_defined": True,
    }


def _gdl_entry() -> dict[str, Any]:
    """Return the GDL games of the package as one game whose sheet is chosen from a list."""
    choices = [
        {
            "value": name,
            "label": sheets.title(name),
            "about": sheets.summary(name),
            "players": gdl_outline(f"{GDL}(sheet={name})").players,
        }
        for name in sheets.names()
    ]
    about = "the rules of the game"
    return {
        "name": GDL,
        "title": "Games in GDL",
        "summary": "games of general game playing, written in the Game Description Language",
        "players": 2,
        "playouts": [],
        "default_agent": default_spec(),
        "options": [
            {"name": "sheet", "default": choices[0]["value"], "about": about, "choices": choices}
        ],
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
