"""Tabs, searches and messages: nobody searches for nobody, and no message brings a session down."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graven.agents import Agent, parse
from graven.core.errors import UsageError
from graven.gdl.make import How, make
from graven.interfaces.web.search_pool import SEARCHING, STOPPED, Held, Pool, Thinker
from graven.interfaces.web.search_view import glimpse, node
from graven.interfaces.web.web_games import named_game
from graven.interfaces.web.web_limits import WAITING_MESSAGES, Limits
from graven.interfaces.web.web_server import receive_all
from graven.interfaces.web.web_session import Session, Sessions, Tab
from graven.search.budget import Budget
from graven.search.simulate import DONE
from tests.interfaces.web.test_messages import RIGHT, json_values
from tests.naive.tiny import rock_paper_scissors

GAME = "nogo(size=4)"
PATIENCE = 120.0  # seconds: only a test that fails waits so long


class Listener(Tab):
    """A tab that remembers everything it was told."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def send(self, text, may_miss=False):
        self.heard.append(json.loads(text))

    def last(self, kind):
        return next((each for each in reversed(self.heard) if each["type"] == kind), None)


async def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(0.01)


def in_a_loop(work):
    """In a thread of its own: a browser under test has an event loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()


def with_sessions(work, **limits):
    """Run `work(sessions)` in an event loop of its own."""

    async def run():
        sessions = Sessions(Limits(**limits))
        try:
            return await work(sessions)
        finally:
            sessions.close()

    return in_a_loop(run)


async def joined(sessions, **fields):
    session, tab = sessions.open(None), Listener()
    await session.join(tab)
    if fields:
        await session.hear(tab, json.dumps({"type": "new", **fields}))
        assert tab.last("error") is None
    return session, tab


def test_a_person_plays_a_whole_game_against_an_agent():
    async def work(sessions):
        session, tab = await joined(sessions, game="nogo(size=3)", playouts=50)
        while not (state := tab.last("state"))["over"]:
            if state["mayMove"]:
                move = state["moves"]["0"][0][0]
                said = {"type": "move", "move": move, "player": 0, "ply": state["at"]}
                await session.hear(tab, json.dumps(said))
            await until(lambda seen=state["at"]: tab.last("state")["at"] > seen)
            assert tab.last("error") is None
        assert sorted(state["scores"]) == [0.0, 1.0]
        notes = [ply["note"] for ply in state["plies"]]
        assert all(notes[1::2])
        assert not any(notes[::2])
        think = tab.last("think")
        assert (think["status"], think["playouts"]) == ("done", 50)
        assert sum(think["visits"]) == 49  # the first playout is the root's own

    with_sessions(work)


def test_a_closed_tab_stops_its_search_and_comes_back_to_its_game():
    async def work(sessions):
        session, tab = await joined(
            sessions, game=GAME, seats=["uct", "person"], seconds=500.0, moves=[]
        )
        await until(lambda: (said := tab.last("think")) and said["playouts"] > 0)
        thinker = session._thinkers["move"]
        assert thinker.status == SEARCHING
        session.leave(tab)
        await until(lambda: not thinker.active)
        assert thinker.status == STOPPED
        # Back again: the same game, and the agent thinks on.
        again, other = sessions.open(session.id), Listener()
        assert again is session
        await again.join(other)
        assert other.last("state")["game"]["spec"] == GAME
        await until(lambda: (said := other.last("think")) and said["status"] == SEARCHING)
        await session.hear(other, json.dumps({"type": "stop", "lens": "move"}))
        await until(lambda: other.last("state")["at"] == 1)  # it plays what it has found

    with_sessions(work, seconds=600.0)


def test_a_server_that_goes_leaves_nothing_behind(caplog):
    """A search that ends after the server has closed has nobody to tell."""

    async def work(sessions):
        session, tab = await joined(sessions, game=GAME, seats=["uct", "uct"], seconds=500.0)
        await until(lambda: (said := tab.last("think")) and said["playouts"] > 0)
        thinker = session._thinkers["move"]
        sessions.close()
        await until(lambda: not thinker.active)
        await asyncio.sleep(0.1)
        assert len(asyncio.all_tasks()) == 1

    with_sessions(work, seconds=600.0)
    gc.collect()
    assert not caplog.records


def test_a_search_blocks_nobody_else():
    async def work(sessions):
        first, watching = await joined(sessions, game=GAME, seats=["uct", "uct"], seconds=500.0)
        await until(lambda: (said := watching.last("think")) and said["playouts"] > 0)
        second, tab = await joined(sessions, game=GAME, playouts=50)
        said = {"type": "move", "move": "A1", "player": 0, "ply": 0}
        await second.hear(tab, json.dumps(said))
        await until(lambda: tab.last("state")["at"] == 2)
        assert first._thinkers["move"].status == SEARCHING
        assert tab.last("state")["plies"][0]["move"] == "A1"
        assert len(watching.last("state")["plies"]) == 0

    with_sessions(work, seconds=600.0, searches=2)


def test_undo_and_a_new_game_end_the_search_under_way():
    async def work(sessions):
        session, tab = await joined(sessions, game=GAME, seconds=500.0)
        said = {"type": "move", "move": "A1", "player": 0, "ply": 0}
        await session.hear(tab, json.dumps(said))
        await until(lambda: tab.last("think") and tab.last("think")["playouts"] > 0)
        first = session._thinkers["move"]
        await session.hear(tab, '{"type": "undo"}')
        await until(lambda: not first.active)
        assert tab.last("state")["at"] == 0
        await session.hear(tab, json.dumps(said))
        await until(lambda: session._thinkers["move"] is not first)
        second = session._thinkers["move"]
        await session.hear(tab, json.dumps({"type": "new", "game": "hex(size=3)"}))
        await until(lambda: not second.active)
        assert tab.last("state")["game"]["name"] == "hex"
        assert tab.last("state")["at"] == 0

    with_sessions(work, seconds=600.0)


def test_two_agents_side_by_side_and_their_trees():
    async def work(sessions):
        session, tab = await joined(sessions, game=GAME, playouts=100)
        for lens, agent in (("a", "rave"), ("b", "grave(ref=10)")):
            said = {"type": "watch", "lens": lens, "agent": agent, "playouts": 2000}
            await session.hear(tab, json.dumps(said))
        for lens in "ab":
            await until(lambda lens=lens: not session._thinkers[lens].active)
        await until(lambda: len([e for e in tab.heard if e.get("status") == "done"]) >= 2)
        for lens in "ab":
            await session.hear(tab, json.dumps({"type": "tree", "lens": lens, "most": 3}))
            root = tab.last("tree")
            assert (root["lens"], root["total"], len(root["moves"])) == (lens, 16, 3)
            path = [root["moves"][0]]
            await session.hear(
                tab, json.dumps({"type": "tree", "lens": lens, "path": path, "ref": 5000})
            )
            node = tab.last("tree")
            assert node["path"] == path
            assert node["readers"] == {"rave": 1, "grave": 0, "hrave": 0}
            assert node["wayVisits"][0] == 2000
        await session.hear(tab, json.dumps({"type": "tree", "lens": "a", "path": ["nowhere"]}))
        assert tab.last("error")["text"] == "the tree does not go there."

    with_sessions(work)


def test_a_search_that_cannot_begin_is_a_sentence_and_a_pause():
    async def work(sessions):
        _, tab = await joined(sessions, game=GAME, seats=["uct+mogo", "uct"])
        await until(lambda: tab.last("error") is not None)
        assert "unknown playout of nogo" in tab.last("error")["text"]
        assert tab.last("state")["paused"]

    with_sessions(work)


def test_sessions_are_bounded_and_those_without_a_tab_make_room():
    async def work(sessions):
        first, tab = await joined(sessions)
        await joined(sessions)
        with pytest.raises(UsageError, match="2 games"):
            sessions.open(None)
        first.leave(tab)
        third = sessions.open(None)
        assert third is not first
        assert sessions.open(first.id) is not first if not third.tabs else True

    with_sessions(work, sessions=2)


def test_trees_are_bounded():
    pool = Pool(Limits(searches=1))
    held = [pool.hold("s", number) for number in range(50)]
    assert len(pool._kept) == pool.limits.trees
    assert pool.hold("s", 49) is held[49]
    assert pool.hold("s", 0) is not held[0]
    pool.forget("s")
    assert not pool._kept
    assert isinstance(held[0], Held)
    pool.close()


def test_trees_that_are_let_go_are_free_although_their_sessions_remember_the_searches():
    game = named_game(GAME, None)
    pool = Pool(Limits(searches=1))

    def thinker(held, playouts):
        budget = Budget(playouts, PATIENCE)
        return Thinker("a", 0, parse("uct"), game.start(), budget, 1, held, 16)

    done = thinker(pool.hold("s", 0), 50)
    done.run()
    assert done.held.search is not None
    for number in range(1, pool.limits.trees + 1):
        pool.hold("s", number)
    assert done.held.search is None
    assert glimpse(done)["status"] == "done"
    with pytest.raises(UsageError, match="no tree"):
        node(done, [], None, 5)
    # One that is being searched goes when the search has ended.
    busy = thinker(pool.hold("t", 0), None)
    thread = threading.Thread(target=busy.run)
    thread.start()
    while glimpse(busy)["playouts"] == 0:
        time.sleep(0.01)
    pool.forget("t")
    assert busy.held.search is not None
    busy.stop()
    thread.join()
    assert busy.held.search is None
    pool.close()


def test_where_all_move_at_once_everybody_has_an_estimate_of_his_own():
    game = rock_paper_scissors(1).changed(scores=second_wins)
    found = Agent("uct").search(game.start(), playouts=50)
    assert [found.value_of(player) for player in (0, 1)] == [0.0, 1.0]
    cut_short = Agent("uct").search(game.start(), playouts=1)
    assert cut_short.value_of(1) is None


def second_wins(constants, state, out):
    out[0], out[1] = 0.0, 1.0


def test_a_search_that_waits_does_not_show_another_ones_tree():
    game = named_game(GAME, None)
    held = Held()
    spec, start = parse("uct"), game.start()
    Thinker("a", 0, spec, start, Budget(50, PATIENCE), 1, held, 16).run()
    held.search.control[DONE] = 50  # as if it were still being searched
    after = start.play(start.legal_moves[0])
    waiting = Thinker("a", 1, spec, after, Budget(50, PATIENCE), 1, held, 16)
    assert "moves" not in glimpse(waiting)
    with pytest.raises(UsageError, match="no tree"):
        node(waiting, [], None, 5)


# By proof, since its states grow; one step asks for 8 ** 7 answers, and a playout has 1000 steps.
SLOW = (
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


def test_a_playout_that_takes_hours_ends_when_nobody_wants_it():
    game = make(SLOW, "slow", How("proof"))
    budget = Budget(None, PATIENCE)
    slow = Thinker("a", 0, parse("uct"), game.start(), budget, 1, Held(), 64)
    thread = threading.Thread(target=slow.run, daemon=True)
    thread.start()
    while slow.status != SEARCHING:
        time.sleep(0.01)
    time.sleep(0.1)
    slow.stop()
    thread.join(PATIENCE)
    assert (slow.status, slow.error, slow.found) == (STOPPED, "", None)


def test_a_tab_that_is_gone_with_answers_unread_leaves():
    class Gone:
        """A connection that says one thing more, and ends."""

        said = iter([{"type": "websocket.receive", "text": "{}"}, {"type": "websocket.disconnect"}])

        async def receive(self):
            return next(self.said)

    async def work(sessions):
        session, tab = sessions.open(None), Tab()
        sending = asyncio.get_running_loop().create_task(asyncio.sleep(0))
        await session.join(tab)
        for _ in range(WAITING_MESSAGES - 2):
            tab.send("{}")
        await asyncio.wait_for(receive_all(Gone(), session, tab, sending), PATIENCE)

    with_sessions(work)


def test_a_tab_that_does_not_read_is_let_go():
    async def work():
        tab = Tab()
        for _ in range(WAITING_MESSAGES):
            tab.send("{}", may_miss=True)
        assert tab.waiting.qsize() < WAITING_MESSAGES  # glimpses are left out
        for _ in range(WAITING_MESSAGES + 1):
            tab.send("{}")
        assert tab.waiting.get_nowait() is None or tab.waiting.qsize() < WAITING_MESSAGES

    in_a_loop(work)


# Any message, right or wrong, in any order: an answer to the one who sent it, and life goes on.


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.text(max_size=60)
        | st.binary(max_size=60)
        | json_values.map(json.dumps)
        | st.builds(
            lambda kind, changes: json.dumps({"type": kind, **RIGHT[kind], **changes}),
            st.sampled_from(sorted(RIGHT)),
            st.dictionaries(
                st.sampled_from(sorted({n for fields in RIGHT.values() for n in fields})),
                json_values,
                max_size=2,
            ),
        ),
        max_size=12,
    )
)
def test_no_message_brings_a_session_down(said):
    async def work(sessions):
        session, tab = await joined(sessions, game="nogo(size=3)", playouts=20)
        _, bystander = await joined(sessions, game="nogo(size=3)", playouts=20)
        quiet = len(bystander.heard)
        for data in said:
            await session.hear(tab, data)
        errors = [each["text"] for each in tab.heard if each["type"] == "error"]
        assert not [text for text in errors if "this is a bug" in text]
        assert all(len(text) < 2000 for text in errors)
        assert len(bystander.heard) == quiet
        await session.hear(tab, json.dumps({"type": "new", "game": "nogo(size=3)"}))
        assert tab.heard[-1]["type"] in ("state", "think")
        assert tab.last("state")["at"] == 0

    with_sessions(work, playouts=200, seconds=1.0, searches=2)


def test_random_bytes_of_right_messages():
    """Right messages with some of their characters changed."""
    rng = random.Random(7)
    texts = [json.dumps({"type": kind, **fields}) for kind, fields in RIGHT.items()]

    async def work(sessions):
        session, tab = await joined(sessions, game="nogo(size=3)", playouts=20)
        for _ in range(400):
            letters = list(rng.choice(texts))
            for _ in range(rng.randrange(1, 4)):
                letters[rng.randrange(len(letters))] = chr(rng.choice([*range(32, 127), 0, 0xD800]))
            await session.hear(tab, "".join(letters))
        bugs = [e for e in tab.heard if e["type"] == "error" and "bug" in e["text"]]
        assert not bugs

    with_sessions(work, playouts=200, seconds=1.0)


def test_a_session_without_a_game_says_so():
    async def work(sessions):
        session, tab = await joined(sessions)
        assert isinstance(session, Session)
        for kind in ("undo", "swap", "step", "save", "tree", "watch", "move"):
            await session.hear(tab, json.dumps({"type": kind, **RIGHT[kind]}))
            assert tab.last("error")["text"].startswith("there is no")

    with_sessions(work)
