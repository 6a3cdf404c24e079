"""Input lines, read ahead by a thread, so that a search can stop when the next one arrives."""

from __future__ import annotations

import queue
import threading
from typing import BinaryIO

from graven.interfaces.gtp.gtp_protocol import MAX_LINE_CHARACTERS

MAX_QUEUED_LINES = 1000


class InputLines:
    """Lines of a stream. `is_set` makes it a stop signal: true while a line is waiting."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.Queue[str | None] = queue.Queue(MAX_QUEUED_LINES)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        max_bytes = 4 * MAX_LINE_CHARACTERS
        while chunk := self._stream.readline(max_bytes):
            line = chunk
            while not chunk.endswith(b"\n") and len(chunk) == max_bytes:
                chunk = self._stream.readline(max_bytes)  # drop the rest: the line is too long
            self._queue.put(line.decode("utf-8", "replace"))
        self._queue.put(None)

    def next(self) -> str | None:
        """Wait for the next line; return None at the end of the input."""
        return self._queue.get()

    def is_set(self) -> bool:
        """Whether a line, or the end of the input, is waiting."""
        return not self._queue.empty()
