"""The player on HTTP: one POST a message, as GGP servers send them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, get_args

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from graven.core.errors import UsageError
from graven.interfaces.ggp.ggp_messages import Info, Message, MessageError, parse
from graven.interfaces.ggp.ggp_player import Player

if TYPE_CHECKING:
    import uvicorn

log = logging.getLogger("graven.ggp")

MOST_BYTES = 4 << 20
LARGE = 20_000
"""Characters of a message that takes a while to read: a PLAY has fewer."""
BODY_SECONDS = 20.0
"""The longest that the rest of a message may take to arrive."""
WAITING = 4
"""Messages of one kind that are answered at the same time: a START or PLAY that is repeated many
times waits for its clock, and must not keep an ABORT waiting."""
HEADERS = {
    "Content-Type": "text/acl",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Age": "86400",
}


def make_app(player: Player) -> Starlette:
    """The web application of a player."""
    waiting = {kind: threading.BoundedSemaphore(WAITING) for kind in get_args(Message)}
    threads = ThreadPoolExecutor(WAITING * len(waiting), "ggp")

    async def message(request: Request) -> Response:
        received = time.monotonic()
        if request.method == "OPTIONS":
            return _reply("")
        if request.method == "GET":
            return _reply("This is a GGP player: send it messages by POST, such as ( INFO ).\n")
        try:
            text = (await asyncio.wait_for(_body(request), BODY_SECONDS)).decode()
            # A large message must not keep the answer to another one waiting.
            said = await asyncio.to_thread(parse, text) if len(text) > LARGE else parse(text)
        except TimeoutError:
            return _reply("the message did not arrive in time.", 408)
        except ClientDisconnect:
            return _reply("", 400)
        except UnicodeDecodeError:
            return _reply("the message is no text.", 400)
        except TooLongError:
            return _reply(f"a message has at most {MOST_BYTES:,} bytes.", 413)
        except MessageError as error:
            return _reply(str(error), 400)
        room = waiting[type(said)]
        if not room.acquire(blocking=False):
            return _reply("too many messages of this kind at once.", 503)
        try:
            if isinstance(said, Info):
                return _reply(player.answer(said))
            loop = asyncio.get_running_loop()
            return _reply(await loop.run_in_executor(threads, player.answer, said, received))
        except MessageError as error:
            return _reply(str(error), 400)
        except Exception:
            # Whatever went wrong, the next message is answered.
            log.exception("a message could not be answered")
            return _reply("something went wrong in this player.", 500)
        finally:
            room.release()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        player.close()
        threads.shutdown(wait=False, cancel_futures=True)

    route = Route("/{path:path}", message, methods=["POST", "GET", "OPTIONS"])
    return Starlette(routes=[route], lifespan=lifespan)


class TooLongError(Exception):
    """A body beyond the limit."""


async def _body(request: Request) -> bytes:
    """The body, which is not read beyond the limit."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > MOST_BYTES:
        raise TooLongError
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise TooLongError
        parts.append(part)
    return b"".join(parts)


def _reply(text: str, status: int = 200) -> Response:
    return Response(text, status, HEADERS)


def bound(host: str, port: int) -> socket.socket:
    """A socket to serve on, to which nobody can connect yet; a sentence if it cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot listen on {host}, port {port}: {reason}.") from None
    return made


def make_server(player: Player) -> uvicorn.Server:
    """A server for a player."""
    import uvicorn

    from graven.interfaces.http_limits import Prompt

    config = uvicorn.Config(
        make_app(player),
        http=Prompt,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    return uvicorn.Server(config)
