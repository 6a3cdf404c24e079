"""Connections that never complete their requests: they end, and others are served."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from graven.interfaces import http_limits
from graven.interfaces.http_limits import LimitedHttpProtocol

SECONDS = 60.0  # reached only by a test that fails
DRIP = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"


WAITING: list[Request] = []  # requests that are answered when the list is empty


async def answer_later(request: Request) -> Response:
    WAITING.append(request)
    while WAITING:
        await asyncio.sleep(0.01)
    return Response("at last")


async def echo(request: Request) -> Response:
    if request.method == "GET":
        return Response("here")
    try:
        return Response(await request.body())
    except ClientDisconnect:
        return Response("", 400)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server with small limits."""
    monkeypatch.setattr(http_limits, "REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(http_limits, "MAX_PER_ADDRESS", 8)
    monkeypatch.setattr(http_limits, "MAX_CONNECTIONS", 12)
    listener = socket.create_server(("127.0.0.1", 0))
    routes = [Route("/", echo, methods=["GET", "POST"]), Route("/slow", answer_later)]
    app = Starlette(routes=routes)
    config = uvicorn.Config(app, http=LimitedHttpProtocol, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join()
    listener.close()


def connect(port: int, address: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), SECONDS, source_address=(address, 0))


def is_closed(link: socket.socket) -> bool:
    """Return whether the server has closed a connection, now."""
    link.setblocking(False)
    try:
        while link.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


@pytest.mark.parametrize("beginning", [b"", b"POST / HT", DRIP, DRIP.replace(b"POST", b"GET")])
def test_a_request_that_drips_is_ended_at_its_deadline(port: int, beginning: bytes) -> None:
    with connect(port) as link:
        link.sendall(beginning)
        until = time.monotonic() + SECONDS
        while not is_closed(link):
            assert time.monotonic() < until, "dripping bytes keeps a connection open"
            time.sleep(0.1)
            try:
                link.setblocking(True)
                link.sendall(b"x" if beginning else b"")
            except OSError:
                break


def test_slow_connections_of_an_address_make_room_for_others(port: int) -> None:
    links = []
    for address in ["127.0.0.2"] * 20 + ["127.0.0.1"] * 20:
        link = connect(port, address)
        link.sendall(DRIP)
        links.append(link)
    assert httpx.get(f"http://127.0.0.1:{port}/", timeout=SECONDS).text == "here"
    with connect(port, "127.0.0.3") as other:
        other.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert other.recv(4096).startswith(b"HTTP/1.1 200")
    for link in links:
        link.close()


def test_a_new_connection_is_closed_if_all_others_are_being_answered(
    port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_limits, "MAX_CONNECTIONS", 2)
    busy = [connect(port, "127.0.0.2") for _ in range(2)]
    for link in busy:
        link.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    until = time.monotonic() + SECONDS
    while len(WAITING) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    with caplog.at_level(logging.ERROR), connect(port) as link:
        while not is_closed(link):
            assert time.monotonic() < until, "the limit is not kept"
            time.sleep(0.01)
    WAITING.clear()
    for link in busy:
        assert link.recv(4096).startswith(b"HTTP/1.1 200")
        link.close()
    assert caplog.records == []


def test_invalid_bytes_during_a_response_are_not_logged_as_an_error(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), connect(port) as link:
        link.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n")
        while link.recv(4096):
            pass
    assert caplog.records == []
