"""Write a file under a temporary name and rename it: readers see the whole file or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` if the block succeeds.

    If the block fails, or the program dies, a file that was at `path` stays as it is. A device or
    a pipe, which cannot be replaced, is yielded itself.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    # The suffix stays the last one: some libraries choose a format by it.
    draft = target.with_name(f".{target.stem}.{token_hex(6)}{target.suffix}")
    try:
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except OSError as error:
        if error.filename in (None, str(draft)):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def replace_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file; see `replaced`."""
    with replaced(path) as draft:
        draft.write_bytes(content)


def replace_text(path: str | os.PathLike[str], text: str) -> None:
    """Replace a file by a text in UTF-8; see `replaced`."""
    replace_bytes(path, text.encode())
