"""Every game of a store as a table for other programs: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import json
from itertools import islice
from pathlib import Path
from typing import IO

from graven.core.errors import unknown
from graven.core.extras import require
from graven.lab.store.store import Store

KINDS = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
BATCH = 10_000


def kind_of(path: Path) -> str:
    """The kind of file that its name asks for."""
    if path.suffix not in KINDS:
        raise unknown("kind of file", path.suffix or path.name, KINDS)
    return KINDS[path.suffix]


def export(store: Store, path: Path, kind: str | None = None) -> int:
    """Write every game to a file, and say how many there were."""
    kind = kind or kind_of(path)
    if kind not in KINDS.values():
        raise unknown("format", kind, KINDS.values())
    if kind == "parquet":
        return _parquet(store, path)
    with path.open("w", newline="", encoding="utf-8") as file:
        return _csv(store, file) if kind == "csv" else _lines(store, file)


def _csv(store: Store, file: IO[str]) -> int:
    writer, count = None, 0
    for row in store.rows():
        if writer is None:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            writer.writeheader()
        row["moves"] = " ".join(map(str, row["moves"]))
        row |= {name: json.dumps(row[name]) for name in ("seats", "scores")}
        writer.writerow(row)
        count += 1
    return count


def _lines(store: Store, file: IO[str]) -> int:
    count = 0
    for row in store.rows():
        file.write(json.dumps(row) + "\n")
        count += 1
    return count


def _parquet(store: Store, path: Path) -> int:
    pa = require("parquet")
    from pyarrow import parquet

    text, whole, real = pa.string(), pa.int64(), pa.float64()
    kinds = {
        "game": text,
        "first": text,
        "second": text,
        "first_playouts": whole,
        "first_seconds": real,
        "second_playouts": whole,
        "second_seconds": real,
        "cell_seed": text,
        "openings": whole,
        "seating": text,
        "number": whole,
        "outcome": real,
        "seats": pa.list_(whole),
        "scores": pa.list_(real),
        "plies": whole,
        "playouts": whole,
        "seconds": real,
        "seed": text,
        "ended": text,
        "version": text,
        "machine": text,
        "moves": pa.list_(text),
    }
    schema = pa.schema(list(kinds.items()))
    rows, count = store.rows(), 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(islice(rows, BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count
