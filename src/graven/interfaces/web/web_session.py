"""Sessions: a game that a browser tab plays, and comes back to after a reload.

A session lives in the server's event loop. What takes time is done elsewhere: commands in threads,
one after another for each session; searches in the pool of `thinking`. When the last tab of a
session closes, its searches end; the game stays.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from os import environ
from typing import Any

from graven.agents import Agent
from graven.core.contract import TERMINAL
from graven.core.errors import GravenError, UsageError
from graven.interfaces.web import web_messages
from graven.interfaces.web.live_game import DEFAULT_AGENT, Note, Table, read_agent, within
from graven.interfaces.web.search_pool import DONE, FAILED, Pool, Thinker
from graven.interfaces.web.search_view import glimpse, node
from graven.interfaces.web.web_games import named_game
from graven.interfaces.web.web_limits import (
    IDLE_SECONDS,
    UPDATES_A_SECOND,
    WAITING_MESSAGES,
    Limits,
)
from graven.interfaces.web.web_messages import Message
from graven.lab.experiments.play_game import warm_up
from graven.search.budget import Budget
from graven.search.specs import Spec

COMMAND_THREADS = 16
BETWEEN_AGENTS = 0.3  # seconds: people want to see what agents play against each other
MOVE = "move"
SMALL_GAME = "breakthrough(size=5)"

Send = dict[str, Any]


class Tab:
    """A browser tab's end of the connection: what waits to be sent to it."""

    def __init__(self) -> None:
        self.waiting: asyncio.Queue[str | None] = asyncio.Queue(WAITING_MESSAGES)

    def send(self, text: str, may_miss: bool = False) -> None:
        """Send, unless the tab does not read: it misses glimpses, and is let go if it is worse."""
        if may_miss and self.waiting.qsize() > WAITING_MESSAGES // 4:
            return
        try:
            self.waiting.put_nowait(text)
        except asyncio.QueueFull:
            while not self.waiting.empty():
                self.waiting.get_nowait()
            self.waiting.put_nowait(None)

    def say(self, message: Send) -> None:
        """Send plain values."""
        self.send(json.dumps(message))


class Session:
    """One game, its tabs and its searches."""

    def __init__(self, pool: Pool, threads: ThreadPoolExecutor) -> None:
        self.id = secrets.token_urlsafe(16)
        self.tabs: set[Tab] = set()
        self.seen = time.monotonic()
        self.table: Table | None = None
        self._pool, self._threads = pool, threads
        self._limits: Limits = pool.limits
        self._thinkers: dict[str, Thinker] = {}
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticking = self._closed = False

    # Tabs come and go.

    async def join(self, tab: Tab) -> None:
        """Show the game to a tab; an agent that was interrupted goes on."""
        self.tabs.add(tab)
        self.seen = time.monotonic()
        tab.say({"type": "hello", "session": self.id, "game": self.table is not None})
        async with self._lock:
            if self.table is not None:
                tab.say(await self._in_thread(self.table.state))
                for thinker in list(self._thinkers.values()):
                    tab.say(await self._in_thread(glimpse, thinker))
                self._go_on()

    def leave(self, tab: Tab) -> None:
        """A tab has closed: nobody searches for nobody."""
        self.tabs.discard(tab)
        self.seen = time.monotonic()
        if not self.tabs:
            self.stop()

    def stop(self) -> None:
        """End all searches."""
        for thinker in self._thinkers.values():
            thinker.stop()

    def close(self) -> None:
        """End all searches, and whatever waits for them: the server goes."""
        self._closed = True
        self.stop()
        for task in self._tasks:
            task.cancel()

    async def hear(self, tab: Tab, data: str | bytes) -> None:
        """Do what a tab says; whatever is wrong with it is that tab's alone to know."""
        try:
            message = web_messages.read(data)
            async with self._lock:
                await self._do(tab, message)
        except GravenError as error:
            tab.say({"type": "error", "text": " ".join(str(error).split())})
        except MemoryError:
            tab.say({"type": "error", "text": "there is not enough memory for that."})
        except Exception as error:
            if environ.get("GRAVEN_DEBUG"):
                traceback.print_exc(file=sys.stderr)
            said = f"this is a bug: {type(error).__name__}: {error}. Please report it."
            tab.say({"type": "error", "text": said})

    # What can be said.

    async def _do(self, tab: Tab, message: Message) -> None:
        actions: dict[str, Callable[[Message], Any]] = {
            "new": self._new,
            "seats": lambda m: self._the_table.seat(m["seats"], _budget(m)),
            "move": lambda m: self._the_table.person_moves(m["player"], m["move"], m["ply"]),
            "undo": lambda m: self._the_table.undo(),
            "jump": lambda m: self._the_table.jump(m["ply"]),
            "swap": lambda m: self._the_table.swap(),
            "resign": lambda m: self._the_table.resign(),
            "pause": lambda m: self._the_table.pause(m["on"]),
            "step": lambda m: self._the_table.step(),
        }
        answers: dict[str, Callable[[Message], Send]] = {
            "agent": self._agent,
            "save": self._save,
            "tree": self._tree,
        }
        if message.type in answers:
            tab.say(await self._in_thread(answers[message.type], message))
        elif message.type == "watch":
            await self._watch(message)
        elif message.type == "stop":
            for lens, thinker in self._thinkers.items():
                if message["lens"] in (None, lens):
                    thinker.hurry()
        else:
            await self._in_thread(actions[message.type], message)
            self._stop_what_is_past()
            await self._show()
            self._go_on()

    @property
    def _the_table(self) -> Table:
        if self.table is None:
            raise UsageError("there is no game yet: choose one first.")
        return self.table

    def _new(self, message: Message) -> None:
        table = Table.begin(message["game"], message["rules"], self._limits, message["seed"])
        table.seat(message["seats"], _budget(message))
        table.play_all(message["moves"])
        table.paused = message["paused"]
        self.table = table
        self._pool.forget(self.id)

    def _agent(self, message: Message) -> Send:
        try:
            spec = read_agent(message["agent"], self._limits)
        except UsageError as error:
            return {"type": "agent", "agent": message["agent"], "wrong": str(error)}
        return {"type": "agent", "agent": message["agent"], "spec": spec.text}

    def _save(self, message: Message) -> Send:
        table = self._the_table
        if message["format"] == "sgf":
            text = table.as_sgf()
        else:
            text = json.dumps(table.as_json(), indent=1) + "\n"
        name = f"{table.game.name}.{message['format']}"
        return {"type": "file", "name": name, "text": text}

    def _tree(self, message: Message) -> Send:
        thinker = self._thinkers.get(message["lens"])
        if thinker is None:
            raise UsageError("there is no tree to look at yet.")
        return node(thinker, message["path"], message["ref"], message["most"])

    async def _watch(self, message: Message) -> None:
        """Search the position that is shown, for somebody to watch."""
        table = self._the_table
        spec = await self._in_thread(read_agent, message["agent"], self._limits)
        given = _budget(message)
        budget = within(given, self._limits) if given.is_limited else table.budget_of(spec)
        position = table.position
        if position.current_player == TERMINAL:
            raise UsageError("the game is over: there is nothing to search.")
        self._think(message["lens"], position.players_to_move[0], spec, budget, table)

    # Searches.

    def _think(self, lens: str, player: int, spec: Spec, budget: Budget, table: Table) -> None:
        if lens in self._thinkers:
            self._thinkers[lens].stop()
        seat = player if lens == MOVE else lens
        held = self._pool.hold(self.id, seat, spec.text, table.number)
        thinker = Thinker(
            lens,
            player,
            spec,
            table.position,
            budget,
            table.seed_of(player),
            held,
            self._limits.memory,
        )
        self._thinkers[lens] = thinker
        loop = asyncio.get_running_loop()

        def finished(done: Thinker) -> None:
            # The server may be gone by the time a search notices.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._spawn, self._finished, done)

        self._pool.start(thinker, finished)
        if not self._ticking:
            self._ticking = True
            self._spawn(self._tick)

    def _stop_what_is_past(self) -> None:
        """End searches of positions that are not shown any more."""
        for thinker in self._thinkers.values():
            if self.table is None or thinker.position is not self.table.position:
                thinker.stop()
        moving = self._thinkers.get(MOVE)
        if moving and self.table and self.table.thinks() != moving.player:
            moving.stop()

    def _go_on(self) -> None:
        """Let the agent whose turn it is search, if anybody is looking."""
        table = self.table
        if table is None or not self.tabs:
            return
        player = table.thinks()
        if player is None:
            return
        spec = table.seats[player]
        thinker = self._thinkers.get(MOVE)
        if spec is None or (
            thinker is not None
            and thinker.active
            and not thinker.stopping
            and thinker.position is table.position
            and (thinker.player, thinker.spec) == (player, spec)
        ):
            return
        self._think(MOVE, player, spec, table.budget_of(spec), table)

    async def _finished(self, thinker: Thinker) -> None:
        async with self._lock:
            if self._thinkers.get(thinker.lens) is not thinker:
                return
            self._tell(await self._in_thread(glimpse, thinker))
            if thinker.status == FAILED:
                self._tell({"type": "error", "text": thinker.error})
            if thinker.lens == MOVE:
                await self._move_of(thinker)

    async def _move_of(self, thinker: Thinker) -> None:
        """Play what an agent has found, if it is still wanted."""
        table, found = self.table, thinker.found
        if table is None or thinker.position is not table.position:
            return
        if thinker.status == FAILED:
            table.paused = True
        elif thinker.status == DONE and found and table.thinks() == thinker.player:
            if not table.people:
                await asyncio.sleep(BETWEEN_AGENTS)
            value = found.value_of(thinker.player)
            note = Note(thinker.player, value, found.playouts) if value is not None else None
            move = found.move_of(thinker.player)
            await self._in_thread(table.agent_moves, thinker.player, move, note)
        await self._show()
        self._go_on()

    async def _tick(self) -> None:
        """Show what searches believe, as long as there are any."""
        try:
            while self.tabs and any(each.active for each in self._thinkers.values()):
                await asyncio.sleep(1 / UPDATES_A_SECOND)
                for thinker in list(self._thinkers.values()):
                    if not thinker.active:
                        continue
                    # In a thread: the first look compiles, and many moves take a while to write.
                    said = await self._in_thread(glimpse, thinker)
                    if thinker.active and self._thinkers.get(thinker.lens) is thinker:
                        self._tell(said, may_miss=True)
        finally:
            self._ticking = False

    # Telling.

    async def _show(self) -> None:
        if self.table is not None:
            self._tell(await self._in_thread(self.table.state))

    def _tell(self, message: Send, may_miss: bool = False) -> None:
        text = json.dumps(message)
        for tab in self.tabs:
            tab.send(text, may_miss)

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _spawn(self, work: Callable[..., Any], *arguments: Any) -> None:
        if self._closed:  # nobody would wait for it
            return
        task = asyncio.get_running_loop().create_task(work(*arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Sessions:
    """All sessions; the longest unused ones without a tab make room for new ones."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pool = Pool(limits)
        self._threads = ThreadPoolExecutor(COMMAND_THREADS, "graven-command")
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def open(self, name: str | None) -> Session:
        """The session of that name, or a new one if there is none."""
        self._tidy()
        found = self._sessions.get(name or "")
        if found is None:
            if len(self._sessions) >= self.limits.sessions:
                raise UsageError(
                    f"{self.limits.sessions} games are being played here: close a tab first."
                )
            found = Session(self.pool, self._threads)
            self._sessions[found.id] = found
        self._sessions.move_to_end(found.id)
        return found

    def warm_up(self) -> None:
        """Compile the search, or load it, before anybody waits for it."""
        game = named_game(SMALL_GAME, None)
        warm_up(game, [Agent(DEFAULT_AGENT)])

    def _tidy(self) -> None:
        now = time.monotonic()
        for session in list(self._sessions.values()):
            full = len(self._sessions) >= self.limits.sessions
            if not session.tabs and (full or now - session.seen > IDLE_SECONDS):
                self.pool.forget(session.id)
                del self._sessions[session.id]

    def close(self) -> None:
        """End every search."""
        for session in self._sessions.values():
            session.close()
        self.pool.close()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _budget(message: Message) -> Budget:
    return Budget(message["playouts"], message["seconds"])
