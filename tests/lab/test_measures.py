"""Published figures that are not win rates, measured."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from graven.core.errors import UsageError
from graven.lab.experiments.measures import MEASURES, measured
from graven.lab.experiments.reproduce import Results
from graven.lab.experiments.run_config import RunConfig
from graven.lab.published import paper, papers


def test_every_measure_of_the_papers_can_be_taken():
    units = {table.measure for each in papers() for table in each.tables.values()}
    assert units - {""} == set(MEASURES)


def small(name):
    """A table of measurements with the figures of one small game, and few playouts."""
    table = paper("sironi2016").table(name)
    (part,) = table.parts
    line = next(line for line in part.lines if line.label == "Breakthrough")
    figures = tuple(
        replace(
            figure, setup=replace(figure.setup, game="breakthrough(size=5)", playouts=(300, 300))
        )
        for figure in line.figures
    )
    return replace(table, parts=(replace(part, lines=(replace(line, figures=figures),)),))


def test_grave_keeps_more_statistics_than_rave():
    table = small("VIII")
    progress = []
    values = measured(table, 1, RunConfig(progress=progress.append))
    rave, grave = (values[figure] for figure in table.figures)
    assert 0 < rave < grave
    assert progress == [(1, 2), (2, 2)]
    entries = Results((), 0, values).entries(table)
    assert [entry.measured for entry in entries] == [rave, grave]
    assert {entry.verdict for entry in entries} == {"measured"}
    assert entries[0].to_dict()["measured"] == round(rave, 2)
    assert values == measured(table, 1, RunConfig()), "the same seed"
    assert values != measured(table, 1, RunConfig(seed=1))


def test_simulations_a_second_are_positive_for_every_agent():
    table = small("III")
    values = measured(table, 1, RunConfig())
    assert len(values) == 4
    assert min(values.values()) > 0


def test_a_stopped_measurement_has_no_values():
    stop = threading.Event()
    stop.set()
    assert measured(small("VIII"), 1, RunConfig(stop=stop)) == {}


def test_a_measurement_needs_games():
    with pytest.raises(UsageError, match="at least 1 game"):
        measured(small("VIII"), 0, RunConfig())
