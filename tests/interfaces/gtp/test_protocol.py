"""Lines and replies: ids, comments, errors, and arbitrary input."""

from __future__ import annotations

import io
import random

import pytest

from graven.interfaces.gtp import gtp_protocol
from graven.interfaces.gtp.gtp_clock import GameClocks
from graven.interfaces.gtp.input_lines import InputLines
from tests.interfaces.gtp.helpers import COMMANDS, new_engine, ok, refused


def test_all_commands_of_version_2_are_known(engine):
    assert set(COMMANDS) <= set(ok(engine, "list_commands").split())
    assert ok(engine, "known_command genmove") == "true"
    assert ok(engine, "known_command genmve") == "false"
    assert ok(engine, "protocol_version") == "2"
    assert ok(engine, "name") == "graven"


def test_replies_repeat_the_id(engine):
    assert engine.answer("2147483647 name").startswith("=2147483647 ")
    assert engine.answer("5") == "?5 unknown command\n\n"
    assert engine.answer("17 name") == "=17 graven\n\n"
    assert engine.answer("18 nonsense") == "?18 unknown command\n\n"


@pytest.mark.parametrize("line", ["", "   ", "# only a comment", "\t\r\n", "\x01\x02"])
def test_lines_without_a_command_get_no_reply(engine, line):
    assert engine.answer(line) == ""


def test_comments_and_control_characters_are_dropped(engine):
    assert ok(engine, "\x07na\x01me\r # who are you?") == "graven"
    assert ok(engine, "play\tB\tD4") == ""


@pytest.mark.parametrize("line", ["play b", "play b D4 E5", "name please", "undo 1"])
def test_a_wrong_number_of_arguments_is_a_syntax_error(engine, line):
    assert refused(engine, line) == "syntax error"


def test_parameters_can_be_listed_and_set(engine):
    assert "playouts 50" in ok(engine, "graven-params")
    ok(engine, "graven-params resign 0.1")
    assert "resign 0.1" in ok(engine, "graven-params")
    assert "unknown parameter" in refused(engine, "graven-params colour red")
    assert "Did you mean 'grave'" in refused(engine, "graven-params agent gravee")
    assert "from 0 to 1" in refused(engine, "graven-params resign 2")
    ok(engine, "graven-params resign 0")


def test_a_command_does_not_run_a_python_file(engine, tmp_path):
    path = tmp_path / "policy.py"
    path.write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    assert "file" in refused(engine, f"graven-params agent {path}:tree")
    assert not (tmp_path / "run").exists()


def test_lines_that_are_too_long_are_refused():
    out = io.StringIO()
    stream = io.BytesIO(b"play " + b"b" * 1_000_000 + b"\n2 name\n\xff\xfe\n3 quit\n")
    new_engine().run(InputLines(stream), out)
    replies = out.getvalue().split("\n\n")
    assert replies[0] == "? line too long"
    assert replies[1] == "=2 graven"
    assert replies[-2] == "=3"


VALUES = "b w black white D4 A1 T19 pass resign Z99 -1 0 1 9 19 1e9 nan inf dead alive 0.5 é \x00"
WORDS = [*COMMANDS, *VALUES.split(" ")]
VALID = [
    "play {colour} {point}",
    "genmove {colour}",
    "reg_genmove {colour}",
    "undo",
    "showboard",
    "clear_board",
    "komi 3",
    "printsgf",
    "time_left {colour} 1 1",
]
ENDLESS = {"lz-analyze", "kata-analyze", "quit"}


def random_line(rng: random.Random) -> str:
    """Return random characters, random words with or without an id or an error, or a command."""
    kind = rng.randrange(4)
    if kind == 0:
        return "".join(
            chr(rng.choice([*range(128), 233, 0x1F600])) for _ in range(rng.randrange(40))
        )
    if kind == 3:
        colour, point = rng.choice("bw"), rng.choice("ABCDE") + str(rng.randrange(1, 6))
        return rng.choice(VALID).format(colour=colour, point=point)
    words = [rng.choice(WORDS) for _ in range(rng.randrange(1, 6))]
    if kind == 1:
        words.insert(0, str(rng.randrange(10**6)))
    line = " ".join(words)
    if kind == 2 and line:
        at = rng.randrange(len(line))
        line = line[:at] + chr(rng.randrange(32, 127)) + line[at + 1 :]
    return line


def test_ten_thousand_random_lines_get_valid_replies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # printsgf may write a file
    engine = new_engine("go(size=5)", playouts=2)
    rng = random.Random(5)
    replies = {"=": 0, "?": 0, "": 0}
    for _ in range(10_000):
        line = random_line(rng)
        command = gtp_protocol.parse(line)
        if command and (command.name in ENDLESS or command.name.startswith("kgs")):
            continue
        if command and command.name == "graven-params" and command.arguments[:1] == ("playouts",):
            continue
        engine.session.clocks = GameClocks()
        reply = engine.answer(line)
        assert reply == "" or reply.endswith("\n\n")
        assert "\n\n" not in reply[:-2]
        replies[reply[:1]] += 1
    assert replies["="] > 500
    assert replies["?"] > 1000
    assert ok(engine, "name") == "graven"
