"""The page's server in a thread of this process, with the errors that it logs."""

from __future__ import annotations

import logging
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from graven.interfaces.http_limits import LimitedHttpProtocol
from graven.interfaces.web.web_limits import MAX_MESSAGE_BYTES, PageLimits
from graven.interfaces.web.web_server import WebServer


class LoggedErrors(logging.Handler):
    """Collects the errors that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message and its exception."""
        self.texts.append(self.format(record))


@contextmanager
def running_page() -> Iterator[tuple[int, list[str]]]:
    """Serve the page; yield its port, and the list of errors logged so far."""
    errors = LoggedErrors()
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.create_server(("127.0.0.1", 0))
        limits = PageLimits(playouts=100, seconds=0.2, sessions=50)
        config = uvicorn.Config(
            WebServer(limits, str(Path(folder) / "graven.db")).app(),
            http=LimitedHttpProtocol,
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE_BYTES,
            log_config=None,
            timeout_graceful_shutdown=2,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        for logger in loggers:
            logger.addHandler(errors)
        thread.start()
        try:
            yield listener.getsockname()[1], errors.texts
        finally:
            server.should_exit = True
            thread.join()
            for logger in loggers:
                logger.removeHandler(errors)
            listener.close()
