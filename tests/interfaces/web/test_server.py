"""The server over HTTP and WebSockets: refused requests, invalid input, self-contained pages."""

from __future__ import annotations

import json
import re
import socket
import threading
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from graven.core.errors import UsageError
from graven.interfaces.host_names import is_own_host
from graven.interfaces.listening_socket import listening_socket
from graven.interfaces.web.request_guard import is_same_origin
from graven.interfaces.web.web_limits import MAX_MESSAGE_BYTES
from graven.interfaces.web.web_server import STATIC
from tests.interfaces.web.helpers import TIMEOUT, VALID_FIELDS


def open_tab(server, origin=None, path="ws"):
    origin = origin if origin is not None else server.rstrip("/")
    return connect(server.replace("http", "ws") + path, origin=origin or None, max_size=None)


def receive(tab, kind):
    """Return the next message of a type."""
    while True:
        message = json.loads(tab.recv(timeout=TIMEOUT))
        if message["type"] == kind:
            return message


def send(tab, kind, **fields):
    tab.send(json.dumps({"type": kind, **fields}))


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://127.0.0.1:1", "null", "", "http://127.0.0.1.evil.example"],
)
def test_pages_from_elsewhere_cannot_connect(server, origin):
    with pytest.raises((InvalidStatus, ConnectionClosed)), open_tab(server, origin) as tab:
        tab.recv(timeout=TIMEOUT)


def test_unknown_host_names_are_refused(server):
    answer = httpx.get(server, headers={"host": "evil.example"})
    assert answer.status_code == 403
    assert httpx.get(server).status_code == 200
    assert is_own_host("localhost:8642", frozenset({"localhost"}))
    assert not is_own_host("localhost.evil.example", frozenset({"localhost"}))
    assert not is_same_origin("http://a:1", "a:2")
    assert not is_same_origin("http://[", "[")


def test_every_response_has_security_headers(server):
    for path in ("", "static/main.js", "api/lab/stamp", "nowhere"):
        headers = httpx.get(server + path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_no_path_leads_out_of_the_static_files(server):
    host = httpx.URL(server)
    for path in (
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static//etc/passwd",
        "/static/",
    ):
        with socket.create_connection((host.host, host.port), timeout=TIMEOUT) as raw:
            raw.sendall(
                f"GET {path} HTTP/1.1\r\nHost: {host.host}\r\nConnection: close\r\n\r\n".encode()
            )
            status = raw.makefile("rb").readline().split()[1]
        assert status == b"404"


def test_invalid_queries_are_answered_with_an_error_message(server):
    for path in (
        "games?match=x",
        "games?match=x&start=-1",
        "games?match=x&start=9999999999999",
        "position?match=x&number=0&ply=x",
        "table?paper=cazenave2015",
        "plot?name=x",
        "plot",
    ):
        answer = httpx.get(f"{server}api/lab/{path}")
        assert answer.status_code == 400
        assert answer.json()["error"]


def test_the_catalogue_of_games_policies_and_files(server):
    choices = httpx.get(server + "api/choices", timeout=TIMEOUT).json()
    assert {"breakthrough", "go", "hex", "samegame"} <= {game["name"] for game in choices["games"]}
    kinds = {(policy["kind"], policy["name"]) for policy in choices["policies"]}
    assert {("tree", "grave"), ("tree", "uct"), ("playout", "mast")} <= kinds
    assert choices["files"] == ["board.txt", "mygame.py", "test_mygame.py"]


def test_a_file_of_the_folder_can_be_played_and_no_other(server):
    with open_tab(server) as tab:
        send(tab, "new_game", game="samegame(file=board.txt)")
        assert receive(tab, "state")["game"]["name"] == "samegame"
        for name in ("../graven.db", "/etc/passwd"):
            send(tab, "new_game", game=f"tsptw(file={name})")
            assert "no file" in receive(tab, "error")["text"]


def test_invalid_messages_do_not_disturb_other_tabs(server):
    with open_tab(server) as bystander, open_tab(server) as tab:
        session = receive(bystander, "hello")["session"]
        send(bystander, "new_game", game="nogo(size=3)")
        receive(bystander, "state")
        for data in (
            "",
            "{",
            "null",
            "[]",
            '{"type": []}',
            b"\xff\xfe",
            b"",
            "\x00",
            '"' * 1000,
            "1" * 5000,
        ):
            tab.send(data)
            assert receive(tab, "error")["text"]
        mutants = [
            {"type": kind, **fields, name: value}
            for kind, fields in VALID_FIELDS.items()
            for name in fields
            for value in (None, [], {}, -1, 1e308, "x" * 5000, [[[]]])
        ]
        for mutant in mutants:  # faster than the answers are read
            tab.send(json.dumps(mutant))
        send(tab, "check_agent", agent="grave")
        assert receive(tab, "checked_agent")["spec"].startswith("grave(")
        send(bystander, "undo")  # the other tab's game is unchanged
        assert "no move to take back" in receive(bystander, "error")["text"]
    with open_tab(server, path=f"ws?session={session}") as again:
        assert receive(again, "state")["game"]["name"] == "nogo"


def test_a_message_that_is_too_large_closes_only_that_tab(server):
    with open_tab(server) as tab, open_tab(server) as other:
        receive(tab, "hello")
        with suppress(ConnectionClosed):  # the server may close before the end of it
            tab.send("x" * (MAX_MESSAGE_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            tab.recv(timeout=TIMEOUT)
        send(other, "check_agent", agent="uct")
        assert receive(other, "checked_agent")["spec"] == "uct(c=0.4)"


def test_many_tabs_at_once_each_with_its_own_game(server):
    played = []

    def play(size):
        with open_tab(server) as tab:
            send(tab, "new_game", game=f"nogo(size={size})", seats=["uct", "rave"], playouts=20)
            while True:
                state = receive(tab, "state")
                if len(state["plies"]) >= 3:
                    played.append((size, state["game"]["spec"]))
                    return

    threads = [threading.Thread(target=play, args=(size,)) for size in range(4, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert sorted(played) == [(size, f"nogo(size={size})") for size in range(4, 10)]


def test_the_page_loads_nothing_from_other_servers():
    files = [path for path in Path(STATIC).rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".html", ".js", ".css", ".svg"}
    for path in files:
        addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`]*", path.read_text())
        assert [each for each in addresses if "www.w3.org" not in each] == []
    assert sum(path.stat().st_size for path in files) < 200_000


def test_only_one_socket_gets_a_port():
    with (
        listening_socket("127.0.0.1", 0) as first,
        pytest.raises(UsageError, match="Try another --port"),
    ):
        listening_socket("127.0.0.1", first.getsockname()[1])


def test_a_ggp_player_reports_a_port_in_use_before_it_compiles(run, monkeypatch):
    def warm_up(agent):
        raise AssertionError("compiled first")

    monkeypatch.setattr("graven.interfaces.ggp.pondering.warm_up", warm_up)
    with listening_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        code, _, err = run("ggp", "--port", str(port))
    assert code == 2
    assert f"cannot listen on 127.0.0.1:{port}: " in err
    assert "Try another --port" in err


def test_a_port_in_use_is_reported(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match="Try another --port"):
            listening_socket("127.0.0.1", port)
        code, out, err = run("serve", "--port", str(port))
    assert (code, out) == (2, "")
    assert f"cannot listen on 127.0.0.1:{port}: " in err
    assert run("serve", "--folder", "/no/such/folder").code == 2
