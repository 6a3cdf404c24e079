"""Conversion between GTP's words and values: numbers within bounds, vertices."""

from __future__ import annotations

from graven.games import go
from graven.interfaces.gtp.gtp_protocol import CommandError

MAX_INTEGER_DIGITS = 9


def parse_number(text: str, name: str, low: float, high: float) -> float:
    """Parse a number from `low` to `high`; raise `CommandError` otherwise."""
    try:
        value = float(text)
    except ValueError:
        raise CommandError(f"{name} not a number") from None
    if not low <= value <= high:
        raise CommandError(f"{name} must be from {low:g} to {high:g}")
    return value


def parse_integer(text: str) -> int:
    """Parse a non-negative integer; raise `CommandError` otherwise."""
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_INTEGER_DIGITS):
        raise CommandError("syntax error")
    return int(text)


def format_vertex(move: str) -> str:
    """Return a move in upper case, as GTP writes vertices: D4, PASS."""
    return "PASS" if move == go.PASS else move.upper()
