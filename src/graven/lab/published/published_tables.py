"""The published tables as data: figures, how to play them, and the layout of the tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Any

from graven.agents import SearchAgent, parse
from graven.core.errors import UsageError, unknown
from graven.core.game import GameOutline
from graven.lab.experiments.pairing import ROTATE, Pairing, make_pairing
from graven.lab.stats.proportions import Proportion
from graven.search.budget import Budget
from graven.sources.load import read_outline


@dataclass(frozen=True)
class FigureSetup:
    """How to play a published figure. `playouts` are those of the first and second agent.

    The agents are written as the paper describes them; they play without the solver, which none of
    the papers has (see `agent`). `second` is empty if the figure measures the first agent, which
    plays against itself.
    """

    game: str
    first: str
    second: str
    playouts: tuple[int, int]
    seating: str = ROTATE

    def pairing(self, seed: int = 0) -> Pairing:
        """Return the pairing to play; raise `UsageError` if graven lacks the game or an agent."""
        first, second = (Budget(playouts) for playouts in self.playouts)
        agents = self.agent(self.first), self.agent(self.second)
        pairing = make_pairing(_outline(self.game), *agents, seed=seed, seating=self.seating)
        return replace(pairing, budgets=(first, second))

    @staticmethod
    def agent(text: str) -> SearchAgent:
        """Return the agent of a text as it plays in a reproduction: without the solver."""
        return SearchAgent(text).with_options(solver="off")


@dataclass(frozen=True)
class PublishedFigure:
    """One published number: a percentage of games won, or the quantity that the table measures.

    `plus_minus` is the half width of the published confidence interval and `games` the number of
    games, each None if the paper does not give it. `best` is the best figure of its table in the
    paper's words; `headline` marks another one that belongs to the headline. `setup` is None if the
    figure cannot be played; `cannot` gives the reason.
    """

    value: float
    place: str
    plus_minus: float | None = None
    games: int | None = None
    best: bool = False
    headline: bool = False
    setup: FigureSetup | None = None
    cannot: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval in per cent: the published one, or Wilson's for `games`."""
        if self.plus_minus is not None:
            return max(0.0, self.value - self.plus_minus), min(100.0, self.value + self.plus_minus)
        if self.games is None:
            return None
        low, high = self.proportion.interval()
        return 100 * low, 100 * high

    @property
    def proportion(self) -> Proportion:
        """The win rate with its precision: from the published interval, or from `games`.

        A figure with neither is taken as exact.
        """
        rate = self.value / 100
        if self.plus_minus is not None:
            return Proportion.from_half_width(rate, self.plus_minus / 100)
        if self.games is None:
            return Proportion(rate, inf)
        return Proportion(round(rate * self.games) / self.games, self.games)


@dataclass(frozen=True)
class FigureLine:
    """Figures printed side by side, with the heading of each."""

    label: str
    headings: tuple[str, ...]
    figures: tuple[PublishedFigure, ...]


@dataclass(frozen=True)
class TablePart:
    """Lines that belong together. `across` names the parameters in the lines of the headings.

    `robustness` and `average` are the paper's values for each column of a grid.
    """

    label: str
    across: tuple[str, ...]
    lines: tuple[FigureLine, ...]
    robustness: tuple[int, ...] = ()
    average: tuple[float, ...] = ()

    @property
    def figures(self) -> tuple[PublishedFigure, ...]:
        """All figures of the part."""
        return tuple(figure for line in self.lines for figure in line.figures)


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper.

    `measure` is the unit of figures that are not win rates; `odd` notes a peculiarity of the table.
    A table of readings has figures of other tables, played by other readings of the paper.
    """

    paper: str
    name: str
    caption: str
    parts: tuple[TablePart, ...]
    measure: str = ""
    odd: str = ""
    readings: bool = False

    @property
    def figures(self) -> tuple[PublishedFigure, ...]:
        """All figures of the table."""
        return tuple(figure for part in self.parts for figure in part.figures)


@dataclass(frozen=True)
class Paper:
    """A paper with its tables by name.

    `settings` are options that all agents of its tables have where they apply, as in `ties=first`:
    the documentation names them once instead of in every row.
    """

    name: str
    title: str
    authors: str
    where: str
    tables: Mapping[str, PublishedTable]
    settings: tuple[str, ...] = ()

    def table(self, name: str) -> PublishedTable:
        """Return a table by name: a number, arabic or roman as the paper has it, or "text"."""
        by_name = {table.name.lower(): table for table in self.tables.values()}
        if name.lower() not in by_name:
            raise unknown(f"table of {self.name}", name, self.tables)
        return by_name[name.lower()]


def why_unavailable(figure: PublishedFigure) -> str:
    """Return why this version of graven cannot play a figure; empty if it can."""
    if figure.setup is None:
        return figure.cannot
    if not _exists(_outline, figure.setup.game):
        return "game not available yet"
    agents = (figure.setup.first, figure.setup.second)
    if not all(_exists(parse, spec) for spec in agents if spec):
        return "agent not available yet"
    return ""


@cache
def _outline(text: str) -> GameOutline:
    return read_outline(text)


@cache
def _exists(make: Callable[[str], Any], text: str) -> bool:
    try:
        make(text)
    except UsageError:
        return False
    return True
