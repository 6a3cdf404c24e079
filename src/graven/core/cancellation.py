"""Cancelling work within one playout: rules in Python can take long.

Kernels test whether to stop between playouts. A thread that runs a search names the event that
cancels its work, and rules that take long test it now and then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_thread = threading.local()


class SearchCancelled(Exception):  # noqa: N818 - not an error
    """The work of this thread was cancelled. The thread that called `cancelled_by` catches this."""


class Cancellation(Protocol):
    """Anything like a `threading.Event`."""

    def is_set(self) -> bool:
        """Return whether the work is to end."""


class Deadline:
    """Cancels work some seconds after it began, or earlier if an event is set."""

    def __init__(self, seconds: float, event: threading.Event | None = None) -> None:
        self._ends, self._event = time.monotonic() + seconds, event

    def is_set(self) -> bool:
        """Return whether the time is over or the event is set."""
        return time.monotonic() > self._ends or (self._event is not None and self._event.is_set())


@contextmanager
def cancelled_by(stop: Cancellation) -> Iterator[None]:
    """Let `stop` cancel the work of this thread inside the `with` block."""
    _thread.stop = stop
    try:
        yield
    finally:
        del _thread.stop


def raise_if_cancelled() -> None:
    """Raise SearchCancelled if the work of this thread was cancelled."""
    stop = getattr(_thread, "stop", None)
    if stop is not None and stop.is_set():
        raise SearchCancelled("cancelled: the request is no longer active.")
