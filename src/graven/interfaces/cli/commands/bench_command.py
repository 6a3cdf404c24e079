"""`graven bench`: speed ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import Json
from graven.interfaces.cli.console import (
    INTERRUPTED,
    format_duration,
    out,
    print_json,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.bench.ratio_rows import Row


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAMES]...",
            help="Measurements to take: openspiel, sample, listing, go, grave, playouts, tables, "
            "long, overhead, workers, report, gdl, callbacks, page.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure speed as ratios.

    Compares graven with OpenSpiel, rules called through the contract with inlined rules, GRAVE with
    UCT, long searches with short ones, the laboratory with bare games, and GDL games with other
    GDL players. All measurements take about eight minutes; run nothing else meanwhile.

    \b
    Examples:
      graven bench
      graven bench openspiel sample --json
      graven bench gdl
    """
    from graven.bench.suite import bench as measure
    from graven.interfaces.web.live_view_bench import MEASUREMENTS

    rows: list[Row] = []

    def work(stop: threading.Event) -> None:
        for row in measure(names or (), MEASUREMENTS):
            rows.append(row)
            if stop.is_set():
                return

    _, interrupted = run_with_progress(
        work, lambda elapsed: f"{len(rows)} measurements after {format_duration(elapsed)}"
    )
    if json:
        print_json([row.as_json() for row in rows])
    else:
        _print_rows(rows)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _print_rows(rows: list[Row]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("measurement", overflow="fold")
    for heading in ("ours", "other", "ratio", "target", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        target = f"{'<' if row.below else '>='} {row.target:.2f}"
        if row.ratio is None or row.ours is None or row.other is None:
            table.add_row(f"{row.what} (skipped: {row.skipped})", "", "", "", target, "")
            continue
        smaller = min(row.ours, row.other)
        digits = ",.0f" if smaller > 10 else ".2f" if smaller > 1 else ".4f"
        table.add_row(
            row.what,
            format(row.ours, digits),
            format(row.other, digits),
            f"{row.ratio:.2f}",
            target,
            "[green]met[/green]" if row.met else "[red]missed[/red]",
        )
    out().print(table)
