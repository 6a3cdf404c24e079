"""Connections to a Dask cluster: for experiments, and for searches by several machines."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graven.core.errors import UsageError
from graven.core.extras import require

CONNECT_SECONDS = 15
LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Drop what Dask logs, with tracebacks, about connections: our own message follows."""
    require("cluster")  # the import sets the levels of these loggers
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def check_address(address: str) -> None:
    """Raise a UsageError unless a text is the address of a scheduler."""
    if not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S{1,200}", address):
        raise UsageError(
            "a cluster is given by its scheduler's address, as in tcp://host:8786; "
            f"got {address[:100]!r}."
        )


def connect(address: str) -> Any:
    """Return a client of the scheduler at an address; UsageError if none answers."""
    check_address(address)
    distributed = require("cluster")
    client = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, MemoryError) as error:
        # Its destructor would try to close a connection that there is not, and print a traceback.
        client.status = "closed"
        reason = str(error).removesuffix(".")
        raise UsageError(f"no Dask scheduler answers at {address}: {reason}.") from None
    return client
