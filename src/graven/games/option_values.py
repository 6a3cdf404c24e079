"""Parse and validate option values of games: file names and integers."""

from __future__ import annotations

from pathlib import Path

from graven.core.errors import UsageError

MAX_FILE_BYTES = 1 << 20


def read_text(name: str, what: str) -> str:
    """Return the text of a file; `what` names the expected content in error messages."""
    path = Path(str(name))
    try:
        if not path.is_file():
            raise UsageError(f"there is no file {str(name)!r} with {what}.")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "invalid file name"
        raise UsageError(f"cannot read {what} from {str(name)!r}: {reason}.") from None
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(
            f"{str(name)!r} is too large for {what}: at most {MAX_FILE_BYTES:,} bytes."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{str(name)!r} is not UTF-8 text; expected {what}.") from None


def whole_number(name: str, value: int | str | float, low: int, high: int) -> int:
    """Return an option's value as an integer from `low` to `high`, or raise UsageError."""
    text = str(value).strip()
    if text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high:
        return int(text)
    raise UsageError(f"{name} must be a whole number from {low} to {high}, got {value}.")
