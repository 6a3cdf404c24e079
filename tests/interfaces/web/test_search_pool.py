"""Searches in the thread pool: their trees are bounded, and cancelled searches end."""

from __future__ import annotations

import threading
import time

import pytest

from graven.agents import SearchAgent, agent
from graven.core.errors import UsageError
from graven.gdl.sheet_loader import SheetOptions, sheet_game
from graven.interfaces.web.search_pool import (
    COMPILING,
    SEARCHING,
    STOPPED,
    RetainedSearch,
    SearchPool,
)
from graven.interfaces.web.search_view import search_message, tree_node_message
from graven.interfaces.web.web_games import packaged_game
from graven.interfaces.web.web_limits import PageLimits
from graven.search.runner import MIB
from graven.search.simulate import DONE
from tests.interfaces.web.helpers import TIMEOUT, page_search
from tests.naive.tiny import rock_paper_scissors

GAME = "nogo(size=4)"


def test_trees_are_bounded():
    pool = SearchPool(PageLimits(searches=1))
    retained = [pool.retain("s", number) for number in range(50)]
    assert len(pool._retained) == pool.limits.trees
    assert pool.retain("s", 49) is retained[49]
    assert pool.retain("s", 0) is not retained[0]
    pool.release("s")
    assert not pool._retained
    assert isinstance(retained[0], RetainedSearch)
    pool.close()


def test_released_trees_are_freed_although_sessions_refer_to_their_searches():
    start = packaged_game(GAME, None).start()
    pool = SearchPool(PageLimits(searches=1))
    done = page_search(start, pool.retain("s", 0), playouts=50)
    done.run()
    assert done.retained.search is not None
    for number in range(1, pool.limits.trees + 1):
        pool.retain("s", number)
    assert done.retained.search is None
    assert search_message(done)["status"] == "done"
    with pytest.raises(UsageError, match="no tree"):
        tree_node_message(done, [], None, 5)
    # A tree in use is freed when its search ends.
    running = page_search(start, pool.retain("t", 0))
    thread = threading.Thread(target=running.run)
    thread.start()
    while search_message(running)["playouts"] == 0:
        time.sleep(0.01)
    pool.release("t")
    assert running.retained.search is not None
    running.cancel()
    thread.join()
    assert running.retained.search is None
    pool.close()


def test_all_trees_together_stay_within_the_memory_of_the_page():
    start = packaged_game(GAME, None).start()
    limits = PageLimits(searches=2, memory_mib=16)
    pool = SearchPool(limits)
    retained = []
    for number in range(5):
        retained.append(pool.retain(f"s{number}", 0))
        search = page_search(start, retained[-1], playouts=20_000, memory_mib=limits.tree_mib)
        finished = threading.Event()
        pool.start(search, lambda _, finished=finished: finished.set())
        assert finished.wait(TIMEOUT)
        assert search.error == ""
        assert sum(each.nbytes for each in retained) <= limits.memory_mib * MIB
    assert retained[-1].nbytes > 0
    assert retained[0].nbytes == 0, "the oldest tree is freed first"
    pool.close()


def test_simultaneous_moves_have_a_value_for_each_player():
    game = rock_paper_scissors(1).changed(scores=second_wins)
    result = agent("uct").search(game.start(), playouts=50)
    assert [result.value_of(player) for player in (0, 1)] == [0.0, 1.0]
    cut_short = agent("uct").search(game.start(), playouts=1)
    assert cut_short.value_of(1) is None


def second_wins(constants, state, out):
    out[0], out[1] = 0.0, 1.0


def test_a_waiting_search_does_not_show_the_tree_of_another_search():
    start = packaged_game(GAME, None).start()
    retained = RetainedSearch()
    page_search(start, retained, playouts=50).run()
    retained.search.control[DONE] = 50  # as if that search were still running
    after = start.play(start.legal_moves[0])
    waiting = page_search(after, retained, player=1, playouts=50)
    assert "moves" not in search_message(waiting)
    with pytest.raises(UsageError, match="no tree"):
        tree_node_message(waiting, [], None, 5)


# The states grow, so it is played by proof; a step has 8 ** 7 answers, and a playout 1000 steps.
SLOW_RULES = (
    "(role white) (role black) (init (s 0)) (init (f a)) (<= (goal ?p 50) (role ?p))"
    + "".join(f"(d {number})" for number in range(8))
    + """
(<= (legal ?p (go ?x)) (role ?p) (d ?x))
(<= (next (s 0)) (big ?a ?b ?c ?d ?e ?f ?g))
(<= (next (f (g ?x))) (true (f ?x)))
(<= (big ?a ?b ?c ?d ?e ?f ?g) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (true (s 0)))
(<= terminal (true (s 1)))
"""
)


def test_a_playout_that_takes_hours_can_be_cancelled():
    game = sheet_game(SLOW_RULES, "slow", SheetOptions("proof"))
    slow = page_search(game.start(), memory_mib=64)
    thread = threading.Thread(target=slow.run, daemon=True)
    thread.start()
    while slow.status != SEARCHING:
        time.sleep(0.01)
    time.sleep(0.1)
    slow.cancel()
    thread.join(TIMEOUT)
    assert (slow.status, slow.error, slow.result) == (STOPPED, "", None)


def test_a_search_is_not_waiting_while_its_player_is_made(monkeypatch):
    search = page_search(packaged_game(GAME, None).start(), playouts=20)
    status = []
    bind = SearchAgent.bind  # compiles

    def recording_bind(agent, game):
        status.append(search.status)
        return bind(agent, game)

    monkeypatch.setattr(SearchAgent, "bind", recording_bind)
    search.run()
    assert set(status) == {COMPILING}


def test_compiling_is_told_apart_from_searching():
    search = page_search(packaged_game(GAME, None).start(), playouts=20)
    messages = []

    class Recorder(type(search)):
        """Records a message at every change of the status."""

        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "status":
                messages.append(search_message(self))

    search.__class__ = Recorder
    search.run()
    assert [message["status"] for message in messages] == ["compiling", "searching", "done"]
    compiling, _, done = messages
    assert compiling["playouts"] == 0
    assert "moves" not in compiling
    assert done["playouts"] == 20
    # Compiling takes no time of the search.
    assert done["playouts_per_second"] == round(20 / max(search.result.seconds, 1e-3))
