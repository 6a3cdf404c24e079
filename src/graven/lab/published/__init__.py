"""The results of the five papers as data, and how to play each of them.

One TOML file a paper: TOML because people write and check these files by hand, with comments, and
Python reads it by itself. A table consists of parts. A part is either a list of cells over
some parameters (`across` names those shown above the figures, `line` says how many cells the paper
prints on a line) or a grid with `columns` and `rows`. `game`, `playouts`, `first` and `second` may
stand in the table, the part, the column or the row, the closest wins, and are templates:
"rave(bias={bias})" takes its bias from the cell's place. Agents may be named in `[agents]`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from graven.agents import parse
from graven.core.calls import format_value
from graven.core.errors import GravenError, UsageError, unknown
from graven.core.game import GameOutline
from graven.lab.experiments.pairing import ROTATE, Pairing, make_pairing
from graven.lab.stats.intervals import interval
from graven.search.budget import Budget
from graven.sources.load import read_outline

PACKAGE = "graven.lab.published"


@dataclass(frozen=True)
class Setup:
    """How a published figure can be played. `playouts` are those of the first and second agent.

    There is no second agent where something is measured of the first, which plays against itself.
    """

    game: str
    first: str
    second: str
    playouts: tuple[int, int]
    seating: str = ROTATE

    def pairing(self, seed: int = 0) -> Pairing:
        """The cell to play; a game or an agent that graven lacks is a UsageError."""
        first, second = (Budget(playouts) for playouts in self.playouts)
        game = _game(self.game)
        pairing = make_pairing(game, self.first, self.second, seed=seed, seating=self.seating)
        return replace(pairing, budgets=(first, second))


@dataclass(frozen=True)
class Figure:
    """One published number: a percentage of games won, or whatever the table measures.

    `plus_minus` is the half width of the published interval and `games` how many games there
    were, each None where the paper does not say. `setup` is None, and `cannot` says why, where
    the figure cannot be played.
    """

    value: float
    place: str
    plus_minus: float | None = None
    games: int | None = None
    best: bool = False
    setup: Setup | None = None
    cannot: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval in per cent: the published one, or Wilson's for so many games."""
        if self.plus_minus is not None:
            return max(0.0, self.value - self.plus_minus), min(100.0, self.value + self.plus_minus)
        if self.games is None:
            return None
        wins = round(self.value / 100 * self.games)
        low, high = interval(wins, self.games - wins)
        return 100 * low, 100 * high


@dataclass(frozen=True)
class Line:
    """Figures that stand beside each other, with what stands above each of them."""

    label: str
    headings: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Part:
    """Lines that belong together. `across` says what the headings are of, one line of text each.

    `robustness` and `average` are the paper's own, for each column of a grid.
    """

    label: str
    across: tuple[str, ...]
    lines: tuple[Line, ...]
    robustness: tuple[int, ...] = ()
    average: tuple[float, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All its figures."""
        return tuple(figure for line in self.lines for figure in line.figures)


@dataclass(frozen=True)
class Table:
    """A table of a paper. `measure` is the unit where its figures are no win rates."""

    paper: str
    name: str
    caption: str
    parts: tuple[Part, ...]
    measure: str = ""
    odd: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All its figures."""
        return tuple(figure for part in self.parts for figure in part.figures)


@dataclass(frozen=True)
class Paper:
    """A paper with its tables, by name."""

    name: str
    title: str
    authors: str
    where: str
    tables: Mapping[str, Table]

    def table(self, name: str) -> Table:
        """The table of that name: a number, arabic or roman as the paper has it, or "text"."""
        found = {known.lower(): table for known, table in self.tables.items()}
        if name.lower() not in found:
            raise unknown(f"table of {self.name}", name, self.tables)
        return found[name.lower()]


def names() -> list[str]:
    """The papers that there are."""
    files = (file.name for file in resources.files(PACKAGE).iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


@cache
def paper(name: str) -> Paper:
    """The paper of that name, such as cazenave2015."""
    if name not in names():
        raise unknown("paper", name, names())
    text = resources.files(PACKAGE).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return read(name, text)


def papers() -> list[Paper]:
    """All papers."""
    return [paper(name) for name in names()]


def read(name: str, text: str) -> Paper:
    """A paper from the text of its file."""
    try:
        said = tomllib.loads(text)
        tables = [_table(name, said, table) for table in said["table"]]
        found = Paper(
            name,
            str(said["title"]),
            str(said["authors"]),
            str(said["where"]),
            {table.name: table for table in tables},
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise GravenError(f"the data of {name} cannot be read: {error!r}.") from None
    if len(found.tables) != len(tables):
        raise GravenError(f"the data of {name} has two tables of the same name.")
    return found


def _table(paper_name: str, said: Mapping[str, Any], table: Mapping[str, Any]) -> Table:
    parts = tuple(
        (_grid if "columns" in part else _list)(_Source(said, table, part))
        for part in table["part"]
    )
    return Table(
        paper_name,
        str(table["name"]),
        str(table["caption"]),
        parts,
        str(table.get("measure", "")),
        str(table.get("odd", "")),
    )


class _Source:
    """Where a part's values are looked up: in the part, then the table, then the paper."""

    def __init__(
        self, paper: Mapping[str, Any], table: Mapping[str, Any], part: Mapping[str, Any]
    ) -> None:
        self.part = part
        self._levels = (part, table, paper)
        self._agents: Mapping[str, str] = paper.get("agents", {})
        self.rows: Mapping[str, Mapping[str, Any]] = paper.get("rows", {})
        self.clock = int(table.get("clock", 1))

    def get(self, key: str, own: Mapping[str, Any]) -> Any:
        """The closest value; a list in the part is one value a pairing, which is in `own`."""
        for level in (own, *self._levels):
            value = level.get(key)
            if value is not None and not (level is self.part and isinstance(value, list)):
                return value
        return None

    def figure(
        self, value: float, place: str, own: Mapping[str, Any], plus_minus: Any, best: bool
    ) -> Figure:
        """A figure with all that is known of it; `own` are the values of its place."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{value!r} at {place} is no figure")
        measure = self.get("measure", own)
        games = None if measure else self.get("games", own)
        setup, cannot = None, str(self.get("cannot", own) or "")
        if not measure and not 0 <= value <= 100:
            raise ValueError(f"{value!r} at {place} is no percentage")
        if not cannot:
            first = self._agent("first", own)
            second = "" if measure else self._agent("second", own)
            if first and (second or measure):
                game = str(self.get("game", own)).format_map(own)
                seating = str(self.get("seating", own) or ROTATE)
                setup = Setup(game, first, second, self._playouts(own), seating)
            else:
                cannot = "the paper does not say enough to play it"
        margin = None if plus_minus is None else float(plus_minus)
        return Figure(float(value), place, margin, games, best, setup, cannot)

    def _agent(self, key: str, own: Mapping[str, Any]) -> str:
        shown = {name: format_value(value) for name, value in own.items()}
        text = str(self.get(key, {name: v for name, v in own.items() if name == key}))
        text = text.format_map(shown)
        return self._agents.get(text, text)

    def _playouts(self, own: Mapping[str, Any]) -> tuple[int, int]:
        given = self.get("playouts", own)
        first, second = given if isinstance(given, list) else (given, given)
        return int(first) * self.clock, int(second) * self.clock


def _list(source: _Source) -> Part:
    part = source.part
    figures = part["figures"]
    across = tuple(part["across"])
    own = {
        key: values
        for key, values in part.items()
        if isinstance(values, list) and key not in ("figures", "across", "plus_minus")
    }
    for key, values in own.items():
        if len(values) != len(figures):
            raise ValueError(f"{key} has {len(values)} values for {len(figures)} figures")
    margins = part.get("plus_minus", [None] * len(figures))
    cells = []
    for index, (value, margin) in enumerate(zip(figures, margins, strict=True)):
        here = {key: values[index] for key, values in own.items()}
        shown = [format_value(here[key]) for key in across]
        place = ", ".join(f"{key} {text}" for key, text in zip(across, shown, strict=True))
        label = part.get("label", "")
        best = index == part.get("best", -1)
        figure = source.figure(value, f"{label} {place}".strip(), here, margin, best)
        cells.append(("\n".join(shown), figure))
    per_line = int(part["line"])
    lines = tuple(
        Line("", tuple(heading for heading, _ in chunk), tuple(figure for _, figure in chunk))
        for chunk in _chunks(cells, per_line)
    )
    return Part(str(part.get("label", "")), across, lines)


def _grid(source: _Source) -> Part:
    part = source.part
    columns = part["columns"]
    headings = tuple(str(column["label"]) for column in columns)
    lines = []
    for row in part["rows"]:
        label = str(row["row"])
        margins = row.get("plus_minus", [None] * len(columns))
        figures = tuple(
            source.figure(
                value,
                f"{label}, {part['label'] + ' ' if 'label' in part else ''}{column['label']}",
                {**source.rows[label], **column},
                margin,
                False,
            )
            for value, margin, column in zip(row["figures"], margins, columns, strict=True)
        )
        lines.append(Line(label, headings, figures))
    return Part(
        str(part.get("label", "")),
        (),
        tuple(lines),
        tuple(part.get("robustness", ())),
        tuple(part.get("average", ())),
    )


def _chunks(values: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def available(figure: Figure) -> str:
    """Why a figure cannot be played with this graven; empty if it can."""
    if figure.setup is None:
        return figure.cannot
    if not _there(_game, figure.setup.game):
        return "game not available yet"
    agents = (figure.setup.first, figure.setup.second)
    if not all(_there(parse, spec) for spec in agents if spec):
        return "agent not available yet"
    return ""


@cache
def _game(text: str) -> GameOutline:
    return read_outline(text)


@cache
def _there(make: Callable[[str], Any], text: str) -> bool:
    try:
        make(text)
    except UsageError:
        return False
    return True
