"""Published figures that are no win rates, measured."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from graven.core.errors import UsageError
from graven.lab.experiments.measures import MEASURES, measured
from graven.lab.experiments.reproduce import Results
from graven.lab.published import paper, papers


def test_whatever_the_papers_measure_can_be_measured():
    units = {table.measure for each in papers() for table in each.tables.values()}
    assert units - {""} == set(MEASURES)


def small(name):
    """A table of measurements with the figures of one small game, and few playouts."""
    table = paper("sironi2016").table(name)
    (part,) = table.parts
    line = next(each for each in part.lines if each.label == "Breakthrough")
    figures = tuple(
        replace(
            figure, setup=replace(figure.setup, game="breakthrough(size=5)", playouts=(300, 300))
        )
        for figure in line.figures
    )
    return replace(table, parts=(replace(part, lines=(replace(line, figures=figures),)),))


def test_grave_keeps_more_statistics_than_rave():
    table = small("VIII")
    told = []
    found = measured(table, 1, 0, threading.Event(), lambda: told.append(1))
    rave, grave = (found[figure] for figure in table.figures)
    assert 0 < rave < grave
    assert len(told) == 2
    entries = Results((), 0, found).entries(table)
    assert [entry.measured for entry in entries] == [rave, grave]
    assert {entry.verdict for entry in entries} == {"measured"}
    assert entries[0].as_json()["ours"] == round(rave, 2)
    assert found == measured(table, 1, 0, threading.Event(), lambda: None), "the same seed"
    assert found != measured(table, 1, 1, threading.Event(), lambda: None)


def test_simulations_a_second_are_positive_for_every_agent():
    table = small("III")
    found = measured(table, 1, 0, threading.Event(), lambda: None)
    assert len(found) == 4
    assert min(found.values()) > 0


def test_told_to_stop_it_has_nothing():
    stop = threading.Event()
    stop.set()
    assert measured(small("VIII"), 1, 0, stop, lambda: None) == {}


def test_games_are_needed():
    with pytest.raises(UsageError, match="at least 1 game"):
        measured(small("VIII"), 0, 0, threading.Event(), lambda: None)
