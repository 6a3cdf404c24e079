"""The messages of the GGP protocol, as text and as values.

    ( INFO )   ( PREVIEW (rules...) 5 )   ( START m1 white ((role white) ...) 30 15 )
    ( PLAY m1 NIL )   ( PLAY m1 (( mark 2 1 ) noop ) )   ( STOP m1 (...) )   ( ABORT m1 )

Everything comes from outside: sizes and nesting are bounded by the KIF reader, and what is not a
message raises `MessageError`, which says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from graven.core.errors import GravenError
from graven.gdl.language.kif_reader import Expression, KifList, Word, expressions, spaced, term_of

LONGEST_CLOCK = 86_400.0
LONGEST_NAME = 1000

Joint = tuple[str, ...] | None
"""A move of each role, in the order of the roles; None before the first step."""


class MessageError(GravenError):
    """A text that is not a message of the protocol."""


@dataclass(frozen=True)
class Info:
    """Who are you, and are you free?"""


@dataclass(frozen=True)
class Preview:
    """The rules of a game that will be played."""

    rules: str
    clock: float


@dataclass(frozen=True)
class Start:
    """A match begins."""

    match: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@dataclass(frozen=True)
class Play:
    """What everybody did; your move, please."""

    match: str
    joint: Joint


@dataclass(frozen=True)
class Stop:
    """What everybody did; the match is over."""

    match: str
    joint: Joint


@dataclass(frozen=True)
class Abort:
    """The match is called off."""

    match: str


Message = Info | Preview | Start | Play | Stop | Abort


def parse(text: str) -> Message:
    """The message in a text."""
    try:
        found = expressions(text, "the message")
    except GravenError as error:
        raise MessageError(str(error)) from None
    # Some senders leave the parentheses out.
    items = found[0].items if len(found) == 1 and isinstance(found[0], KifList) else tuple(found)
    if not items or not isinstance(items[0], Word):
        raise MessageError("a message is a list that begins with its name, such as ( INFO ).")
    name, rest = items[0].text.upper(), items[1:]
    shape = SHAPES.get(name)
    if shape is None:
        known = ", ".join(SHAPES)
        raise MessageError(f"there is no message {items[0].text[:50]!r}; there are {known}.")
    if len(rest) != len(shape):
        wanted = " ".join(shape) or "nothing"
        raise MessageError(f"{name} is followed by {wanted}; here are {len(rest)} parts.")
    try:
        return _made(name, rest)
    except MessageError:
        raise
    except GravenError as error:
        raise MessageError(str(error)) from None


SHAPES = {
    "INFO": [],
    "PREVIEW": ["rules", "clock"],
    "START": ["match", "role", "rules", "startclock", "playclock"],
    "PLAY": ["match", "moves"],
    "STOP": ["match", "moves"],
    "ABORT": ["match"],
}


def _made(name: str, rest: tuple[Expression, ...]) -> Message:
    if name == "INFO":
        return Info()
    if name == "PREVIEW":
        return Preview(_rules(rest[0]), _clock(rest[1]))
    match = _name(rest[0])
    if name == "START":
        return Start(match, _name(rest[1]), _rules(rest[2]), _clock(rest[3]), _clock(rest[4]))
    if name == "ABORT":
        return Abort(match)
    return (Play if name == "PLAY" else Stop)(match, _joint(rest[1]))


def _name(expression: Expression) -> str:
    text = kif(expression)
    if len(text) > LONGEST_NAME:
        raise MessageError(f"a name has at most {LONGEST_NAME} characters.")
    return text


def _rules(expression: Expression) -> str:
    if not isinstance(expression, KifList):
        raise MessageError("the rules are a list in parentheses.")
    return "\n".join(map(kif, expression.items))


def _clock(expression: Expression) -> float:
    text = kif(expression)
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= LONGEST_CLOCK:
        raise MessageError(f"a clock is a number of seconds above 0, not {text[:50]!r}.")
    return seconds


def _joint(expression: Expression) -> Joint:
    if isinstance(expression, Word):
        if expression.text.upper() == "NIL":
            return None
        raise MessageError("the moves are a list in parentheses, or NIL.")
    return tuple(spaced(term_of(item)) for item in expression.items) or None


def kif(expression: Expression) -> str:
    """An expression as text again."""
    if isinstance(expression, Word):
        return expression.text
    return f"({' '.join(map(kif, expression.items))})"


def move_text(text: str) -> str | None:
    """A player's answer as the rules write moves; None if it is none."""
    try:
        found = expressions(text, "the answer")
        return spaced(term_of(found[0])) if len(found) == 1 else None
    except GravenError:
        return None
