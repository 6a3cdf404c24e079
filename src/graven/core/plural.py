"""Numbers with their nouns, in singular or plural."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: 1 position, 2,000 positions."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
