"""Verify a game against traces of matches that another program recorded.

A trace is a line of JSON with `roles`; `steps`, each with the `legal` moves of every role and the
`joint` move made, as text such as `( move 1 2 )`; whether the last position is `terminal`; and the
`goals` there. `cut` is true if the match was stopped before its end; a goal is null where not
exactly one goal is true.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graven.core.bounded_json import read_json
from graven.core.errors import GravenError, UsageError, listed
from graven.core.game import Game
from graven.core.position import Position
from graven.gdl.move_text import after, moves_of

MAX_LINE = 64 << 20
"""The maximum number of characters of one trace."""
MAX_SHOWN = 5
"""The maximum number of moves that a difference lists."""


@dataclass(frozen=True)
class TraceStep:
    """One step: the legal moves of each role, and the moves that were made."""

    legal: tuple[frozenset[str], ...]
    joint: tuple[str, ...]


@dataclass(frozen=True)
class MatchTrace:
    """A recorded match."""

    roles: tuple[str, ...]
    steps: tuple[TraceStep, ...]
    terminal: bool
    cut: bool
    goals: tuple[int | None, ...] | None


def read_traces(path: str) -> Iterator[MatchTrace]:
    """Read the traces of a file, `.jsonl` or `.jsonl.gz`."""
    try:
        with gzip.open(path, "rt") if path.endswith(".gz") else Path(path).open() as file:
            number = 0
            while line := file.readline(MAX_LINE):
                number += 1
                if line.strip():
                    yield _trace(line, f"{path}, line {number}")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read traces from {path!r}: {reason}.") from None


def _trace(line: str, where: str) -> MatchTrace:
    try:
        data = read_json(line)
        steps = tuple(
            TraceStep(
                tuple(frozenset(_texts(moves)) for moves in step["legal"]),
                _texts(step["joint"]),
            )
            for step in data["steps"]
        )
        goals = data.get("goals")
        trace = MatchTrace(
            roles=_texts(data["roles"]),
            steps=steps,
            terminal=bool(data["terminal"]),
            cut=bool(data.get("cut", False)),
            goals=None if goals is None else tuple(map(_goal, goals)),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(f"{where} is not a trace: see `graven gdl verify --help`.") from None
    sizes = {len(trace.roles)}
    sizes |= {len(part) for step in steps for part in (step.legal, step.joint)}
    if trace.goals is not None and (trace.terminal or not trace.cut):
        sizes.add(len(trace.goals))
    if len(sizes) > 1:
        raise UsageError(
            f"{where} is not a trace: moves and goals must have one entry for each role."
        )
    return trace


def _goal(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(values)


def first_difference(game: Game, trace: MatchTrace) -> str | None:
    """Return the first difference between a game and a trace as a sentence; None if they agree.

    Goals that are null in the trace are not compared: the rules give no single one there.
    """
    if trace.roles != game.player_names:
        return f"the roles are {', '.join(game.player_names)}, not {', '.join(trace.roles)}"
    position = game.start()
    for number, step in enumerate(trace.steps, 1):
        if position.is_over:
            return f"step {number}: the game is over here, and goes on in the trace"
        if difference := _legal_difference(position, step):
            return f"step {number}: {difference}"
        try:
            position = after(position, step.joint)
        except GravenError as error:
            return f"step {number}: {error}".removesuffix(".")
    if trace.terminal != position.is_over and not trace.cut:
        return f"after the last step the game {'is over' if position.is_over else 'goes on'}"
    if trace.terminal and trace.goals is not None:
        goals = tuple(round(100 * score) for score in position.scores or ())
        for role, expected, goal in zip(trace.roles, trace.goals, goals, strict=True):
            if expected is not None and expected != goal:
                return f"at the end the goal of {role} is {goal}, and {expected} in the trace"
    return None


def _legal_difference(position: Position, step: TraceStep) -> str | None:
    for role, name in enumerate(position.game.player_names):
        ours = set(moves_of(position, role))
        for fault, moves in (("lack", step.legal[role] - ours), ("add", ours - step.legal[role])):
            if moves:
                return f"the legal moves of {name} {fault} {listed(sorted(moves), MAX_SHOWN)}"
    return None
