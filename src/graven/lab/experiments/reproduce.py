"""Published figures compared with ours: what has been played, and playing what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import isfinite
from typing import Any

from graven.core.errors import UsageError
from graven.core.plain_values import PlainValues
from graven.lab.experiments.job import FailedGame, GameResult
from graven.lab.experiments.pairing import Pairing
from graven.lab.experiments.run import MOST_GAMES, WHOLE, PlannedGames, Shard, play_missing
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
from graven.lab.stats.best_of_sweep import SelectionEffect, selection_effect
from graven.lab.stats.comparison import (
    DEFAULT_MARGIN,
    DIFFERS,
    EQUIVALENT,
    UNDECIDED,
    Comparison,
    compare,
    judge_together,
)
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.store.summaries import Summary, one_search_each

NOT_RUN, MEASURED = "not yet run", "measured"


@dataclass(frozen=True)
class Entry(PlainValues):
    """A published figure and our result.

    A figure that cannot be played has a reason in `why_not` and no pairing. A figure that is not a
    win rate has no pairing either; `measured` is our value, once it has been taken. `margin` is the
    margin of the equivalence test. `judged` is the comparison with Holm's correction where the
    entry was judged together with others. `selection` is the selection effect of a published
    figure that is the best of several. `set_aside` is the number of games of the pairing in the
    store that another search played: they are not counted.
    """

    paper: str
    table: str
    figure: PublishedFigure
    pairing: Pairing | None
    summary: Summary | None
    why_not: str = ""
    measured: float | None = None
    margin: float = DEFAULT_MARGIN
    judged: Comparison | None = None
    selection: SelectionEffect | None = None
    set_aside: int = 0

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents as the paper has them: without solver=off, which holds for all of them."""
        return self.pairing.stored_agents if self.pairing else ()

    @property
    def statistics(self) -> MatchStatistics:
        """The statistics of our games."""
        return self.summary.statistics if self.summary else MatchStatistics(Score())

    @property
    def score(self) -> Score:
        """The score of our games."""
        return self.statistics.score

    @cached_property
    def comparison(self) -> Comparison | None:
        """Our win rate compared with the published one; None without games."""
        if not self.score.games:
            return None
        ours = self.statistics.sample.proportion
        return compare(ours, self.figure.proportion, self.score.games, margin=self.margin)

    @property
    def verdict(self) -> str:
        """Equivalent, differs or undecided, or why there is no answer."""
        return self.comparison.verdict if self.comparison is not None else self._no_answer

    @property
    def verdict_text(self) -> str:
        """The verdict with the number of games that would decide."""
        return str(self.comparison) if self.comparison is not None else self._no_answer

    @property
    def _no_answer(self) -> str:
        return self.why_not or (NOT_RUN if self.measured is None else MEASURED)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values; percentages as in the papers."""
        rate = self.score.win_rate
        low, high = self.statistics.ci95
        published = self.figure.interval
        return {
            "paper": self.paper,
            "table": self.table,
            "place": self.figure.place,
            "game": self.pairing.game if self.pairing else None,
            "first": self.agents[0] if self.pairing else None,
            "second": self.agents[1] if self.pairing else None,
            "playouts": [budget.playouts for budget in self.pairing.budgets]
            if self.pairing
            else None,
            "published": self.figure.value,
            "published_ci95": _rounded(published) if published else None,
            "win_rate": None if rate is None else round(100 * rate, 2),
            "ci95": None if rate is None else _rounded((100 * low, 100 * high)),
            "measured": None if self.measured is None else round(self.measured, 2),
            "games": self.score.games,
            "games_set_aside": self.set_aside,
            **_comparison_json(self.comparison, self.judged),
            "verdict": self.verdict,
            "selection_effect": round(100 * self.selection.excess, 2) if self.selection else None,
            "version": " ".join(self.summary.versions) if self.summary else "",
            "machine": "; ".join(self.summary.machines) if self.summary else "",
            "fingerprint": self.summary.pairing.search_fingerprint if self.summary else "",
        }


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 2) for end in interval]


def _comparison_json(alone: Comparison | None, judged: Comparison | None) -> dict[str, Any]:
    """Return a comparison as plain values, in percentage points, with Holm's correction."""
    return {
        "difference": round(100 * alone.difference, 2) if alone else None,
        "difference_ci95": _rounded((100 * alone.ci95[0], 100 * alone.ci95[1])) if alone else None,
        "p_value": float(f"{alone.p_value:.3g}") if alone else None,
        "equivalence_p": float(f"{alone.equivalence_p:.3g}") if alone else None,
        "more_games": alone.more_games if alone else None,
        "cells": judged.family if judged else None,
        "verdict_holm": judged.verdict if judged else None,
    }


def judge_entries(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries judged as one table: those with games get a `judged` comparison."""
    played = [entry for entry in entries if entry.comparison is not None]
    judged = judge_together([entry.comparison for entry in played if entry.comparison is not None])
    together = dict(zip(map(id, played), judged, strict=True))
    return [
        replace(entry, judged=together[id(entry)]) if id(entry) in together else entry
        for entry in entries
    ]


def judgement_text(entries: Sequence[Entry]) -> str:
    """Return how many of the judged entries have which verdict; empty without any."""
    verdicts = [entry.judged.verdict for entry in entries if entry.judged is not None]
    if not verdicts:
        return ""
    counts = ", ".join(
        f"{verdicts.count(verdict)} {verdict}" for verdict in (EQUIVALENT, DIFFERS, UNDECIDED)
    )
    cells = "1 cell" if len(verdicts) == 1 else f"{len(verdicts)} cells"
    return f"Judged together, with Holm's correction for {cells}: {counts}."


class Results:
    """The summaries of a store by pairing, read once for any number of lookups.

    `measured` has our values of figures that are not win rates. Of a pairing that several versions
    of the search have played, the games of a pairing in `played` count, else the largest part.
    `margin` is the margin of the equivalence tests.
    """

    def __init__(
        self,
        summaries: Iterable[Summary],
        seed: int = 0,
        measured: Mapping[PublishedFigure, float] | None = None,
        played: Collection[Pairing] = (),
        margin: float = DEFAULT_MARGIN,
    ) -> None:
        self._seed = seed
        self._margin = margin
        self._measured = measured or {}
        summaries = list(summaries)
        self._summaries = one_search_each(summaries, played)
        self._games = Counter[str]()
        for summary in summaries:
            self._games[summary.pairing.settings.key] += summary.games

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
        summary = self._summaries.get(pairing.key)
        return Entry(
            paper=table.paper,
            table=table.name,
            figure=figure,
            pairing=pairing,
            summary=summary,
            margin=self._margin,
            set_aside=self._games[pairing.key] - summary.games if summary else 0,
        )

    def entries(self, table: PublishedTable) -> list[Entry]:
        """Return all figures of a table with our results, judged as one table."""
        return judge_entries([self.entry(table, figure) for figure in table.figures])

    def best(self, table: PublishedTable) -> Entry | None:
        """Return the headline of a table: the figure it calls best, else the best playable one."""
        entries = [self.entry(table, figure) for figure in table.figures]
        entries = [entry for entry in entries if entry.pairing is not None]
        if not entries:
            return None
        best = next((entry for entry in entries if entry.figure.best), None)
        if best is None:
            best = max(entries, key=lambda entry: entry.figure.value)
            candidates = entries
        else:
            candidates = [entry for entry in entries if _same_sweep(entry, best)]
        return replace(best, selection=_published_selection(candidates))

    def headlines(self, chosen: Iterable[Paper] | None = None) -> list[Entry]:
        """Return the headlines of all tables of win rates with a playable figure.

        They are the best figure of each table, and those that the data call headlines. They are
        judged as one table.
        """
        tables = [table for paper in chosen or papers() for table in paper.tables.values()]
        headlines: list[Entry | None] = []
        for table in tables:
            if not table.measure and not table.readings:
                more = [self.entry(table, each) for each in table.figures if each.headline]
                headlines += [self.best(table), *more]
        return judge_entries([entry for entry in headlines if entry is not None])


def _same_sweep(entry: Entry, best: Entry) -> bool:
    """Return whether the paper chose between two figures: same game, budgets and opponent."""
    one, other = entry.pairing, best.pairing
    assert one is not None
    assert other is not None
    return (one.game, one.budgets, one.agents[1]) == (other.game, other.budgets, other.agents[1])


def _published_selection(candidates: Sequence[Entry]) -> SelectionEffect | None:
    """Return the selection effect of the best of published figures; None if it has no rivals."""
    proportions = [entry.figure.proportion for entry in candidates]
    if len(proportions) < 2 or not all(isfinite(each.games) for each in proportions):
        return None
    return selection_effect(proportions)


def plan_entries(entries: Iterable[Entry], games: int, shard: Shard = WHOLE) -> list[PlannedGames]:
    """Plan the games of these entries; equal pairings are played once.

    The number of games is rounded up until every seat assignment occurs equally often.
    """
    if games > MOST_GAMES:
        raise UsageError(f"a figure has at most {MOST_GAMES:,} games, got {games}.")
    pairings = {entry.pairing.key: entry.pairing for entry in entries if entry.pairing is not None}
    return [
        PlannedGames(pairing, -(-games // pairing.size) * pairing.size, shard)
        for pairing in pairings.values()
    ]


def table_file(pairing: Pairing) -> str | None:
    """Return the name of the game file for a pairing, whatever its seed: PAPER-TABLE.

    A pairing of several tables belongs to the first one, readings last; None if no table has it.
    """
    return _table_files().get(replace(pairing.settings, seed=0).key)


@cache
def _table_files() -> dict[str, str]:
    results = Results(())
    tables = [table for paper in papers() for table in paper.tables.values() if not table.measure]
    readings = [table for table in tables if table.readings]
    others = [table for table in tables if not table.readings]
    return {
        entry.pairing.key: f"{table.paper}-{table.name}"
        for table in [*readings, *reversed(others)]
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
    plan: Sequence[PlannedGames],
    config: RunConfig[RunProgress],
    *,
    margin: float = DEFAULT_MARGIN,
) -> ReproductionResult:
    """Play the missing games of a plan with the settings of `config`.

    `margin` is the margin of the equivalence tests of the results.
    """
    plan = [replace(item, pairing=with_fingerprint(item.pairing)) for item in plan]
    indices = [item.indices() for item in plan]
    planned = sum(map(len, indices))
    done = sum(
        len(config.store.recorded_games(item.pairing, item.games).intersection(chosen))
        for item, chosen in zip(plan, indices, strict=True)
    )

    def on_game(_: Pairing, result: GameResult) -> None:
        nonlocal done
        done += 1
        config.report(RunProgress(done, planned))

    config.report(RunProgress(done, planned))
    failures = play_missing(plan, config, on_game=on_game)
    played = {item.pairing for item in plan}
    results = Results(config.store.summaries(), config.seed, played=played, margin=margin)
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
