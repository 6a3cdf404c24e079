"""Connections to our servers: so many at once, and each has to say soon what it wants."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MOST_CONNECTIONS = 512
HEADER_SECONDS = 10.0


class Prompt(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP that hangs up on whoever keeps a connection without a first request."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.close()
        else:
            self.loop.call_later(HEADER_SECONDS, self._hang_up)

    def _hang_up(self) -> None:
        # A websocket has a protocol of its own by now, and is none of ours any more.
        if self.cycle is None and self in self.connections:
            self.transport.close()
