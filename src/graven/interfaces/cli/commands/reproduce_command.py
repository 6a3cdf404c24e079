"""`graven reproduce`: published tables, ours beside theirs."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    Cluster,
    Db,
    Json,
    Seed,
    Workers,
    check_output_file,
    open_store,
)
from graven.interfaces.cli.console import (
    INTERRUPTED,
    GamesProgress,
    err,
    finish_experiment,
    format_duration,
    out,
    print_json,
    run_with_progress,
)
from graven.interfaces.cli.number_format import percent, span

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

    from rich.table import Table as Grid

    from graven.lab.experiments.experiment import Task
    from graven.lab.experiments.job import Failure
    from graven.lab.experiments.reproduce import Entry, Results
    from graven.lab.published import Figure, Paper, Part, Table
    from graven.lab.store.store import Store

STYLES = {"agrees": "green", "differs": "red"}


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="A paper; without one, all are listed.")
    ] = None,
    table: Annotated[str | None, typer.Argument(help="One of its tables.")] = None,
    games: Annotated[
        int | None,
        typer.Option(help="Play what is missing of so many games a cell.", metavar="N"),
    ] = None,
    best: Annotated[
        bool, typer.Option("--best", help="Play only the cell that a table calls its best.")
    ] = False,
    headline: Annotated[
        bool, typer.Option("--headline", help="The best cell of every table, as one table.")
    ] = False,
    write: Annotated[
        str | None,
        typer.Option(help="Write the figures to a .csv or .md, one line a cell.", metavar="FILE"),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    db: Db = None,
    json: Json = False,
) -> None:
    """Play published experiments and print ours beside theirs.

    Without a paper: which tables there are, and how much of each has been run. With --games, what
    is missing is played first. A cell agrees if the published interval and ours overlap. A table
    of other measures than win rates is measured in so many games, one after another; nothing of it
    is remembered.

    \b
    Examples:
      graven reproduce
      graven reproduce cazenave2015 6 --games 100
      graven reproduce cazenave2015 6 --best --games 500
      graven reproduce sironi2016 VIII --games 1
      graven reproduce --headline --games 200 --write results/headline.csv
    """
    from graven.core.errors import UsageError
    from graven.lab import published
    from graven.lab.experiments.reproduce import Results, tasks

    if table is not None and headline:
        raise UsageError("--headline is about all tables: leave the table out.")
    chosen = [published.paper(paper)] if paper is not None else published.papers()
    one = chosen[0].table(table) if table is not None else None
    if games is not None and one is None and not headline:
        raise UsageError("--games needs a paper and a table, or --headline.")
    if write is not None:
        check_output_file(write)
        if not write.endswith((".csv", ".md")):
            raise UsageError(f"{write!r}: figures are written as .csv or .md.")
    if one is not None and one.measure:
        _measure(one, games, seed, write, json)
        return
    interrupted = False
    failures: tuple[Failure, ...] = ()
    with open_store(db, games is not None) if _there(db, games) else nullcontext() as store:
        entries = _entries(
            Results(store.summaries() if store else (), seed), chosen, one, best, headline
        )
        if games is not None and store is not None:
            wanted = tasks(entries, games)
            failures, interrupted = _play(wanted, store, workers, cluster)
        results = Results(store.summaries() if store else (), seed)
    entries = _entries(results, chosen, one, best, headline)
    if write is not None:
        _write(write, entries)
    if json:
        print_json([entry.as_json() for entry in entries])
    elif headline:
        out().print(_headlines(entries))
    elif one is not None:
        _show(one, results)
    else:
        out().print(_overview(chosen, results))
    finish_experiment(failures, interrupted)


def _measure(table: Table, games: int | None, seed: int, write: str | None, json: bool) -> None:
    """A table of measurements, ours taken now if there are games to take them from."""
    from graven.core.errors import UsageError
    from graven.lab.experiments.measures import measured
    from graven.lab.experiments.reproduce import Results

    if write is not None and write.endswith(".md"):
        raise UsageError("a table of measurements is written as .csv: .md is for win rates.")
    results, interrupted = Results((), seed), False
    if games is not None:
        done = 0

        def taken() -> None:
            nonlocal done
            done += 1

        def work(stop: threading.Event) -> dict[Figure, float]:
            return measured(table, games, seed, stop, taken)

        found, interrupted = run_with_progress(
            work,
            lambda seconds: f"{done}/{len(table.figures)} figures after {format_duration(seconds)}",
        )
        results = Results((), seed, found)
    entries = results.entries(table)
    if write is not None:
        _write(write, entries)
    if json:
        print_json([entry.as_json() for entry in entries])
    else:
        _show(table, results)
    if interrupted:  # nothing is remembered, so there is nothing to go on with
        raise typer.Exit(INTERRUPTED)


def _there(db: str | None, games: int | None) -> bool:
    from graven.lab.store.store import default_path

    return games is not None or db is not None or Path(default_path()).exists()


def _entries(
    results: Results, chosen: list[Paper], one: Table | None, best: bool, headline: bool
) -> list[Entry]:
    if headline:
        return results.headlines(chosen)
    tables = [one] if one is not None else [t for paper in chosen for t in paper.tables.values()]
    if best:
        found = [results.best(table) for table in tables if not table.measure]
        return [entry for entry in found if entry is not None]
    return [entry for table in tables for entry in results.entries(table)]


def _play(
    wanted: list[Task], store: Store, workers: int | None, cluster: str | None
) -> tuple[tuple[Failure, ...], bool]:
    from graven.lab.experiments.experiment import Place, play_missing

    total = sum(task.games for task in wanted)
    done = sum(len(store.numbers(task.cell, task.games)) for task in wanted)

    pace = GamesProgress()
    pace.update(done, total)

    def recorded(*_: object) -> None:
        nonlocal done
        done += 1
        pace.update(done, total)

    def work(stop: threading.Event) -> tuple[Failure, ...]:
        return play_missing(wanted, store, Place(workers, cluster), recorded, stop)

    if not wanted:
        err().print("Nothing of this can be played by this version of graven.", style="yellow")
        return (), False
    failures, interrupted = run_with_progress(work, pace.line)
    return failures, interrupted and done < total


def _overview(chosen: list[Paper], results: Results) -> Grid:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("paper", "table", "what it shows"):
        grid.add_column(heading, overflow="fold")
    for heading in ("cells", "can be run", "run", "agree", "games"):
        grid.add_column(heading, justify="right")
    for paper in chosen:
        for table in paper.tables.values():
            entries = results.entries(table)
            run = [entry for entry in entries if entry.score.games]
            grid.add_row(
                paper.name,
                table.name,
                table.caption,
                str(len(entries)),
                str(sum(not entry.why_not for entry in entries)),
                str(len(run)),
                str(sum(entry.verdict == "agrees" for entry in run)) if run else "",
                f"{sum(entry.score.games for entry in run):,}" if run else "",
            )
    return grid


def _headlines(entries: list[Entry]) -> Grid:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("paper", "table", "game", "first", "second", "playouts"):
        grid.add_column(heading, overflow="fold")
    for heading in ("published", "ours", "games", ""):
        grid.add_column(heading, justify="right")
    for entry in entries:
        assert entry.cell is not None
        grid.add_row(
            entry.paper,
            entry.table,
            entry.cell.game,
            *entry.cell.agents,
            _plain_playouts(entry),
            _theirs(entry.figure),
            percent(entry.score),
            f"{entry.score.games:,}",
            _coloured(entry.verdict),
        )
    return grid


def _plain_playouts(entry: Entry) -> str:
    assert entry.cell is not None
    first, second = (f"{budget.playouts:,}" for budget in entry.cell.budgets)
    return first if first == second else f"{first} v {second}"


def _show(table: Table, results: Results) -> None:
    console = out()
    console.print(f"{table.paper}, table {table.name}: {table.caption}", style="bold", markup=False)
    if table.measure:
        console.print(f"In {table.measure}, theirs above ours.\n", style="dim")
    else:
        console.print(
            "Win rates of the first agent in per cent, theirs above ours, with 95 % intervals.\n",
            style="dim",
        )
    for part in table.parts:
        for grid in _grids(part, table, results):
            console.print(grid)
    if table.odd:
        console.print(table.odd, style="dim", markup=False)


def _grids(part: Part, table: Table, results: Results) -> list[Grid]:
    """A part as the paper lays it out: a new grid wherever the headings change.

    Where the terminal is too narrow for all columns, the rest of them stands below.
    """
    from graven.lab.experiments.reproduce import column_summary

    rows: list[tuple[str, tuple[str, ...], list[str]]] = []
    for line in part.lines:
        entries = [results.entry(table, figure) for figure in line.figures]
        rows.append((line.label, line.headings, [_cell(entry, table) for entry in entries]))
    if part.robustness:
        headings = rows[-1][1]
        entries = [results.entry(table, figure) for figure in part.figures]
        robustness, average = column_summary(part, entries)
        rows.append(("robustness", headings, _both(part.robustness, robustness, "d")))
        rows.append(("average", headings, _both(part.average, average, ".1f")))
    grids: list[Grid] = []
    for headings, group in groupby(rows, key=lambda row: row[1]):
        same = list(group)
        for first, last in _fitting(same, headings):
            grids.append(_grid(part, same, headings, first, last))
    return grids


def _grid(
    part: Part,
    rows: list[tuple[str, tuple[str, ...], list[str]]],
    headings: tuple[str, ...],
    first: int,
    last: int,
) -> Grid:
    """The columns first..last-1 of rows with the same headings."""
    from rich.table import Table as Grid

    grid = Grid(padding=(0, 1), title=part.label or None, title_justify="left")
    grid.add_column("\n".join(part.across), overflow="fold")
    for heading in headings[first:last]:
        grid.add_column(heading, justify="right", overflow="fold")
    for label, _, cells in rows:
        grid.add_row(label, *cells[first:last], end_section=True)
    return grid


def _fitting(
    rows: list[tuple[str, tuple[str, ...], list[str]]], headings: tuple[str, ...]
) -> list[tuple[int, int]]:
    """Groups of neighbouring columns, each as wide as the terminal at most."""
    from rich.text import Text

    def wide(text: str) -> int:
        return max((len(word) for word in Text.from_markup(text).plain.split()), default=0)

    left = out().width - max(wide(label) for label, _, _ in rows) - 4
    groups: list[tuple[int, int]] = []
    begin, used = 0, 0
    for column in range(len(headings)):
        words = (headings[column], *(cells[column] for _, _, cells in rows))
        width = 3 + max(wide(text) for text in words)
        if used + width > left and column > begin:
            groups.append((begin, column))
            begin, used = column, 0
        used += width
    return [*groups, (begin, len(headings))]


def _both(theirs: Sequence[float], ours: Sequence[float | None], digits: str) -> list[str]:
    """Theirs above ours, where there is one."""
    pairs = zip(theirs, ours, strict=True)
    return [f"{one:{digits}}\n{'-' if two is None else format(two, digits)}" for one, two in pairs]


def _cell(entry: Entry, table: Table) -> str:
    if table.measure:
        ours = "[dim]not measured[/dim]" if entry.measured is None else _short(entry.measured)
        return f"{_short(entry.figure.value)}\n{ours}"
    if entry.cell is None:
        return f"{_theirs(entry.figure)}\n[dim]{entry.why_not}[/dim]"
    if not entry.score.games:
        return f"{_theirs(entry.figure)}\n[dim]{entry.verdict}[/dim]"
    games = f"{entry.score.games:,} games"
    return f"{_theirs(entry.figure)}\n{percent(entry.score)}\n{_coloured(entry.verdict)}, {games}"


def _short(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def _theirs(figure: Figure) -> str:
    interval = figure.interval
    return f"{figure.value:.1f} {span(*interval)}" if interval else f"{figure.value:.1f}"


def _coloured(verdict: str) -> str:
    style = STYLES.get(verdict, "dim")
    return f"[{style}]{verdict}[/{style}]"


def _write(path: str, entries: list[Entry]) -> None:
    import csv

    if path.endswith(".md"):
        _write_markdown(path, entries)
        return
    rows = [entry.as_json() for entry in entries]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["paper"], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            if row["playouts"]:
                row["playouts"] = " v ".join(map(str, dict.fromkeys(row["playouts"])))
            writer.writerow(row)


def _write_markdown(path: str, entries: list[Entry]) -> None:
    """A table as documentation shows it: one that can be run is a line."""
    columns = (
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
    lines = ["| " + " | ".join((*columns, "")) + " |", "| --- " * (len(columns) + 1) + "|"]
    for entry in entries:
        if entry.cell is None:
            continue
        cells = (
            entry.paper,
            entry.table,
            entry.cell.game,
            _plain_playouts(entry),
            *(f"`{agent}`" for agent in entry.cell.agents),
            _theirs(entry.figure),
            percent(entry.score),
            f"{entry.score.games:,}",
            entry.verdict,
        )
        lines.append("| " + " | ".join(cells) + " |")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
