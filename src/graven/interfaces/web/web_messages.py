"""The messages that a page may send over its WebSocket, and their validation.

A message is a JSON object with a `type` and the fields of that type, no others. Every field is
validated before the message is acted on. An invalid message raises `UsageError`, whose text is sent
back to the page that sent the message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graven.core.bounded_json import read_json
from graven.core.errors import UsageError, unknown
from graven.interfaces.web.web_limits import MAX_MOVES_PER_MESSAGE, MAX_RULES_CHARACTERS

MAX_SPEC_CHARACTERS = 2000  # of a game's or an agent's spec
MAX_MOVE_CHARACTERS = 300
MAX_PLAYERS = 100
MAX_PATH_MOVES = 500  # from the root to a node of the tree
MAX_QUOTED_CHARACTERS = 60  # of an invalid value in an error message

FieldCheck = Callable[[str, Any], Any]


@dataclass(frozen=True)
class PageMessage:
    """A validated message: its type and the value of every field of that type."""

    type: str
    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def text(max_characters: int) -> FieldCheck:
    """Return a check for a text of at most `max_characters` characters."""

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > max_characters:
            raise UsageError(f"{name} must be a text of at most {max_characters:,} characters.")
        return value

    return check


def integer(low: int, high: int) -> FieldCheck:
    """Return a check for an integer from `low` to `high`."""

    def check(name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UsageError(f"{name} must be a whole number from {low:,} to {high:,}.")
        return value

    return check


def number(name: str, value: Any) -> float:
    """Check for a finite number."""
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
    """Check for true or false."""
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be true or false.")
    return value


def one_of(*choices: str) -> FieldCheck:
    """Return a check for one of the given words."""

    def check(name: str, value: Any) -> str:
        if value not in choices or not isinstance(value, str):
            raise unknown(name, _quoted(value), choices)
        return value

    return check


def list_of(check_item: FieldCheck, max_items: int) -> FieldCheck:
    """Return a check for a list of at most `max_items` valid items."""

    def check(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) > max_items:
            raise UsageError(f"{name} must be a list of at most {max_items:,} values.")
        return [check_item(f"each of {name}", item) for item in value]

    return check


@dataclass(frozen=True)
class MessageField:
    """A field of a message. An optional field that is missing or null has the default."""

    check: FieldCheck
    optional: bool = False
    default: Any = None


SPEC, MOVE = text(MAX_SPEC_CHARACTERS), text(MAX_MOVE_CHARACTERS)
PLAYER, PLY = integer(0, MAX_PLAYERS), integer(0, 10**9)
# Where the page shows a search: see `SearchRequest`.
ANALYSES = ("analysis", "left", "right")
SLOT = one_of("move", *ANALYSES)
BUDGET = {
    "playouts": MessageField(integer(1, 2**62), optional=True),
    "seconds": MessageField(number, optional=True),
}
SEATS = {"seats": MessageField(list_of(SPEC, MAX_PLAYERS), optional=True)}

MESSAGE_TYPES: dict[str, dict[str, MessageField]] = {
    "new_game": {
        "game": MessageField(SPEC),
        # GDL text in place of a game of the package; `game` is then its title.
        "rules": MessageField(text(MAX_RULES_CHARACTERS), optional=True),
        "moves": MessageField(list_of(MOVE, MAX_MOVES_PER_MESSAGE), optional=True, default=()),
        "seed": MessageField(integer(0, 2**63 - 1), optional=True),
        "paused": MessageField(flag, optional=True, default=False),
        **SEATS,
        **BUDGET,
    },
    "set_seats": {**SEATS, **BUDGET},
    "play": {
        "move": MessageField(MOVE),
        "player": MessageField(PLAYER),
        "ply": MessageField(PLY),
    },
    "undo": {},
    "go_to_ply": {"ply": MessageField(PLY)},
    "rotate_seats": {},
    "resign": {},
    "set_paused": {"paused": MessageField(flag)},
    "step": {},
    "analyse": {"slot": MessageField(one_of(*ANALYSES)), "agent": MessageField(SPEC), **BUDGET},
    "finish_search": {"slot": MessageField(SLOT, optional=True)},
    "tree_node": {
        "slot": MessageField(SLOT),
        "path": MessageField(list_of(MOVE, MAX_PATH_MOVES), optional=True, default=()),
        "ref": MessageField(integer(0, 2**31 - 1), optional=True),
        "max_moves": MessageField(integer(1, 1000), optional=True, default=12),
    },
    "check_agent": {"agent": MessageField(SPEC)},
    "save": {"format": MessageField(one_of("json", "sgf"))},
}


def parse_message(data: str | bytes) -> PageMessage:
    """Parse and validate a message that a page has sent."""
    try:
        values = read_json(data)
    except ValueError:
        raise UsageError("a message must be a JSON object.") from None
    if not isinstance(values, dict):
        raise UsageError("a message must be a JSON object.")
    kind = values.pop("type", None)
    if not isinstance(kind, str) or kind not in MESSAGE_TYPES:
        raise unknown("type of message", _quoted(kind), MESSAGE_TYPES)
    fields = MESSAGE_TYPES[kind]
    for name in values:
        if name not in fields:
            raise unknown(f"field of {kind!r}", _quoted(name), fields)
    checked = {}
    for name, field in fields.items():
        value = values.get(name)
        if value is None:
            if not field.optional:
                raise UsageError(f"a message of type {kind!r} needs {name!r}.")
            checked[name] = field.default
        else:
            checked[name] = field.check(name, value)
    return PageMessage(kind, checked)


def _quoted(value: Any) -> str:
    """Shorten an invalid value so that it fits into an error message."""
    quoted = value if isinstance(value, str) else repr(value)
    if len(quoted) <= MAX_QUOTED_CHARACTERS:
        return quoted
    return quoted[:MAX_QUOTED_CHARACTERS] + "…"
