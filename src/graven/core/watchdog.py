"""End a process whose rules do not return.

Machine code cannot be interrupted: a rule function with an endless loop holds its thread for ever.
A worker process that runs user-defined rules is watched by a thread of its own. Callers of rules
call `beat` before each call; if the process then uses more processor time than the limit without
another beat, the call does not return.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core.compiler_lock import global_compiler_lock

POLL_SECONDS = 0.25

_beats = 0


def beat() -> None:
    """Report that the latest call of rules, or of a kernel, has returned."""
    global _beats
    _beats += 1


def _compiling() -> bool:
    """Return whether another thread compiles, which may take long."""
    lock = global_compiler_lock._lock
    if lock.acquire(blocking=False):
        lock.release()
        return False
    return True


@contextmanager
def watched(seconds: float, on_stuck: Callable[[], object]) -> Iterator[None]:
    """Call `on_stuck` if the block goes on for so many seconds of processor time without a beat.

    Processor time, not time of the clock: on a busy machine a call that is not stuck takes long.
    """
    done = threading.Event()

    def watch() -> None:
        beats, since = _beats, time.process_time()
        while not done.wait(POLL_SECONDS):
            if _beats != beats or _compiling():
                beats, since = _beats, time.process_time()
            elif time.process_time() - since > seconds:
                on_stuck()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
