"""The server's end of the connection to a browser tab: a bounded send queue."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from graven.interfaces.web.web_limits import SEND_QUEUE_SIZE

OutgoingMessage = dict[str, Any]


class BrowserTab:
    """The queue of messages to be sent to a tab; None in the queue closes the connection."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[str | None] = asyncio.Queue(SEND_QUEUE_SIZE)

    def send_text(self, text: str, droppable: bool = False) -> None:
        """Queue a message. A tab that does not read its messages is disconnected.

        A droppable message is dropped if the queue is more than a quarter full.
        """
        if droppable and self.queue.qsize() > SEND_QUEUE_SIZE // 4:
            return
        try:
            self.queue.put_nowait(text)
        except asyncio.QueueFull:
            while not self.queue.empty():
                self.queue.get_nowait()
            self.queue.put_nowait(None)

    def send(self, message: OutgoingMessage) -> None:
        """Queue a message of plain values."""
        self.send_text(json.dumps(message))

    def send_error(self, text: str, request: str = "") -> None:
        """Queue an error message; `request` is the type of the message that caused it."""
        self.send({"type": "error", "text": text, "request": request})
