"""`graven bench`: speed ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.bench.benchmark_registry import BENCHMARKS
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

    from graven.bench.ratio_rows import Range, RatioRow


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAMES]...",
            help=f"Measurements to take: {', '.join(BENCHMARKS)}.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure speed as ratios.

    Compares graven with OpenSpiel, rules called through the contract with inlined rules, GRAVE with
    UCT, long searches with short ones, the laboratory with bare games, and GDL games with other
    GDL players. Each number is a median of rounds; below it are the smallest and the largest
    round. All measurements take about eight minutes; run nothing else meanwhile.

    \b
    Examples:
      graven bench
      graven bench openspiel sample --json
      graven bench gdl
      GRAVEN_LIMIT=../limit graven bench limit
    """
    from graven.bench.benchmark_registry import run_benchmarks

    rows: list[RatioRow] = []

    def work(stop: threading.Event) -> None:
        for row in run_benchmarks(names or ()):
            rows.append(row)
            if stop.is_set():
                return

    _, interrupted = run_with_progress(
        work, lambda elapsed: f"{len(rows)} measurements after {format_duration(elapsed)}"
    )
    if json:
        print_json([row.to_dict() for row in rows])
    else:
        _print_rows(rows)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _print_rows(rows: list[RatioRow]) -> None:
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
            _with_range(format(row.ours, digits), row.ours_range),
            _with_range(format(row.other, digits), row.other_range),
            _with_range(f"{row.ratio:.2f}", row.ratio_range),
            target,
            "[green]met[/green]" if row.met else "[red]missed[/red]",
        )
    out().print(table)


def _with_range(median: str, ends: Range | None) -> str:
    """Return a median with the smallest and the largest round below it, if they differ."""
    if ends is None or ends[0] == ends[1]:
        return median
    return f"{median}\n[dim]{_short_number(ends[0])}-{_short_number(ends[1])}[/dim]"


def _short_number(value: float) -> str:
    """Format a number with three significant digits: 0.0123, 1.46, 327k, 13.9M."""
    scale, suffix = next(
        (
            (size, letter)
            for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k"))
            if abs(value) >= size
        ),
        (1.0, ""),
    )
    scaled = value / scale
    if abs(scaled) < 1:
        return f"{scaled:.3g}"
    decimals = 0 if abs(scaled) >= 100 else 1 if abs(scaled) >= 10 else 2
    return f"{scaled:.{decimals}f}{suffix}"
