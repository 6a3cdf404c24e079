"""The socket of a server, bound before anything slow is done."""

from __future__ import annotations

import socket

from graven.core.errors import UsageError

BACKLOG = 128  # connections that wait to be accepted


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; an unavailable one raises UsageError.

    Connections that arrive before the server runs wait for it.
    """
    listener = None
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        if listener is not None:
            listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot listen on {host}:{port}: {reason}. Try another --port.") from None
    return listener
