"""The messages of the GGP protocol, parsed from text.

    ( INFO )   ( PREVIEW (rules...) 5 )   ( START m1 white ((role white) ...) 30 15 )
    ( PLAY m1 NIL )   ( PLAY m1 (( mark 2 1 ) noop ) )   ( STOP m1 (...) )   ( ABORT m1 )

Messages come from the network: the KIF reader limits size and nesting, and anything that is not a
message raises `GgpMessageError` with the reason.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from graven.core.errors import GravenError
from graven.gdl.language.kif_reader import (
    MOST_TEXT,
    Expression,
    KifList,
    Word,
    expressions,
    term_of,
)
from graven.gdl.language.kif_terms import spaced

MAX_CLOCK_SECONDS = 86_400.0
MAX_NAME_CHARACTERS = 1000
MAX_QUOTED_CHARACTERS = 50  # of a faulty message, in an error

JointMove = tuple[str, ...] | None
"""One move for each role, in the order of the roles; None before the first step."""


class GgpMessageError(GravenError):
    """A text is not a valid message of the protocol."""


@dataclass(frozen=True)
class InfoMessage:
    """The server asks for name and status."""


@dataclass(frozen=True)
class PreviewMessage:
    """The server sends the rules of a later match."""

    rules: str
    clock: float


@dataclass(frozen=True)
class StartMessage:
    """A match begins; clocks are in seconds."""

    match: str
    role: str
    rules: str
    start_clock: float
    play_clock: float


@dataclass(frozen=True)
class PlayMessage:
    """The last joint move; the server asks for the next move."""

    match: str
    joint: JointMove


@dataclass(frozen=True)
class StopMessage:
    """The last joint move; the match is over."""

    match: str
    joint: JointMove


@dataclass(frozen=True)
class AbortMessage:
    """The match is cancelled."""

    match: str


GgpMessage = InfoMessage | PreviewMessage | StartMessage | PlayMessage | StopMessage | AbortMessage


def parse_message(text: str) -> GgpMessage:
    """Parse a message."""
    if not _QUOTES.search(text) and (start := _PLAIN_START.fullmatch(text)):
        return _plain_start(*start.groups())
    try:
        parsed = expressions(text, "the message")
    except GravenError as error:
        raise GgpMessageError(str(error)) from None
    # Some senders omit the parentheses.
    first = parsed[0] if len(parsed) == 1 else None
    items = first.items if isinstance(first, KifList) else tuple(parsed)
    if not items or not isinstance(items[0], Word):
        raise GgpMessageError("a message is a list that begins with its name, such as ( INFO ).")
    name, arguments = items[0].text.upper(), items[1:]
    expected = ARGUMENTS.get(name)
    if expected is None:
        raise GgpMessageError(
            f"unknown message {items[0].text[:MAX_QUOTED_CHARACTERS]!r}; "
            f"the messages are {', '.join(ARGUMENTS)}."
        )
    if len(arguments) != len(expected):
        raise GgpMessageError(
            f"{name} takes {len(expected)} arguments ({' '.join(expected) or 'none'}), "
            f"got {len(arguments)}."
        )
    try:
        return _message(name, arguments)
    except GgpMessageError:
        raise
    except GravenError as error:
        raise GgpMessageError(str(error)) from None


ARGUMENTS = {
    "INFO": [],
    "PREVIEW": ["rules", "clock"],
    "START": ["match", "role", "rules", "startclock", "playclock"],
    "PLAY": ["match", "moves"],
    "STOP": ["match", "moves"],
    "ABORT": ["match"],
}


def _message(name: str, arguments: tuple[Expression, ...]) -> GgpMessage:
    if name == "INFO":
        return InfoMessage()
    if name == "PREVIEW":
        return PreviewMessage(_rules(arguments[0]), _clock(arguments[1]))
    match = _name(arguments[0])
    if name == "START":
        return StartMessage(
            match=match,
            role=_name(arguments[1]),
            rules=_rules(arguments[2]),
            start_clock=_clock(arguments[3]),
            play_clock=_clock(arguments[4]),
        )
    if name == "ABORT":
        return AbortMessage(match)
    return (PlayMessage if name == "PLAY" else StopMessage)(match, _joint(arguments[1]))


# A START without comments and quoted names, as servers send it. Its rules, which may be a million
# characters, are cut out whole: they are parsed when the match begins.
_QUOTES = re.compile(r"""[;'"|]""")
_PLAIN_START = re.compile(
    r"\s*\(\s*START\s+([^\s()]+)\s+([^\s()]+)\s*\((.*)\)\s*([^\s()]+)\s+([^\s()]+)\s*\)\s*",
    re.DOTALL | re.IGNORECASE,
)


def _plain_start(
    match: str, role: str, rules: str, start_clock: str, play_clock: str
) -> StartMessage:
    if len(rules) > MOST_TEXT:
        raise GgpMessageError(
            f"the rules have {len(rules):,} characters; at most {MOST_TEXT:,} are read."
        )
    return StartMessage(
        match=_name(Word(match, 0)),
        role=_name(Word(role, 0)),
        rules=rules,
        start_clock=_clock(Word(start_clock, 0)),
        play_clock=_clock(Word(play_clock, 0)),
    )


def _name(expression: Expression) -> str:
    text = kif(expression)
    if len(text) > MAX_NAME_CHARACTERS:
        raise GgpMessageError(f"a name has at most {MAX_NAME_CHARACTERS} characters.")
    return text


def _rules(expression: Expression) -> str:
    if not isinstance(expression, KifList):
        raise GgpMessageError("the rules are a list in parentheses.")
    return "\n".join(map(kif, expression.items))


def _clock(expression: Expression) -> float:
    text = kif(expression)
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= MAX_CLOCK_SECONDS:
        raise GgpMessageError(
            f"a clock is a number of seconds above 0 and at most {MAX_CLOCK_SECONDS:g}, "
            f"got {text[:MAX_QUOTED_CHARACTERS]!r}."
        )
    return seconds


def _joint(expression: Expression) -> JointMove:
    if isinstance(expression, Word):
        if expression.text.upper() == "NIL":
            return None
        raise GgpMessageError("the moves are a list in parentheses, or NIL.")
    return tuple(spaced(term_of(item)) for item in expression.items) or None


def kif(expression: Expression) -> str:
    """Return an expression as text."""
    if isinstance(expression, Word):
        return expression.text
    return f"({' '.join(map(kif, expression.items))})"


def parse_move(text: str) -> str | None:
    """Return a player's answer as the rules write moves; None if it is not a single term."""
    try:
        parsed = expressions(text, "the answer")
        return spaced(term_of(parsed[0])) if len(parsed) == 1 else None
    except GravenError:
        return None
