"""The GGP player: what it understands and answers, and whole matches between real processes."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.agents.spec import parse as parse_spec
from graven.gdl import sheets
from graven.gdl.read import read
from graven.interfaces.ggp.margin import Margin
from graven.interfaces.ggp.messages import (
    Abort,
    Info,
    Message,
    MessageError,
    Play,
    Preview,
    Start,
    Stop,
    move_text,
    parse,
)
from graven.interfaces.ggp.player import Player
from graven.interfaces.ggp.referee import LateError, Remote
from graven.interfaces.ggp.scramble import Scramble
from graven.interfaces.ggp.thinker import warm_up
from tests.gdl import tiny

RULES = tiny.TIC_TAC_TOE
ONE_LINE = " ".join(line for line in RULES.splitlines() if not line.startswith(";"))
SPEC = "uct(c=0.7,playouts=50)"


@pytest.fixture(autouse=True, scope="module")
def compiled() -> None:
    """Players listen once all is compiled; the clocks of these tests are too short for it."""
    warm_up(parse_spec(SPEC))


# Messages.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( INFO )", Info()),
        ("(info)", Info()),
        ("INFO", Info()),
        ("( PREVIEW ((role a) (init b)) 5 )", Preview("(role a)\n(init b)", 5)),
        ("( START m1 a ((role a)) 30 15 )", Start("m1", "a", "(role a)", 30, 15)),
        ("(PLAY m1 NIL)", Play("m1", None)),
        ("( play m1 nil )", Play("m1", None)),
        ("( PLAY m1 (( mark 2 1 ) noop ) )", Play("m1", ("( mark 2 1 )", "noop"))),
        ("(PLAY m1 ((mark 2 1)\tnoop))", Play("m1", ("( mark 2 1 )", "noop"))),
        ("( STOP m1 (( mark 2 2 ) noop ) )", Stop("m1", ("( mark 2 2 )", "noop"))),
        ("( ABORT m2 )", Abort("m2")),
    ],
)
def test_messages_as_servers_send_them(text: str, message: object) -> None:
    assert parse(text) == message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a message is a list"),
        ("( HELLO )", "there is no message 'HELLO'"),
        ("( PLAY m1 )", "PLAY is followed by match moves"),
        ("( PLAY m1 noop )", "a list in parentheses, or NIL"),
        ("( PLAY m1 ((? )) )", "a name is expected|question mark|variable"),
        ("( START m1 a ((role a)) soon 15 )", "a clock is a number"),
        ("( START m1 a ((role a)) 30 -1 )", "a clock is a number"),
        ("( START m1 a ((role a)) nan 1 )", "a clock is a number"),
        ("( START m1 a rules 30 15 )", "the rules are a list"),
        ("( PLAY m1 (( mark 1 ", "never closed"),
        ("(" * 5000, "nested more than"),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(MessageError, match=says):
        parse(text)


WORDS = st.sampled_from(
    [
        "(",
        ")",
        "PLAY",
        "START",
        "STOP",
        "ABORT",
        "INFO",
        "PREVIEW",
        "m1",
        "NIL",
        "noop",
        "(role",
        "a)",
        "?x",
        "30",
        "-1",
        "<=",
        ";",
        '"',
        "|",
        "'",
        "\x00",
        "é",
    ]
)


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=60))
def test_any_text_is_a_message_or_refused(text: str) -> None:
    with suppress(MessageError):
        assert isinstance(parse(text), Message)


@pytest.mark.parametrize("name", ["skirmish", "chinook"])
def test_scrambled_rules_are_the_same_game_in_other_words(name: str) -> None:
    text = sheets.text_of(name)
    scramble = Scramble(text, 1)
    there = scramble.there(text)
    assert read(scramble.back(there)) == read(text)
    words = set(re.findall(r"[^\s()]+", there))
    assert not words & {"white", "black", "control", "captures", "oddjump"}
    assert {"role", "init", "next", "legal", "goal", "terminal", "not", "100"} <= words


def test_the_margin_follows_what_it_sees() -> None:
    margin = Margin(0.5)
    usual = margin.seconds(10)
    assert usual == 0.5
    assert margin.seconds(1) == pytest.approx(0.2)  # a short clock leaves time to think
    margin.observe(0.4)
    assert margin.seconds(10) >= 0.5 + 0.4
    after_delay = margin.seconds(10)
    margin.replaced()
    assert margin.seconds(10) > after_delay
    for _ in range(50):
        margin.observe(-0.1)
    assert margin.seconds(10) == pytest.approx(usual, abs=0.01)
    for _ in range(50):
        margin.replaced()
    assert margin.seconds(10) < 10


# The player by itself.


def started(player: Player, match: str = "m1", role: str = "x", clock: float = 0.5) -> str:
    return player.answer(parse(f"( START {match} {role} ({ONE_LINE}) {clock} {clock} )"))


def test_a_match_as_the_protocol_goes() -> None:
    player = Player(SPEC)
    assert player.answer(Info()) == "( ( name graven ) ( status available ) )"
    assert player.answer(Preview(RULES, 5)) == "ready"
    assert started(player) == "ready"
    assert player.answer(Info()) == "( ( name graven ) ( status busy ) )"
    first = player.answer(parse("( PLAY m1 NIL )"))
    assert re.fullmatch(r"\( put [123] [123] \)", first)
    assert player.answer(Play("m1", (first, "wait"))) == "wait"
    assert player.answer(Stop("m1", ("wait", "( put 9 9 )"))) == "done"
    assert player.answer(Info()) == "( ( name graven ) ( status available ) )"


def test_messages_for_other_matches_and_twice() -> None:
    player = Player(SPEC)
    assert player.answer(Play("m1", None)) == "busy"
    assert player.answer(Stop("m1", None)) == "busy"
    assert player.answer(Abort("m1")) == "busy"
    started(player)
    assert started(player) == "ready"  # the same again
    assert started(player, "m2") == "busy"
    first = player.answer(Play("m1", None))
    assert player.answer(Play("m1", None)) == first
    reply = player.answer(Play("m1", (first, "wait")))
    assert player.answer(Play("m1", (first, "wait"))) == reply
    assert player.answer(Play("m2", None)) == "busy"
    assert player.answer(Abort("m1")) == "aborted"
    assert player.answer(Abort("m1")) == "aborted"
    assert player.answer(Play("m1", None)) == "busy"
    assert started(player, "m2") == "ready"
    assert player.answer(Stop("m2", None)) == "done"
    assert player.answer(Stop("m2", None)) == "done"


def test_moves_that_cannot_be_are_survived() -> None:
    player = Player(SPEC)
    started(player)
    first = player.answer(Play("m1", None))
    other = "( put 1 1 )" if first != "( put 1 1 )" else "( put 2 2 )"
    # Somebody else's move was played for us: that is how it is now.
    assert player.answer(Play("m1", (other, "wait"))) == "wait"
    # Nonsense leaves us where we are.
    assert player.answer(Play("m1", ("( fly 1 )", "( put 7 7 )"))) == "wait"
    with pytest.raises(MessageError, match="2 moves are expected"):
        player.answer(Play("m1", ("wait",)))
    played = player.answer(Play("m1", ("wait", "( put 3 3 )")))
    assert re.fullmatch(r"\( put [123] [123] \)", played)
    assert played not in (other, "( put 3 3 )")
    player.close()


def test_rules_that_are_none_are_refused() -> None:
    player = Player(SPEC)
    with pytest.raises(MessageError, match="no role 'z'"):
        started(player, role="z")
    with pytest.raises(MessageError):
        player.answer(Start("m1", "a", "(role a)", 1, 1))
    assert not player.busy


def test_a_match_that_cannot_be_grounded_is_played_legally(monkeypatch) -> None:
    from graven.gdl.program import TooLargeError
    from graven.interfaces.ggp import match

    def refuse(*arguments: object) -> None:
        raise TooLargeError("the relation huge has too many atoms.")

    monkeypatch.setattr(match, "network_game_of", refuse)
    player = Player(SPEC)
    started(player)
    first = player.answer(Play("m1", None))
    assert re.fullmatch(r"\( put [123] [123] \)", first)
    player.close()


def test_a_match_is_not_given_up_while_its_start_clock_runs(monkeypatch) -> None:
    monkeypatch.setattr("graven.interfaces.ggp.match.PATIENCE", 0.0)
    player = Player(SPEC)
    start = Start("m1", "x", RULES, 60, 0.001)
    threading.Thread(target=player.answer, args=(start,), daemon=True).start()
    until = time.monotonic() + 30
    while not player.busy:
        assert time.monotonic() < until
    time.sleep(0.1)  # ten play clocks, and more
    assert player.busy
    assert player.answer(Play("m1", None)) != "busy"
    time.sleep(0.1)
    assert not player.busy


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                Info(),
                Play("m1", None),
                Play("m1", ("wait", "wait")),
                Play("m1", ("( put 1 1 )", "wait")),
                Play("m1", ("wait", "( put 2 2 )")),
                Stop("m1", None),
                Abort("m1"),
                Abort("m2"),
                Start("m1", "x", ONE_LINE, 0.1, 0.1),
                Start("m2", "o", ONE_LINE, 0.1, 0.1),
            ]
        ),
        max_size=8,
    )
)
def test_any_order_of_messages_gets_answers(messages: list) -> None:
    player = Player(SPEC)
    for message in messages:
        reply = player.answer(message)
        assert reply in ("ready", "busy", "done", "aborted", "wait") or reply.startswith("( ")
    player.close()


# Real processes.


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """A player in a process of its own; its address."""
    command = [sys.executable, "-m", "graven", "ggp", "--port", "0", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said: list[str] = []
    rest = threading.Thread(target=process.stderr.read, daemon=True)
    try:
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"listens on (http://\S+)", line):
                rest.start()
                yield found[1]
                break
        else:
            raise AssertionError("".join(said))
    finally:
        process.terminate()
        process.wait(timeout=20)
        if rest.ident:
            rest.join()
        process.stderr.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("--agent", SPEC, "--seed", "1") as found:
        yield found


def post(address: str, text: str | bytes, seconds: float = 30) -> httpx.Response:
    return httpx.post(address, content=text, timeout=seconds)


def test_http_is_answered_properly(address: str) -> None:
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


def test_information_while_searching_and_busy(address: str) -> None:
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
    assert [each["goal"] for each in match["players"]] in ([100, 0], [50, 50], [0, 100])
    for each in match["players"]:
        assert (each["illegal"], each["missing"]) == (0, 0), done.err
    trace = json.loads(record.read_text())
    assert trace["roles"] == ["x", "o"]
    assert len(trace["steps"]) == match["steps"]
    assert all(
        move in legal
        for step in trace["steps"]
        for move, legal in zip(step["joint"], step["legal"], strict=True)
    )


def test_a_player_that_was_killed_comes_back(run_apart) -> None:
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


# The referee and players that misbehave.


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
