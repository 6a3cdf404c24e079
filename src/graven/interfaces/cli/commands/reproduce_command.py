"""`graven reproduce`: published tables with our figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graven.interfaces.cli.arguments import Db, Json, Seed, open_store
from graven.interfaces.cli.console import INTERRUPTED, err, format_duration, out, print_json
from graven.interfaces.cli.experiment_runner import (
    Cluster,
    ExperimentSettings,
    GamesLine,
    Margin,
    Workers,
    run_experiment,
    watch_run,
)
from graven.interfaces.cli.reproduce_files import (
    add_to_folder,
    check_entries_file,
    check_games_folder,
    is_folder,
    write_entries,
)
from graven.interfaces.cli.reproduce_tables import (
    headline_notes,
    headline_table,
    overview,
    print_table,
)

if TYPE_CHECKING:
    from graven.lab.experiments.reproduce import Entry, ReproductionResult, Results
    from graven.lab.experiments.run import Shard
    from graven.lab.experiments.run_config import RunConfig, RunProgress
    from graven.lab.published import Paper, PublishedTable
    from graven.lab.store.store import Store


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="A paper; without one, all are listed.")
    ] = None,
    table: Annotated[str | None, typer.Argument(help="One of its tables.")] = None,
    games: Annotated[
        int | None,
        typer.Option(help="Play what is missing of N games per figure; 0: none.", metavar="N"),
    ] = None,
    best: Annotated[
        bool, typer.Option("--best", help="Play only the figure that a table calls its best.")
    ] = False,
    headline: Annotated[
        bool, typer.Option("--headline", help="The best figure of every table, as one table.")
    ] = False,
    place: Annotated[
        str | None,
        typer.Option(
            help="Only figures whose place in the table contains TEXT; --json has the places.",
            metavar="TEXT",
        ),
    ] = None,
    write: Annotated[
        str | None,
        typer.Option(
            help="Write the figures to a .csv or .md, one line each; or add the games of the "
            "store to the game files of a folder.",
            metavar="FILE|FOLDER",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(help="Play one of several equal parts of the games: 2/5.", metavar="I/N"),
    ] = None,
    margin: Margin = 5.0,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    db: Db = None,
    json: Json = False,
) -> None:
    """Play published experiments and print our figures with the published ones.

    Without a paper: list all tables and how much of each has been played. With --games, play what
    is missing first; games that another search has played (see 'graven import') are not counted
    with new ones. Each figure gets the difference of the two win rates with its 95 % interval
    and p-value, and a verdict: "equivalent" if an equivalence test shows that the difference is
    below the margin, "differs" if it is significant, else "undecided" with the number of games that
    would decide. The table as a whole is judged with Holm's correction. A table that does not
    contain win rates is measured in N games, one after another; these are not recorded.

    \b
    Examples:
      graven reproduce
      graven reproduce cazenave2015 6 --games 100
      graven reproduce cazenave2015 6 --best --games 500
      graven reproduce cazenave2015 readings --place "capture playouts table 1" --games 100
      graven reproduce sironi2016 VIII --games 1
      graven reproduce --headline --games 200 --write headline.csv
      graven reproduce --headline --games 0 --json
      graven reproduce cazenave2015 6 --games 500 --shard 2/5 --write results/
    """
    from graven.core.errors import UsageError
    from graven.lab import published
    from graven.lab.experiments.run import WHOLE, Shard
    from graven.lab.stats.comparison import check_margin

    if table is not None and headline:
        raise UsageError("--headline is about all tables: leave the table out.")
    papers = [published.paper(paper)] if paper is not None else published.papers()
    one_table = papers[0].table(table) if table is not None else None
    if games is not None and games < 0:
        raise UsageError(f"--games must be at least 0, got {games}.")
    if games and one_table is None and not headline:
        raise UsageError("--games needs a paper and a table, or --headline.")
    if place is not None and one_table is None and not headline:
        raise UsageError("--place selects figures: give a paper and a table, too, or --headline.")
    if place is not None and one_table is not None and one_table.measure:
        raise UsageError("--place selects win rates: a table of measurements is taken as a whole.")
    if shard is not None and not games:
        raise UsageError("--shard selects among the games to play: give --games, too.")
    if one_table is not None and one_table.measure:
        _check_measurement(shard, write)
    part = Shard.parse(shard) if shard is not None else WHOLE
    check_margin(margin / 100)
    if write is not None and is_folder(write):
        check_games_folder(write)
    elif write is not None:
        check_entries_file(write)
    settings = ExperimentSettings(seed=seed, workers=workers, cluster=cluster, db=db, json=json)
    selection = FigureSelection(
        papers,
        one_table,
        best=best,
        headline=headline,
        place=place,
        write=write,
        margin=margin / 100,
    )
    selection.check_place()
    if one_table is not None and one_table.measure:
        _measure(one_table, games, settings, selection)
    elif games:
        _play(games, part, settings, selection)
    else:
        _read(settings, selection)


@dataclass(frozen=True)
class FigureSelection:
    """The figures that the command is about, and the form in which it prints them."""

    papers: list[Paper]
    table: PublishedTable | None
    best: bool
    headline: bool
    place: str | None
    write: str | None
    margin: float

    def check_place(self) -> None:
        """Reject a place that no figure has."""
        from graven.core.errors import UsageError
        from graven.lab.experiments.reproduce import Results

        if self.place is None or self.entries(Results(())):
            return
        places = [entry.figure.place for entry in self._all_entries(Results(()))]
        shown = ", ".join(map(repr, places[:5])) + (", ..." if len(places) > 5 else "")
        raise UsageError(f"--place: no figure's place contains {self.place!r}; they are {shown}.")

    def entries(self, results: Results) -> list[Entry]:
        """Return the selected figures with our results."""
        entries = self._all_entries(results)
        if self.place is None:
            return entries
        return [entry for entry in entries if self.place in entry.figure.place]

    def _all_entries(self, results: Results) -> list[Entry]:
        """Return the figures of the tables with our results, whatever their place."""
        if self.headline:
            return results.headlines(self.papers)
        tables = (
            [self.table]
            if self.table is not None
            else [table for paper in self.papers for table in paper.tables.values()]
        )
        if self.best:
            entries = [results.best(table) for table in tables if not table.measure]
            return [entry for entry in entries if entry is not None]
        return [entry for table in tables for entry in results.entries(table)]

    def write_file(self, results: Results) -> None:
        """Write the selected figures to the file of --write, if there is one."""
        if self.write is not None and not is_folder(self.write):
            write_entries(self.write, self.entries(results))

    def write_store(self, store: Store) -> None:
        """Add the games of the store to the folder of --write, if there is one."""
        if self.write is not None and is_folder(self.write):
            add_to_folder(self.write, store)

    def show(self, results: Results) -> None:
        """Print the selected figures as tables."""
        if self.headline or self.place is not None:
            entries = [each for each in self.entries(results) if each.pairing is not None]
            out().print(headline_table(entries))
            for note in headline_notes(entries):
                out().print(note, style="dim", markup=False)
        elif self.table is not None:
            print_table(self.table, results)
        else:
            out().print(overview(self.papers, results))

    def as_json(self, results: Results) -> dict[str, Any]:
        """Return the selected figures as plain values."""
        return {"cells": [entry.to_dict() for entry in self.entries(results)]}

    def write_and_print(self, results: Results, json: bool) -> None:
        """Write the file of --write and print the selected figures."""
        self.write_file(results)
        if json:
            print_json(self.as_json(results))
        else:
            self.show(results)


def _read(settings: ExperimentSettings, selection: FigureSelection) -> None:
    """Print what the store contains; there need not be a store."""
    from graven.lab.experiments.reproduce import Results
    from graven.lab.store.store_file import default_path

    results = Results((), settings.seed)
    if settings.db is not None or Path(default_path()).exists():
        with open_store(settings.db, write=False) as store:
            results = Results(store.summaries(), settings.seed, margin=selection.margin)
            selection.write_store(store)
    selection.write_and_print(results, settings.json)


def _play(
    games: int, shard: Shard, settings: ExperimentSettings, selection: FigureSelection
) -> None:
    """Play what is missing, then print the selected figures."""
    from graven.lab.experiments.reproduce import Results, plan_entries, run_reproduction

    plan = plan_entries(selection.entries(Results((), settings.seed)), games, shard)
    if not plan:
        err().print("This version of graven can play none of these figures.", style="yellow")

    def run(config: RunConfig[RunProgress]) -> ReproductionResult:
        result = run_reproduction(plan, config, margin=selection.margin)
        selection.write_file(result.results)
        selection.write_store(config.store)
        return result

    run_experiment(
        settings,
        GamesLine(),
        run,
        lambda result: selection.show(result.results),
        as_json=lambda result: selection.as_json(result.results),
    )


def _measure(
    table: PublishedTable,
    games: int | None,
    settings: ExperimentSettings,
    selection: FigureSelection,
) -> None:
    """Print a table of measurements, ours taken now if there are games to take them from."""
    from graven.lab.experiments.measures import measured
    from graven.lab.experiments.reproduce import Results

    results, interrupted = Results((), settings.seed), False
    if games is not None:
        values, interrupted = watch_run(
            settings,
            FiguresLine(len(table.figures)),
            lambda config: measured(table, games, config),
        )
        results = Results((), settings.seed, values)
    selection.write_and_print(results, settings.json)
    if interrupted:  # nothing was recorded, so the command cannot be resumed
        raise typer.Exit(INTERRUPTED)


def _check_measurement(shard: str | None, write: str | None) -> None:
    """Reject what only tables of win rates have."""
    from graven.core.errors import UsageError

    if shard is not None:
        raise UsageError("--shard is for win rates: a table of measurements is taken as a whole.")
    if write is not None and is_folder(write):
        raise UsageError("a table of measurements has no recorded games: write it to a .csv file.")
    if write is not None and write.endswith(".md"):
        raise UsageError("a table of measurements is written as .csv: .md is for win rates.")


class FiguresLine:
    """The number of figures that have been measured."""

    def __init__(self, planned: int) -> None:
        self._done, self._planned = 0, planned

    def update(self, progress: RunProgress) -> None:
        """Take note of the latest progress."""
        self._done = progress.done

    def text(self, elapsed: float) -> str:
        """Return the line after `elapsed` seconds."""
        return f"{self._done}/{self._planned} figures after {format_duration(elapsed)}"
