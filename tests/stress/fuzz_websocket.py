"""Mutated messages over the page's WebSocket: every tab goes on, and nothing is a bug."""

from __future__ import annotations

import json
import random
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.interfaces.web.helpers import VALID_FIELDS
from tests.stress.page_server import running_page
from tests.stress.seeds import mutated

MESSAGES_PER_TAB = 40
SECONDS = 60.0  # for an answer
EXAMPLES = [json.dumps({"type": kind, **fields}).encode() for kind, fields in VALID_FIELDS.items()]
WORDS = [
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"-1", b"1e999", b"NaN", b"9" * 400,
    b"\\u0000", b"\\ud800", b"\0", b"\xff", b"[" * 3000, b'"type": "undo"', b'"seats": []',
    b'"game": "go(size=2)"', b'"rules": "(role x)"', b"x" * 5000,
]  # fmt: skip
SENTINEL = {"type": "check_agent", "agent": "uct(c=0.123456)"}


def read_until_answered(tab: ClientConnection) -> list[str]:
    """Return all messages up to the answer to the sentinel."""
    tab.send(json.dumps(SENTINEL))
    texts: list[str] = []
    while True:
        text = str(tab.recv(timeout=SECONDS))
        texts.append(text)
        if '"checked_agent"' in text and SENTINEL["agent"] in text:
            return texts


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Open tabs, send each some mutated messages, and read what they answer."""
    rng, tried, failures = random.Random(seed), 0, []
    with running_page() as (port, errors):
        deadline = time.monotonic() + seconds
        address = f"ws://127.0.0.1:{port}/ws"
        while (not tried or time.monotonic() < deadline) and len(failures) < 20:
            sent: list[bytes] = []
            try:
                with connect(address, origin=f"http://127.0.0.1:{port}", max_size=None) as tab:
                    for _ in range(MESSAGES_PER_TAB):
                        data = mutated(rng.choice(EXAMPLES), rng, WORDS)
                        sent.append(data)
                        tried += 1
                        text = data.decode("utf-8", "replace")
                        tab.send(data if rng.random() < 0.2 else text)
                    texts = read_until_answered(tab)
            except (ConnectionClosed, TimeoutError) as error:
                failures.append(f"{type(error).__name__} {error} after {sent[-3:]!r}")
                continue
            failures += [f"{text[:300]} after {sent!r}" for text in texts if "is a bug" in text]
        failures += errors
    return tried, failures
