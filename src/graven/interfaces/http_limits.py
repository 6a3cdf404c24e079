"""Limits on the connections to our servers, so that slow clients cannot lock out others.

A whole request, headers and body, has to arrive within REQUEST_SECONDS, and a response must not
wait longer than that for a client that does not read. Beyond MAX_CONNECTIONS, or beyond
MAX_PER_ADDRESS from one address, the connection that has waited longest for its request is closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 512
MAX_PER_ADDRESS = 128  # without WebSockets, whose number the sessions of the page limit
REQUEST_SECONDS = 15.0

_TIMEOUT_RESPONSE = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: 36\r\n\r\nthe request did not arrive in time.\n"
)


class LimitedHttpProtocol(H11Protocol):
    """HTTP with a deadline for every request and a limit for every address."""

    address = ""
    _deadline: asyncio.TimerHandle | None = None  # set while a request is awaited or arrives
    _write_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline of the first request."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._close_late_request)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadlines."""
        super().connection_lost(exc)
        self._end_deadline()
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        """Read on; end the deadline when the request is complete."""
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self._close_late_request)
        super().data_received(data)
        upgraded = self not in self.connections
        if upgraded or self.conn.their_state in (h11.DONE, h11.MUST_CLOSE, h11.ERROR):
            self._end_deadline()

    def send_400_response(self, msg: str) -> None:
        """Refuse an invalid request; only close the connection if a response has begun."""
        with suppress(h11.LocalProtocolError):
            super().send_400_response(msg)
        self._close()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, also one whose last request was never completed."""
        with suppress(h11.LocalProtocolError):
            super().timeout_keep_alive_handler()
        self.transport.close()

    def pause_writing(self) -> None:
        """Close the connection if its client does not read for too long."""
        super().pause_writing()
        if self._write_deadline is None:
            self._write_deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue: the client has read."""
        super().resume_writing()
        if self._write_deadline is not None:
            self._write_deadline.cancel()
            self._write_deadline = None

    @property
    def waits_for_request(self) -> bool:
        """Whether no complete request has arrived since the last response."""
        return self._deadline is not None or self.timeout_keep_alive_task is not None

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_late_request(self) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_TIMEOUT_RESPONSE)
        self._close()

    def _close(self) -> None:
        """Close the connection, and let the application know that nothing can be sent."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def _make_room(self) -> None:
        """Close the oldest waiting connection of the busiest address if there are too many."""
        others = [each for each in self.connections if isinstance(each, LimitedHttpProtocol)]
        numbers = Counter(each.address for each in others)
        if numbers[self.address] > MAX_PER_ADDRESS:
            busiest = self.address
        elif len(self.connections) > MAX_CONNECTIONS:
            busiest = numbers.most_common(1)[0][0]
        else:
            return
        waiting = [each for each in others if each.address == busiest and each.waits_for_request]
        # Deadlines are in the order of arrival; one that only idles was served. If all requests of
        # that address are being answered, the new connection is closed.
        oldest = min(
            waiting, key=lambda each: each._deadline.when() if each._deadline else 0.0, default=self
        )
        oldest._close()
        oldest.connections.discard(oldest)
