"""The referee, and players that answer wrongly."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from graven.interfaces.ggp.ggp_messages import parse_move
from graven.interfaces.ggp.match_seats import HttpSeat, LateError
from tests.interfaces.ggp.helpers import RULES


class FaultyPlayer(BaseHTTPRequestHandler):
    """Answers START and STOP correctly, and each PLAY with the next of `replies`."""

    replies: tuple[str, ...] = ()
    requests: int = 0
    disconnected = threading.Event()

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        name = text.split()[1]
        reply = {"START": "ready", "STOP": "done"}.get(name)
        if reply is None:
            reply = self.replies[type(self).requests % len(self.replies)]
            type(self).requests += 1
        if reply == "sleep":
            time.sleep(2.5)
        if reply == "error":
            self.send_error(500)
            return
        if reply == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(200)
        if reply == "drip":
            self.end_headers()
            try:
                for _ in range(100):
                    self.wfile.write(b" ")
                    time.sleep(0.1)
            except OSError:
                self.disconnected.set()
            return
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def faulty_player(*replies: str) -> Iterator[str]:
    handler = type("Handler", (FaultyPlayer,), {"replies": replies, "requests": 0})
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
def test_a_faulty_answer_is_counted_and_the_match_continues(run, tmp_path, reply, fault) -> None:
    sheet = tmp_path / "short.kif"
    sheet.write_text(
        "(role x) (role o) (init (step 1)) (<= (next (step 2)) (true (step 1))) "
        "(legal x a) (legal x b) (legal o c) (legal o d) (<= terminal (true (step 2))) "
        "(<= (goal x 100) (true (step 2))) (<= (goal o 0) (true (step 2)))"
    )
    with faulty_player(reply) as url:
        done = run(
            *("referee", str(sheet), "--player", url, "--player", "uct(playouts=20)"),
            *("--start-clock", "5", "--play-clock", "1", "--json"),
        )
    assert done.code == 0, done.err
    (match,) = json.loads(done.out)["matches"]
    faulty, good = match["players"]
    counted = {name: faulty[name] for name in ("late", "illegal", "missing")}
    assert counted == {"late": 0, "illegal": 0, "missing": 0} | {fault: 1}
    assert (good["late"], good["illegal"], good["missing"]) == (0, 0, 0)
    assert (faulty["goal"], good["goal"]) == (100, 0)


def test_an_endless_reply_is_late() -> None:
    FaultyPlayer.disconnected.clear()
    with faulty_player("drip") as url:
        with pytest.raises(LateError):
            HttpSeat(url, None).stop("m1", None, aborted=True)
        # The player was still sending when the referee closed the connection.
        assert FaultyPlayer.disconnected.wait(30)


def test_a_referee_refuses_invalid_arguments(run, tmp_path) -> None:
    sheet = tmp_path / "noughts.kif"
    sheet.write_text(RULES)
    refused = [
        (["referee", str(sheet), "--player", "uct"], "needs 2 players"),
        (["referee", "breakthrough", "--player", "uct"], "is not a rulesheet"),
        (
            ["referee", str(sheet), "--player", "ftp://x", "--player", "uct"],
            "invalid player address",
        ),
        (
            ["referee", str(sheet), "--player", "http://h:x", "--player", "uct"],
            "invalid player address",
        ),
        (["referee", str(tmp_path / "no.kif"), "--player", "uct"], "there is no file"),
        (["referee", str(sheet), "--player", "uct", "--record", "no/such/x"], "no folder"),
        (["ggp", "--port", "70000"], "--port must be from 0 to 65535"),
        (["ggp", "--agent", "nobody"], "unknown"),
    ]
    for arguments, message in refused:
        done = run(*arguments)
        assert done.code == 2, arguments
        assert message in done.err


def test_answers_are_parsed_as_moves() -> None:
    assert parse_move(" (mark 1\n2) ") == "( mark 1 2 )"
    assert parse_move("noop") == "noop"
    assert parse_move("a b") is None
    assert parse_move("(") is None
