"""Time management."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.agents import MoveClock, SearchPlayer
from graven.agents.short_games import UNKNOWN_LENGTH, known_length
from graven.agents.time_plan import TimePlan
from graven.interfaces.gtp.gtp_clock import GameClocks, PlayerClock
from graven.search.budget import Budget
from tests.interfaces.gtp.helpers import new_engine, ok


def test_settings_without_a_limit_start_no_clock():
    clocks = GameClocks()
    clocks.set(0, 10, 0)
    assert clocks.of(0) is None


@given(
    st.floats(0, 1000),
    st.floats(0.5, 60),
    st.integers(1, 25),
    st.lists(st.floats(0, 1), min_size=1, max_size=300),
)
def test_the_allotted_time_never_exceeds_the_clock(main, overtime, stones, moves):
    """A move takes at most the allotted seconds plus a part of the lag."""
    lag = 0.05
    clock = PlayerClock.started(main, overtime, stones)
    for number, part in enumerate(moves):
        spent = clock.seconds(max(1, 40 - number), lag) + lag * part
        available = clock.left if clock.stones_left else clock.left + overtime
        assert spent <= available + 0.011, (number, clock)
        clock.spend(spent, played=True)


def test_main_time_is_divided_and_overtime_used():
    assert PlayerClock.started(250, 0, 0).seconds(10, 0) == 10
    assert PlayerClock.started(0, 30, 5).seconds(10, 0) == 6
    assert PlayerClock.started(0, 1, 1).seconds(10, 0.1) == pytest.approx(0.9)


def test_time_left_alone_starts_a_clock():
    engine = new_engine(playouts=1_000_000_000)
    ok(engine, "time_left b 0 0")
    assert re.fullmatch(r"[A-J][1-9]|PASS", ok(engine, "genmove b"))  # ends despite the playouts


@pytest.fixture
def clocks(monkeypatch):
    """The clocks that searches get; each search makes ten playouts instead."""
    clocks, choose = [], SearchPlayer.choose

    def choose_quickly(player, position, clock):
        clocks.append(clock)
        return choose(player, position, MoveClock(Budget(playouts=10)))

    monkeypatch.setattr(SearchPlayer, "choose", choose_quickly)
    return clocks


def test_a_search_gets_the_seconds_of_the_clock_less_the_lag(engine, clocks):
    ok(engine, "graven-params playouts 0")
    ok(engine, "time_settings 0 1 1")
    for colour in "bwb":
        ok(engine, f"time_left {colour} 1 1")
        ok(engine, f"genmove {colour}")
    seconds = 1 - engine.session.lag
    assert [clock.budget.seconds for clock in clocks] == pytest.approx([seconds] * 3)
    assert [clock.budget.playouts for clock in clocks] == [None] * 3


def test_main_time_is_planned_by_the_length_of_short_games(clocks):
    engine = new_engine("hex(size=5)")
    ok(engine, "graven-params playouts 0")
    ok(engine, "time_settings 60 0 0")
    ok(engine, "time_left b 50 0")
    ok(engine, "genmove b")
    ok(engine, "time_settings 60 10 5")
    ok(engine, "genmove w")
    session = engine.session
    length = known_length(session.agent, session.board.game)
    assert length != UNKNOWN_LENGTH
    assert [clock.plan for clock in clocks] == [
        TimePlan(50.0, lag=session.lag, length=length),
        None,
    ]
