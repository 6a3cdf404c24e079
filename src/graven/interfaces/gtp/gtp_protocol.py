"""Lines in, replies out: the wire format of GTP, without any command.

A command is `[id] name [arguments]` on one line; `#` begins a comment, tabs are spaces, other
control characters are dropped. A reply begins with `=`, or with `?` if something was wrong, then
the id; an empty line ends it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 4096  # characters of a line; no command needs more

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LINE = re.compile(r"(?:([0-9]{1,10})\s+)?(\S+)\s*(.*)", re.DOTALL)


class CommandError(Exception):
    """A command that cannot be done; its message is the reply."""


@dataclass(frozen=True)
class Command:
    """One line of input: `id` is "" where none was given."""

    id: str
    name: str
    arguments: tuple[str, ...]


def parse(line: str) -> Command | None:
    """The command of a line, or None for an empty line or a comment."""
    cleaned = _CONTROL.sub("", line.replace("\t", " ")).partition("#")[0].strip()
    if not cleaned:
        return None
    if len(cleaned) > LONGEST:
        begin = _LINE.fullmatch(cleaned[:LONGEST])
        return Command((begin and begin[1]) or "", "", ("line", "too", "long"))
    match = _LINE.fullmatch(cleaned)
    if match is None or (not match[1] and cleaned.isascii() and cleaned.isdigit()):
        return Command(cleaned[:10] if cleaned.isdigit() else "", "", ())
    return Command(match[1] or "", match[2], tuple(match[3].split()))


def reply(command: Command, text: str) -> str:
    """A reply to a command that was done."""
    return _framed("=", command, text)


def refusal(command: Command, text: str) -> str:
    """A reply to a command that was not."""
    return _framed("?", command, text)


def _framed(mark: str, command: Command, text: str) -> str:
    # An empty line would end the reply.
    lines = [line.rstrip() or " " for line in text.splitlines()]
    body = "\n".join(lines).rstrip("\n")
    return f"{mark}{command.id} {body}".rstrip(" ") + "\n\n"
