"""Export every game of a store as a table: CSV, JSON lines or Parquet.

The columns are those of `Store.rows` and keep the words of the first version.
"""

from __future__ import annotations

import csv
import json
from itertools import islice
from pathlib import Path
from typing import IO, Any

from graven.core.errors import unknown
from graven.core.extras import require
from graven.core.file_replacement import replaced
from graven.lab.store.store import Store

FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
ROWS_PER_BATCH = 10_000

PARQUET_COLUMNS = {
    "game": "string",
    "first": "string",
    "second": "string",
    "first_playouts": "int64",
    "first_seconds": "float64",
    "second_playouts": "int64",
    "second_seconds": "float64",
    "cell_seed": "string",
    "openings": "int64",
    "seating": "string",
    "number": "int64",
    "outcome": "float64",
    "seats": "list of int64",
    "scores": "list of float64",
    "plies": "int64",
    "playouts": "int64",
    "seconds": "float64",
    "seed": "string",
    "ended": "string",
    "version": "string",
    "machine": "string",
    "moves": "list of string",
}


def format_of(path: Path) -> str:
    """Return the export format that the suffix of a file name selects."""
    if path.suffix not in FORMATS:
        raise unknown("kind of file", path.suffix or path.name, FORMATS)
    return FORMATS[path.suffix]


def export(store: Store, path: Path, format_name: str | None = None) -> int:
    """Write every game to a file and return the number of games.

    `format_name` is csv, jsonl or parquet; by default the suffix of the file name selects it.
    """
    format_name = format_name or format_of(path)
    if format_name not in FORMATS.values():
        raise unknown("format", format_name, FORMATS.values())
    with replaced(path) as draft:
        if format_name == "parquet":
            return _write_parquet(store, draft)
        with draft.open("w", newline="", encoding="utf-8") as file:
            return _write_csv(store, file) if format_name == "csv" else _write_jsonl(store, file)


def _write_csv(store: Store, file: IO[str]) -> int:
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


def _write_jsonl(store: Store, file: IO[str]) -> int:
    count = 0
    for row in store.rows():
        file.write(json.dumps(row) + "\n")
        count += 1
    return count


def _write_parquet(store: Store, path: Path) -> int:
    pa = require("parquet")
    from pyarrow import parquet

    def column_type(text: str) -> Any:
        element = pa.type_for_alias(text.removeprefix("list of "))
        return pa.list_(element) if text.startswith("list of ") else element

    schema = pa.schema([(name, column_type(text)) for name, text in PARQUET_COLUMNS.items()])
    rows, count = store.rows(), 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(islice(rows, ROWS_PER_BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count
