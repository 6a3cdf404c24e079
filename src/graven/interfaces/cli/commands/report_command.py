"""`graven report` and `graven export`: what the store knows, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graven.interfaces.cli.arguments import Db, check_target, open_store
from graven.interfaces.cli.console import awaited, out


def report(
    file: Annotated[str, typer.Argument(help="The page to write.", metavar="FILE")] = "report.html",
    png: Annotated[
        str | None, typer.Option(help="Write only the plots, as PNG.", metavar="FOLDER")
    ] = None,
    pdf: Annotated[
        str | None, typer.Option(help="Write only the plots, as PDF.", metavar="FOLDER")
    ] = None,
    db: Db = None,
) -> None:
    """Write everything that the store knows as one HTML page.

    Published tables with ours beside theirs, win rates over parameters, heat maps, rating ladders,
    speed and lengths of games, each with the command that plays it. The page needs no network.

    \b
    Examples:
      graven report
      graven report results.html --db experiment.db
      graven report --png plots
    """
    from graven.core.errors import UsageError
    from graven.lab.reports.html_report import Findings, html
    from graven.lab.reports.html_report import write_plots as write

    check_target(file)
    with open_store(db, write=False) as store:
        if png is None and pdf is None:
            Path(file).write_text(awaited(lambda: html(store), "writing the report"), "utf-8")
            out().print(f"wrote {file}", markup=False, soft_wrap=True)
            return
        findings = Findings(store)
    for kind, folder in (("png", png), ("pdf", pdf)):
        if folder is None:
            continue
        place = Path(folder)
        if place.exists() and not place.is_dir():
            raise UsageError(f"{folder!r} is a file: name a folder for the plots.")
        place.mkdir(parents=True, exist_ok=True)
        written = awaited(lambda k=kind, p=place: write(findings, p, k), "drawing the plots")  # type: ignore[misc]
        for path in written:
            out().print(f"wrote {path}", markup=False, soft_wrap=True)


def export(
    file: Annotated[
        str,
        typer.Argument(
            help="What to write: .csv, .jsonl or .parquet.", metavar="FILE", show_default=False
        ),
    ],
    db: Db = None,
) -> None:
    """Write every game of the store to a file, one row a game.

    The ending of its name says what kind: CSV, JSON lines, or Parquet (which needs pyarrow).

    \b
    Examples:
      graven export games.csv
      graven export games.parquet --db experiment.db
    """
    from graven.lab.store.export import export as write
    from graven.lab.store.export import kind_of

    path = Path(file)
    kind = kind_of(path)
    check_target(file)
    with open_store(db, write=False) as store:
        count = awaited(lambda: write(store, path, kind), f"writing {file}")
    out().print(f"wrote {count:,} games to {file}", markup=False, soft_wrap=True)
