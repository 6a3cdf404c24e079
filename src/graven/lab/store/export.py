"""Export a store as a table: one row per game, per move or per match; CSV, JSON lines or Parquet.

`pairing` and `index` are what `graven replay` takes. Seeds are text in JSON lines and Parquet: they
can have more than 63 bits.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from graven.core.errors import UsageError, unknown
from graven.core.extras import require
from graven.core.file_replacement import replaced
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary, pairing_values

FORMATS = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
ROWS_PER_BATCH = 10_000

_PAIRING_COLUMNS = {
    "pairing": "string",
    "fingerprint": "string",
    "game": "string",
    "first": "string",
    "second": "string",
    "first_playouts": "int64",
    "first_seconds": "float64",
    "second_playouts": "int64",
    "second_seconds": "float64",
    "match_seed": "string",
    "opening_plies": "int64",
    "seating": "string",
}
_GAME_COLUMNS = {
    "pairing": "string",
    "index": "int64",
    **_PAIRING_COLUMNS,
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
_MOVE_COLUMNS = {
    "pairing": "string",
    "index": "int64",
    **_PAIRING_COLUMNS,
    "ply": "int64",
    "player": "int64",
    "agent": "string",
    "move": "string",
    "playouts": "int64",
    "value": "float64",
    "seconds": "float64",
}
_MATCH_COLUMNS = {
    **_PAIRING_COLUMNS,
    "games": "int64",
    "wins": "int64",
    "draws": "int64",
    "losses": "int64",
    "win_rate": "float64",
    "ci95": "list of float64",
    "elo": "float64",
    "elo_ci95": "list of float64",
    "likelihood_of_superiority": "float64",
    "p_value": "float64",
    "first_seat_win_rate": "float64",
    "first_seat_ci95": "list of float64",
    "pairs": "int64",
    "pentanomial": "list of int64",
    "plies": "float64",
    "playouts": "int64",
    "seconds": "float64",
}


class ExportTable(NamedTuple):
    """A table that can be exported: its rows, and the types of its columns for Parquet."""

    rows: Callable[[Store], Iterator[dict[str, Any]]]
    columns: Mapping[str, str]


def _match_rows(store: Store) -> Iterator[dict[str, Any]]:
    """Yield every match with its statistics, as `graven match --json` gives them."""
    return map(_match_row, store.summaries())


def _match_row(summary: Summary) -> dict[str, Any]:
    pairing = summary.pairing
    statistics = summary.statistics.to_dict()
    first_seat = statistics["first_seat"] or {"win_rate": None, "ci95": None}
    row = {
        **statistics,
        **pairing_values(pairing.key),
        "first_seat_win_rate": first_seat["win_rate"],
        "first_seat_ci95": first_seat["ci95"],
        "plies": summary.mean_plies,
        "playouts": summary.playouts,
        "seconds": summary.seconds,
    }
    return {name: row[name] for name in _MATCH_COLUMNS}


TABLES = {
    "games": ExportTable(Store.rows, _GAME_COLUMNS),
    "moves": ExportTable(Store.move_rows, _MOVE_COLUMNS),
    "matches": ExportTable(_match_rows, _MATCH_COLUMNS),
}


def format_of(path: Path) -> str:
    """Return the export format that the suffix of a file name selects."""
    if path.suffix not in FORMATS:
        raise unknown("kind of file", path.suffix or path.name, FORMATS)
    return FORMATS[path.suffix]


def export(store: Store, path: Path, format_name: str | None = None, table: str = "games") -> int:
    """Write a table of a store to a file and return the number of rows.

    `format_name` is csv, jsonl or parquet; by default the suffix of the file name selects it.
    `table` is games, moves or matches.
    """
    format_name = format_name or format_of(path)
    if format_name not in FORMATS.values():
        raise unknown("format", format_name, FORMATS.values())
    with replaced(path) as draft:
        if format_name == "parquet":
            return _write_parquet(store, draft, TABLES[table])
        with draft.open("w", newline="", encoding="utf-8") as file:
            return export_text(store, file, format_name, table)


def export_text(store: Store, file: IO[str], format_name: str, table: str = "games") -> int:
    """Write a table of a store as csv or jsonl to an open file; return the number of rows."""
    if format_name not in FORMATS.values():
        raise unknown("format", format_name, FORMATS.values())
    if format_name == "parquet":
        raise UsageError("Parquet is not text: export it to a file that ends in .parquet.")
    write = _write_csv if format_name == "csv" else _write_jsonl
    return write(store, file, TABLES[table])


def _write_csv(store: Store, file: IO[str], table: ExportTable) -> int:
    writer = csv.DictWriter(file, list(table.columns), lineterminator="\n")
    writer.writeheader()
    count = 0
    for row in table.rows(store):
        writer.writerow({name: _csv_value(name, value) for name, value in row.items()})
        count += 1
    return count


def _csv_value(name: str, value: Any) -> Any:
    """Return a list as text: moves with spaces between them, other lists as JSON."""
    if not isinstance(value, list):
        return value
    return " ".join(map(str, value)) if name == "moves" else json.dumps(value)


def _write_jsonl(store: Store, file: IO[str], table: ExportTable) -> int:
    count = 0
    for row in table.rows(store):
        file.write(json.dumps(row) + "\n")
        count += 1
    return count


def _write_parquet(store: Store, path: Path, table: ExportTable) -> int:
    pa = require("parquet")
    from pyarrow import parquet

    def column_type(text: str) -> Any:
        element = pa.type_for_alias(text.removeprefix("list of "))
        return pa.list_(element) if text.startswith("list of ") else element

    schema = pa.schema([(name, column_type(text)) for name, text in table.columns.items()])
    rows, count = table.rows(store), 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(islice(rows, ROWS_PER_BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count
