"""Valid messages, JSON values, and tabs that record what is sent to them."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

from hypothesis import strategies as st

from graven.agents import parse
from graven.interfaces.web.browser_tab import BrowserTab
from graven.interfaces.web.search_pool import PageSearch, RetainedSearch, SearchRequest
from graven.interfaces.web.session_registry import SessionRegistry
from graven.interfaces.web.web_limits import PageLimits
from graven.search.budget import Budget

TIMEOUT = 120.0  # seconds: reached only by a test that fails

# The fields of one valid message of every type.
VALID_FIELDS = {
    "new_game": {
        "game": "nogo(size=5)",
        "seats": ["person", "grave"],
        "playouts": 100,
        "moves": ["A1"],
    },
    "set_seats": {"seats": ["uct", "rave"], "seconds": 0.5},
    "play": {"move": "a2a3", "player": 0, "ply": 0},
    "undo": {},
    "go_to_ply": {"ply": 3},
    "rotate_seats": {},
    "resign": {},
    "set_paused": {"paused": True},
    "step": {},
    "analyse": {"slot": "analysis", "agent": "grave"},
    "finish_search": {"slot": "move"},
    "tree_node": {"slot": "right", "path": ["a2a3"], "ref": 50, "max_moves": 10},
    "check_agent": {"agent": "grave(ref=50)"},
    "save": {"format": "json"},
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)


class RecordingTab(BrowserTab):
    """A tab that records every message sent to it."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def send_text(self, text, droppable=False):
        self.messages.append(json.loads(text))

    def last(self, kind):
        return next((each for each in reversed(self.messages) if each["type"] == kind), None)


async def until(condition):
    """Wait until a condition holds."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        await asyncio.sleep(0.01)


def run_in_loop(work):
    """Run a coroutine function in a new thread: this one may have an event loop for the browser."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()


def with_sessions(work, **limits):
    """Run `work(sessions)` in a new event loop, with a registry that is closed afterwards."""

    async def run():
        sessions = SessionRegistry(PageLimits(**limits))
        try:
            return await work(sessions)
        finally:
            sessions.close()

    return run_in_loop(run)


async def join(sessions, **fields):
    """Open a session with a recording tab; fields, if any, are those of a new game."""
    session, tab = sessions.open(None), RecordingTab()
    await session.join(tab)
    if fields:
        await send(session, tab, "new_game", **fields)
        assert tab.last("error") is None
    return session, tab


async def send(session, tab, kind, **fields):
    """Let a session receive a message from a tab."""
    await session.receive(tab, json.dumps({"type": kind, **fields}))


def page_search(position, retained=None, *, player=0, playouts=None, memory_mib=16):
    """A search of UCT for the slot "analysis" that has not been started."""
    request = SearchRequest(
        slot="analysis",
        player=player,
        spec=parse("uct"),
        position=position,
        budget=Budget(playouts, TIMEOUT),
        seed=1,
        memory_mib=memory_mib,
    )
    return PageSearch(request, retained or RetainedSearch())


def wait_for_plies(visitor, plies):
    """Wait until the page in a browser shows so many plies."""
    visitor.until(f"graven.state.plies.length >= {plies}")
