"""Grids: ranges and lists in specs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.agents import parse
from graven.core.errors import GravenError, UsageError
from graven.lab.experiments.grid import parse_grid
from graven.lab.experiments.sweep import sweep

RANGES = {
    "rave(bias=[1e-1..1e-15])": [float(f"1e-{power}") for power in range(1, 16)],
    "rave(bias=[1e-3..1])": [0.001, 0.01, 0.1, 1],
    "uct(c=[0.1..0.9+0.2])": [0.1, 0.3, 0.5, 0.7, 0.9],
    "uct(c=[1..0.25+0.25])": [1, 0.75, 0.5, 0.25],
    "grave(ref=[25..400*2])": [25, 50, 100, 200, 400],
    "grave(ref=[25, 50,100])": [25, 50, 100],
    "uct(c=[.5..2*2])": [0.5, 1, 2],
}


@pytest.mark.parametrize("text", RANGES)
def test_ranges(text):
    grid = parse_grid(text)
    assert [value for (value,) in grid.points()] == RANGES[text]
    assert len(grid.agents()) == len(RANGES[text])


def test_two_ranges_make_every_combination():
    grid = parse_grid("grave(ref=[25,50],bias=[1e-1..1e-3])+uniform")
    assert grid.names == ("ref", "bias")
    assert grid.points() == [(ref, bias) for ref in (25, 50) for bias in (0.1, 0.01, 0.001)]
    assert grid.agents()[3] == "grave(ref=50,bias=0.1)"


def test_lists_may_contain_words():
    assert parse_grid("uct(final_move=[visits,mean])").agents() == [
        "uct(c=0.4)",
        "uct(c=0.4,final_move=mean)",
    ]


def test_a_spec_is_a_grid_of_one():
    assert parse_grid("uct").agents() == ["uct(c=0.4)"]
    assert parse_grid("uct").names == ()


WRONG = {
    "uct(c=[1..])": "not a range",
    "uct(c=[a..b])": "not a range",
    "uct(c=[])": "empty",
    "uct(c=[1,1])": "twice",
    "uct(c=[1,2)": "a range is written",
    "uct(c=[[1,2]])": "a range is written",
    "uct(c=[-1..10])": "positive numbers",
    "uct(c=[1..10+0])": "does not reach",
    "uct(c=[1..2*1])": "does not reach",
    "uct(c=[0..1e9+1])": "does not reach",
    "uct(d=[1,2])": "unknown parameter",
    "grave(ref=[1..1000+1],bias=[1e-1..1e-3])": "at most 1,000 agents",
    "u" * 2000: "at most 1000 characters",
}


LEAVES_OUT_ITS_END = {
    "uct(c=[0.1..0.3])": ("only the value 0.1: 0.3 is left out", "[0.1..0.3+0.1]", "[0.1,0.3]"),
    "uct(c=[0.1..0.9+0.3])": ("0.7 is the last: 0.9 is left out", "[0.1..0.9+0.1]", ",0.7,0.9]"),
    "grave(ref=[1..50])": ("10 is the last: 50 is left out", "[1..50+1]", "[1,10,50]"),
    "grave(ref=[100..30*2])": ("50 is the last: 30 is left out", "[100..30+10]", "[100,50,30]"),
}


@pytest.mark.parametrize("text", LEAVES_OUT_ITS_END)
def test_a_range_that_leaves_out_its_end_says_so(text):
    (note,) = parse_grid(text).notes
    for part in LEAVES_OUT_ITS_END[text]:
        assert part in note
    name = text[text.index("(") + 1 : text.index("=")]
    for remedy in LEAVES_OUT_ITS_END[text][1:]:
        if remedy.startswith("["):
            assert not parse_grid(f"grave({name}={remedy})").notes


@pytest.mark.parametrize("text", [*RANGES, "uct(c=[0.3..0.3+1])"])
def test_a_range_that_reaches_its_end_says_nothing(text):
    assert parse_grid(text).notes == ()


def test_a_sweep_warns_of_a_range_that_leaves_out_its_end(caplog):
    sweep("nogo(size=3x3)", "uct(c=[0.1..0.3])", "rave", games=2, playouts=5, workers=1)
    assert "0.3 is left out" in caplog.text


@pytest.mark.parametrize("text", WRONG)
def test_invalid_grids_are_refused(text):
    with pytest.raises(UsageError, match=WRONG[text]):
        parse_grid(text)


@given(st.text(alphabet="uct(rave=bias[]..,1e-+*05 ref)", max_size=40))
def test_any_text_is_a_grid_or_a_graven_error(text):
    try:
        grid = parse_grid(text)
    except GravenError:
        return
    assert all(parse(agent).text == agent for agent in grid.agents())
