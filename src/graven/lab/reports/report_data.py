"""The data of a report, read from a store once: sweeps, ladders, published tables and plots."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graven.core.calls import format_value
from graven.core.file_replacement import replace_bytes
from graven.lab.experiments.reproduce import Entry, Results
from graven.lab.published import PublishedFigure, PublishedTable, papers
from graven.lab.reports import plots
from graven.lab.reports.ladder_detection import RatedGroup, find_ladders
from graven.lab.reports.sweep_detection import (
    PLAYOUT_MARK,
    WinRateCurve,
    WinRateGrid,
    find_sweeps,
    unmarked,
)
from graven.lab.reports.tuning_history import TuningHistory, find_tunings
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary, one_search_each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SWEEPS, TOURNAMENTS, TUNINGS, SPEEDS = "Sweeps", "Tournaments", "Tunings", "Speeds and lengths"
MAX_PLOTS = 40
MAX_HISTOGRAMS = 12
MAX_SPEEDS = 20


@dataclass(frozen=True)
class Plot:
    """A plot to draw: its file name, its caption, and the commands that produce its data.

    `section` is the part of a report that it belongs to.
    """

    name: str
    section: str
    caption: str
    commands: tuple[str, ...]
    draw: Callable[[], Figure]


class FigurePosition(NamedTuple):
    """A published figure and its position among all published ones."""

    table_number: int
    number: int
    table: PublishedTable
    figure: PublishedFigure


class ReportData:
    """Everything that a report shows, read from the store once."""

    def __init__(self, store: Store) -> None:
        self.path = store.path
        played = [summary for summary in store.summaries() if summary.games]
        self.summaries = list(one_search_each(played).values())
        self.lengths = store.lengths()
        self.curves, self.grids = find_sweeps(self.summaries)
        self.ladders = find_ladders(store, self.summaries)
        self.tunings = find_tunings(store.path, self.summaries)
        self.first_ended, self.last_ended = store.dates()
        self._published = _published_by_key()

    @property
    def games(self) -> int:
        """The number of games in the store."""
        return sum(summary.games for summary in self.summaries)

    def tables(self) -> Iterator[tuple[PublishedTable, int, list[Entry]]]:
        """Yield the published tables that have been played in part: table, seed and entries.

        Only figures that have been played are among the entries.
        """
        played: dict[tuple[int, int], dict[int, Entry]] = defaultdict(dict)
        tables: dict[int, PublishedTable] = {}
        for summary in self.summaries:
            for position in self._published_figures(summary):
                table = position.table
                tables[position.table_number] = table
                played[summary.pairing.seed, position.table_number][position.number] = Entry(
                    paper=table.paper,
                    table=table.name,
                    figure=position.figure,
                    pairing=summary.pairing,
                    summary=summary,
                )
        for seed, table_number in sorted(played):
            entries = played[seed, table_number]
            yield tables[table_number], seed, [entries[number] for number in sorted(entries)]

    def plots(self) -> list[Plot]:
        """Return the plots, a limited number of each kind."""
        result = [self._curve_plot(number, curve) for number, curve in enumerate(self.curves, 1)]
        result += [_grid_plot(number, grid) for number, grid in enumerate(self.grids, 1)]
        result += [_ladder_plot(number, rated) for number, rated in enumerate(self.ladders, 1)]
        for number, tuning in enumerate(self.tunings, 1):
            result += _tuning_plots(number, tuning)
        result = result[:MAX_PLOTS]
        # These combine all experiments, so their command draws them instead of playing games.
        redraw = (shlex.join(["graven", "report", "--png", "plots", "--db", self.path]),)
        speeds = _speeds(self.summaries)[:MAX_SPEEDS]
        if speeds:
            caption = "Playouts per second of search, by game and budget, over all matches below."
            result.append(
                Plot("speeds", SPEEDS, caption, redraw, draw=lambda: plots.speeds(speeds))
            )
        if self.lengths:
            most_games_first = sorted(self.lengths.items(), key=lambda item: -sum(item[1].values()))
            shown = dict(most_games_first[:MAX_HISTOGRAMS])
            caption = "Lengths of games in plies, over all matches below."
            result.append(
                Plot("lengths", SPEEDS, caption, redraw, draw=lambda: plots.lengths(shown))
            )
        return result

    def _published_figures(self, summary: Summary) -> list[FigurePosition]:
        """Return the published figures that a pairing plays, whatever its seed."""
        return self._published.get(replace(summary.pairing.settings, seed=0).key, [])

    def _curve_plot(self, number: int, curve: WinRateCurve) -> Plot:
        published: dict[float, tuple[float, float, float]] = {}
        for value, summary in zip(curve.values, curve.summaries, strict=True):
            for position in self._published_figures(summary):
                figure = position.figure
                if figure.interval is not None:
                    published[value] = (figure.value, *figure.interval)
        return Plot(
            name=f"sweep-{number}-{_slug(curve.pairing.game)}-{_slug(curve.name)}",
            section=SWEEPS,
            caption=_caption(unmarked(curve.name), curve.summaries),
            commands=sweep_commands(curve.summaries, {curve.name: curve.values}),
            draw=lambda: plots.win_rate_curve(curve, published),
        )


def _published_by_key() -> dict[str, list[FigurePosition]]:
    """Return all playable published win rates by the key of their pairing with seed 0."""
    results = Results(())
    positions: dict[str, list[FigurePosition]] = defaultdict(list)
    tables = [table for paper in papers() for table in paper.tables.values() if not table.measure]
    for table_number, table in enumerate(tables):
        for number, entry in enumerate(results.entries(table)):
            if entry.pairing is not None:
                position = FigurePosition(table_number, number, table, entry.figure)
                positions[entry.pairing.key].append(position)
    return positions


def _grid_plot(number: int, grid: WinRateGrid) -> Plot:
    axes = {grid.names[0]: grid.row_values, grid.names[1]: grid.column_values}
    return Plot(
        name=f"grid-{number}-{_slug(grid.pairing.game)}",
        section=SWEEPS,
        caption=_caption(" and ".join(map(unmarked, grid.names)), grid.summaries),
        commands=sweep_commands(grid.summaries, axes),
        draw=lambda: plots.heat_map(grid),
    )


def _caption(parameters: str, summaries: Sequence[Summary]) -> str:
    games, budget = sum(summary.games for summary in summaries), summaries[0].pairing.budget
    return f"Win rate over {parameters}, {budget}, {games:,} games in all."


def _ladder_plot(number: int, rated: RatedGroup) -> Plot:
    return Plot(
        name=f"ladder-{number}-{_slug(rated.pairing.game)}",
        section=TOURNAMENTS,
        caption=f"Bradley-Terry ratings of one tournament, {rated.games:,} games of every pair.",
        commands=(rated.command,),
        draw=lambda: plots.rating_ladder(rated),
    )


def _tuning_plots(number: int, tuning: TuningHistory) -> list[Plot]:
    slug = _slug(tuning.pairing.game)
    trials = f"{len(tuning.trials)} trials of {tuning.template}, up to {tuning.games:,} games each"
    history = Plot(
        name=f"tuning-{number}-{slug}",
        section=TUNINGS,
        caption=f"Tuning: {trials}, with 95 % intervals.",
        commands=(tuning.command,),
        draw=lambda: plots.tuning_history(tuning),
    )
    if not tuning.importance:
        return [history]
    importance = Plot(
        name=f"importance-{number}-{slug}",
        section=TUNINGS,
        caption=f"Parameter importance: {trials}.",
        commands=(tuning.command,),
        draw=lambda: plots.parameter_importance(tuning),
    )
    return [history, importance]


def sweep_commands(
    summaries: Sequence[Summary], axes: dict[str, tuple[float, ...]]
) -> tuple[str, ...]:
    """Return the commands that play exactly these games: one sweep if it is complete, else matches.

    `axes` maps parameters to their values, which replace the numbers in the first agent's spec.
    """
    points = prod(map(len, axes.values()))
    if len(summaries) < points or len({summary.games for summary in summaries}) > 1:
        return tuple(shlex.join(summary.pairing.command(summary.games)) for summary in summaries)
    first = summaries[0].pairing
    spec = first.agents[0]
    tree, plus, playout = spec.partition("+")
    for name, values in axes.items():
        value_list = ",".join(format_value(value) for value in values)
        pattern = rf"\b{unmarked(name)}=[^,()\[\]]+"
        replacement = f"{unmarked(name)}=[{value_list}]"
        if name.startswith(PLAYOUT_MARK):
            playout = re.sub(pattern, replacement, playout, count=1)
        else:
            tree = re.sub(pattern, replacement, tree, count=1)
    spec = f"{tree}{plus}{playout}"
    words = first.command(summaries[0].games)
    if first.budgets[0] != first.budgets[1]:
        # Different budgets are inside the agents' specs.
        playouts, seconds = first.budgets[0].playouts, first.budgets[0].seconds
        budget = f"playouts={playouts}" if playouts else f"seconds={format_value(seconds or 0.0)}"
        spec = re.sub(r"\)", f",{budget})", spec, count=1) if "(" in spec else f"{spec}({budget})"
    return (shlex.join(["graven", "sweep", words[2], spec, "--against", words[4], *words[5:]]),)


def _speeds(summaries: Sequence[Summary]) -> list[tuple[str, float]]:
    """Return the playouts per second by game and budget, the fastest first."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for summary in summaries:
        name = f"{summary.pairing.game}, {summary.pairing.budget}"
        totals[name][0] += summary.playouts
        totals[name][1] += summary.seconds
    speeds = [(name, playouts / seconds) for name, (playouts, seconds) in totals.items() if seconds]
    return sorted(speeds, key=lambda item: -item[1])


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60]


def write_plots(data: ReportData, folder: Path, suffix: str) -> list[Path]:
    """Write every plot to its own file, with the suffix png, pdf or svg; return the paths."""
    paths = []
    for plot in data.plots():
        path = folder / f"{plot.name}.{suffix}"
        replace_bytes(path, plots.to_bytes(plot.draw(), suffix))
        paths.append(path)
    return paths
