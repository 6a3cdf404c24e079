"""Agents with a time limit search on while a person thinks, in a tree of their own."""

from __future__ import annotations

import asyncio

import pytest

from graven.interfaces.web.search_view import tree_node_message
from tests.interfaces.web.helpers import join, send, until, wait_for_plies, with_sessions

GAME = "nogo(size=5)"
FIRST_MOVE = {"move": "A1", "player": 0, "ply": 0}
SECONDS = 0.1


async def reply(session, tab, plies):
    """Wait for the agent's move, and for the end of what follows it."""
    await until(lambda: tab.last("state")["shown_ply"] == plies)
    async with session._lock:
        pass


def root_visits(search):
    return tree_node_message(search, [], None, 5)["path_visits"][0]


def pondering(session):
    search = session.searches._pondering
    return search if search is not None and search.active else None


def test_the_next_search_continues_what_pondering_has_found():
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, seconds=SECONDS)
        await send(session, tab, "play", **FIRST_MOVE)
        await reply(session, tab, 2)
        assert tab.last("pondering")["player"] == 1
        search, pondered = session.searches.get("move"), pondering(session)
        visits = root_visits(search)
        await until(lambda: pondered.retained.root_visits > visits)
        assert root_visits(search) == visits, "the page shows the tree of the finished search"
        move = tab.last("state")["legal_moves"]["0"][0][0]
        await send(session, tab, "play", move=move, player=0, ply=2)
        await reply(session, tab, 4)
        assert not pondered.active
        assert session.searches.get("move").retained is pondered.retained
        assert pondering(session).retained is search.retained

    with_sessions(work)


def test_a_short_pondering_is_not_used_in_place_of_the_last_search():
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, seconds=SECONDS)
        await send(session, tab, "play", **FIRST_MOVE)
        await reply(session, tab, 2)
        search, pondered = session.searches.get("move"), pondering(session)
        session.searches.end_pondering()
        await until(lambda: not pondered.active)
        pondered.retained.player = pondered.retained.search = None  # as if it had not begun
        move = tab.last("state")["legal_moves"]["0"][0][0]
        await send(session, tab, "play", move=move, player=0, ply=2)
        await reply(session, tab, 4)
        assert session.searches.get("move").retained is search.retained

    with_sessions(work)


@pytest.mark.parametrize(
    ("fields", "limits"),
    [({"playouts": 100}, {}), ({"seconds": SECONDS}, {"ponder": False})],
    ids=["limit of playouts", "--no-ponder"],
)
def test_agents_do_not_ponder(fields, limits):
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, **fields)
        await send(session, tab, "play", **FIRST_MOVE)
        await reply(session, tab, 2)
        assert tab.last("pondering") is None

    with_sessions(work, **limits)


def test_pondering_gives_way_to_the_searches_of_others():
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, seconds=SECONDS)
        await send(session, tab, "play", **FIRST_MOVE)
        await reply(session, tab, 2)
        pondered = pondering(session)
        assert pondered
        other, other_tab = await join(sessions, game=GAME, seats=["uct"], seconds=60.0)
        await until(lambda: not pondered.active)
        await until(lambda: (found := other_tab.last("search")) and found["playouts"])
        # No place is left for this one's pondering.
        await send(session, tab, "undo")
        await send(session, tab, "set_seats", seats=["person", "uct"], seconds=SECONDS)
        assert pondering(session) is None
        other.leave(other_tab)

    with_sessions(work, searches=1)


@pytest.mark.parametrize(
    "command",
    [
        ("set_paused", {"paused": True}),
        ("set_seats", {"seats": ["person"], "seconds": SECONDS}),
        ("undo", {}),
        None,  # the tab is closed
    ],
)
def test_pondering_ends_with_its_reason(command):
    async def work(sessions):
        session, tab = await join(sessions, game=GAME, seconds=SECONDS)
        await send(session, tab, "play", **FIRST_MOVE)
        await reply(session, tab, 2)
        pondered = pondering(session)
        if command is None:
            session.leave(tab)
        else:
            kind, fields = command
            await send(session, tab, kind, **fields)
        await until(lambda: not pondered.active)
        await asyncio.sleep(0)
        assert pondering(session) is None

    with_sessions(work)


def test_the_page_says_that_the_agent_thinks_too(visit):
    visitor = visit(f"#game={GAME}")
    visitor.evaluate(f"graven.startGame({{ game: '{GAME}', seconds: {SECONDS} }}, 'NoGo')")
    visitor.until("graven.state.seconds && graven.state.plies.length === 0")
    status = visitor.page.locator("#status")
    visitor.cell("A1").click()
    wait_for_plies(visitor, 2)
    visitor.until("document.querySelector('#status').innerText.includes('White thinks, too.')")
    assert "your turn" in status.inner_text()
    visitor.page.locator("#tab-tree").click()
    root = visitor.page.locator("#panel-tree .node").first
    root.wait_for()
    visits = root.inner_text()
    visitor.page.wait_for_timeout(1500)
    visitor.page.locator("#panel-tree").get_by_text("Refresh").click()
    visitor.page.wait_for_timeout(500)
    assert visitor.page.locator("#panel-tree .node").first.inner_text() == visits
    visitor.screenshot("pondering")
    move = visitor.evaluate("graven.state.legal_moves[0][0][0]")
    visitor.cell(move).click()
    wait_for_plies(visitor, 4)
