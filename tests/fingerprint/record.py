"""Record the fingerprint, or compare it with the stored one.

    python -m tests.fingerprint.record             recompute all cases and write expected.json
    python -m tests.fingerprint.record --check     recompute all cases and print differences

Both run from the root of the repository.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from tests.fingerprint.cases import Case, Line, groups

EXPECTED = Path(__file__).with_name("expected.json")
SHOWN = 20  # differing cases that a message lists in full


def compute(cases: Iterable[Case]) -> dict[str, Line]:
    """The line of each case, as it reads from the stored file."""
    return {case.id: json.loads(json.dumps(case.compute())) for case in cases}


def load() -> dict[str, Line]:
    """The stored lines by case id."""
    lines: dict[str, Line] = json.loads(EXPECTED.read_text())
    return lines


def write(lines: dict[str, Line]) -> None:
    """Store the lines: one for each case, sorted by id."""
    rows = (
        f"{json.dumps(name)}: {json.dumps(lines[name], separators=(',', ':'))}"
        for name in sorted(lines)
    )
    EXPECTED.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def differences(expected: dict[str, Line], actual: dict[str, Line]) -> list[str]:
    """One message for each case that is missing, new or different."""
    messages = []
    for name in sorted({*expected, *actual}):
        if name not in actual:
            messages.append(f"{name}: stored, but no longer computed")
        elif name not in expected:
            messages.append(f"{name}: computed, but not stored")
        elif expected[name] != actual[name]:
            messages.append(f"{name}: {_change(expected[name], actual[name])}")
    return messages


def _change(old: Line, new: Line) -> str:
    if isinstance(old, str) or isinstance(new, str):
        return f"{old} -> {new}"
    fields = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return "; ".join(f"{key} {old.get(key)!r} -> {new.get(key)!r}" for key in fields)


def report(messages: list[str], total: int) -> str:
    """The messages as text: the first ones in full, of the others the ids."""
    rest = [message.partition(": ")[0] for message in messages[SHOWN:]]
    lines = [f"{len(messages)} of {total} cases differ from {EXPECTED.name}:", *messages[:SHOWN]]
    if rest:
        lines.append(f"and {len(rest)} more: {', '.join(rest)}")
    return "\n".join(lines)


def main() -> int:
    """Write the stored file, or compare with it; 1 if there are differences."""
    parser = argparse.ArgumentParser(prog="python -m tests.fingerprint.record")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    actual = compute(case for cases in groups().values() for case in cases)
    if not check:
        write(actual)
        print(f"{len(actual)} cases written to {EXPECTED.name}.")
        return 0
    messages = differences(load(), actual)
    if messages:
        print(report(messages, len(actual)))
        return 1
    print(f"{len(actual)} cases agree with {EXPECTED.name}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
