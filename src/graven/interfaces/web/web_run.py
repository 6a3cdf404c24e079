"""Start the server: bind its socket, print its address, open the browser if asked."""

from __future__ import annotations

import logging
import os
import socket
import webbrowser
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import uvicorn

from graven.core.errors import UsageError
from graven.interfaces.host_names import LOCAL_HOSTS
from graven.interfaces.http_limits import LimitedHttpProtocol
from graven.interfaces.listening_socket import listening_socket
from graven.interfaces.web.web_limits import MAX_MESSAGE_BYTES, PageLimits
from graven.interfaces.web.web_server import WebServer

SHUTDOWN_SECONDS = 2


def run(
    limits: PageLimits,
    host: str,
    port: int,
    *,
    names: Iterable[str] = (),
    folder: str | None = None,
    db: str | None = None,
    open_browser: bool = False,
) -> None:
    """Serve the page until Ctrl-C.

    `names` are further host names of the server; `folder` is the directory from which games may
    read files.
    """
    if folder is not None:
        if not Path(folder).is_dir():
            raise UsageError(f"there is no folder {folder!r} for games to read from.")
        limits = replace(limits, folder=Path(folder))
    listener = listening_socket(host, port)
    address = f"[{host}]" if ":" in host else host
    hosts = LOCAL_HOSTS | {address.lower(), *(name.lower() for name in names)}
    path = db or os.environ.get("GRAVEN_DB") or "graven.db"
    shown_host = "127.0.0.1" if host in ("0.0.0.0", "::") else address
    url = f"http://{shown_host}:{listener.getsockname()[1]}/"
    config = uvicorn.Config(
        WebServer(limits, path, hosts).app(),
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        http=LimitedHttpProtocol,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE_BYTES,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    NotifyingServer(config, lambda: _announce(url, open_browser)).run(sockets=[listener])


class NotifyingServer(uvicorn.Server):
    """Uvicorn's server with a callback for when it accepts connections."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections, then call `on_ready`."""
        await super().startup(sockets)
        self._on_ready()


def _announce(url: str, open_browser: bool) -> None:
    print(f"graven is at {url} (Ctrl-C ends it)", flush=True)
    if open_browser:
        webbrowser.open(url)
