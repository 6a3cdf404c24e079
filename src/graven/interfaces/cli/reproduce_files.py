"""Published figures with ours, as CSV and Markdown files."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from graven.core.calls import split
from graven.core.errors import UsageError
from graven.core.file_replacement import replace_text, replaced
from graven.interfaces.cli.arguments import check_output_file
from graven.interfaces.cli.console import err, run_to_completion
from graven.interfaces.cli.number_format import percent
from graven.interfaces.cli.reproduce_tables import (
    difference_texts,
    playouts_text,
    published_text,
    verdict_text,
)

if TYPE_CHECKING:
    from graven.lab.experiments.reproduce import Entry
    from graven.lab.store.game_files import MergeCount
    from graven.lab.store.store import Store

GAMES_FOLDER = "games"
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
    "difference",
    "p",
    "verdict",
)


def check_entries_file(path: str) -> None:
    """Raise a UsageError if figures cannot be written to this file."""
    check_output_file(path)
    if not path.endswith((".csv", ".md")):
        raise UsageError(f"{path!r}: figures are written as .csv or .md.")


def is_folder(path: str) -> bool:
    """Return whether a path of --write is that of a folder, which need not exist."""
    return bool(path) and (path.endswith(("/", os.sep)) or Path(path).is_dir())


def check_games_folder(path: str) -> None:
    """Raise an error if games cannot be added to this folder."""
    from graven.lab.store.game_files import check_folder

    check_folder(Path(path) / GAMES_FOLDER)


def add_to_folder(path: str, store: Store) -> None:
    """Add the games of the store that published tables have to the game files below a folder."""
    from graven.lab.experiments.reproduce import table_file
    from graven.lab.store.game_files import write_games

    folder = Path(path) / GAMES_FOLDER
    count = run_to_completion(lambda: write_games(store, folder, table_file), f"writing {folder}")
    err().print(f"added {count.new:,} games to {folder}", markup=False, soft_wrap=True)
    warn_of_contradictions(count)


def warn_of_contradictions(count: MergeCount) -> None:
    """Warn if some games have different results in the store and in the files."""
    if count.contradicting:
        err().print(
            f"warning: {count.contradicting:,} games have different results in the store and in "
            "the files, although their searches have the same fingerprint; both were left as they "
            "are.",
            style="yellow",
            soft_wrap=True,
        )


def write_entries(path: str, entries: list[Entry]) -> None:
    """Write figures to a .csv or .md file, a line each."""
    if path.endswith(".md"):
        _write_markdown(path, entries)
    else:
        _write_csv(path, entries)


def _write_csv(path: str, entries: list[Entry]) -> None:
    import csv

    rows = [entry.to_dict() for entry in entries]
    with replaced(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["paper"], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            if row["playouts"]:
                row["playouts"] = " v ".join(map(str, dict.fromkeys(row["playouts"])))
            for name in ("ci95", "published_ci95", "difference_ci95"):
                row[name] = " to ".join(map(str, row[name] or ()))
            writer.writerow(row)


def _write_markdown(path: str, entries: list[Entry]) -> None:
    replace_text(path, markdown_table(entries))


def is_reading(entry: Entry) -> bool:
    """Return whether an entry plays a figure by another reading of its paper."""
    from graven.lab.published import paper

    return paper(entry.paper).table(entry.table).readings


def short_table(entries: list[Entry]) -> str:
    """Return figures as a table of few columns, with the policies instead of whole specs."""
    heading = "| game | playouts | agents | published | graven | games | verdict |"
    lines = [heading, "| --- " * 7 + "|"]
    for entry in entries:
        if entry.pairing is None:
            raise UsageError(f"{entry.paper}, table {entry.table}: cannot be played.")
        cells = (
            "`" + re.sub(r",text=\w+", "", entry.pairing.game) + "`",
            playouts_text(entry),
            " v ".join(re.sub(r"\([^)]*\)", "", agent).upper() for agent in entry.agents),
            published_text(entry.figure),
            percent(entry.statistics),
            f"{entry.score.games:,}",
            entry.verdict,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def without(agent: str, options: Collection[str]) -> str:
    """Return the text of an agent without some options, as in `ties=first`."""
    policies = []
    for policy in split(agent, "+"):
        name, parenthesis, inside = policy.partition("(")
        rest = [option for option in split(inside.rstrip(")"), ",") if option not in options]
        policies.append(f"{name}({','.join(rest)})" if parenthesis and rest else name)
    return "+".join(policies)


def markdown_table(
    entries: list[Entry], settings: Mapping[str, Collection[str]] | None = None
) -> str:
    """Return the figures that can be played as a table for documentation.

    `settings` are options by paper that its agents are shown without, except in readings.
    """
    headings = MARKDOWN_COLUMNS
    lines = ["| " + " | ".join(headings) + " |", "| --- " * len(headings) + "|"]
    for entry in entries:
        if entry.pairing is None:
            continue
        hidden = () if settings is None or is_reading(entry) else settings[entry.paper]
        cells = (
            entry.paper,
            f"readings: {entry.figure.place}" if is_reading(entry) else entry.table,
            entry.pairing.game,
            playouts_text(entry),
            *(f"`{without(agent, hidden)}`" for agent in entry.agents),
            published_text(entry.figure),
            percent(entry.statistics),
            f"{entry.score.games:,}",
            *difference_texts(entry),
            verdict_text(entry),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
