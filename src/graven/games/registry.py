"""Games by name: `breakthrough`, `breakthrough(size=6x5)`, `misere-nogo(size=9)`.

A game's file defines `FAMILY`, and that is all it takes: `find` imports the file of the name it is
asked for, `families` looks through the package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from graven.core.calls import CallSyntaxError, parse_arguments
from graven.core.errors import UsageError, unknown
from graven.core.game import MISERE, Game
from graven.core.game import Option as Value

PACKAGE = "graven.games"


@dataclass(frozen=True)
class Option:
    """Something to choose about a game: its value if nobody does, and what it may be."""

    default: Value
    about: str


@dataclass(frozen=True)
class Family:
    """A game with its options still open. `make` takes them by name and checks their values.

    `name` is also the name of the file that defines the family.
    """

    name: str
    summary: str
    options: Mapping[str, Option]
    make: Callable[..., Game]


def families() -> list[Family]:
    """All games of the package, sorted by name."""
    package = import_module(PACKAGE)
    found = (_family(module.name) for module in iter_modules(package.__path__))
    return sorted((family for family in found if family), key=lambda family: family.name)


def find(name: str) -> Family:
    """The game of that name, with or without `misere-`; no other game is imported."""
    plain = name.removeprefix(MISERE)
    family = _family(plain) if re.fullmatch(r"[a-z][a-z0-9_]*", plain) else None
    if family is None:
        prefix = name[: len(name) - len(plain)]
        raise unknown("game", name, (prefix + family.name for family in families()))
    return family


def _family(name: str) -> Family | None:
    """The family that the package's file of that name defines, if there is one."""
    if find_spec(f"{PACKAGE}.{name}") is None:
        return None
    family = getattr(import_module(f"{PACKAGE}.{name}"), "FAMILY", None)
    return family if isinstance(family, Family) and family.name == name else None


def make_game(text: str, **options: Value) -> Game:
    """A game from its name, with options in the text or by keyword.

    The name may begin with `misere-`, which turns the results round.
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
    """The name and the options in a text such as `breakthrough(size=6x5)`."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*", text)
    if match is None:
        raise malformed(text)
    try:
        options: dict[str, Value] = {**parse_arguments(match[2] or "", repr(text))}
    except CallSyntaxError:
        raise malformed(text) from None
    return match[1].lower(), options


def malformed(text: str) -> UsageError:
    """An error for a text that is no game with options."""
    return UsageError(
        f"{text!r} is not a game: write a name, or a name with options such as "
        "breakthrough(size=6x5)."
    )
