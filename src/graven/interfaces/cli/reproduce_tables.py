"""Published tables with our figures, for the terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from graven.interfaces.cli.console import out
from graven.interfaces.cli.number_format import percent, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table as Grid

    from graven.lab.experiments.reproduce import Entry, Results
    from graven.lab.published import Paper, PublishedFigure, PublishedTable, TablePart

STYLES = {"equivalent": "green", "differs": "red"}
# Marks a verdict that Holm's correction leaves as it is.
HOLM_MARK = "*"
UNDECIDED = "undecided"
# Borders and spaces around the labels and around a column.
LABEL_PADDING, COLUMN_PADDING = 4, 3


def overview(papers: list[Paper], results: Results) -> Grid:
    """List the tables of papers, with how much of each has been played."""
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("paper", "table"):
        grid.add_column(heading, no_wrap=True)
    grid.add_column("what it shows", overflow="fold")
    for heading in ("figures", "playable", "played", "equivalent", "differ", "games"):
        grid.add_column(heading, justify="right")
    for paper in papers:
        for table in paper.tables.values():
            entries = results.entries(table)
            played = [entry for entry in entries if entry.score.games]
            grid.add_row(
                paper.name,
                table.name,
                table.caption,
                str(len(entries)),
                str(sum(not entry.why_not for entry in entries)),
                str(len(played)),
                *(
                    str(sum(entry.verdict == verdict for entry in played)) if played else ""
                    for verdict in ("equivalent", "differs")
                ),
                f"{sum(entry.score.games for entry in played):,}" if played else "",
            )
    return grid


def headline_table(entries: list[Entry]) -> Grid:
    """Lay out the best figure of every table, one row each."""
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("paper", "table", "game", "first", "second", "playouts"):
        grid.add_column(heading, overflow="fold")
    for heading in ("published", "selection", "ours", "games", "difference", "p", "verdict"):
        grid.add_column(heading, justify="right")
    for entry in entries:
        assert entry.pairing is not None
        grid.add_row(
            entry.paper,
            entry.table,
            entry.pairing.game,
            *entry.agents,
            playouts_text(entry),
            published_text(entry.figure),
            f"{100 * entry.selection.excess:+.1f}" if entry.selection else "",
            percent(entry.statistics),
            f"{entry.score.games:,}",
            *difference_texts(entry),
            _coloured(entry),
        )
    return grid


def headline_notes(entries: list[Entry]) -> list[str]:
    """Return what the columns of the headline table mean, and the verdict on all of it."""
    return [
        "selection: by how much a published figure that is the best of several is likely to be too "
        "high, by simulation.",
        *table_notes(entries),
    ]


def table_notes(entries: list[Entry]) -> list[str]:
    """Return how verdicts are reached, the verdict on a table, and what was not counted."""
    from graven.lab.experiments.reproduce import judgement_text

    judgement = judgement_text(entries)
    if not judgement:
        return []
    set_aside = sum(entry.set_aside for entry in entries)
    return [
        f"equivalent: the difference is below {100 * entries[0].margin:g} points (TOST, 5 %); "
        "differs: p below 5 %; undecided: the number of our games that decides with probability "
        "80 %, or if the published sample is too small for that, the probability that any number "
        f"decides. {HOLM_MARK} marks a verdict that holds for the whole table.",
        judgement,
        *([f"{set_aside:,} games of other searches are not counted."] if set_aside else []),
    ]


def difference_texts(entry: Entry) -> tuple[str, str]:
    """Format the difference with its 95 % interval, and the p-value; empty without games."""
    if entry.comparison is None:
        return "", ""
    from graven.lab.reports.match_text import p_text

    low, high = (100 * end for end in entry.comparison.ci95)
    difference = f"{100 * entry.comparison.difference:+.1f} ({low:+.1f} to {high:+.1f})"
    return difference, p_text(entry.comparison.p_value).removeprefix("p ")


def playouts_text(entry: Entry) -> str:
    """Format the playouts of both agents: 1,000, or 1,000 v 10,000."""
    assert entry.pairing is not None
    first, second = (f"{budget.playouts:,}" for budget in entry.pairing.budgets)
    return first if first == second else f"{first} v {second}"


class TableRow(NamedTuple):
    """A row of a printed table; `cells` has a text for each of `headings`."""

    label: str
    headings: tuple[str, ...]
    cells: list[str]


def print_table(table: PublishedTable, results: Results) -> None:
    """Print a table in the paper's layout, published figures above ours."""
    console = out()
    console.print(f"{table.paper}, table {table.name}: {table.caption}", style="bold", markup=False)
    if table.measure:
        console.print(f"In {table.measure}, published above ours.\n", style="dim")
    else:
        console.print(
            "Win rates of the first agent (%) with 95 % intervals, published above ours.\n",
            style="dim",
        )
    for part in table.parts:
        for grid in _grids(part, table, results):
            console.print(grid)
    if table.odd:
        console.print(table.odd, style="dim", markup=False)
    if not table.measure:
        for note in table_notes(results.entries(table)):
            console.print(note, style="dim", markup=False)


def _grids(part: TablePart, table: PublishedTable, results: Results) -> list[Grid]:
    """Lay out a part as in the paper, with a new grid wherever the headings change.

    Columns for which the terminal is too narrow go into further grids.
    """
    from graven.lab.experiments.reproduce import column_summary

    rows: list[TableRow] = []
    by_figure = {id(entry.figure): entry for entry in results.entries(table)}
    for line in part.lines:
        entries = [by_figure[id(figure)] for figure in line.figures]
        rows.append(TableRow(line.label, line.headings, [_cell(entry, table) for entry in entries]))
    if part.robustness:
        headings = rows[-1].headings
        entries = [by_figure[id(figure)] for figure in part.figures]
        robustness, average = column_summary(part, entries)
        rows.append(TableRow("robustness", headings, _both(part.robustness, robustness, "d")))
        rows.append(TableRow("average", headings, _both(part.average, average, ".1f")))
    grids: list[Grid] = []
    for _, group in groupby(rows, key=lambda row: row.headings):
        same_headings = list(group)
        grids += [_grid(part, same_headings, columns) for columns in _fitting(same_headings)]
    return grids


def _grid(part: TablePart, rows: list[TableRow], columns: slice) -> Grid:
    """Lay out some columns of rows with the same headings."""
    from rich.table import Table as Grid

    grid = Grid(padding=(0, 1), title=part.label or None, title_justify="left")
    grid.add_column("\n".join(part.across), overflow="fold")
    for heading in rows[0].headings[columns]:
        grid.add_column(heading, justify="right", overflow="fold")
    for row in rows:
        grid.add_row(row.label, *row.cells[columns], end_section=True)
    return grid


def _fitting(rows: list[TableRow]) -> list[slice]:
    """Split the columns of rows into groups that fit into the width of the terminal."""
    from rich.text import Text

    def longest_word(text: str) -> int:
        return max((len(word) for word in Text.from_markup(text).plain.split()), default=0)

    headings = rows[0].headings
    available = out().width - max(longest_word(row.label) for row in rows) - LABEL_PADDING
    groups: list[slice] = []
    begin, used = 0, 0
    for column in range(len(headings)):
        texts = (headings[column], *(row.cells[column] for row in rows))
        width = COLUMN_PADDING + max(longest_word(text) for text in texts)
        if used + width > available and column > begin:
            groups.append(slice(begin, column))
            begin, used = column, 0
        used += width
    return [*groups, slice(begin, len(headings))]


def _both(published: Sequence[float], ours: Sequence[float | None], digits: str) -> list[str]:
    """Format published values above ours, with a dash for ours where there is none."""
    return [
        f"{value:{digits}}\n{'-' if our_value is None else format(our_value, digits)}"
        for value, our_value in zip(published, ours, strict=True)
    ]


def _cell(entry: Entry, table: PublishedTable) -> str:
    if table.measure:
        ours = "[dim]not measured[/dim]" if entry.measured is None else _short(entry.measured)
        return f"{_short(entry.figure.value)}\n{ours}"
    if entry.pairing is None:
        return f"{published_text(entry.figure)}\n[dim]{entry.why_not}[/dim]"
    if not entry.score.games:
        return f"{published_text(entry.figure)}\n[dim]{entry.verdict}[/dim]"
    difference, p_value = difference_texts(entry)
    verdict = _coloured(entry).replace(" (", "\n(")
    return (
        f"{published_text(entry.figure)}\n{percent(entry.statistics)}\n"
        f"{entry.score.games:,} games\n{difference}\np {p_value}\n{verdict}"
    )


def _short(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def published_text(figure: PublishedFigure) -> str:
    """Format a published figure with its interval, if it has one."""
    interval = figure.interval
    return f"{figure.value:.1f} {span(*interval)}" if interval else f"{figure.value:.1f}"


def verdict_text(entry: Entry) -> str:
    """Format the verdict, marked if it holds for the whole table."""
    decided = entry.judged is not None and entry.judged.verdict == entry.verdict != UNDECIDED
    return entry.verdict_text + (HOLM_MARK if decided else "")


def _coloured(entry: Entry) -> str:
    style = STYLES.get(entry.verdict, "dim")
    return f"[{style}]{verdict_text(entry)}[/{style}]"
