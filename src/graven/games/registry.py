"""Registry of games by name: `breakthrough`, `breakthrough(size=6x5)`, `misere-nogo(size=9)`.

A game is registered by a module of this package that defines `FAMILY`. `find` imports only the
module of the requested name; `families` searches the whole package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from graven.core.calls import CallSyntaxError, parse_arguments, split
from graven.core.errors import UsageError, unknown
from graven.core.game import MISERE, Game
from graven.core.game import Option as Value

PACKAGE = "graven.games"


@dataclass(frozen=True)
class GameOption:
    """An option of a game: its default value and a description of the allowed values."""

    default: Value
    about: str


@dataclass(frozen=True)
class Family:
    """A registered game before its options are chosen.

    `make` takes the options by keyword and validates them. `name` is also the name of the module
    that defines the family.
    """

    name: str
    summary: str
    options: Mapping[str, GameOption]
    make: Callable[..., Game]


def families() -> list[Family]:
    """Return all games of the package, sorted by name."""
    package = import_module(PACKAGE)
    modules = (_family(module.name) for module in iter_modules(package.__path__))
    return sorted((family for family in modules if family), key=lambda family: family.name)


def find(name: str) -> Family:
    """Return the game with this name, with or without `misere-`; import no other game."""
    base_name = name.removeprefix(MISERE)
    family = _family(base_name) if re.fullmatch(r"[a-z][a-z0-9_]*", base_name) else None
    if family is None:
        prefix = name[: len(name) - len(base_name)]
        raise unknown("game", name, (prefix + family.name for family in families()))
    return family


def _family(name: str) -> Family | None:
    """Return the family that the module with this name defines, or None."""
    if find_spec(f"{PACKAGE}.{name}") is None:
        return None
    family = getattr(import_module(f"{PACKAGE}.{name}"), "FAMILY", None)
    return family if isinstance(family, Family) and family.name == name else None


def make_game(text: str, **options: Value) -> Game:
    """Return a game from its name, with options in the text or by keyword.

    The prefix `misere-` inverts the scores.
    """
    name, chosen = parse(text)
    for option, value in options.items():
        if option in chosen:
            raise UsageError(f"the option {option!r} is given twice: in {text!r} and beside it.")
        chosen[option] = value
    family = find(name)
    for option in chosen:
        if option not in family.options:
            raise unknown(f"option of {family.name}", option, family.options)
    game = family.make(**chosen)
    return game.as_misere() if name.startswith(MISERE) else game


def parse(text: str) -> tuple[str, dict[str, Value]]:
    """Return the name and the options of a text such as `breakthrough(size=6x5)`."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*", text)
    if match is None:
        if re.match(r"\s*[\w-]+\s*\(", text):
            split(text, ",")  # raises an error that names the parenthesis without a partner
        raise malformed(text)
    name, inside = match[1].lower(), match[2] or ""
    try:
        options: dict[str, Value] = {**parse_arguments(inside, repr(text))}
    except CallSyntaxError:
        raise _unnamed_value(text, name, inside) from None
    return name, options


def _unnamed_value(text: str, name: str, inside: str) -> UsageError:
    """Return the error for options of which one is not written name=value."""
    known = find(name).options
    parts = [[piece.strip() for piece in part.partition("=")] for part in inside.split(",")]
    key, equals, value = next(part for part in parts if any(part) and not all(part))
    if equals:
        what = "value" if key else "name"
        return UsageError(f"{text!r}: {key}={value} has no {what}: write name=value.")
    given = {part[0] for part in parts if part[1]}
    free = next((option for option in known if option not in given), "")
    if key in known:
        return UsageError(f"{text!r}: {key} has no value: write {key}={known[key].default}.")
    if not free:
        return UsageError(f"{text!r}: {key} is not an option: {name} takes {_taken(known)}.")
    return UsageError(
        f"{text!r}: {key} has no name: write {free}={key}. {name} takes {_taken(known)}."
    )


def _taken(options: Mapping[str, GameOption]) -> str:
    return ", ".join(options) or "no options"


def malformed(text: str) -> UsageError:
    """Return the error for a text that does not have the form of a game with options."""
    return UsageError(
        f"{text!r} is not a game: write a name, or a name with options such as "
        "breakthrough(size=6x5)."
    )
