"""Work that may be given up half way: rules in Python can take long, even within one playout.

Kernels look whether to stop between playouts. Whoever runs a search in a thread says who may end it
there, and rules that take their time ask now and then.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from graven.core.errors import UsageError

_thread = threading.local()


@contextmanager
def until(stop: threading.Event) -> Iterator[None]:
    """What this thread does meanwhile is given up once `stop` is set, whatever it has found."""
    _thread.stop = stop
    try:
        yield
    finally:
        del _thread.stop


def go_on() -> None:
    """Complain if this thread's work is not wanted any more."""
    stop = getattr(_thread, "stop", None)
    if stop is not None and stop.is_set():
        raise UsageError("it was given up: nobody waits for it.")
