"""What a page may say: every message is checked here, field by field, before anybody acts on it.

A message is a JSON object with a `type` and the fields of that type, no others. Anything else is a
`UsageError`, which goes back to the page that said it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graven.core.bounded_json import read_json
from graven.core.errors import UsageError, unknown
from graven.interfaces.web.web_limits import LONGEST_TEXT, MOST_MOVES

LONGEST_NAME = 2000  # characters of a game's or an agent's spec
LONGEST_MOVE = 300
MOST_PLAYERS = 100
DEEPEST = 500  # moves on the way to a node of the tree
SHOWN_CHARACTERS = 60

Check = Callable[[str, Any], Any]


@dataclass(frozen=True)
class Message:
    """A message that has been checked: its type and the value of every field of that type."""

    type: str
    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def text(longest: int) -> Check:
    """A text of at most so many characters."""

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise UsageError(f"{name} must be a text of at most {longest:,} characters.")
        return value

    return check


def whole(low: int, high: int) -> Check:
    """A whole number within bounds."""

    def check(name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UsageError(f"{name} must be a whole number from {low:,} to {high:,}.")
        return value

    return check


def number(name: str, value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{name} must be a number.")
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise UsageError(f"{name} must be a finite number.")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be true or false.")
    return value


def one_of(*choices: str) -> Check:
    """One of some words."""

    def check(name: str, value: Any) -> str:
        if value not in choices or not isinstance(value, str):
            raise unknown(name, _shown(value), choices)
        return value

    return check


def several(each: Check, most: int) -> Check:
    """A list of at most so many values."""

    def check(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) > most:
            raise UsageError(f"{name} must be a list of at most {most:,} values.")
        return [each(f"each of {name}", one) for one in value]

    return check


@dataclass(frozen=True)
class Field:
    """A field of a message. One that `may` be left out, or be null, then has the default."""

    check: Check
    may: bool = False
    default: Any = None


NAME, MOVE = text(LONGEST_NAME), text(LONGEST_MOVE)
BUDGET = {
    "playouts": Field(whole(1, 2**62), may=True),
    "seconds": Field(number, may=True),
}
SEATS = {"seats": Field(several(NAME, MOST_PLAYERS), may=True)}
LENS = one_of("move", "a", "b")
PLAYER = whole(0, MOST_PLAYERS)

TYPES: dict[str, dict[str, Field]] = {
    "new": {
        "game": Field(NAME),
        "rules": Field(text(LONGEST_TEXT), may=True),  # GDL, in place of a game of the package
        "moves": Field(several(MOVE, MOST_MOVES), may=True, default=()),
        "seed": Field(whole(0, 2**63 - 1), may=True),
        "paused": Field(flag, may=True, default=False),
        **SEATS,
        **BUDGET,
    },
    "seats": {**SEATS, **BUDGET},
    "move": {"move": Field(MOVE), "player": Field(PLAYER), "ply": Field(whole(0, 10**9))},
    "undo": {},
    "jump": {"ply": Field(whole(0, 10**9))},
    "swap": {},
    "resign": {},
    "pause": {"on": Field(flag)},
    "step": {},
    "watch": {"lens": Field(one_of("a", "b")), "agent": Field(NAME), **BUDGET},
    "stop": {"lens": Field(LENS, may=True)},
    "tree": {
        "lens": Field(LENS),
        "path": Field(several(MOVE, DEEPEST), may=True, default=()),
        "ref": Field(whole(0, 2**31 - 1), may=True),
        "most": Field(whole(1, 1000), may=True, default=12),
    },
    "agent": {"agent": Field(NAME)},
    "save": {"format": Field(one_of("json", "sgf"))},
}


def read(data: str | bytes) -> Message:
    """The message that a page has sent."""
    try:
        said = read_json(data)
    except ValueError:
        raise UsageError("a message must be a JSON object.") from None
    if not isinstance(said, dict):
        raise UsageError("a message must be a JSON object.")
    kind = said.pop("type", None)
    if not isinstance(kind, str) or kind not in TYPES:
        raise unknown("type of message", _shown(kind), TYPES)
    fields = TYPES[kind]
    for name in said:
        if name not in fields:
            raise unknown(f"field of {kind!r}", _shown(name), fields)
    values = {}
    for name, field in fields.items():
        value = said.get(name)
        if value is None:
            if not field.may:
                raise UsageError(f"a message of type {kind!r} needs {name!r}.")
            values[name] = field.default
        else:
            values[name] = field.check(name, value)
    return Message(kind, values)


def _shown(value: Any) -> str:
    """A value of a stranger's, no longer than a line."""
    shown = value if isinstance(value, str) else repr(value)
    return shown if len(shown) <= SHOWN_CHARACTERS else shown[:SHOWN_CHARACTERS] + "…"
