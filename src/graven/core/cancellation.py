"""Cancelling work within one playout: rules in Python can take long.

Kernels test whether to stop between playouts. A thread that runs a search names the event that
cancels its work, and rules that take long test it now and then.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_thread = threading.local()


class SearchCancelled(Exception):  # noqa: N818 - not an error
    """The work of this thread was cancelled. The thread that called `cancelled_by` catches this."""


@contextmanager
def cancelled_by(stop: threading.Event) -> Iterator[None]:
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
