"""The tables of results in the documentation, generated from the game files.

    python -m graven.interfaces.cli.result_pages results docs README.md

A page has a table wherever two comments enclose a part of it:

    <!-- results: headline -->                   the best cell of every table
    <!-- results: headline cazenave2015/6 -->    the best cells of the tables named, in few columns
    <!-- results: cazenave2015 -->               all cells of a paper that have been played
    <!-- end of results -->
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from graven.core.file_replacement import replace_text
from graven.interfaces.cli.reproduce_files import GAMES_FOLDER, markdown_table, short_table
from graven.lab.experiments.reproduce import Entry, Results
from graven.lab.published import paper
from graven.lab.store.game_files import import_games
from graven.lab.store.store import Store

HEADLINE = "headline"
_PART = re.compile(
    r"(?P<begin><!-- results: (?P<name>\S+)(?P<tables>[^\n]*) -->\n).*?"
    r"(?P<end><!-- end of results -->\n)",
    re.S,
)


def read_results(folder: Path) -> Results:
    """Return the results in the game files of a folder such as `results`."""
    with Store() as store:
        import_games(folder / GAMES_FOLDER, store)
        return Results(store.summaries())


def updated_page(text: str, results: Results) -> str:
    """Return a page with its tables of results as they are now."""

    def table(part: re.Match[str]) -> str:
        tables = part["tables"].split()
        new = _short(tables, results) if tables else _table(part["name"], results)
        return part["begin"] + new + part["end"]

    return _PART.sub(table, text)


def _short(tables: list[str], results: Results) -> str:
    best_last = reversed(results.headlines())
    cells = {f"{entry.paper}/{entry.table}": entry for entry in best_last}
    return f"\n{short_table([cells[table] for table in tables])}\n"


def _table(name: str, results: Results) -> str:
    if name == HEADLINE:
        entries = results.headlines()
    else:
        tables = [table for table in paper(name).tables.values() if not table.measure]
        cells = [entry for table in tables for entry in results.entries(table)]
        entries = [entry for entry in cells if entry.pairing is not None]
    played = [entry for entry in entries if entry.score.games or name == HEADLINE]
    settings = {entry.paper: paper(entry.paper).settings for entry in played}
    table = f"\n{markdown_table(played, settings)}" if played else ""
    return f"\n{_count(entries)}\n{_left_out(settings)}{table}\n"


def _left_out(settings: Mapping[str, Collection[str]]) -> str:
    named = {name: ", ".join(f"`{option}`" for option in settings[name]) for name in settings}
    named = {name: options for name, options in named.items() if options}
    if not named:
        return ""
    by_paper = [f"- {name}: {options}" for name, options in named.items()]
    return (
        "\nThe agents are shown without the settings that all agents of a paper have where they\n"
        "apply; readings are shown with all options:\n\n" + "\n".join(by_paper) + "\n"
    )


def _count(entries: list[Entry]) -> str:
    played = [entry for entry in entries if entry.score.games]
    games = sum(entry.score.games for entry in played)
    return f"Played: {len(played)} of {len(entries)} cells, {games:,} games in total."


def pages(documents: Path) -> list[Path]:
    """Return a page, or all pages of a folder."""
    return sorted(documents.rglob("*.md")) if documents.is_dir() else [documents]


def main(results_folder: str, *documents: str) -> None:
    """Update pages and all pages of folders, and name those that changed."""
    results = read_results(Path(results_folder))
    for page in [page for name in documents for page in pages(Path(name))]:
        text = page.read_text(encoding="utf-8")
        new = updated_page(text, results)
        if new != text:
            replace_text(page, new)
            print(f"updated {page}")


if __name__ == "__main__":
    main(*sys.argv[1:])
