"""`graven bench`: speed, as ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import Json
from graven.interfaces.cli.console import INTERRUPTED, duration, out, print_json, watched

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

    Ours against OpenSpiel's, rules through the contract against rules inlined, GRAVE against UCT,
    long searches against short ones, the laboratory against bare games, games from GDL text against
    other players of such games. All of it takes about eight minutes; keep the machine quiet
    meanwhile.

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

    _, interrupted = watched(
        work, lambda elapsed: f"{len(rows)} measurements after {duration(elapsed)}"
    )
    if json:
        print_json([row.as_json() for row in rows])
    else:
        _show(rows)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(rows: list[Row]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("measurement", overflow="fold")
    for heading in ("ours", "other", "ratio", "target", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        wanted = f"{'<' if row.below else '>='} {row.target:.2f}"
        if row.ratio is None or row.ours is None or row.other is None:
            table.add_row(f"{row.what} (skipped: {row.skipped})", "", "", "", wanted, "")
            continue
        smaller = min(row.ours, row.other)
        digits = ",.0f" if smaller > 10 else ".2f" if smaller > 1 else ".4f"
        table.add_row(
            row.what,
            format(row.ours, digits),
            format(row.other, digits),
            f"{row.ratio:.2f}",
            wanted,
            "[green]met[/green]" if row.met else "[red]missed[/red]",
        )
    out().print(table)
