"""Starting the server: its socket, its names, and the browser if asked."""

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
from graven.interfaces.http_limits import LimitedHttpProtocol
from graven.interfaces.web.web_limits import MESSAGE_BYTES, Limits
from graven.interfaces.web.web_server import LOCAL, Page

GRACE_SECONDS = 2
BACKLOG = 128


def run(
    limits: Limits,
    host: str,
    port: int,
    names: Iterable[str] = (),
    folder: str | None = None,
    db: str | None = None,
    open_browser: bool = False,
) -> None:
    """Serve the page until Ctrl-C."""
    if folder is not None:
        if not Path(folder).is_dir():
            raise UsageError(f"there is no folder {folder!r} for games to read from.")
        limits = replace(limits, folder=Path(folder))
    listening = bind(host, port)
    address = f"[{host}]" if ":" in host else host
    hosts = LOCAL | {address.lower(), *(each.lower() for each in names)}
    path = db or os.environ.get("GRAVEN_DB") or "graven.db"
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else address
    url = f"http://{shown}:{listening.getsockname()[1]}/"
    config = uvicorn.Config(
        Page(limits, path, hosts).app(),
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        http=LimitedHttpProtocol,
        ws="websockets-sansio",
        ws_max_size=MESSAGE_BYTES,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    Server(config, lambda: _ready(url, open_browser)).run(sockets=[listening])


class Server(uvicorn.Server):
    """Uvicorn, which says when it is there."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self._ready()


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"cannot listen on {host}:{port}: {error.strerror or error}. Another --port may do."
        ) from None
    return listening


def _ready(url: str, open_browser: bool) -> None:
    print(f"graven is at {url} (Ctrl-C ends it)", flush=True)
    if open_browser:
        webbrowser.open(url)
