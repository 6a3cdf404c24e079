"""Mutated HTTP requests to the page: answered or refused, never with a server error or a log."""

from __future__ import annotations

import random
import socket
import time
from contextlib import suppress

from tests.stress.page_server import running_page
from tests.stress.seeds import mutated

HEAD = b"Host: 127.0.0.1\r\nConnection: close\r\n"
PATHS = [
    b"/", b"/static/main.js", b"/static/../server.py", b"/api/choices", b"/api/lab/stamp",
    b"/api/lab/matches", b"/api/lab/papers", b"/api/lab/table?paper=cazenave2015&table=6",
    b"/api/lab/games?match=x&start=0", b"/api/lab/game?match=x&number=0", b"/api/lab/plots",
    b"/api/lab/position?match=x&number=0&ply=0", b"/api/lab/plot?name=x", b"/ws", b"/nowhere",
]  # fmt: skip
EXAMPLES = [
    *(b"GET %s HTTP/1.1\r\n%s\r\n" % (path, HEAD) for path in PATHS),
    b"POST / HTTP/1.1\r\n%sContent-Length: 5\r\n\r\nhello" % HEAD,
    b"POST / HTTP/1.1\r\n%sTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" % HEAD,
    b"GET / HTTP/1.1\r\n%s\r\nGET / HTTP/1.1\r\n%s\r\n" % (HEAD, HEAD),
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Origin: http://127.0.0.1\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    b"OPTIONS * HTTP/1.0\r\n\r\n",
]
WORDS = [
    b"\r\n", b"\n", b"\0", b" ", b"%00", b"%2e%2e/", b"Host: evil\r\n", b"Content-Length: 99\r\n",
    b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n",
    b"Range: bytes=0-,0-,0-\r\n", b"HTTP/9.9", b"\xff", b"x" * 70_000, b"?a=b&", b"&number=9e9",
]  # fmt: skip

GOOD = (b"HTTP/1.1 101", b"HTTP/1.1 2", b"HTTP/1.1 3", b"HTTP/1.1 4")


def exchange(port: int, data: bytes, seconds: float = 0.3) -> bytes:
    """Send a request; return what comes back until the server closes or waits for more."""
    reply = b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 20) as link:
        link.sendall(data)
        link.settimeout(seconds)
        while part := link.recv(65_536):
            reply += part
    return reply


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Send mutated requests, and a valid one now and then."""
    rng, tried, failures = random.Random(seed), 0, []
    with running_page() as (port, errors):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and len(failures) < 20:
            data = mutated(rng.choice(EXAMPLES), rng, WORDS)
            tried += 1
            reply = exchange(port, data)
            if reply and not reply.startswith(GOOD):
                failures.append(f"{reply[:200]!r} for {data[:300]!r}")
            if errors:
                failures.append(f"{errors.pop()} for {data[:300]!r}")
            if tried % 50 == 1 and b" 200 OK" not in exchange(port, EXAMPLES[0], 20)[:20]:
                failures.append(f"the page is not served after {data[:300]!r}")
        failures += errors
    return tried, failures
