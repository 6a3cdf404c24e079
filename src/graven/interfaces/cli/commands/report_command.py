"""`graven report` and `graven export`: write the store as an HTML page or as a table."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from graven.interfaces.cli.arguments import Db, check_output_file, open_store
from graven.interfaces.cli.console import out, run_to_completion

STANDARD_OUTPUT = "-"


def report(
    file: Annotated[
        str, typer.Argument(help="The HTML file to write.", metavar="FILE")
    ] = "report.html",
    png: Annotated[
        str | None, typer.Option(help="Write only the plots, as PNG files.", metavar="FOLDER")
    ] = None,
    pdf: Annotated[
        str | None, typer.Option(help="Write only the plots, as PDF files.", metavar="FOLDER")
    ] = None,
    db: Db = None,
) -> None:
    """Write a report of all games in the store as one HTML page.

    The page has published tables beside our results, win rates over parameters, heat maps, rating
    ladders, speeds and lengths of games, each with the command that reproduces it. It loads nothing
    from the network.

    \b
    Examples:
      graven report
      graven report results.html --db experiment.db
      graven report --png plots
    """
    from graven.core.errors import UsageError
    from graven.core.file_replacement import replace_text
    from graven.lab.reports.html_report import html
    from graven.lab.reports.report_data import ReportData, write_plots

    check_output_file(file)
    with open_store(db, write=False) as store:
        if png is None and pdf is None:
            replace_text(file, run_to_completion(lambda: html(store), "writing the report"))
            out().print(f"wrote {file}", markup=False, soft_wrap=True)
            return
        data = ReportData(store)
    for suffix, folder in (("png", png), ("pdf", pdf)):
        if folder is None:
            continue
        target = Path(folder)
        if target.exists() and not target.is_dir():
            raise UsageError(f"{folder!r} is a file: name a folder for the plots.")
        target.mkdir(parents=True, exist_ok=True)
        draw = partial(write_plots, data, target, suffix)
        for path in run_to_completion(draw, "drawing the plots"):
            out().print(f"wrote {path}", markup=False, soft_wrap=True)


def export(
    file: Annotated[
        str,
        typer.Argument(
            help="The file to write: .csv, .jsonl or .parquet; - is standard output.",
            metavar="FILE",
            show_default=False,
        ),
    ],
    moves: Annotated[
        bool, typer.Option("--moves", help="One row per ply: move, playouts, value, seconds.")
    ] = False,
    matches: Annotated[
        bool, typer.Option("--matches", help="One row per match: all its statistics.")
    ] = False,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv, jsonl or parquet; default: by the suffix of FILE, csv for standard output.",
            metavar="FORMAT",
        ),
    ] = None,
    db: Db = None,
) -> None:
    """Write every game of the store to a file, one row per game.

    The suffix selects the format: CSV, JSON lines, or Parquet (which needs pyarrow). With --moves
    there is one row per ply, with --matches one row per match.

    \b
    Examples:
      graven export games.csv
      graven export moves.parquet --moves --db experiment.db
      graven export - --matches --format jsonl
    """
    from graven.core.errors import UsageError
    from graven.lab.store.export import export as write
    from graven.lab.store.export import export_text, format_of

    if moves and matches:
        raise UsageError("--moves and --matches are two tables: export one at a time.")
    table = "moves" if moves else "matches" if matches else "games"
    if file == STANDARD_OUTPUT:
        with open_store(db, write=False) as store:
            export_text(store, sys.stdout, format_ or "csv", table)
        return
    path = Path(file)
    format_name = format_ or format_of(path)
    check_output_file(file)
    with open_store(db, write=False) as store:
        count = run_to_completion(lambda: write(store, path, format_name, table), f"writing {file}")
    unit = "rows" if moves else table
    out().print(f"wrote {count:,} {unit} to {file}", markup=False, soft_wrap=True)
