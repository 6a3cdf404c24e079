"""Protection against requests from other web sites, and security headers on every response."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graven.interfaces.host_names import is_own_host

HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
POLICY_VIOLATION = 1008  # WebSocket close code


def guarded(app: ASGIApp, hosts: frozenset[str]) -> ASGIApp:
    """Wrap an application so that it refuses other hosts and origins, and sends our headers.

    The Host must be one of `hosts`, which prevents DNS rebinding. The Origin of a WebSocket must be
    our own page.
    """

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        host = headers.get("host", "")
        if not is_own_host(host, hosts):
            reason = "unknown host name of this server: see 'graven serve --help', option --name."
            await _refuse(scope, receive, send, reason)
        elif scope["type"] == "websocket" and not is_same_origin(headers.get("origin", ""), host):
            await _refuse(scope, receive, send, "only the page itself may connect here.")
        else:
            await app(scope, receive, partial(_send_with_headers, send))

    return call


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header is a page of this host."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


async def _send_with_headers(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        headers = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
        message = {**message, "headers": [*message.get("headers", []), *headers]}
    await send(message)


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": reason})
    else:
        await JSONResponse({"error": reason}, 403)(scope, receive, send)
