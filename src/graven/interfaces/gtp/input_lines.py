"""Lines of input, read ahead by a thread: so that a search can see that the next one has come."""

from __future__ import annotations

import queue
import threading
from typing import BinaryIO

from graven.interfaces.gtp.gtp_protocol import LONGEST

WAITING = 1000  # lines read ahead at most


class Lines:
    """Lines from a stream. Like an event that is set while one is waiting: a search stops then."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.Queue[str | None] = queue.Queue(WAITING)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        limit = 4 * LONGEST
        while line := self._stream.readline(limit):
            whole = line
            while not line.endswith(b"\n") and len(line) == limit:
                line = self._stream.readline(limit)  # the rest of a line that is too long anyway
            self._queue.put(whole.decode("utf-8", "replace"))
        self._queue.put(None)

    def next(self) -> str | None:
        """The next line; None at the end."""
        return self._queue.get()

    def is_set(self) -> bool:
        """Whether a line, or the end, is waiting."""
        return not self._queue.empty()
