"""Read and write the texts in a result file: lists as JSON, keys of pairings, agent specs.

Specs in files of version 0.1 have the options leaves, each, final, reuse and memory; they are
migrated when they are read (`agents.spec_parser`). The solver of a stored spec is off unless it
says solver=on, while specs elsewhere write solver=off: files older than the solver stay valid.
Column names of version 0.1 stay: see `schema`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from graven.core.bounded_json import read_json
from graven.core.errors import GravenError
from graven.lab.experiments.pairing import migrate_key


def write_list(values: Sequence[Any]) -> str:
    """Return a list as JSON text."""
    return json.dumps(values, separators=(",", ":"))


def read_list(text: str) -> list[Any]:
    """Read a list from JSON text; raise `ValueError` if it is something else."""
    values = read_json(text)
    if not isinstance(values, list):
        raise ValueError(f"{text[:40]!r} is not a list")
    return values


def former_keys(stored_keys: Iterable[str]) -> dict[str, list[str]]:
    """Map the present key of a pairing to the keys that earlier versions wrote for it."""
    former: dict[str, list[str]] = defaultdict(list)
    for stored in stored_keys:
        try:
            present = migrate_key(stored)
        except (ValueError, KeyError, TypeError, RecursionError, GravenError):
            continue  # not a key: reading its pairing reports it
        if present != stored:
            former[present].append(stored)
    return dict(former)
