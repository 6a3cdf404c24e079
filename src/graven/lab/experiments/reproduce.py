"""Published figures beside ours: what has been run, what it says, and running what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graven.lab.experiments.experiment import Task
from graven.lab.experiments.pairing import Cell
from graven.lab.published import Figure, Paper, Part, Table, available, papers
from graven.lab.stats.intervals import Score
from graven.lab.store.store import Summary

AGREES, DIFFERS, NOT_RUN, MEASURED = "agrees", "differs", "not yet run", "measured"


@dataclass(frozen=True)
class Entry:
    """A published figure and what we have of it. `why_not` says why it cannot be run here.

    A figure that is no win rate has no cell; `measured` is ours, once it has been taken.
    """

    paper: str
    table: str
    figure: Figure
    cell: Cell | None
    summary: Summary | None
    why_not: str = ""
    measured: float | None = None

    @property
    def score(self) -> Score:
        """Our games."""
        return self.summary.score if self.summary else Score()

    @property
    def verdict(self) -> str:
        """Agrees where the intervals overlap, differs where not, or why there is no answer."""
        if self.why_not:
            return self.why_not
        if self.measured is not None:
            return MEASURED
        if not self.score.games:
            return NOT_RUN
        return verdict(self.figure, self.score)

    def as_json(self) -> dict[str, Any]:
        """The entry as plain values, percentages as the papers write them."""
        rate = self.score.win_rate
        low, high = self.score.ci95
        theirs = self.figure.interval
        ours = None if rate is None else round(100 * rate, 2)
        return {
            "paper": self.paper,
            "table": self.table,
            "place": self.figure.place,
            "game": self.cell.game if self.cell else None,
            "first": self.cell.agents[0] if self.cell else None,
            "second": self.cell.agents[1] if self.cell else None,
            "playouts": [budget.playouts for budget in self.cell.budgets] if self.cell else None,
            "published": self.figure.value,
            "published_low": round(theirs[0], 2) if theirs else None,
            "published_high": round(theirs[1], 2) if theirs else None,
            "ours": ours if self.measured is None else round(self.measured, 2),
            "low": None if rate is None else round(100 * low, 2),
            "high": None if rate is None else round(100 * high, 2),
            "games": self.score.games,
            "verdict": self.verdict,
            "version": " ".join(self.summary.versions) if self.summary else "",
            "machine": "; ".join(self.summary.machines) if self.summary else "",
        }


def verdict(figure: Figure, score: Score) -> str:
    """Whether the published interval (the figure alone, if there is none) and ours overlap."""
    low, high = figure.interval or (figure.value, figure.value)
    ours_low, ours_high = (100 * end for end in score.ci95)
    return AGREES if ours_low <= high and low <= ours_high else DIFFERS


class Results:
    """Everything the store has, by cell: asked once, however many figures are looked up.

    `measured` are our figures where the published ones are no win rates.
    """

    def __init__(
        self,
        summaries: Iterable[Summary],
        seed: int = 0,
        measured: Mapping[Figure, float] | None = None,
    ) -> None:
        self._seed = seed
        self._measured = measured or {}
        self._summaries = {summary.cell.key: summary for summary in summaries}

    def entry(self, table: Table, figure: Figure) -> Entry:
        """A figure with what the store has of it."""
        why_not = available(figure)
        if why_not or figure.setup is None or table.measure:
            ours = self._measured.get(figure)
            return Entry(table.paper, table.name, figure, None, None, why_not, ours)
        cell = figure.setup.cell(self._seed)
        return Entry(table.paper, table.name, figure, cell, self._summaries.get(cell.key))

    def entries(self, table: Table) -> list[Entry]:
        """All figures of a table, with what the store has of each."""
        return [self.entry(table, figure) for figure in table.figures]

    def best(self, table: Table) -> Entry | None:
        """The headline of a table: the cell it calls best, else the best that can be run here."""
        entries = [entry for entry in self.entries(table) if entry.cell is not None]
        named = [entry for entry in entries if entry.figure.best]
        if named:
            return named[0]
        return max(entries, key=lambda entry: entry.figure.value, default=None)

    def headlines(self, chosen: Iterable[Paper] | None = None) -> list[Entry]:
        """The headline of every table that has one which can be run here."""
        tables = [table for paper in chosen or papers() for table in paper.tables.values()]
        found = [self.best(table) for table in tables if not table.measure]
        return [entry for entry in found if entry is not None]


def tasks(entries: Iterable[Entry], games: int) -> list[Task]:
    """What is to be played for these entries; equal cells once."""
    cells = {entry.cell.key: entry.cell for entry in entries if entry.cell is not None}
    return [Task(cell, games) for cell in cells.values()]


def column_summary(
    part: Part, entries: Sequence[Entry]
) -> tuple[list[int | None], list[float | None]]:
    """Our robustness and average for each column of a grid; None until all of it has been run.

    Robustness is one point for each game in which the first agent is significantly better than
    50 %, less one for each in which it is significantly worse (Sironi and Winands, section V).
    """
    width = len(part.lines[0].figures)
    robustness: list[int | None] = []
    average: list[float | None] = []
    for column in range(width):
        scores = [entry.score for entry in entries[column::width]]
        if any(score.win_rate is None for score in scores):
            robustness.append(None)
            average.append(None)
            continue
        robustness.append(sum(_significance(score.ci95) for score in scores))
        average.append(100 * sum(score.win_rate or 0.0 for score in scores) / len(scores))
    return robustness, average


def _significance(interval: tuple[float, float]) -> int:
    low, high = interval
    return 1 if low > 0.5 else -1 if high < 0.5 else 0
