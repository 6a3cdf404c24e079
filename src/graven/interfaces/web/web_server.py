"""The server: static files, the catalogue and the laboratory over HTTP, games over a WebSocket.

Nothing heavy is imported until the first page has been served: NumPy, Numba and the rest load in a
thread while the browser draws.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import resources
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from graven.core.errors import GravenError, UsageError
from graven.interfaces.web.web_limits import WAITING_MESSAGES, Limits

if TYPE_CHECKING:
    from graven.interfaces.web.store_pages import Laboratory
    from graven.interfaces.web.web_session import Session, Sessions, Tab

STATIC = Path(str(resources.files("graven.interfaces.web"))) / "static"
LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
REFUSED, FULL = 1008, 1013  # WebSocket close codes: policy violation, try again later
LOADERS, READERS = 2, 4
PAUSE = 0.02  # seconds
WARM_AFTER = 2.0  # seconds after the first tab: its own game comes first


class Page:
    """All that the server knows. `hosts` are the names under which browsers may find it."""

    def __init__(self, limits: Limits, db: str, hosts: frozenset[str] = LOCAL) -> None:
        self.limits, self.hosts, self._db = limits, hosts, db
        # Reading a store may take long: those who come to play do not wait for it.
        self._threads = ThreadPoolExecutor(LOADERS, "graven-page")
        self._readers = ThreadPoolExecutor(READERS, "graven-store")
        self._loading = threading.Lock()
        self._sessions: Sessions | None = None
        self._laboratory: Laboratory | None = None
        self._choices: dict[str, Any] | None = None

    def app(self) -> ASGIApp:
        """The application, to be served."""
        routes = [
            Route("/", self._index),
            Route(
                "/api/choices", self._answer(lambda query: self._load_choices(), self._in_thread)
            ),
            Route("/api/lab/stamp", self._answer(lambda query: {"stamp": self._lab().stamp()})),
            Route("/api/lab/matches", self._answer(lambda query: self._lab().matches())),
            Route("/api/lab/papers", self._answer(lambda query: self._lab().papers())),
            Route(
                "/api/lab/table",
                self._answer(lambda query: self._lab().table(query["paper"], query["table"])),
            ),
            Route("/api/lab/plots", self._answer(lambda query: self._lab().plots())),
            Route(
                "/api/lab/plot",
                self._answer(lambda query: self._lab().plot(query["name"]), reply=picture),
            ),
            Route(
                "/api/lab/games",
                self._answer(
                    lambda query: self._lab().games(query["match"], whole(query, "start"))
                ),
            ),
            Route(
                "/api/lab/game",
                self._answer(
                    lambda query: self._lab().game(query["match"], whole(query, "number"))
                ),
            ),
            Route(
                "/api/lab/position",
                self._answer(
                    lambda query: self._lab().position(
                        query["match"], whole(query, "number"), whole(query, "ply")
                    )
                ),
            ),
            WebSocketRoute("/ws", self._socket),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        return guarded(Starlette(routes=routes, lifespan=self._lifespan), self.hosts)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        yield
        if self._sessions is not None:
            self._sessions.close()
        for threads in (self._threads, self._readers):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def _read(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    # What is loaded when it is first needed, always in a thread.

    def _load_sessions(self) -> Sessions:
        with self._loading:
            if self._sessions is None:
                from graven.interfaces.web.web_session import Sessions

                self._sessions = Sessions(self.limits)
                soon = threading.Timer(WARM_AFTER, self._sessions.warm_up)
                soon.daemon = True
                soon.start()
            return self._sessions

    def _lab(self) -> Laboratory:
        with self._loading:
            if self._laboratory is None:
                from graven.interfaces.web.store_pages import Laboratory

                self._laboratory = Laboratory(self._db, self.limits.folder)
            return self._laboratory

    def _load_choices(self) -> dict[str, Any]:
        if self._choices is None:
            from graven.interfaces.web.catalogue import choices

            self._choices = choices(self.limits)
        return self._choices

    # Pages.

    async def _index(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    def _answer(
        self,
        ask: Callable[[Mapping[str, str]], Any],
        by: Callable[[Callable[[], Any]], Awaitable[Any]] | None = None,
        reply: Callable[[Any], Response] = JSONResponse,
    ) -> Callable[[Request], Awaitable[Response]]:
        """A page of plain values, or whatever `reply` makes of what `ask` makes of the query."""
        by = by or self._read

        async def answer(request: Request) -> Response:
            try:
                return reply(await by(lambda: ask(request.query_params)))
            except GravenError as error:
                return JSONResponse({"error": " ".join(str(error).split())}, 400)
            except KeyError as error:
                return JSONResponse({"error": f"{error.args[0]} is missing."}, 400)
            except Exception as error:
                if environ.get("GRAVEN_DEBUG"):
                    raise
                said = f"this is a bug: {type(error).__name__}: {error}. Please report it."
                return JSONResponse({"error": said}, 500)

        return answer

    # Games.

    async def _socket(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            sessions: Sessions = await self._in_thread(self._load_sessions)
            session = sessions.open(socket.query_params.get("session"))
        except UsageError as error:
            with suppress(Exception):
                await socket.send_json({"type": "error", "text": str(error)})
                await socket.close(FULL)
            return
        from graven.interfaces.web.web_session import Tab

        tab = Tab()
        sending = asyncio.get_running_loop().create_task(send_all(socket, tab))
        try:
            await session.join(tab)
            await receive_all(socket, session, tab, sending)
        finally:
            session.leave(tab)
            sending.cancel()


async def receive_all(
    socket: WebSocket, session: Session, tab: Tab, sending: asyncio.Task[None]
) -> None:
    """Hear everything that a tab says until it is gone."""
    while True:
        try:
            message: Message = await socket.receive()
        except (WebSocketDisconnect, RuntimeError):
            return
        if message["type"] != "websocket.receive":
            return
        data = message.get("text")
        await session.hear(tab, data if data is not None else message.get("bytes") or b"")
        # Who asks faster than he reads the answers is not asked again until he has; one who is gone
        # never will, and must be heard to be gone.
        await asyncio.sleep(0)
        while tab.waiting.qsize() > WAITING_MESSAGES // 2 and not sending.done():
            await asyncio.sleep(PAUSE)


async def send_all(socket: WebSocket, tab: Tab) -> None:
    """Send everything that is for a tab; one that does not read is let go."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while True:
            text = await tab.waiting.get()
            if text is None:
                await socket.close(FULL)
                return
            await socket.send_text(text)


def picture(drawn: bytes) -> Response:
    """An SVG picture."""
    return Response(drawn, media_type="image/svg+xml")


def whole(query: Mapping[str, str], name: str) -> int:
    """A whole number of a query."""
    if not re.fullmatch(r"\d{1,9}", query[name], re.ASCII):
        raise UsageError(f"{name} must be a whole number.")
    return int(query[name])


def guarded(app: ASGIApp, hosts: frozenset[str]) -> ASGIApp:
    """Refuse strangers' pages, and send every answer with headers that keep ours to itself.

    The Host must be one of ours, or a page elsewhere could reach us by a name of its own; the
    Origin of a WebSocket must be our own page.
    """

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        given = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        host = given.get("host", "")
        if not is_ours(host, hosts):
            said = "this server is not known by that name: see 'graven serve --help'."
            await _refuse(scope, receive, send, said)
        elif scope["type"] == "websocket" and not same_origin(given.get("origin", ""), host):
            await _refuse(scope, receive, send, "only the page itself may connect here.")
        else:
            await app(scope, receive, partial(_with_headers, send))

    return call


def is_ours(host: str, hosts: frozenset[str]) -> bool:
    """Whether a Host header, with its port or without, is a name of this server's."""
    return re.sub(r":\d+$", "", host.lower()) in hosts


def same_origin(origin: str, host: str) -> bool:
    """Whether a page of that origin came from this host."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


async def _with_headers(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        headers = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
        message = {**message, "headers": [*message.get("headers", []), *headers]}
    await send(message)


async def _refuse(scope: Scope, receive: Receive, send: Send, said: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": REFUSED, "reason": said})
    else:
        await JSONResponse({"error": said}, 403)(scope, receive, send)
