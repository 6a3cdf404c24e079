"""The syntax `name(key=value,...)` of games, agents and methods: one parser, one formatter.

Values are texts here; `read_value` turns one into a number, a truth value or a word, and
`format_value` turns it back. `parse_call` reads agent specs and methods, whose names and keys are
case-insensitive; `parse_arguments` reads what stands between the parentheses of any call.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from graven.core.errors import UsageError

Value = float | int | str | bool

DIGEST = "digest"  # the argument that holds the digest of a user's file; always a text
IN_FILE = ".py:"  # in a name such as mine.py:tree
LONGEST_VALUE = 40

_CALL = re.compile(
    r"([^()\n]*\.py:\w+|[a-z][a-z0-9_-]*)\s*(?:\((.*)\))?", re.DOTALL | re.IGNORECASE
)


class CallSyntaxError(UsageError):
    """A text that is not written name(key=value,...)."""


def check_text(kind: str, value: object, example: str) -> None:
    """Raise UsageError unless a value is a text."""
    if not isinstance(value, str):
        raise UsageError(f"{kind} is written as a text such as {example!r}, got {value!r}.")


def parse_call(text: str) -> tuple[str, dict[str, Value]]:
    """Return the name and the values of `name(key=value,...)`, both in lower case.

    The name of a policy in a file, such as `mine.py:tree`, keeps its case.
    """
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise CallSyntaxError(f"{text.strip()!r} is not written name(parameter=value,...).")
    name, inside = match[1].strip(), match[2] or ""
    if IN_FILE not in name:
        name = name.lower()
    arguments = parse_arguments(inside, name, lower_case=True, empty_parts=not inside.strip())
    return name, read_values(arguments)


def parse_arguments(
    inside: str, owner: str, *, lower_case: bool = False, empty_parts: bool = True
) -> dict[str, str]:
    """Return the texts in `key=value,...` by key; `owner` names the call in error messages.

    With `empty_parts` nothing may stand between two commas.
    """
    arguments: dict[str, str] = {}
    for part in split(inside, ","):
        if empty_parts and not part.strip():
            continue
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise CallSyntaxError(f"{owner}: {part.strip()!r} is not written parameter=value.")
        key = key.lower() if lower_case else key
        if key in arguments:
            raise UsageError(f"{owner}: {key} is given twice.")
        arguments[key] = value
    return arguments


def split(text: str, mark: str) -> list[str]:
    """Return the parts of a text between marks that are not inside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            raise CallSyntaxError(f"{text!r} has a ')' without its '('.")
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise CallSyntaxError(f"{text!r} has a '(' without its ')'.")
    return parts


def read_values(arguments: Mapping[str, str]) -> dict[str, Value]:
    """Return the values of texts; a digest such as 1e5 or 007 stays a text."""
    return {key: text if key == DIGEST else read_value(text) for key, text in arguments.items()}


def read_value(text: str) -> Value:
    """Return a number, a truth value, or else the text itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if len(text) > LONGEST_VALUE:
        raise UsageError(f"a value has at most {LONGEST_VALUE} characters; this one {len(text)}.")
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def format_value(value: Value) -> str:
    """Return a value as specs write it: 50, 0.2, 1e-7, true, mean."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    mantissa, e, exponent = repr(value).partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def format_call(name: str, values: Mapping[str, Value]) -> str:
    """Return `name(key=value,...)`, or the name alone without values."""
    inside = ",".join(f"{key}={format_value(value)}" for key, value in values.items())
    return f"{name}({inside})" if inside else name
