"""What the cells of a store have in common: sweeps over a parameter or two, and ladders.

The store knows cells, not why they were played. Cells whose first agents differ only in numbers,
against the same opponent, are a sweep; agents who played each other under the same conditions can
be rated together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graven.lab.experiments.pairing import Pairing
from graven.lab.stats.intervals import Score
from graven.lab.stats.ratings import Ladder, rate
from graven.lab.store.store import Summary

_VALUE = re.compile(r"([a-z][a-z0-9_]*)=([^,()]+)")
LEAST_POINTS = 3
LEAST_AGENTS = 3
MOST_RATED = 60


@dataclass(frozen=True)
class Curve:
    """Win rates over one parameter, in the order of its values; a playout's begins with "+"."""

    name: str
    values: tuple[float, ...]
    summaries: tuple[Summary, ...]

    @property
    def pairing(self) -> Pairing:
        """The first of its cells: all have the same game, opponent and conditions."""
        return self.summaries[0].pairing


@dataclass(frozen=True)
class Field:
    """Win rates over two parameters; None where nothing was played."""

    names: tuple[str, str]
    down: tuple[float, ...]
    across: tuple[float, ...]
    rows: tuple[tuple[Summary | None, ...], ...]

    @property
    def pairing(self) -> Pairing:
        """The first of its cells."""
        return next(each.pairing for row in self.rows for each in row if each is not None)


@dataclass(frozen=True)
class Rated:
    """Agents who played each other under the same conditions, rated."""

    pairing: Pairing
    games: int
    ladder: Ladder


def sweeps(summaries: Iterable[Summary]) -> tuple[list[Curve], list[Field]]:
    """Sweeps over one parameter and over two, those with the most games first."""
    groups: dict[Any, list[tuple[dict[str, float], Summary]]] = defaultdict(list)
    for summary in summaries:
        shape, values = _shape(summary.pairing.agents[0])
        groups[shape, summary.pairing.agents[1], _conditions(summary.pairing)].append(
            (values, summary)
        )
    curves, fields = [], []
    for group in groups.values():
        first = group[0][0]
        varied = [name for name in first if len({values[name] for values, _ in group}) > 1]
        if len(varied) == 1 and len(group) >= LEAST_POINTS:
            curves.append(_curve(varied[0], group))
        elif len(varied) == 2 and _dense((varied[0], varied[1]), group):
            fields.append(_field((varied[0], varied[1]), group))
    curves.sort(key=lambda curve: -sum(each.games for each in curve.summaries))
    fields.sort(key=lambda field: -sum(e.games for row in field.rows for e in row if e))
    return curves, fields


def _shape(spec: str) -> tuple[str, dict[str, float]]:
    """A spec with its numbers blanked, and the numbers; a playout's names begin with "+"."""
    values: dict[str, float] = {}
    tree, plus, playout = spec.partition("+")
    shapes = []
    for text, mark in ((tree, ""), (playout, "+")):

        def blank(found: re.Match[str], mark: str = mark) -> str:
            try:
                values[mark + found[1]] = float(found[2])
            except ValueError:
                return found[0]
            return f"{found[1]}=?"

        shapes.append(_VALUE.sub(blank, text))
    return plus.join(shapes), values


def plain(name: str) -> str:
    """A parameter's name as specs write it."""
    return name.removeprefix("+")


def _conditions(pairing: Pairing) -> Any:
    return pairing.game, pairing.budgets, pairing.seed, pairing.opening_plies, pairing.seating


def _curve(name: str, group: Sequence[tuple[dict[str, float], Summary]]) -> Curve:
    ordered = sorted(group, key=lambda each: each[0][name])
    return Curve(
        name,
        tuple(values[name] for values, _ in ordered),
        tuple(summary for _, summary in ordered),
    )


def _dense(names: tuple[str, str], group: Sequence[tuple[dict[str, float], Summary]]) -> bool:
    """Whether two parameters were varied over a grid, rather than here and there (by tuning)."""
    one, other = (len({values[name] for values, _ in group}) for name in names)
    return 2 * len(group) >= one * other


def _field(names: tuple[str, str], group: Sequence[tuple[dict[str, float], Summary]]) -> Field:
    # The parameter with fewer values downwards: a table is easier to read wide than high.
    counts = {name: len({values[name] for values, _ in group}) for name in names}
    one, other = sorted(names, key=lambda name: counts[name])
    down = sorted({values[one] for values, _ in group})
    across = sorted({values[other] for values, _ in group})
    found = {(values[one], values[other]): summary for values, summary in group}
    rows = tuple(tuple(found.get((a, b)) for b in across) for a in down)
    return Field((one, other), tuple(down), tuple(across), rows)


def ladders(summaries: Iterable[Summary]) -> list[Rated]:
    """Ladders of agents who met each other, if only by way of others; the largest first."""
    groups: dict[Any, list[Summary]] = defaultdict(list)
    for summary in summaries:
        if summary.pairing.budgets[0] == summary.pairing.budgets[1] and summary.games:
            groups[_conditions(summary.pairing)].append(summary)
    found = [rated for group in groups.values() for rated in _rated(group)]
    return sorted(found, key=lambda rated: -len(rated.ladder.ratings))


def _rated(group: Sequence[Summary]) -> Iterable[Rated]:
    agents = list(dict.fromkeys(agent for each in group for agent in each.pairing.agents))
    place = {agent: number for number, agent in enumerate(agents)}
    labels = list(range(len(agents)))
    for summary in group:
        one, other = (labels[place[agent]] for agent in summary.pairing.agents)
        labels = [one if label == other else label for label in labels]
    for label in dict.fromkeys(labels):
        members = [agent for agent in agents if labels[place[agent]] == label]
        cells = [each for each in group if each.pairing.agents[0] in members]
        # Agents who all played only one opponent are a sweep, and shown as such.
        met = np.zeros((len(members), len(members)), dtype=bool)
        scores: dict[tuple[int, int], Score] = {}
        for summary in cells:
            one, other = (members.index(agent) for agent in summary.pairing.agents)
            if one == other:
                continue
            scores[one, other] = _added(scores.get((one, other), Score()), summary.score)
            met[one, other] = met[other, one] = True
        star = met.sum() == 2 * (len(members) - 1) and met.sum(axis=0).max() == len(members) - 1
        if LEAST_AGENTS <= len(members) <= MOST_RATED and not star:
            games = sum(summary.games for summary in cells)
            yield Rated(cells[0].pairing, games, rate(members, scores))


def _added(one: Score, other: Score) -> Score:
    return Score(one.wins + other.wins, one.losses + other.losses, one.draws + other.draws)
