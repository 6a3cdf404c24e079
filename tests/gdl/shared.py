"""Real rulesheets and traces, in GRAVEN_GDL or in shared/gdl beside the checkout, and helpers."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graven.gdl.proof.prover import Prover

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "gdl"


def folder() -> Path:
    """The folder; a test that needs it skips where there is none."""
    real = Path(os.environ.get("GRAVEN_GDL", BESIDE))
    if not (real / "sheets").is_dir():
        pytest.skip(f"there are no real rulesheets in {real}: set GRAVEN_GDL")
    return real


def sheet_text(name: str) -> str:
    path = folder() / "sheets" / f"{name}.kif"
    return path.read_text(encoding="utf-8", errors="replace")


def traces(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(folder() / "oracle" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def legal_of(prover: Prover) -> list[dict[str, int]]:
    return [{prover.terms.text(move): move for move in prover.legal(r)} for r in prover.roles]


def goals_of(prover: Prover) -> list[list[int]]:
    return [sorted(int(prover.terms.text(goal)) for goal in prover.goals(r)) for r in prover.roles]
