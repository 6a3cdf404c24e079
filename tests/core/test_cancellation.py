"""Cancelled work raises SearchCancelled, which is never shown as a user's mistake."""

from __future__ import annotations

import threading

import pytest

from graven.agents import SearchAgent
from graven.core.callbacks import Callback
from graven.core.cancellation import SearchCancelled, cancelled_by, raise_if_cancelled
from graven.core.errors import GravenError
from tests.naive import tiny


def test_only_a_set_event_cancels_and_only_inside_the_block():
    stop = threading.Event()
    raise_if_cancelled()
    with cancelled_by(stop):
        raise_if_cancelled()
        stop.set()
        with pytest.raises(SearchCancelled):
            raise_if_cancelled()
    raise_if_cancelled()


def test_it_is_not_a_users_mistake():
    assert not issubclass(SearchCancelled, GravenError)


def test_other_threads_go_on():
    stop, reached = threading.Event(), []
    stop.set()

    def work():
        raise_if_cancelled()
        reached.append(True)

    with cancelled_by(stop):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert reached


def test_a_search_is_cancelled_within_a_playout():
    stop, calls = threading.Event(), []

    def turn(constants, state):
        calls.append(1)
        if len(calls) == 500:
            stop.set()
        raise_if_cancelled()
        return int(state[2]) if state[0] + state[1] > 0 else -1

    game = tiny.heaps(5).changed(turn=Callback("turn", turn))
    with cancelled_by(stop), pytest.raises(SearchCancelled):
        SearchAgent("uct(solver=off)").search(game.start(), playouts=100_000)
    assert len(calls) == 500
