"""Mutated GTP lines, in any order: every command gets one well-formed reply."""

from __future__ import annotations

import threading

from graven.interfaces.gtp.gtp_protocol import parse
from tests.interfaces.gtp.helpers import COMMANDS, new_engine
from tests.stress.seeds import fuzz

EXAMPLES = [
    *(name.encode() for name in COMMANDS),
    b"1 boardsize 9",
    b"boardsize 19",
    b"boardsize 2",
    b"rectangular_boardsize 5 3",
    b"komi 6.5",
    b"play b C3",
    b"play white pass",
    b"play w D4",
    b"genmove b",
    b"genmove w",
    b"reg_genmove b",
    b"lz-analyze b 10",
    b"kata-analyze w 10 maxmoves 3",
    b"lz-genmove_analyze b 10",
    b"fixed_handicap 4",
    b"set_free_handicap C3 G7 C7",
    b"place_free_handicap 3",
    b"final_score",
    b"final_status_list dead",
    b"time_settings 300 30 5",
    b"kgs-time_settings canadian 10 10 5",
    b"time_left b 10 0",
    b"undo",
    b"loadsgf /nowhere.sgf 3",
    b"printsgf",
    b"gogui-rules_legal_moves",
    b"gogui-rules_final_result",
    b"known_command genmove",
    b"graven-params resign 0.1",
    b"12345678901 name",
    b"# a comment",
]
WORDS = [
    b" ", b"\t", b"#", b"b", b"w", b"pass", b"resign", b"A1", b"T19", b"I9", b"Z99", b"-1", b"0",
    b"nan", b"inf", b"1e999", b"9" * 400, b"x" * 5000, b"\0", b"\x1b[31m", b"\xff", b"\r",
    b"\xe2\x80\xae",
]  # fmt: skip
UNSAFE = ("printsgf", "graven-params")  # with arguments: writes files, makes searches long


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Send mutated lines to one engine."""
    engine = new_engine(playouts=4)
    stopped = threading.Event()
    stopped.set()
    engine.session.next_line = stopped  # analyses end at once

    def receive(data: bytes) -> None:
        line = data.decode("utf-8", "replace").replace("\n", " ")
        command = parse(line)
        if command and command.name in UNSAFE and command.arguments:
            return
        reply = engine.answer(line)
        if command is None:
            assert reply == "", reply
            return
        assert reply[:1] in ("=", "?"), reply[:200]
        assert reply[1:].startswith(command.id), reply[:200]
        assert reply.endswith("\n\n"), reply[-200:]
        assert "\n\n" not in reply[:-2], reply[:200]
        assert "internal error" not in reply, reply
        assert not set(reply) & set("\0\x1b\r"), repr(reply)

    return fuzz(EXAMPLES, WORDS, receive, (), seed, seconds)
