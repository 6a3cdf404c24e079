"""The referee, and players that misbehave."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from graven.interfaces.ggp.ggp_messages import move_text
from graven.interfaces.ggp.referee import LateError, Remote
from tests.interfaces.ggp.small import RULES


class Odd(BaseHTTPRequestHandler):
    """Answers START, then whatever `replies` says, over and over."""

    replies: tuple[str, ...] = ()
    asked: int = 0
    left = threading.Event()

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        name = text.split()[1]
        said = {"START": "ready", "STOP": "done"}.get(name)
        if said is None:
            said = self.replies[type(self).asked % len(self.replies)]
            type(self).asked += 1
        if said == "sleep":
            time.sleep(2.5)
        if said == "error":
            self.send_error(500)
            return
        if said == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(200)
        if said == "drip":
            self.end_headers()
            try:
                for _ in range(100):
                    self.wfile.write(b" ")
                    time.sleep(0.1)
            except OSError:
                self.left.set()
            return
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said.encode())

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def odd_player(*replies: str) -> Iterator[str]:
    handler = type("Handler", (Odd,), {"replies": replies, "asked": 0})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("( fly 1 )", "illegal"),
        ("((((", "illegal"),
        ("wait wait", "illegal"),
        ("error", "missing"),
        ("drop", "missing"),
        ("sleep", "late"),
    ],
)
def test_whatever_a_player_answers_the_match_goes_on(run, tmp_path, reply, fault) -> None:
    sheet = tmp_path / "short.kif"
    sheet.write_text(
        "(role x) (role o) (init (step 1)) (<= (next (step 2)) (true (step 1))) "
        "(legal x a) (legal x b) (legal o c) (legal o d) (<= terminal (true (step 2))) "
        "(<= (goal x 100) (true (step 2))) (<= (goal o 0) (true (step 2)))"
    )
    with odd_player(reply) as url:
        done = run(
            *("referee", str(sheet), "--player", url, "--player", "uct(playouts=20)"),
            *("--start-clock", "5", "--play-clock", "1", "--json"),
        )
    assert done.code == 0, done.err
    (match,) = json.loads(done.out)["matches"]
    odd, good = match["players"]
    counted = {name: odd[name] for name in ("late", "illegal", "missing")}
    assert counted == {"late": 0, "illegal": 0, "missing": 0} | {fault: 1}
    assert (good["late"], good["illegal"], good["missing"]) == (0, 0, 0)
    assert (odd["goal"], good["goal"]) == (100, 0)


def test_a_reply_that_goes_on_and_on_is_late() -> None:
    Odd.left.clear()
    with odd_player("drip") as url:
        with pytest.raises(LateError):
            Remote(url, None).stop("m1", None, aborted=True)
        # It was still sending when the referee hung up.
        assert Odd.left.wait(30)


def test_a_referee_refuses_what_cannot_be(run, tmp_path) -> None:
    sheet = tmp_path / "noughts.kif"
    sheet.write_text(RULES)
    refused = [
        (["referee", str(sheet), "--player", "uct"], "needs 2 players"),
        (["referee", "breakthrough", "--player", "uct"], "is not a rulesheet"),
        (["referee", str(sheet), "--player", "ftp://x", "--player", "uct"], "address looks like"),
        (["referee", str(sheet), "--player", "http://h:x", "--player", "uct"], "address looks"),
        (["referee", str(tmp_path / "no.kif"), "--player", "uct"], "there is no file"),
        (["referee", str(sheet), "--player", "uct", "--record", "no/such/x"], "no folder"),
        (["ggp", "--port", "70000"], "a port is a number"),
        (["ggp", "--agent", "nobody"], "unknown"),
    ]
    for arguments, says in refused:
        done = run(*arguments)
        assert done.code == 2, arguments
        assert says in done.err


def test_move_text_of_answers() -> None:
    assert move_text(" (mark 1\n2) ") == "( mark 1 2 )"
    assert move_text("noop") == "noop"
    assert move_text("a b") is None
    assert move_text("(") is None
