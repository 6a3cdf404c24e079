"""Locks between processes that share a folder.

A lock is one byte of one file, chosen by a hash of the lock's name. The operating system releases
the locks of a process that ends, however it ends. Where files cannot be locked, as on Windows, no
process waits.

Locks do not exclude the threads of one process.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from functools import cache

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FILE_NAME = "locks"
POLL_SECONDS = 0.02


class ProcessLocks:
    """The locks of a folder. The file stays open: closing it would release them."""

    def __init__(self, folder: str) -> None:
        self._file: int | None = None
        if fcntl:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            with suppress(OSError):  # a folder that cannot be written
                self._file = os.open(os.path.join(folder, FILE_NAME), flags, 0o666)

    def acquire(self, name: str, seconds: float) -> bool:
        """Take a lock; return False if another process held it for so many seconds."""
        if self._file is None:
            return False
        deadline = time.monotonic() + seconds
        while True:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
                return True
            except (BlockingIOError, PermissionError):  # either one, by POSIX
                if time.monotonic() >= deadline:
                    return False
            except OSError:  # a file system without locks
                return False
            time.sleep(POLL_SECONDS)

    def release(self, name: str) -> None:
        """Let another process take a lock."""
        if self._file is not None:
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(name))


def _place(name: str) -> int:
    """Return the byte of a lock."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big")


@cache
def locks_of(folder: str) -> ProcessLocks:
    """Return the locks of a folder."""
    return ProcessLocks(folder)
