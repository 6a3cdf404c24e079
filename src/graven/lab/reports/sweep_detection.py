"""Find the sweeps behind the pairings of a store.

The store contains pairings, not the experiments that they belong to. Pairings whose first agents
differ only in numbers, against the same opponent, are a sweep.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graven.lab.experiments.pairing import Pairing
from graven.lab.store.summaries import Summary

_PARAMETER = re.compile(r"([a-z][a-z0-9_]*)=([^,()]+)")
# Marks the names of a playout policy's parameters, which may be those of the tree policy too.
PLAYOUT_MARK = "+"
MIN_POINTS = 3


@dataclass(frozen=True)
class WinRateCurve:
    """Win rates over one parameter, in the order of its values.

    The name of a playout policy's parameter begins with "+".
    """

    name: str
    values: tuple[float, ...]
    summaries: tuple[Summary, ...]

    @property
    def pairing(self) -> Pairing:
        """The first pairing: all have the same game, opponent and conditions."""
        return self.summaries[0].pairing


@dataclass(frozen=True)
class WinRateGrid:
    """Win rates over two parameters.

    `rows[i][j]` belongs to `row_values[i]` of the parameter `names[0]` and `column_values[j]` of
    the parameter `names[1]`; None where no games were played.
    """

    names: tuple[str, str]
    row_values: tuple[float, ...]
    column_values: tuple[float, ...]
    rows: tuple[tuple[Summary | None, ...], ...]

    @property
    def summaries(self) -> list[Summary]:
        """All summaries of the grid, row by row."""
        return [summary for row in self.rows for summary in row if summary is not None]

    @property
    def pairing(self) -> Pairing:
        """The first pairing: all have the same game, opponent and conditions."""
        return self.summaries[0].pairing


class DetectedPoint(NamedTuple):
    """The numbers in the first agent's spec, and the result of its pairing."""

    parameters: dict[str, float]
    summary: Summary


def find_sweeps(summaries: Iterable[Summary]) -> tuple[list[WinRateCurve], list[WinRateGrid]]:
    """Return the sweeps over one parameter and over two, those with the most games first."""
    groups: dict[Any, list[DetectedPoint]] = defaultdict(list)
    for summary in summaries:
        template, parameters = _split_numbers(summary.pairing.agents[0])
        conditions = template, summary.pairing.agents[1], _conditions(summary.pairing)
        groups[conditions].append(DetectedPoint(parameters, summary))
    curves, grids = [], []
    for points in groups.values():
        varied = [name for name in points[0].parameters if len(_values(points, name)) > 1]
        if len(varied) == 1 and len(points) >= MIN_POINTS:
            curves.append(_curve(varied[0], points))
        elif len(varied) == 2 and _is_dense(varied, points):
            grids.append(_grid(varied, points))
    curves.sort(key=lambda curve: -sum(summary.games for summary in curve.summaries))
    grids.sort(key=lambda grid: -sum(summary.games for summary in grid.summaries))
    return curves, grids


def unmarked(name: str) -> str:
    """Return a parameter's name as specs write it."""
    return name.removeprefix(PLAYOUT_MARK)


def _split_numbers(spec: str) -> tuple[str, dict[str, float]]:
    """Return a spec with its numbers replaced by "?", and the numbers by parameter."""
    parameters: dict[str, float] = {}
    tree, plus, playout = spec.partition("+")
    templates = []
    for text, mark in ((tree, ""), (playout, PLAYOUT_MARK)):

        def take_number(match: re.Match[str], mark: str = mark) -> str:
            try:
                parameters[mark + match[1]] = float(match[2])
            except ValueError:
                return match[0]
            return f"{match[1]}=?"

        templates.append(_PARAMETER.sub(take_number, text))
    return plus.join(templates), parameters


def _conditions(pairing: Pairing) -> Any:
    return pairing.game, pairing.budgets, pairing.seed, pairing.opening_plies, pairing.seating


def _values(points: Sequence[DetectedPoint], name: str) -> set[float]:
    return {point.parameters[name] for point in points}


def _curve(name: str, points: Sequence[DetectedPoint]) -> WinRateCurve:
    ordered = sorted(points, key=lambda point: point.parameters[name])
    return WinRateCurve(
        name=name,
        values=tuple(point.parameters[name] for point in ordered),
        summaries=tuple(point.summary for point in ordered),
    )


def _is_dense(names: Sequence[str], points: Sequence[DetectedPoint]) -> bool:
    """Return whether the points fill at least half of the grid; those of tuning do not."""
    first, second = (len(_values(points, name)) for name in names)
    return 2 * len(points) >= first * second


def _grid(names: Sequence[str], points: Sequence[DetectedPoint]) -> WinRateGrid:
    # The parameter with fewer values is in the rows: wide tables are easier to read than high ones.
    down, across = sorted(names, key=lambda name: len(_values(points, name)))
    row_values, column_values = sorted(_values(points, down)), sorted(_values(points, across))
    by_values = {
        (point.parameters[down], point.parameters[across]): point.summary for point in points
    }
    return WinRateGrid(
        names=(down, across),
        row_values=tuple(row_values),
        column_values=tuple(column_values),
        rows=tuple(
            tuple(by_values.get((row, column)) for column in column_values) for row in row_values
        ),
    )
