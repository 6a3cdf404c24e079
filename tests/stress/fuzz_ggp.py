"""Mutated GGP messages in any order: every one gets an answer of the protocol, or is refused."""

from __future__ import annotations

import re
from dataclasses import replace

from graven.interfaces.ggp.ggp_messages import GgpMessageError, StartMessage, parse_message
from graven.interfaces.ggp.ggp_player import GgpPlayer
from tests.interfaces.ggp.helpers import ONE_LINE, SPEC
from tests.stress.seeds import fuzz

EXAMPLES = [
    b"( INFO )",
    f"( PREVIEW ({ONE_LINE}) 5 )".encode(),
    f"( START m1 x ({ONE_LINE}) 1 1 )".encode(),
    f"( START m2 o ({ONE_LINE}) 1 1 )".encode(),
    b"( PLAY m1 NIL )",
    b"( PLAY m1 (( put 1 1 ) wait ) )",
    b"( PLAY m1 ( wait ( put 2 2 )) )",
    b"( PLAY m2 NIL )",
    b"( PLAY m2 (( put 3 3 ) wait ) )",
    b"( STOP m1 (( put 1 2 ) wait ) )",
    b"( ABORT m1 )",
    b"( ABORT m2 )",
]
WORDS = [
    b"(", b")", b" ", b"NIL", b"m1", b"m2", b"x", b"o", b"wait", b"( put 1 1 )", b"-1", b"nan",
    b"1e999", b"|a b|", b'"', b";", b"'", b"\0", b"\x1b", b"\xff", b"(" * 200, b"x" * 3000,
    b"START",
]  # fmt: skip
CLOCK = 0.02


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Send mutated messages to one player."""
    player = GgpPlayer(SPEC)

    def receive(data: bytes) -> None:
        message = parse_message(data.decode("utf-8", "replace"))
        if isinstance(message, StartMessage):  # a mutated clock may be a day
            message = replace(message, start_clock=CLOCK, play_clock=CLOCK)
        reply = player.answer(message)
        words = ("ready", "busy", "done", "aborted", "noop")
        assert reply in words or re.fullmatch(r"[^()\s]+|\( .* \)", reply), repr(reply)

    try:
        return fuzz(EXAMPLES, WORDS, receive, GgpMessageError, seed, seconds)
    finally:
        player.close()
