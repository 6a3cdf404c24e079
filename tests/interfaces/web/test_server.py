"""The server over the wire: who may speak to it, what it survives, and what its pages need."""

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
from graven.interfaces.web.web_limits import MESSAGE_BYTES
from graven.interfaces.web.web_run import bind
from graven.interfaces.web.web_server import STATIC, is_ours, same_origin
from tests.interfaces.web.test_messages import RIGHT

PATIENCE = 120.0


def dial(server, origin=None, path="ws"):
    origin = origin if origin is not None else server.rstrip("/")
    return connect(server.replace("http", "ws") + path, origin=origin or None, max_size=None)


def hear(tab, kind):
    while True:
        said = json.loads(tab.recv(timeout=PATIENCE))
        if said["type"] == kind:
            return said


def say(tab, kind, **fields):
    tab.send(json.dumps({"type": kind, **fields}))


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://127.0.0.1:1", "null", "", "http://127.0.0.1.evil.example"],
)
def test_pages_from_elsewhere_cannot_connect(server, origin):
    with pytest.raises((InvalidStatus, ConnectionClosed)), dial(server, origin) as tab:
        tab.recv(timeout=PATIENCE)


def test_names_that_are_not_ours_are_refused(server):
    answer = httpx.get(server, headers={"host": "evil.example"})
    assert answer.status_code == 403
    assert httpx.get(server).status_code == 200
    assert is_ours("localhost:8642", frozenset({"localhost"}))
    assert not is_ours("localhost.evil.example", frozenset({"localhost"}))
    assert not same_origin("http://a:1", "a:2")
    assert not same_origin("http://[", "[")


def test_every_answer_keeps_strangers_out(server):
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
        with socket.create_connection((host.host, host.port), timeout=PATIENCE) as raw:
            raw.sendall(
                f"GET {path} HTTP/1.1\r\nHost: {host.host}\r\nConnection: close\r\n\r\n".encode()
            )
            status = raw.makefile("rb").readline().split()[1]
        assert status == b"404"


def test_wrong_queries_are_sentences(server):
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


def test_everything_there_is_to_choose_from(server):
    said = httpx.get(server + "api/choices", timeout=PATIENCE).json()
    assert {"breakthrough", "go", "hex", "samegame"} <= {game["name"] for game in said["games"]}
    kinds = {(each["kind"], each["name"]) for each in said["policies"]}
    assert {("tree", "grave"), ("tree", "uct"), ("playout", "mast")} <= kinds
    assert said["files"] == ["board.txt"]


def test_a_file_of_the_folder_can_be_played_and_no_other(server):
    with dial(server) as tab:
        say(tab, "new", game="samegame(file=board.txt)")
        assert hear(tab, "state")["game"]["name"] == "samegame"
        for name in ("../graven.db", "/etc/passwd"):
            say(tab, "new", game=f"tsptw(file={name})")
            assert "no file" in hear(tab, "error")["text"]


def test_messages_of_any_kind_are_survived(server):
    with dial(server) as bystander, dial(server) as tab:
        session = hear(bystander, "hello")["session"]
        say(bystander, "new", game="nogo(size=3)")
        hear(bystander, "state")
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
            assert hear(tab, "error")["text"]
        mutants = [
            {"type": kind, **fields, name: value}
            for kind, fields in RIGHT.items()
            for name in fields
            for value in (None, [], {}, -1, 1e308, "x" * 5000, [[[]]])
        ]
        for mutant in mutants:  # faster than anybody reads
            tab.send(json.dumps(mutant))
        say(tab, "agent", agent="grave")
        assert hear(tab, "agent")["spec"].startswith("grave(")
        say(bystander, "undo")  # nothing has happened to the other tab
        assert "no move to take back" in hear(bystander, "error")["text"]
    with dial(server, path=f"ws?session={session}") as again:
        assert hear(again, "state")["game"]["name"] == "nogo"


def test_a_message_that_is_too_large_closes_that_tab_alone(server):
    with dial(server) as tab, dial(server) as other:
        hear(tab, "hello")
        with suppress(ConnectionClosed):  # the server may not wait for the end of it
            tab.send("x" * (MESSAGE_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            tab.recv(timeout=PATIENCE)
        say(other, "agent", agent="uct")
        assert hear(other, "agent")["spec"] == "uct(c=0.4)"


def test_many_tabs_at_once_each_with_its_own_game(server):
    found = []

    def play(size):
        with dial(server) as tab:
            say(tab, "new", game=f"nogo(size={size})", seats=["uct", "rave"], playouts=20)
            while True:
                state = hear(tab, "state")
                if len(state["plies"]) >= 3:
                    found.append((size, state["game"]["spec"]))
                    return

    threads = [threading.Thread(target=play, args=(size,)) for size in range(4, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(found) == [(size, f"nogo(size={size})") for size in range(4, 10)]


def test_the_page_needs_nothing_from_elsewhere():
    files = [path for path in Path(STATIC).rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".html", ".js", ".css", ".svg"}
    for path in files:
        addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`]*", path.read_text())
        assert [each for each in addresses if "www.w3.org" not in each] == []
    assert sum(path.stat().st_size for path in files) < 200_000


def test_a_port_that_is_taken_is_a_sentence(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match="Another --port"):
            bind("127.0.0.1", port)
        code, out, err = run("serve", "--port", str(port))
    assert (code, out) == (2, "")
    assert str(port) in err
    assert run("serve", "--folder", "/no/such/folder").code == 2
