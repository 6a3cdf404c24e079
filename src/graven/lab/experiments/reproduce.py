"""Published figures compared with ours: what has been played, and playing what is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from graven.core.plain_values import PlainValues
from graven.lab.experiments.job import FailedGame, GameResult
from graven.lab.experiments.pairing import Pairing
from graven.lab.experiments.run import WHOLE, PlannedGames, Shard, play_missing
from graven.lab.experiments.run_config import RunConfig, RunProgress
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.lab.published import (
    Paper,
    PublishedFigure,
    PublishedTable,
    TablePart,
    papers,
    why_unavailable,
)
from graven.lab.stats.intervals import Score
from graven.lab.store.summaries import Summary, one_search_each

AGREES, DIFFERS, NOT_RUN, MEASURED = "agrees", "differs", "not yet run", "measured"


@dataclass(frozen=True)
class Entry(PlainValues):
    """A published figure and our result.

    A figure that cannot be played has a reason in `why_not` and no pairing. A figure that is not a
    win rate has no pairing either; `measured` is our value, once it has been taken.
    """

    paper: str
    table: str
    figure: PublishedFigure
    pairing: Pairing | None
    summary: Summary | None
    why_not: str = ""
    measured: float | None = None

    @property
    def score(self) -> Score:
        """The score of our games."""
        return self.summary.score if self.summary else Score()

    @property
    def verdict(self) -> str:
        """Whether our interval and the published one overlap, or why there is no answer."""
        if self.why_not:
            return self.why_not
        if self.measured is not None:
            return MEASURED
        if not self.score.games:
            return NOT_RUN
        return verdict(self.figure, self.score)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values; percentages as in the papers."""
        rate = self.score.win_rate
        low, high = self.score.ci95
        published = self.figure.interval
        return {
            "paper": self.paper,
            "table": self.table,
            "place": self.figure.place,
            "game": self.pairing.game if self.pairing else None,
            "first": self.pairing.agents[0] if self.pairing else None,
            "second": self.pairing.agents[1] if self.pairing else None,
            "playouts": [budget.playouts for budget in self.pairing.budgets]
            if self.pairing
            else None,
            "published": self.figure.value,
            "published_ci95": _rounded(published) if published else None,
            "win_rate": None if rate is None else round(100 * rate, 2),
            "ci95": None if rate is None else _rounded((100 * low, 100 * high)),
            "measured": None if self.measured is None else round(self.measured, 2),
            "games": self.score.games,
            "verdict": self.verdict,
            "version": " ".join(self.summary.versions) if self.summary else "",
            "machine": "; ".join(self.summary.machines) if self.summary else "",
            "fingerprint": self.summary.pairing.search_fingerprint if self.summary else "",
        }


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 2) for end in interval]


def verdict(figure: PublishedFigure, score: Score) -> str:
    """Compare our interval with the published one, or with the figure if it has no interval."""
    low, high = figure.interval or (figure.value, figure.value)
    ours_low, ours_high = (100 * end for end in score.ci95)
    return AGREES if ours_low <= high and low <= ours_high else DIFFERS


class Results:
    """The summaries of a store by pairing, read once for any number of lookups.

    `measured` has our values of figures that are not win rates. Of a pairing that several versions
    of the search have played, the games of a pairing in `played` count, else the largest part.
    """

    def __init__(
        self,
        summaries: Iterable[Summary],
        seed: int = 0,
        measured: Mapping[PublishedFigure, float] | None = None,
        played: Collection[Pairing] = (),
    ) -> None:
        self._seed = seed
        self._measured = measured or {}
        self._summaries = one_search_each(summaries, played)

    def entry(self, table: PublishedTable, figure: PublishedFigure) -> Entry:
        """Return a figure with our result."""
        why_not = why_unavailable(figure)
        if why_not or figure.setup is None or table.measure:
            return Entry(
                paper=table.paper,
                table=table.name,
                figure=figure,
                pairing=None,
                summary=None,
                why_not=why_not,
                measured=self._measured.get(figure),
            )
        pairing = figure.setup.pairing(self._seed)
        return Entry(
            paper=table.paper,
            table=table.name,
            figure=figure,
            pairing=pairing,
            summary=self._summaries.get(pairing.key),
        )

    def entries(self, table: PublishedTable) -> list[Entry]:
        """Return all figures of a table with our results."""
        return [self.entry(table, figure) for figure in table.figures]

    def best(self, table: PublishedTable) -> Entry | None:
        """Return the headline of a table: the figure it calls best, else the best playable one."""
        entries = [entry for entry in self.entries(table) if entry.pairing is not None]
        named = [entry for entry in entries if entry.figure.best]
        if named:
            return named[0]
        return max(entries, key=lambda entry: entry.figure.value, default=None)

    def headlines(self, chosen: Iterable[Paper] | None = None) -> list[Entry]:
        """Return the headlines of all tables of win rates that have a playable figure.

        They are the best figure of each table, and those that the data call headlines.
        """
        tables = [table for paper in chosen or papers() for table in paper.tables.values()]
        headlines: list[Entry | None] = []
        for table in tables:
            if not table.measure:
                more = [self.entry(table, each) for each in table.figures if each.headline]
                headlines += [self.best(table), *more]
        return [entry for entry in headlines if entry is not None]


def plan_entries(entries: Iterable[Entry], games: int, shard: Shard = WHOLE) -> list[PlannedGames]:
    """Plan the games of these entries; equal pairings are played once.

    The number of games is rounded up until every seat assignment occurs equally often.
    """
    pairings = {entry.pairing.key: entry.pairing for entry in entries if entry.pairing is not None}
    return [
        PlannedGames(pairing, -(-games // pairing.size) * pairing.size, shard)
        for pairing in pairings.values()
    ]


def table_file(pairing: Pairing) -> str | None:
    """Return the name of the game file for a pairing, whatever its seed: PAPER-TABLE.

    A pairing of several tables belongs to the first one; None if no table has it.
    """
    return _table_files().get(replace(pairing.settings, seed=0).key)


@cache
def _table_files() -> dict[str, str]:
    results = Results(())
    tables = [table for paper in papers() for table in paper.tables.values() if not table.measure]
    return {
        entry.pairing.key: f"{table.paper}-{table.name}"
        for table in reversed(tables)
        for entry in results.entries(table)
        if entry.pairing is not None
    }


@dataclass(frozen=True)
class ReproductionResult:
    """The games of a reproduction that are done, planned and failed, and what the store has."""

    games: int
    planned: int
    failures: tuple[FailedGame, ...]
    results: Results

    @property
    def finished(self) -> bool:
        """Whether all games have been played."""
        return self.games >= self.planned


def run_reproduction(
    plan: Sequence[PlannedGames], config: RunConfig[RunProgress]
) -> ReproductionResult:
    """Play the missing games of a plan with the settings of `config`."""
    plan = [replace(item, pairing=with_fingerprint(item.pairing)) for item in plan]
    indices = [item.indices() for item in plan]
    planned = sum(map(len, indices))
    done = sum(
        len(config.store.numbers(item.pairing, item.games).intersection(chosen))
        for item, chosen in zip(plan, indices, strict=True)
    )

    def on_game(_: Pairing, result: GameResult) -> None:
        nonlocal done
        done += 1
        config.report(RunProgress(done, planned))

    config.report(RunProgress(done, planned))
    failures = play_missing(plan, config, on_game=on_game)
    played = {item.pairing for item in plan}
    results = Results(config.store.summaries(), config.seed, played=played)
    return ReproductionResult(done, planned, failures, results)


def column_summary(
    part: TablePart, entries: Sequence[Entry]
) -> tuple[list[int | None], list[float | None]]:
    """Return our robustness and average for each column of a grid; None until it is complete.

    Robustness is the number of games in which the first agent is significantly better than 50 %,
    minus the number in which it is significantly worse (Sironi and Winands, section V).
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
