"""Read JSON from untrusted input, with a bound on its nesting."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 100

_STRINGS_AND_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


def read_json(data: str | bytes) -> Any:
    """Return the value of a JSON text; raise ValueError if it is invalid or nested too deeply.

    The bound protects the stack: Python's parser stops only at the recursion limit of the process,
    which may be higher than the stack allows.
    """
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    if text.count("[") + text.count("{") > MAX_DEPTH and nesting_depth(text) > MAX_DEPTH:
        raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
    return json.loads(text)


def nesting_depth(text: str) -> int:
    """Return the nesting depth of brackets and braces outside strings."""
    depth = deepest = 0
    for part in _STRINGS_AND_BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(part[0], 0)
        deepest = max(deepest, depth)
    return deepest
