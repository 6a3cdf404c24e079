"""Published figures with ours, as CSV and Markdown files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graven.core.errors import UsageError
from graven.interfaces.cli.arguments import check_output_file
from graven.interfaces.cli.number_format import percent
from graven.interfaces.cli.reproduce_tables import playouts_text, published_text

if TYPE_CHECKING:
    from graven.lab.experiments.reproduce import Entry

MARKDOWN_COLUMNS = (
    "paper",
    "table",
    "game",
    "playouts",
    "first",
    "second",
    "published",
    "ours",
    "games",
)


def check_entries_file(path: str) -> None:
    """Raise a UsageError if figures cannot be written to this file."""
    check_output_file(path)
    if not path.endswith((".csv", ".md")):
        raise UsageError(f"{path!r}: figures are written as .csv or .md.")


def write_entries(path: str, entries: list[Entry]) -> None:
    """Write figures to a .csv or .md file, a line each."""
    if path.endswith(".md"):
        _write_markdown(path, entries)
    else:
        _write_csv(path, entries)


def _write_csv(path: str, entries: list[Entry]) -> None:
    import csv

    rows = [entry.to_dict() for entry in entries]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["paper"], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            if row["playouts"]:
                row["playouts"] = " v ".join(map(str, dict.fromkeys(row["playouts"])))
            writer.writerow(row)


def _write_markdown(path: str, entries: list[Entry]) -> None:
    """Write the figures that can be played as a table for documentation."""
    headings = (*MARKDOWN_COLUMNS, "")
    lines = ["| " + " | ".join(headings) + " |", "| --- " * len(headings) + "|"]
    for entry in entries:
        if entry.pairing is None:
            continue
        cells = (
            entry.paper,
            entry.table,
            entry.pairing.game,
            playouts_text(entry),
            *(f"`{agent}`" for agent in entry.pairing.agents),
            published_text(entry.figure),
            percent(entry.score),
            f"{entry.score.games:,}",
            entry.verdict,
        )
        lines.append("| " + " | ".join(cells) + " |")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
