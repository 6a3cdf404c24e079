"""A session: a game, the browser tabs that show it, and its searches.

A session lives in the server's event loop. Blocking work runs elsewhere: commands in threads, one
at a time for each session; grounding of rules that the page sends in processes; searches in the
search pool. When the last tab of a session closes, its command and its searches are cancelled; the
game is kept, so that a reload resumes it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from os import environ
from typing import Any

from graven.core.contract import TERMINAL
from graven.core.errors import GravenError, UsageError
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.network.propositional import Network
from graven.interfaces.saved_games import saved_text
from graven.interfaces.web.agent_limits import limited_budget, parse_page_agent
from graven.interfaces.web.browser_tab import BrowserTab, OutgoingMessage
from graven.interfaces.web.live_game import LiveGame, MoveEvaluation
from graven.interfaces.web.live_game_formats import saved_game, sgf_text, state_message
from graven.interfaces.web.search_pool import DONE, FAILED, MOVE_SLOT, PageSearch, SearchPool
from graven.interfaces.web.search_view import search_message, tree_node_message
from graven.interfaces.web.session_searches import SessionSearches
from graven.interfaces.web.session_workers import SessionWorkers
from graven.interfaces.web.web_games import is_gdl_spec, printable_title
from graven.interfaces.web.web_limits import PageLimits
from graven.interfaces.web.web_messages import PageMessage, parse_message
from graven.search.budget import Budget

log = logging.getLogger("graven.web")
SECONDS_BETWEEN_AGENT_MOVES = 0.3  # so that users can follow games between agents


class GameSession:
    """One game, its tabs and its searches."""

    def __init__(self, pool: SearchPool, workers: SessionWorkers, client: str = "") -> None:
        self.id = secrets.token_urlsafe(16)
        self.tabs: set[BrowserTab] = set()
        self.last_used = time.monotonic()
        self.game: LiveGame | None = None
        self.searches = SessionSearches(self.id, pool, self)
        self._limits: PageLimits = pool.limits
        self._workers, self._client = workers, client
        self._lock = asyncio.Lock()  # one command at a time
        self._stop = threading.Event()  # cancels the command
        self._grounding: asyncio.Task[Network] | None = None  # of the command
        # Commands that change the game.
        self._actions: Mapping[str, Callable[[PageMessage], None]] = {
            "set_seats": lambda m: self._current_game.assign_seats(m["seats"], _budget(m)),
            "play": lambda m: self._current_game.play_person_move(m["player"], m["move"], m["ply"]),
            "undo": lambda m: self._current_game.undo(),
            "go_to_ply": lambda m: self._current_game.go_to_ply(m["ply"]),
            "rotate_seats": lambda m: self._current_game.rotate_seats(),
            "resign": lambda m: self._current_game.resign(),
            "set_paused": lambda m: self._current_game.set_paused(m["paused"]),
            "step": lambda m: self._current_game.step(),
        }
        # Commands that only the tab that sent them gets an answer to.
        self._queries: Mapping[str, Callable[[PageMessage], OutgoingMessage]] = {
            "check_agent": self._check_agent,
            "save": self._save,
            "tree_node": self._tree_node,
        }

    # Tabs.

    @property
    def has_tabs(self) -> bool:
        """Whether a tab is connected."""
        return bool(self.tabs)

    async def join(self, tab: BrowserTab) -> None:
        """Show the game to a new tab; an agent whose search was cancelled searches again."""
        self.tabs.add(tab)
        self.last_used = time.monotonic()
        tab.send({"type": "hello", "session": self.id, "has_game": self.game is not None})
        async with self._lock:
            if self.game is not None:
                tab.send(await self.in_thread(state_message, self.game))
                for search in self.searches.all():
                    tab.send(await self.in_thread(search_message, search))
                self._go_on()

    def leave(self, tab: BrowserTab) -> None:
        """Remove a tab; without tabs, the command and all searches are cancelled."""
        self.tabs.discard(tab)
        self.last_used = time.monotonic()
        if not self.tabs:
            self._cancel_command()
            self.searches.cancel_all()

    def close(self) -> None:
        """Cancel all searches and the tasks that wait for them."""
        self._cancel_command()
        self.searches.close()

    def _cancel_command(self) -> None:
        self._stop.set()
        if self._grounding is not None:
            self._grounding.cancel()

    async def receive(self, tab: BrowserTab, data: str | bytes) -> None:
        """Act on a message of a tab; errors are sent to that tab only."""
        request = ""
        try:
            message = parse_message(data)
            request = message.type
            async with self._lock:
                if tab not in self.tabs:
                    return
                self._stop = threading.Event()
                await self._act(tab, message)
        except GravenError as error:
            tab.send_error(" ".join(str(error).split()), request)
        except MemoryError:
            tab.send_error("there is not enough memory for that.", request)
        except Exception as error:
            if environ.get("GRAVEN_DEBUG"):
                log.exception("a message of the page failed")
            text = f"this is a bug: {type(error).__name__}: {error}. Please report it."
            tab.send_error(text, request)

    def broadcast(self, message: OutgoingMessage, droppable: bool = False) -> None:
        """Send a message to all tabs."""
        text = json.dumps(message)
        for tab in self.tabs:
            tab.send_text(text, droppable)

    async def in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run blocking work in a thread."""
        slow = self.game is not None and self.game.runs_python
        return await self._workers.run(slow, self._stop, work, *arguments)

    # Commands.

    async def _act(self, tab: BrowserTab, message: PageMessage) -> None:
        if message.type in self._queries:
            tab.send(await self.in_thread(self._queries[message.type], message))
        elif message.type == "analyse":
            await self._analyse(message)
        elif message.type == "finish_search":
            self.searches.finish_now(message["slot"])
        else:
            if message.type == "new_game":
                await self._make_game(message)
                self.searches.forget()
            else:
                await self.in_thread(self._actions[message.type], message)
            self.searches.cancel_outdated(self.game)
            await self._broadcast_state()
            self._go_on()

    @property
    def _current_game(self) -> LiveGame:
        if self.game is None:
            raise UsageError("there is no game yet: choose one first.")
        return self.game

    async def _make_game(self, message: PageMessage) -> None:
        """Make a new game; rules as text are grounded in a process first."""
        network = None if message["rules"] is None else await self._network(message)
        is_gdl = message["rules"] is not None or is_gdl_spec(message["game"])
        await self._workers.run(is_gdl, self._stop, self._new_game, message, network)

    async def _network(self, message: PageMessage) -> Network | None:
        """Return the network of rules; None if they are too large, so that they are proved."""
        title = printable_title(message["game"])
        build = self._workers.grounding.build(message["rules"], title, self._client)
        self._grounding = asyncio.get_running_loop().create_task(build)
        try:
            return await asyncio.shield(self._grounding)
        except TooLargeError:
            return None
        except asyncio.CancelledError:
            if not self._grounding.cancel():  # it was cancelled, and not this task
                raise UsageError("cancelled: the page was closed.") from None
            raise
        finally:
            self._grounding = None

    def _new_game(self, message: PageMessage, network: Network | None) -> None:
        game = LiveGame.create(
            message["game"],
            self._limits,
            rules=message["rules"],
            network=network,
            seed=message["seed"],
        )
        game.assign_seats(message["seats"], _budget(message))
        game.replay(message["moves"])
        game.paused = message["paused"]
        self.game = game

    def _check_agent(self, message: PageMessage) -> OutgoingMessage:
        answer = {"type": "checked_agent", "agent": message["agent"]}
        try:
            spec = parse_page_agent(message["agent"], self._limits)
        except UsageError as error:
            return answer | {"error": str(error)}
        return answer | {"spec": spec.text}

    def _save(self, message: PageMessage) -> OutgoingMessage:
        game = self._current_game
        text = sgf_text(game) if message["format"] == "sgf" else saved_text(saved_game(game))
        name = f"{game.game.name}.{message['format']}"
        return {"type": "file", "name": name, "text": text}

    def _tree_node(self, message: PageMessage) -> OutgoingMessage:
        search = self.searches.get(message["slot"])
        if search is None:
            raise UsageError("there is no tree to show yet.")
        return tree_node_message(search, message["path"], message["ref"], message["max_moves"])

    async def _analyse(self, message: PageMessage) -> None:
        """Search the position that is shown, without playing the move."""
        game = self._current_game
        spec = await self.in_thread(parse_page_agent, message["agent"], self._limits)
        requested = _budget(message)
        if requested.is_limited:
            budget = limited_budget(requested, self._limits)
        else:
            budget = game.budget_of(spec)
        position = game.position
        if position.current_player == TERMINAL:
            raise UsageError("the game is over: there is nothing to search.")
        player = position.players_to_move[0]
        self.searches.start(message["slot"], player, spec, budget, game=game)

    # Moves of agents.

    def _go_on(self) -> None:
        """Search for the agent to move, or let the agent that moved last ponder."""
        self._search_for_agent_to_move()
        if self._may_ponder() and self.game is not None:
            last = self.searches.get(MOVE_SLOT)
            if last is not None and self._belongs_to_game(last):
                self.searches.ponder(last.player, last.spec, game=self.game)

    def _may_ponder(self) -> bool:
        """Return whether a person is to move whose opponent has a time limit.

        An agent with a limit of playouts does not ponder: it is as strong as its playouts, and its
        moves can be repeated.
        """
        game = self.game
        return (
            game is not None
            and self._limits.ponder
            and self.has_tabs
            and game.shows_last_ply
            and not (game.is_over or game.paused or game.game.in_python)
            and len(game.position.players_to_move) == 1
            and bool(game.persons_to_move())
        )

    def _belongs_to_game(self, search: PageSearch) -> bool:
        """Return whether an agent of the game, with a time limit, has made this search."""
        game = self.game
        return (
            game is not None
            and search.status == DONE
            and any(search.position is position for position in game.positions)
            and game.seats[search.player] == search.spec
            and game.budget_of(search.spec).playouts is None
        )

    def _search_for_agent_to_move(self) -> None:
        """Start the search of the agent to move, unless it runs already or no tab is open."""
        game = self.game
        if game is None or not self.tabs:
            return
        player = game.agent_to_move()
        if player is None:
            return
        spec = game.seats[player]
        search = self.searches.get(MOVE_SLOT)
        if spec is None or (
            search is not None
            and search.active
            and not search.stopping
            and search.position is game.position
            and (search.player, search.spec) == (player, spec)
        ):
            return
        self.searches.start(MOVE_SLOT, player, spec, game.budget_of(spec), game=game)

    async def search_finished(self, search: PageSearch) -> None:
        """Publish the result of a search, and play its move if it searched for one."""
        async with self._lock:
            if not self.searches.is_current(search):
                return
            self.broadcast(await self.in_thread(search_message, search))
            if search.status == FAILED:
                self.broadcast({"type": "error", "text": search.error, "request": "search"})
            if search.slot == MOVE_SLOT:
                await self._play_result(search)

    async def _play_result(self, search: PageSearch) -> None:
        """Play the best move of a search, if the game still waits for it."""
        game, result, player = self.game, search.result, search.player
        if game is None or search.position is not game.position:
            return
        if search.status == FAILED:
            game.paused = True
        elif search.status == DONE and result and game.agent_to_move() == player:
            if not game.person_seats:
                await asyncio.sleep(SECONDS_BETWEEN_AGENT_MOVES)
            value = result.value_of(player)
            evaluation = (
                MoveEvaluation(player, value, result.playouts) if value is not None else None
            )
            await self.in_thread(game.play_agent_move, player, result.move_of(player), evaluation)
        await self._broadcast_state()
        self._go_on()

    async def _broadcast_state(self) -> None:
        if self.game is not None:
            self.broadcast(await self.in_thread(state_message, self.game))


def _budget(message: PageMessage) -> Budget:
    return Budget(message["playouts"], message["seconds"])
