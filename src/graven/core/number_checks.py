"""Checks that arguments of Python functions are numbers, before they are compared."""

from __future__ import annotations

from numbers import Real

from graven.core.errors import UsageError


def whole_value(name: str, value: object, low: int | None = None, high: int | None = None) -> int:
    """Return a whole number, of NumPy too, as an int; raise UsageError for any other value."""
    check_whole(name, value)
    if value is None:
        raise UsageError(f"{name} must be an integer, got None.")
    number = int(value)  # type: ignore[call-overload]
    if (low is not None and number < low) or (high is not None and number > high):
        limits = f"at least {low:,}" if high is None else f"from {low or 0:,} to {high:,}"
        raise UsageError(f"{name} must be {limits}, got {number:,}.")
    return number


def check_whole(name: str, value: object) -> None:
    """Raise UsageError unless a value is None or a whole number; 1e4 is one."""
    check_number(name, value, "an integer")
    if value is not None and value % 1 != 0:  # type: ignore[operator]
        raise UsageError(f"{name} must be an integer, got {value!r}.")


def check_number(name: str, value: object, kind: str = "a number") -> None:
    """Raise UsageError unless a value is None or a number."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
        raise UsageError(f"{name} must be {kind}, got {value!r}.")
