"""The tables of results in the documentation, generated from the game files.

    python -m graven.interfaces.cli.result_pages results docs

A page has a table wherever two comments enclose a part of it:

    <!-- results: headline -->            the best cell of every table
    <!-- results: cazenave2015 -->        all cells of a paper that have been played
    <!-- end of results -->
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from graven.core.file_replacement import replace_text
from graven.interfaces.cli.reproduce_files import GAMES_FOLDER, markdown_table
from graven.lab.experiments.reproduce import Entry, Results
from graven.lab.published import paper
from graven.lab.store.game_files import import_games
from graven.lab.store.store import Store

HEADLINE = "headline"
_PART = re.compile(
    r"(?P<begin><!-- results: (?P<name>\S+) -->\n).*?(?P<end><!-- end of results -->\n)", re.S
)


def read_results(folder: Path) -> Results:
    """Return the results in the game files of a folder such as `results`."""
    with Store() as store:
        import_games(folder / GAMES_FOLDER, store)
        return Results(store.summaries())


def updated_page(text: str, results: Results) -> str:
    """Return a page with its tables of results as they are now."""
    return _PART.sub(lambda part: part["begin"] + _table(part["name"], results) + part["end"], text)


def _table(name: str, results: Results) -> str:
    if name == HEADLINE:
        entries = results.headlines()
    else:
        tables = [table for table in paper(name).tables.values() if not table.measure]
        cells = [entry for table in tables for entry in results.entries(table)]
        entries = [entry for entry in cells if entry.pairing is not None]
    played = [entry for entry in entries if entry.score.games or name == HEADLINE]
    table = f"\n{markdown_table(played)}" if played else ""
    return f"\n{_count(entries)}\n{table}\n"


def _count(entries: list[Entry]) -> str:
    played = [entry for entry in entries if entry.score.games]
    games = sum(entry.score.games for entry in played)
    return f"Played: {len(played)} of {len(entries)} cells, {games:,} games in total."


def main(results_folder: str, documents: str) -> None:
    """Update all pages of a folder, and name those that changed."""
    results = read_results(Path(results_folder))
    for page in sorted(Path(documents).rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = updated_page(text, results)
        if new != text:
            replace_text(page, new)
            print(f"updated {page}")


if __name__ == "__main__":
    main(*sys.argv[1:])
