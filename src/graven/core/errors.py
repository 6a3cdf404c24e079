"""Errors that a user can cause, with messages that interfaces print as they are.

A message states what is wrong, with the offending value, what is allowed, and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class GravenError(Exception):
    """Base class of the errors that a user can cause and correct."""


class UsageError(GravenError):
    """A wrong name, option, move or number."""


class ContractError(GravenError):
    """A game's functions broke the game contract."""


class RuleCompileError(GravenError):
    """A user-defined function cannot be compiled."""


def unknown(kind: str, name: object, choices: Iterable[str]) -> UsageError:
    """Return the error for a `name` that is not among `choices`; it suggests a similar one."""
    known = sorted(choices, key=_natural_order)
    # One letter resembles every short name.
    word = name if isinstance(name, str) and len(name) > 1 else ""
    near = get_close_matches(word, known, n=1, cutoff=0.6) if word else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if not known:
        return UsageError(f"unknown {kind} {name!r}: there are none to choose from here.")
    return UsageError(f"unknown {kind} {name!r}.{hint} Valid: {listed(known)}.")


def _natural_order(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts 2 before 10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]


def listed(names: Sequence[str], most: int = 40) -> str:
    """Join names by commas; after `most` of them, state how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
