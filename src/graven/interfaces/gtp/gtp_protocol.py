"""The wire format of GTP: parse a line into a command, frame a reply. No command is defined here.

A command is `[id] name [arguments]` on one line. `#` begins a comment, tabs count as spaces, other
control characters are dropped. A reply begins with `=`, or with `?` on failure, followed by the id;
an empty line ends it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_LINE_CHARACTERS = 4096

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LINE = re.compile(r"(?:([0-9]{1,10})\s+)?(\S+)\s*(.*)", re.DOTALL)


class CommandError(Exception):
    """A command failed; the message is the text of the failure reply."""


@dataclass(frozen=True)
class GtpCommand:
    """One line of input.

    `id` is "" if the line has none. `name` is "" if the line is malformed; the arguments are then
    the words of the error message.
    """

    id: str
    name: str
    arguments: tuple[str, ...]


def parse(line: str) -> GtpCommand | None:
    """Parse a line; return None for an empty line or a comment."""
    cleaned = _CONTROL.sub("", line.replace("\t", " ")).partition("#")[0].strip()
    if not cleaned:
        return None
    if len(cleaned) > MAX_LINE_CHARACTERS:
        beginning = _LINE.fullmatch(cleaned[:MAX_LINE_CHARACTERS])
        return GtpCommand((beginning and beginning[1]) or "", "", ("line", "too", "long"))
    match = _LINE.fullmatch(cleaned)
    if match is None or (not match[1] and cleaned.isascii() and cleaned.isdigit()):
        return GtpCommand(cleaned[:10] if cleaned.isdigit() else "", "", ())
    return GtpCommand(match[1] or "", match[2], tuple(match[3].split()))


def success(command: GtpCommand, text: str) -> str:
    """Return the reply to a command that succeeded."""
    return _frame("=", command, text)


def failure(command: GtpCommand, text: str) -> str:
    """Return the reply to a command that failed."""
    return _frame("?", command, text)


def _frame(mark: str, command: GtpCommand, text: str) -> str:
    # An empty line would end the reply.
    lines = [line.rstrip() or " " for line in text.splitlines()]
    body = "\n".join(lines).rstrip("\n")
    return f"{mark}{command.id} {body}".rstrip(" ") + "\n\n"
