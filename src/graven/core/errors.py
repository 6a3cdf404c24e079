"""Errors written for the person who made the mistake.

Every error that a person can cause is a `GravenError`. Interfaces print its message and nothing
else: a sentence that says what was wrong, where, and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class GravenError(Exception):
    """Something a person can put right."""


class UsageError(GravenError):
    """A wrong name, option, move or number."""


class ContractError(GravenError):
    """A game's own functions broke the game contract."""


class RuleCompileError(GravenError):
    """A game's own function cannot be compiled."""


def unknown(kind: str, name: str, choices: Iterable[str]) -> UsageError:
    """An error for `name`, which is none of `choices`; a near miss is suggested."""
    known = sorted(choices)
    near = get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if not known:
        return UsageError(f"unknown {kind} {name!r}: there are none to choose from here.")
    return UsageError(f"unknown {kind} {name!r}.{hint} Valid: {listed(known)}.")


def listed(names: Sequence[str], most: int = 40) -> str:
    """Names after commas, not too many of them."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
