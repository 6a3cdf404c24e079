"""The GGP player as a process: HTTP, and whole matches over it."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from graven.gdl import sheets
from tests.interfaces.ggp.helpers import ONE_LINE, RULES, SPEC, in_one_line


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """Start a player in its own process; yield its address."""
    command = [sys.executable, "-m", "graven", "ggp", "--port", "0", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    lines: list[str] = []
    rest = threading.Thread(target=process.stderr.read, daemon=True)
    try:
        for line in process.stderr:
            lines.append(line)
            if listening := re.search(r"listens on (http://\S+)", line):
                rest.start()
                yield listening[1]
                break
        else:
            raise AssertionError("".join(lines))
    finally:
        process.terminate()
        process.wait(timeout=20)
        if rest.ident:
            rest.join()
        process.stderr.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("--agent", SPEC, "--seed", "1") as url:
        yield url


def post(address: str, text: str | bytes, seconds: float = 30) -> httpx.Response:
    return httpx.post(address, content=text, timeout=seconds)


def test_http_responses(address: str) -> None:
    reply = post(address, "( INFO )")
    assert reply.status_code == 200
    assert reply.text == "( ( name graven ) ( status available ) )"
    assert reply.headers["content-type"] == "text/acl"
    assert reply.headers["access-control-allow-origin"] == "*"
    assert post(address, "( HELLO )").status_code == 400
    assert post(address, b"\xff\xfe").status_code == 400
    assert post(address, "(" * 5_000_000).status_code == 413
    assert post(address, "( PLAY (" + "x " * 1_000_000).status_code == 400
    assert post(address, "( PLAY nobody NIL )").text == "busy"
    assert httpx.get(address).status_code == 200
    assert httpx.put(address, content="( INFO )").status_code == 405


def test_requests_for_unknown_host_names_are_refused(address: str) -> None:
    """A web page whose name was made to resolve to this machine cannot use the player."""
    for host, status in [
        ("evil.example", 403),
        ("localhost.evil.example:9147", 403),
        ("localhost:9147", 200),
        ("127.0.0.1", 200),
        ("192.168.1.5:9147", 200),
        ("[::1]:9147", 200),
    ]:
        reply = httpx.post(address, content="( INFO )", headers={"host": host}, timeout=30)
        assert reply.status_code == status, host


def test_connections_without_a_request_are_closed(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    with (
        socket.create_connection((host, int(port)), timeout=60) as silent,
        socket.create_connection((host, int(port)), timeout=60) as slow,
    ):
        slow.sendall(b"POST / HTTP/1.1\r\nContent-")
        for link in (silent, slow):  # a time-out would raise
            assert link.makefile("rb").read().startswith(b"HTTP/1.1 408")
    assert post(address, "( INFO )").status_code == 200


def test_a_plain_http_1_0_request_is_answered(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as link:
        link.sendall(b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )")
        reply = b""
        while part := link.recv(4096):
            reply += part
    assert b"200 OK" in reply
    assert reply.endswith(b"( ( name graven ) ( status available ) )")


def test_a_half_sent_message_does_not_stop_others(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as link:
        link.sendall(b"POST / HTTP/1.0\r\nContent-Length: 800\r\n\r\n( PLAY")
        assert "available" in post(address, "( INFO )").text


def test_info_is_answered_while_a_match_starts(address: str) -> None:
    rules = f"( START m1 x ({ONE_LINE}) 2 2 )"
    reply: list[str] = []
    waiting = threading.Thread(target=lambda: reply.append(post(address, rules).text))
    waiting.start()
    until = time.monotonic() + 20
    while "busy" not in post(address, "( INFO )").text:
        assert time.monotonic() < until
    assert post(address, rules.replace("m1", "m2")).text == "busy"
    waiting.join()
    assert reply == ["ready"]
    assert post(address, "( ABORT m1 )").text == "aborted"
    assert "available" in post(address, "( INFO )").text


def test_repeated_messages_do_not_delay_others(address: str) -> None:
    # A game that is not solved before the clock ends.
    start = f"( START m1 x ({in_one_line(sheets.text_of('connect5'))}) 30 2 )"
    with ThreadPoolExecutor(20) as senders:
        replies = [senders.submit(post, address, start, 60) for _ in range(20)]
        until = time.monotonic() + 20
        while sum(reply.done() for reply in replies) < 16:  # four wait for the clock
            assert time.monotonic() < until
            time.sleep(0.05)
        assert "busy" in post(address, "( INFO )").text
        assert post(address, "( ABORT m1 )").text == "aborted"
        responses = [reply.result() for reply in replies]
    assert sorted(response.status_code for response in responses) == [200] * 4 + [503] * 16
    assert "available" in post(address, "( INFO )").text


def test_a_whole_match_over_http(address: str, run_apart, tmp_path) -> None:
    record = tmp_path / "match.jsonl"
    sheet = tmp_path / "noughts.kif"
    sheet.write_text(RULES)
    done = run_apart(
        *("referee", str(sheet), "--player", address, "--player", "uct(c=0.7,playouts=100)"),
        *("--start-clock", "3", "--play-clock", "2", "--scramble", "--json"),
        *("--record", str(record)),
    )
    assert done.code == 0, done.err
    (match,) = json.loads(done.out)["matches"]
    assert match["terminal"]
    assert [player["goal"] for player in match["players"]] in ([100, 0], [50, 50], [0, 100])
    for player in match["players"]:
        assert (player["illegal"], player["missing"]) == (0, 0), done.err
    trace = json.loads(record.read_text())
    assert trace["roles"] == ["x", "o"]
    assert len(trace["steps"]) == match["steps"]
    assert all(
        move in legal
        for step in trace["steps"]
        for move, legal in zip(step["joint"], step["legal"], strict=True)
    )


def test_a_player_that_was_killed_can_be_restarted(run_apart) -> None:
    with serving("--agent", SPEC) as first:
        port = first.rpartition(":")[2]
        assert post(first, f"( START m1 x ({ONE_LINE}) 0.5 0.5 )").text == "ready"
    with pytest.raises(httpx.HTTPError):
        post(first, "( INFO )", 5)
    command = [sys.executable, "-m", "graven", "ggp", "--port", port, "--agent", SPEC]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 110
        while True:
            try:
                assert "available" in post(first, "( INFO )").text
                break
            except httpx.HTTPError:
                assert time.monotonic() < until
                time.sleep(0.2)
    finally:
        process.terminate()
        process.wait(timeout=20)
