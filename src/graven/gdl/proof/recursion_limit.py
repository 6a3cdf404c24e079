"""Raise Python's recursion limit for the time of an evaluation, and restore it afterwards.

The limit belongs to the process, so it is counted how many evaluations are active, in all threads.
"""

from __future__ import annotations

import sys
import threading


class RecursionLimitGuard:
    """Keeps the recursion limit at `limit` or above while any `with` block of it is active.

    The first block that is entered raises the limit; the last one that is left restores it, unless
    other code has changed it in between. Blocks may be nested, and several threads may be in one.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._active = 0
        self._previous = 0
        self._raised = 0
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        with self._lock:
            if not self._active:
                self._previous = sys.getrecursionlimit()
                self._raised = max(self._previous, self._limit)
                sys.setrecursionlimit(self._raised)
            self._active += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._active -= 1
            if not self._active and sys.getrecursionlimit() == self._raised:
                sys.setrecursionlimit(self._previous)
