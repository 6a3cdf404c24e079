"""The ASGI application: static files and the store over HTTP, games over a WebSocket.

NumPy, Numba and the rest of graven are imported in a thread after the first page has been served,
so that the page appears at once.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from importlib import resources
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from graven.core.errors import GravenError, UsageError
from graven.interfaces.host_names import LOCAL_HOSTS
from graven.interfaces.web.request_guard import guarded
from graven.interfaces.web.web_limits import MAX_WAITING_MESSAGES, SEND_QUEUE_SIZE, PageLimits

if TYPE_CHECKING:
    from graven.interfaces.web.browser_tab import BrowserTab
    from graven.interfaces.web.session_registry import SessionRegistry
    from graven.interfaces.web.store_pages import StorePages
    from graven.interfaces.web.web_session import GameSession

STATIC = Path(str(resources.files("graven.interfaces.web"))) / "static"
TRY_AGAIN_LATER = 1013  # WebSocket close code
LOADER_THREADS, STORE_THREADS = 2, 4
BACKPRESSURE_SECONDS = 0.02  # between two looks at a full send queue
WARM_UP_SECONDS = 2.0  # after the first tab, whose own game is compiled first

Query = Mapping[str, str]


class WebServer:
    """The application and its shared state.

    `db` is the path of the result store; `hosts` are the host names under which browsers may reach
    the server.
    """

    def __init__(self, limits: PageLimits, db: str, hosts: frozenset[str] = LOCAL_HOSTS) -> None:
        self.limits, self.hosts, self._db = limits, hosts, db
        # Separate pools: reading a large store must not delay those who play.
        self._loader_threads = ThreadPoolExecutor(LOADER_THREADS, "graven-page")
        self._store_threads = ThreadPoolExecutor(STORE_THREADS, "graven-store")
        self._loading = threading.Lock()
        self._sessions: SessionRegistry | None = None
        self._store: StorePages | None = None
        self._choices: dict[str, Any] | None = None

    def app(self) -> ASGIApp:
        """Return the ASGI application."""
        get, store = self._json_route, self._load_store
        routes = [
            Route("/", self._index),
            get("/api/choices", lambda q: self._load_choices(), threads=self._loader_threads),
            get("/api/lab/stamp", lambda q: {"stamp": store().stamp()}),
            get("/api/lab/matches", lambda q: store().matches()),
            get("/api/lab/papers", lambda q: store().papers()),
            get("/api/lab/table", lambda q: store().table(q["paper"], q["table"])),
            get("/api/lab/plots", lambda q: store().plots()),
            get("/api/lab/plot", lambda q: store().plot(q["name"]), respond=svg_response),
            get("/api/lab/games", lambda q: store().games(q["match"], integer(q, "start"))),
            get("/api/lab/game", lambda q: store().game(q["match"], integer(q, "number"))),
            get(
                "/api/lab/position",
                lambda q: store().position(q["match"], integer(q, "number"), integer(q, "ply")),
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
        for threads in (self._loader_threads, self._store_threads):
            threads.shutdown(wait=False, cancel_futures=True)

    # Loaded when first needed, always in a thread.

    def _load_sessions(self) -> SessionRegistry:
        with self._loading:
            if self._sessions is None:
                from graven.interfaces.web.session_registry import SessionRegistry

                self._sessions = SessionRegistry(self.limits)
                timer = threading.Timer(WARM_UP_SECONDS, self._sessions.warm_up)
                timer.daemon = True
                timer.start()
            return self._sessions

    def _load_store(self) -> StorePages:
        with self._loading:
            if self._store is None:
                from graven.interfaces.web.store_pages import StorePages

                self._store = StorePages(self._db, self.limits)
            return self._store

    def _load_choices(self) -> dict[str, Any]:
        if self._choices is None:
            from graven.interfaces.web.catalogue import choices

            self._choices = choices(self.limits)
        return self._choices

    # HTTP.

    async def _index(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    def _json_route(
        self,
        path: str,
        handler: Callable[[Query], Any],
        *,
        threads: ThreadPoolExecutor | None = None,
        respond: Callable[[Any], Response] = JSONResponse,
    ) -> Route:
        """Return a route that runs `handler(query)` in a thread and answers with its result."""
        pool = threads or self._store_threads

        async def endpoint(request: Request) -> Response:
            loop = asyncio.get_running_loop()
            try:
                return respond(await loop.run_in_executor(pool, handler, request.query_params))
            except GravenError as error:
                return JSONResponse({"error": " ".join(str(error).split())}, 400)
            except KeyError as error:
                return JSONResponse({"error": f"{error.args[0]} is missing."}, 400)
            except Exception as error:
                if environ.get("GRAVEN_DEBUG"):
                    raise
                text = f"this is a bug: {type(error).__name__}: {error}. Please report it."
                return JSONResponse({"error": text}, 500)

        return Route(path, endpoint)

    # WebSocket.

    async def _socket(self, socket: WebSocket) -> None:
        await socket.accept()
        loop = asyncio.get_running_loop()
        try:
            sessions = await loop.run_in_executor(self._loader_threads, self._load_sessions)
            client = socket.client.host if socket.client else ""
            session = sessions.open(socket.query_params.get("session"), client)
        except UsageError as error:
            with suppress(Exception):
                await socket.send_json({"type": "error", "text": str(error), "request": "connect"})
                await socket.close(TRY_AGAIN_LATER)
            return
        from graven.interfaces.web.browser_tab import BrowserTab

        tab = BrowserTab()
        sender = loop.create_task(send_all(socket, tab))
        try:
            await session.join(tab)
            await receive_all(socket, session, tab, sender)
        finally:
            session.leave(tab)
            sender.cancel()


async def receive_all(
    socket: WebSocket, session: GameSession, tab: BrowserTab, sender: asyncio.Task[None]
) -> None:
    """Pass the messages of a tab to its session until the connection is closed.

    Reading goes on while a message is acted on: the keep-alive of the connection needs it, and the
    end of the connection cancels the work.
    """
    waiting: asyncio.Queue[str | bytes | None] = asyncio.Queue(MAX_WAITING_MESSAGES)
    acting = asyncio.get_running_loop().create_task(act_on_all(waiting, session, tab, sender))
    try:
        while True:
            try:
                message: Message = await socket.receive()
            except (WebSocketDisconnect, RuntimeError):
                return
            if message["type"] != "websocket.receive":
                return
            data = message.get("text")
            await waiting.put(data if data is not None else message.get("bytes") or b"")
    finally:
        session.leave(tab)
        while not waiting.empty():
            waiting.get_nowait()
        waiting.put_nowait(None)
        with suppress(Exception):
            await acting


async def act_on_all(
    waiting: asyncio.Queue[str | bytes | None],
    session: GameSession,
    tab: BrowserTab,
    sender: asyncio.Task[None],
) -> None:
    """Act on the messages of a tab, one after another; None ends."""
    while (data := await waiting.get()) is not None:
        await session.receive(tab, data)
        # Backpressure: do not go on while the send queue is more than half full, unless the sender
        # has ended, since the queue is then never emptied.
        await asyncio.sleep(0)
        while tab.queue.qsize() > SEND_QUEUE_SIZE // 2 and not sender.done():
            await asyncio.sleep(BACKPRESSURE_SECONDS)


async def send_all(socket: WebSocket, tab: BrowserTab) -> None:
    """Send the queued messages of a tab; None in the queue closes the connection."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while True:
            text = await tab.queue.get()
            if text is None:
                await socket.close(TRY_AGAIN_LATER)
                return
            await socket.send_text(text)


def svg_response(drawing: bytes) -> Response:
    """Return a response with an SVG drawing."""
    return Response(drawing, media_type="image/svg+xml")


def integer(query: Query, name: str) -> int:
    """Return a query parameter as an integer from 0 to 999,999,999."""
    if not re.fullmatch(r"\d{1,9}", query[name], re.ASCII):
        raise UsageError(f"{name} must be a whole number.")
    return int(query[name])
