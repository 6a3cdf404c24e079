"""Options that name files or are numbers: read with care, refused in one sentence."""

from __future__ import annotations

from pathlib import Path

from graven.core.errors import UsageError

LARGEST = 1 << 20


def read_text(name: str, what: str) -> str:
    """The text of a file, which may be wrong in any way; `what` says what it should be."""
    path = Path(str(name))
    try:
        if not path.is_file():
            raise UsageError(f"there is no file {str(name)!r} with {what}.")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name makes no sense"
        raise UsageError(f"cannot read {what} from {str(name)!r}: {reason}.") from None
    if len(data) > LARGEST:
        raise UsageError(f"{str(name)!r} has more than {LARGEST:,} bytes: too many for {what}.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{str(name)!r} is no text, so it cannot be {what}.") from None


def whole_number(name: str, value: int | str | float, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    text = str(value).strip()
    if text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high:
        return int(text)
    raise UsageError(f"{name} must be a whole number from {low} to {high}, not {value}.")
