"""Sessions: tabs, searches and messages."""

from __future__ import annotations

import asyncio
import gc
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.interfaces.web.browser_tab import BrowserTab
from graven.interfaces.web.search_pool import SEARCHING, STOPPED
from graven.interfaces.web.web_limits import SEND_QUEUE_SIZE
from graven.interfaces.web.web_server import receive_all
from graven.interfaces.web.web_session import GameSession
from graven.search import amaf_order
from tests.interfaces.web.helpers import (
    TIMEOUT,
    VALID_FIELDS,
    RecordingTab,
    join,
    json_values,
    run_in_loop,
    send,
    until,
    with_sessions,
)

GAME = "nogo(size=4)"
FIRST_MOVE = {"move": "A1", "player": 0, "ply": 0}


def searching(tab):
    """Whether a tab has seen playouts of a search."""
    message = tab.last("search")
    return message is not None and message["playouts"] > 0


def test_a_person_plays_a_whole_game_against_an_agent():
    async def work(sessions):
        session, tab = await join(sessions, game="nogo(size=3)", playouts=50)
        while not (state := tab.last("state"))["is_over"]:
            if state["persons_to_move"]:
                move = state["legal_moves"]["0"][0][0]
                await send(session, tab, "play", move=move, player=0, ply=state["shown_ply"])
            await until(lambda seen=state["shown_ply"]: tab.last("state")["shown_ply"] > seen)
            assert tab.last("error") is None
        assert sorted(state["scores"]) == [0.0, 1.0]
        evaluations = [ply["evaluation"] for ply in state["plies"]]
        assert all(evaluations[1::2])
        assert not any(evaluations[::2])
        message = tab.last("search")
        assert message["status"] == "done"
        # Proven positions need no more playouts.
        assert message["playouts"] == 50 or message["proof"]

    with_sessions(work)


def test_a_closed_tab_cancels_its_search_and_a_reload_resumes_the_game():
    async def work(sessions):
        session, tab = await join(
            sessions, game=GAME, seats=["uct", "person"], seconds=500.0, moves=[]
        )
        await until(lambda: searching(tab))
        search = session.searches.get("move")
        assert search.status == SEARCHING
        session.leave(tab)
        await until(lambda: not search.active)
        assert search.status == STOPPED
        reopened, new_tab = sessions.open(session.id), RecordingTab()
        assert reopened is session
        await reopened.join(new_tab)
        assert new_tab.last("state")["game"]["spec"] == GAME
        await until(lambda: (message := new_tab.last("search")) and message["status"] == SEARCHING)
        await send(session, new_tab, "finish_search", slot="move")
        # The move found so far is played.
        await until(lambda: new_tab.last("state")["shown_ply"] == 1)

    with_sessions(work, seconds=600.0)


def test_a_closed_server_leaves_no_tasks_behind(caplog):
    """A search may end after its event loop has closed."""

    async def work(sessions):
        session, tab = await join(sessions, game=GAME, seats=["uct", "uct"], seconds=500.0)
        await until(lambda: searching(tab))
        search = session.searches.get("move")
        sessions.close()
        await until(lambda: not search.active)
        await asyncio.sleep(0.1)
        assert len(asyncio.all_tasks()) == 1

    with_sessions(work, seconds=600.0)
    gc.collect()
    assert not caplog.records


def test_a_search_does_not_block_other_sessions():
    async def work(sessions):
        first, watching = await join(sessions, game=GAME, seats=["uct", "uct"], seconds=500.0)
        await until(lambda: searching(watching))
        second, tab = await join(sessions, game=GAME, playouts=50)
        await send(second, tab, "play", **FIRST_MOVE)
        await until(lambda: tab.last("state")["shown_ply"] == 2)
        assert first.searches.get("move").status == SEARCHING
        assert tab.last("state")["plies"][0]["move"] == "A1"
        assert len(watching.last("state")["plies"]) == 0

    with_sessions(work, seconds=600.0, searches=2)


def test_undo_and_a_new_game_cancel_the_running_search():
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, seconds=500.0)
        await send(session, tab, "play", **FIRST_MOVE)
        await until(lambda: searching(tab))
        first = session.searches.get("move")
        await send(session, tab, "undo")
        await until(lambda: not first.active)
        assert tab.last("state")["shown_ply"] == 0
        await send(session, tab, "play", **FIRST_MOVE)
        await until(lambda: session.searches.get("move") is not first)
        second = session.searches.get("move")
        await send(session, tab, "new_game", game="hex(size=3)")
        await until(lambda: not second.active)
        assert tab.last("state")["game"]["name"] == "hex"
        assert tab.last("state")["shown_ply"] == 0

    with_sessions(work, seconds=600.0)


def test_two_analyses_side_by_side_and_their_trees():
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, playouts=100)
        for slot, agent in (("left", "rave"), ("right", "grave(ref=10)")):
            await send(session, tab, "analyse", slot=slot, agent=agent, playouts=2000)
        for slot in ("left", "right"):
            await until(lambda slot=slot: not session.searches.get(slot).active)
        await until(lambda: len([e for e in tab.messages if e.get("status") == "done"]) >= 2)
        for slot in ("left", "right"):
            await send(session, tab, "tree_node", slot=slot, max_moves=3)
            root = tab.last("tree_node")
            assert (root["slot"], root["num_moves"], len(root["moves"])) == (slot, 16, 3)
            path = [root["moves"][0]]
            await send(session, tab, "tree_node", slot=slot, path=path, ref=5000)
            node = tab.last("tree_node")
            assert node["path"] == path
            assert node["amaf_depth_by_policy"] == {"rave": 1, "grave": 0, "hrave": 0}
            assert node["path_visits"][0] == 2000
        await send(session, tab, "tree_node", slot="left", path=["nowhere"])
        assert tab.last("error")["text"] == "this node is not in the tree."

    with_sessions(work)


@pytest.mark.parametrize(("most_agreement", "warns"), [(2.0, True), (-2.0, False)])
def test_a_search_tells_whether_amaf_misleads(monkeypatch, most_agreement, warns):
    for name, value in {
        "NODE_VISITS": 20,
        "MIN_PAIRS": 1,
        "MIN_RANKS": 1,
        "MISLEADING_AGREEMENT": most_agreement,
        "MISLEADING_RANK": 2.0,
    }.items():
        monkeypatch.setattr(amaf_order, name, value)

    async def work(sessions):
        session, tab = await join(sessions, game=GAME, playouts=100)
        agent = "grave(ref=5,solver=off)"
        await send(session, tab, "analyse", slot="analysis", agent=agent, playouts=3000)
        await until(lambda: (tab.last("search") or {}).get("status") == "done")
        assert tab.last("search")["amaf_misleads"] is warns

    with_sessions(work)


def test_a_new_game_forgets_the_searches_of_the_one_before():
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, playouts=100)
        await send(session, tab, "analyse", slot="left", agent="uct", playouts=50)
        await until(lambda: (tab.last("search") or {}).get("status") == "done")
        await send(session, tab, "new_game", game="hex(size=3)")
        other = RecordingTab()
        await session.join(other)
        assert other.last("state")["game"]["name"] == "hex"
        assert other.last("search") is None

    with_sessions(work)


def test_a_search_that_cannot_start_reports_an_error_and_pauses():
    async def work(sessions):
        _, tab = await join(sessions, game=GAME, seats=["uct+mogo", "uct"])
        await until(lambda: tab.last("error") is not None)
        assert "unknown playout of nogo" in tab.last("error")["text"]
        await until(lambda: tab.last("state")["paused"])

    with_sessions(work)


def test_sessions_are_bounded_and_those_without_a_tab_are_removed():
    async def work(sessions):
        first, tab = await join(sessions)
        await join(sessions)
        with pytest.raises(UsageError, match="2 games"):
            sessions.open(None)
        first.leave(tab)
        third = sessions.open(None)
        assert third is not first
        assert not third.tabs
        assert sessions.open(first.id) is not first

    with_sessions(work, sessions=2)


def test_a_disconnect_is_noticed_although_the_send_queue_is_full():
    class ClosingSocket:
        """A connection with one more message, and then a disconnect."""

        messages = iter(
            [{"type": "websocket.receive", "text": "{}"}, {"type": "websocket.disconnect"}]
        )

        async def receive(self):
            return next(self.messages)

    async def work(sessions):
        session, tab = sessions.open(None), BrowserTab()
        sender = asyncio.get_running_loop().create_task(asyncio.sleep(0))
        await session.join(tab)
        for _ in range(SEND_QUEUE_SIZE - 2):
            tab.send_text("{}")
        await asyncio.wait_for(receive_all(ClosingSocket(), session, tab, sender), TIMEOUT)

    with_sessions(work)


def test_a_tab_that_does_not_read_is_disconnected():
    async def work():
        tab = BrowserTab()
        for _ in range(SEND_QUEUE_SIZE):
            tab.send_text("{}", droppable=True)
        assert tab.queue.qsize() < SEND_QUEUE_SIZE  # droppable messages are dropped
        for _ in range(SEND_QUEUE_SIZE + 1):
            tab.send_text("{}")
        assert tab.queue.get_nowait() is None  # closes the connection

    run_in_loop(work)


# Any message, valid or not, in any order: it is answered to its sender, and the session goes on.


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.text(max_size=60)
        | st.binary(max_size=60)
        | json_values.map(json.dumps)
        | st.builds(
            lambda kind, changes: json.dumps({"type": kind, **VALID_FIELDS[kind], **changes}),
            st.sampled_from(sorted(VALID_FIELDS)),
            st.dictionaries(
                st.sampled_from(sorted({n for fields in VALID_FIELDS.values() for n in fields})),
                json_values,
                max_size=2,
            ),
        ),
        max_size=12,
    )
)
def test_no_message_breaks_a_session(messages):
    async def work(sessions):
        session, tab = await join(sessions, game="nogo(size=3)", playouts=20)
        _, bystander = await join(sessions, game="nogo(size=3)", playouts=20)
        before = len(bystander.messages)
        for data in messages:
            await session.receive(tab, data)
        errors = [message["text"] for message in tab.messages if message["type"] == "error"]
        assert not [text for text in errors if "this is a bug" in text]
        assert all(len(text) < 2000 for text in errors)
        assert len(bystander.messages) == before
        await send(session, tab, "new_game", game="nogo(size=3)")
        assert tab.messages[-1]["type"] in ("state", "search")
        assert tab.last("state")["shown_ply"] == 0

    with_sessions(work, playouts=200, seconds=1.0, searches=2)


def test_valid_messages_with_random_characters_changed():
    rng = random.Random(7)
    texts = [json.dumps({"type": kind, **fields}) for kind, fields in VALID_FIELDS.items()]

    async def work(sessions):
        session, tab = await join(sessions, game="nogo(size=3)", playouts=20)
        for _ in range(400):
            characters = list(rng.choice(texts))
            for _ in range(rng.randrange(1, 4)):
                index = rng.randrange(len(characters))
                characters[index] = chr(rng.choice([*range(32, 127), 0, 0xD800]))
            await session.receive(tab, "".join(characters))
        bugs = [e for e in tab.messages if e["type"] == "error" and "bug" in e["text"]]
        assert not bugs

    with_sessions(work, playouts=200, seconds=1.0)


def test_a_session_without_a_game_reports_it():
    async def work(sessions):
        session, tab = await join(sessions)
        assert isinstance(session, GameSession)
        for kind in ("undo", "rotate_seats", "step", "save", "tree_node", "analyse", "play"):
            await send(session, tab, kind, **VALID_FIELDS[kind])
            assert tab.last("error")["text"].startswith("there is no")

    with_sessions(work)
