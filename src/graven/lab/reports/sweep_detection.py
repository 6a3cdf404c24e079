"""Find the experiments behind the pairings of a store: sweeps over parameters, and ladders.

The store contains pairings, not the experiments that they belong to. Pairings whose first agents
differ only in numbers, against the same opponent, are a sweep. Agents that played each other under
the same conditions can be rated together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graven.lab.experiments.pairing import Pairing
from graven.lab.stats.intervals import Score
from graven.lab.stats.ratings import Ladder, rate_agents
from graven.lab.store.summaries import Summary

_PARAMETER = re.compile(r"([a-z][a-z0-9_]*)=([^,()]+)")
# Marks the names of a playout policy's parameters, which may be those of the tree policy too.
PLAYOUT_MARK = "+"
MIN_POINTS = 3
MIN_AGENTS = 3
MAX_AGENTS = 60


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


@dataclass(frozen=True)
class RatedGroup:
    """Agents that played each other under the same conditions, with their ratings.

    `pairing` is one of theirs and `games` is the number of all their games.
    """

    pairing: Pairing
    games: int
    ladder: Ladder


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


def find_ladders(summaries: Iterable[Summary]) -> list[RatedGroup]:
    """Return the groups of agents connected by games, rated; the largest group first."""
    groups: dict[Any, list[Summary]] = defaultdict(list)
    for summary in summaries:
        if summary.pairing.budgets[0] == summary.pairing.budgets[1] and summary.games:
            groups[_conditions(summary.pairing)].append(summary)
    ladders = [rated for group in groups.values() for rated in _rate_components(group)]
    return sorted(ladders, key=lambda rated: -len(rated.ladder.ratings))


def _rate_components(group: Sequence[Summary]) -> Iterator[RatedGroup]:
    """Rate each connected component of the agents of a group.

    Agents that all played only one opponent are left out: they are a sweep.
    """
    for members in _components(group):
        summaries = [summary for summary in group if summary.pairing.agents[0] in members]
        met = np.zeros((len(members), len(members)), dtype=bool)
        scores: dict[tuple[int, int], Score] = {}
        for summary in summaries:
            i, j = (members.index(agent) for agent in summary.pairing.agents)
            if i == j:
                continue
            scores[i, j] = scores.get((i, j), Score()) + summary.score
            met[i, j] = met[j, i] = True
        is_star = met.sum() == 2 * (len(members) - 1) and met.sum(axis=0).max() == len(members) - 1
        if MIN_AGENTS <= len(members) <= MAX_AGENTS and not is_star:
            games = sum(summary.games for summary in summaries)
            yield RatedGroup(summaries[0].pairing, games, rate_agents(members, scores))


def _components(group: Sequence[Summary]) -> list[list[str]]:
    """Return the connected components of the agents of a group."""
    agents = list(dict.fromkeys(agent for summary in group for agent in summary.pairing.agents))
    component = {agent: number for number, agent in enumerate(agents)}
    for summary in group:
        kept, merged = (component[agent] for agent in summary.pairing.agents)
        component = {
            agent: kept if number == merged else number for agent, number in component.items()
        }
    return [
        [agent for agent in agents if component[agent] == number]
        for number in dict.fromkeys(component.values())
    ]
