"""JSON from outside, nested no deeper than anything of ours is."""

from __future__ import annotations

import json
import re
from typing import Any

DEEPEST = 100

_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def read_json(data: str | bytes) -> Any:
    """The value that a text says; ValueError if it says none, or is nested too deep.

    Python's own reader has no bound but the interpreter's recursion limit, which the prover of GDL
    raises beyond what the machine's stack can hold.
    """
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    if text.count("[") + text.count("{") > DEEPEST and depth(text) > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} deep")
    return json.loads(text)


def depth(text: str) -> int:
    """How deep brackets are nested, those inside strings left out."""
    now = deepest = 0
    for part in _PARTS.finditer(text):
        now += {"[": 1, "{": 1, "]": -1, "}": -1}.get(part[0], 0)
        deepest = max(deepest, now)
    return deepest
