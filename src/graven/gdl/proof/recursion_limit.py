"""Python's recursion limit, raised only while a proof runs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

MAX_DEPTH = 60_000
"""The most nested calls: ten for each step down a chain such as `succ`."""

_lock = threading.Lock()
_running = 0
_limit = 0


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow deep recursion of Python functions, whose frames need no machine stack.

    The limit belongs to the whole process: the last proof that ends, in any thread, restores it.
    """
    global _limit, _running
    with _lock:
        if not _running:
            _limit = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_limit, MAX_DEPTH))
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if not _running:
                sys.setrecursionlimit(_limit)
