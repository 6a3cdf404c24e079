"""Limits on the connections to our servers: their number, and the wait for a first request."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MAX_CONNECTIONS = 512
REQUEST_TIMEOUT = 10.0


class LimitedHttpProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP that closes a connection if no request arrives in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Start the timeout of the first request."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.close()
        else:
            self.loop.call_later(REQUEST_TIMEOUT, self._close_if_idle)

    def _close_if_idle(self) -> None:
        # A WebSocket connection has another protocol object by now.
        if self.cycle is None and self in self.connections:
            self.transport.close()
