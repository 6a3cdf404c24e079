"""The GGP player as an HTTP server: each message is the body of a POST request."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, get_args

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from graven.interfaces.ggp.ggp_messages import (
    GgpMessage,
    GgpMessageError,
    InfoMessage,
    parse_message,
)
from graven.interfaces.ggp.ggp_player import GgpPlayer
from graven.interfaces.host_names import LOCAL_HOSTS, is_address, is_own_host

if TYPE_CHECKING:
    import uvicorn

log = logging.getLogger("graven.ggp")

MAX_BODY_BYTES = 4 << 20
LONG_MESSAGE_CHARACTERS = 20_000
"""A longer message is parsed in a thread; a PLAY is shorter."""
MAX_CONCURRENT = 4
"""Messages of each kind that are answered concurrently. The limit is per kind because repeated
START and PLAY messages wait for their clocks and must not delay an ABORT."""
HEADERS = {
    "Content-Type": "text/acl",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Age": "86400",
}


def make_app(player: GgpPlayer, hosts: frozenset[str] = LOCAL_HOSTS) -> Starlette:
    """Return the web application of a player, reachable by its IP addresses and as `hosts`."""
    slots = {kind: threading.BoundedSemaphore(MAX_CONCURRENT) for kind in get_args(GgpMessage)}
    threads = ThreadPoolExecutor(MAX_CONCURRENT * len(slots), "ggp")

    async def handle(request: Request) -> Response:
        received = time.monotonic()
        # Old servers send no Host; browsers always do.
        host = request.headers.get("host", "")
        if host and not is_address(host) and not is_own_host(host, hosts):
            return _reply("unknown host name of this player: see 'graven ggp --help'.", 403)
        if request.method == "OPTIONS":
            return _reply("")
        if request.method == "GET":
            return _reply("This is a GGP player. Send messages by POST, such as ( INFO ).\n")
        try:
            text = (await _body(request)).decode()
            if len(text) > LONG_MESSAGE_CHARACTERS:
                # Parse in a thread, so that the event loop can answer other messages.
                message = await asyncio.to_thread(parse_message, text)
            else:
                message = parse_message(text)
        except ClientDisconnect:
            return _reply("", 400)
        except UnicodeDecodeError:
            return _reply("the message is not UTF-8 text.", 400)
        except BodyTooLongError:
            return _reply(f"a message has at most {MAX_BODY_BYTES:,} bytes.", 413)
        except GgpMessageError as error:
            return _reply(str(error), 400)
        slot = slots[type(message)]
        if not slot.acquire(blocking=False):
            return _reply("too many messages of this kind at once.", 503)
        try:
            if isinstance(message, InfoMessage):
                return _reply(player.answer(message))
            loop = asyncio.get_running_loop()
            return _reply(await loop.run_in_executor(threads, player.answer, message, received))
        except GgpMessageError as error:
            return _reply(str(error), 400)
        except Exception:
            # Report a bug as status 500 and keep serving.
            log.exception("internal error while answering a message")
            return _reply("internal error in this player.", 500)
        finally:
            slot.release()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        player.close()
        threads.shutdown(wait=False, cancel_futures=True)

    route = Route("/{path:path}", handle, methods=["POST", "GET", "OPTIONS"])
    return Starlette(routes=[route], lifespan=lifespan)


class BodyTooLongError(Exception):
    """The body of a request exceeds the limit."""


async def _body(request: Request) -> bytes:
    """Read the body, but not beyond the limit."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > MAX_BODY_BYTES:
        raise BodyTooLongError
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise BodyTooLongError
        parts.append(part)
    return b"".join(parts)


def _reply(text: str, status: int = 200) -> Response:
    return Response(text, status, HEADERS)


def make_server(player: GgpPlayer, hosts: frozenset[str] = LOCAL_HOSTS) -> uvicorn.Server:
    """Return a server for a player."""
    import uvicorn

    from graven.interfaces.http_limits import LimitedHttpProtocol

    config = uvicorn.Config(
        make_app(player, hosts),
        http=LimitedHttpProtocol,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    return uvicorn.Server(config)
