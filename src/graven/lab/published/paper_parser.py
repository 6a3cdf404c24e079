"""Read a paper's tables from TOML.

The format is TOML because these files are written and checked by hand, with comments, and Python's
standard library reads it. A table consists of parts. A part is either a list of figures over some
parameters (`across` names those printed above the figures, `line` is the number of figures that
the paper prints per line) or a grid with `columns` and `rows`. `game`, `playouts`, `first` and
`second` may be given in the table, the part, the column or the row; the innermost applies. They
are templates: "rave(bias={bias})" takes its bias from the parameters of the figure. `[agents]`
defines names of agents. Instead of `playouts`, `rates = "RAVE v UCT"` names the columns of the
paper's table `rates_table` that have the playouts per second of both agents, row by row. `guessed`
names parameters that the paper does not give for the figures with these indices; `headline` has the
indices (in a grid, for each row, the columns) of figures that belong to the headline besides the
best one. A table with `readings = true` plays figures of other tables by other readings of the
paper; it has no headline.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graven.core.calls import format_value
from graven.core.errors import GravenError
from graven.lab.experiments.pairing import ROTATE
from graven.lab.published.published_tables import (
    FigureLine,
    FigureSetup,
    Paper,
    PublishedFigure,
    PublishedTable,
    TablePart,
)

Data = Mapping[str, Any]


def parse_paper(name: str, text: str) -> Paper:
    """Read a paper from the text of its file; raise `GravenError` if it is invalid."""
    try:
        paper = tomllib.loads(text)
        tables = [_parse_table(name, paper, table) for table in paper["table"]]
        parsed = Paper(
            name=name,
            title=str(paper["title"]),
            authors=str(paper["authors"]),
            where=str(paper["where"]),
            tables={table.name: table for table in tables},
            settings=tuple(map(str, paper.get("settings", ()))),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise GravenError(f"the data of {name} cannot be read: {error!r}.") from None
    if len(parsed.tables) != len(tables):
        raise GravenError(f"the data of {name} has two tables of the same name.")
    return parsed


def _parse_table(paper_name: str, paper: Data, table: Data) -> PublishedTable:
    parts = []
    for part in table["part"]:
        scope = _Scope(paper, table, part)
        parts.append(_parse_grid(scope) if "columns" in part else _parse_list(scope))
    return PublishedTable(
        paper=paper_name,
        name=str(table["name"]),
        caption=str(table["caption"]),
        parts=tuple(parts),
        measure=str(table.get("measure", "")),
        odd=str(table.get("odd", "")),
        readings=bool(table.get("readings", False)),
    )


class _Scope:
    """The values that apply in a part: its own, then the table's, then the paper's."""

    def __init__(self, paper: Data, table: Data, part: Data) -> None:
        self.part = part
        self._levels = (part, table, paper)
        self._agents: Mapping[str, str] = paper.get("agents", {})
        self.rows: Mapping[str, Data] = paper.get("rows", {})
        self._rates = _rates(paper)
        self.clock = int(table.get("clock", 1))

    def get(self, key: str, parameters: Data) -> Any:
        """Return the innermost value of a key, or None; a figure's parameters come first.

        A list in the part has one value per figure, which is among the parameters.
        """
        for level in (parameters, *self._levels):
            value = level.get(key)
            if value is not None and not (level is self.part and isinstance(value, list)):
                return value
        return None

    def figure(
        self,
        value: float,
        place: str,
        parameters: Data,
        *,
        plus_minus: float | None = None,
        best: bool = False,
        headline: bool = False,
    ) -> PublishedFigure:
        """Return a figure with everything that applies to it."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{value!r} at {place} is not a number")
        measure = self.get("measure", parameters)
        if not measure and not 0 <= value <= 100:
            raise ValueError(f"{value!r} at {place} is not a percentage")
        setup, cannot = None, str(self.get("cannot", parameters) or "")
        if not cannot:
            setup = self._setup(parameters, measured=bool(measure))
            if setup is None:
                cannot = "the paper does not say enough to play it"
        return PublishedFigure(
            value=float(value),
            place=place,
            plus_minus=None if plus_minus is None else float(plus_minus),
            games=None if measure else self.get("games", parameters),
            best=best,
            headline=headline,
            setup=setup,
            cannot=cannot,
        )

    def _setup(self, parameters: Data, *, measured: bool) -> FigureSetup | None:
        first = self._agent("first", parameters)
        second = "" if measured else self._agent("second", parameters)
        if not first or not (second or measured):
            return None
        return FigureSetup(
            game=str(self.get("game", parameters)).format_map(parameters),
            first=first,
            second=second,
            playouts=self._playouts(parameters),
            seating=str(self.get("seating", parameters) or ROTATE),
        )

    def _agent(self, key: str, parameters: Data) -> str:
        """Fill in the template of an agent; a name defined in `[agents]` gives its spec."""
        own = {key: parameters[key]} if key in parameters else {}
        template = str(self.get(key, own) or "")
        text = template.format_map(
            {name: format_value(value) for name, value in parameters.items()}
        )
        return self._agents.get(text, text)

    def _playouts(self, parameters: Data) -> tuple[int, int]:
        """Return the playouts of both agents: one number for both, or a list of two."""
        rates = str(self.get("rates", parameters) or "")
        if rates:
            row = self._rates[parameters["row"]]
            playouts: Any = [row[name] for name in rates.split(" v ")]
            playouts = playouts if len(playouts) > 1 else playouts[0]
        else:
            playouts = self.get("playouts", parameters)
        first, second = playouts if isinstance(playouts, list) else (playouts, playouts)
        return int(first) * self.clock, int(second) * self.clock


def _rates(paper: Data) -> dict[str, dict[str, int]]:
    """Return the playouts per second of the paper's `rates_table` by row and column."""
    parts = [
        part
        for table in paper["table"]
        if table["name"] == paper.get("rates_table")
        for part in table["part"]
    ]
    return {
        row["row"]: {
            column["label"]: int(figure)
            for column, figure in zip(part["columns"], row["figures"], strict=True)
        }
        for part in parts
        for row in part["rows"]
    }


def _parse_list(scope: _Scope) -> TablePart:
    """Read a part that lists figures over parameters."""
    part = scope.part
    label = str(part.get("label", ""))
    values, across = part["figures"], tuple(part["across"])
    columns = {
        key: column
        for key, column in part.items()
        if isinstance(column, list) and key not in ("figures", "across", "plus_minus", "headline")
    }
    for key, column in columns.items():
        if len(column) != len(values):
            raise ValueError(f"{key} has {len(column)} values for {len(values)} figures")
    margins = part.get("plus_minus", [None] * len(values))
    guessed = part.get("guessed", {})
    headed: list[tuple[str, PublishedFigure]] = []
    for index, (value, plus_minus) in enumerate(zip(values, margins, strict=True)):
        parameters = {key: column[index] for key, column in columns.items()}
        shown = [format_value(parameters[key]) for key in across]
        marks = [" (guessed)" if index in guessed.get(key, ()) else "" for key in across]
        place = ", ".join(
            f"{key} {text}{mark}" for key, text, mark in zip(across, shown, marks, strict=True)
        )
        figure = scope.figure(
            value,
            f"{label} {place}".strip(),
            parameters,
            plus_minus=plus_minus,
            best=index == part.get("best", -1),
            headline=index in part.get("headline", ()),
        )
        headed.append(("\n".join(shown), figure))
    lines = tuple(
        FigureLine(
            label="",
            headings=tuple(heading for heading, _ in chunk),
            figures=tuple(figure for _, figure in chunk),
        )
        for chunk in _chunks(headed, int(part["line"]))
    )
    return TablePart(label=label, across=across, lines=lines)


def _parse_grid(scope: _Scope) -> TablePart:
    """Read a part with columns and rows."""
    part = scope.part
    columns = part["columns"]
    headings = tuple(str(column["label"]) for column in columns)
    prefix = f"{part['label']} " if "label" in part else ""
    lines = []
    for row in part["rows"]:
        label = str(row["row"])
        margins = row.get("plus_minus", [None] * len(columns))
        figures = tuple(
            scope.figure(
                value,
                f"{label}, {prefix}{column['label']}",
                {"row": label, **scope.rows[label], **column},
                plus_minus=plus_minus,
                headline=column["label"] in row.get("headline", ()),
            )
            for value, plus_minus, column in zip(row["figures"], margins, columns, strict=True)
        )
        lines.append(FigureLine(label, headings, figures))
    return TablePart(
        label=str(part.get("label", "")),
        across=(),
        lines=tuple(lines),
        robustness=tuple(part.get("robustness", ())),
        average=tuple(part.get("average", ())),
    )


def _chunks(
    items: Sequence[tuple[str, PublishedFigure]], size: int
) -> Iterator[Sequence[tuple[str, PublishedFigure]]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
