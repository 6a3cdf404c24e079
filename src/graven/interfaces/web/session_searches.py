"""The searches of one session: starting, cancelling, and publishing their progress.

Everything here runs in the server's event loop, except the searches themselves, which run in the
thread pool of `search_pool`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

from graven.interfaces.web.browser_tab import OutgoingMessage
from graven.interfaces.web.live_game import LiveGame
from graven.interfaces.web.search_pool import (
    MOVE_SLOT,
    PONDER_SLOT,
    PageSearch,
    RetainedSearch,
    SearchPool,
    SearchRequest,
)
from graven.interfaces.web.search_view import search_message
from graven.interfaces.web.web_limits import UPDATES_PER_SECOND
from graven.search.budget import Budget
from graven.search.specs import Spec


class SearchListener(Protocol):
    """The session that owns the searches."""

    @property
    def has_tabs(self) -> bool:
        """Whether a tab is connected."""

    def broadcast(self, message: OutgoingMessage, droppable: bool = False) -> None:
        """Send a message to all tabs."""

    async def search_finished(self, search: PageSearch) -> None:
        """Handle the end of a search."""

    async def in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run blocking work in a thread."""


class SessionSearches:
    """The searches of one session, at most one for each slot of the page."""

    def __init__(self, owner: str, pool: SearchPool, listener: SearchListener) -> None:
        self._owner, self._pool, self._listener = owner, pool, listener
        self._by_slot: dict[str, PageSearch] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._publishing = self._closed = False
        # Each agent has two trees: one of its last search, which the page shows, and one in which
        # it ponders. The next search continues the one that knows more about the position.
        self._pondering: PageSearch | None = None
        self._tree_in_use: dict[tuple[int, str, int], int] = {}  # by player, spec and game: 0 or 1

    def get(self, slot: str) -> PageSearch | None:
        """Return the last search of a slot."""
        return self._by_slot.get(slot)

    def all(self) -> list[PageSearch]:
        """Return the last search of every slot."""
        return list(self._by_slot.values())

    def is_current(self, search: PageSearch) -> bool:
        """Return whether a search has not been replaced by a later one in its slot."""
        return self._by_slot.get(search.slot) is search

    def start(self, slot: str, player: int, spec: Spec, budget: Budget, *, game: LiveGame) -> None:
        """Search the position that is shown; the slot's previous search is cancelled."""
        if slot in self._by_slot:
            self._by_slot[slot].cancel()
        if slot == MOVE_SLOT:
            self._choose_tree(player, spec, game)
            retained = self._tree(player, spec, game)
        else:
            retained = self._pool.retain(self._owner, slot, spec.text, game.id)
        search = self._new_search(slot, player, spec, budget, game=game, retained=retained)
        self._by_slot[slot] = search
        self._pool.start(search, self._in_loop(self._listener.search_finished))
        if not self._publishing:
            self._publishing = True
            self._spawn(self._publish_updates)

    def ponder(self, player: int, spec: Spec, *, game: LiveGame) -> None:
        """Let an agent search the position that is shown, on the time of the person to move."""
        if self._pondering is not None and self._pondering.position is game.position:
            return  # it searches already, or has done so
        limits = self._pool.limits
        budget = Budget(limits.playouts, limits.seconds)
        retained = self._tree(player, spec, game, other=True)
        search = self._new_search(PONDER_SLOT, player, spec, budget, game=game, retained=retained)
        if self._pool.ponder(search, self._in_loop(self._publish_pondering)):
            self._pondering = search
            self._listener.broadcast({"type": "pondering", "player": player})

    def end_pondering(self) -> None:
        """End pondering; what it has found is kept for the next search."""
        if self._pondering is not None:
            self._pondering.finish_now()

    async def _publish_pondering(self, search: PageSearch) -> None:
        if search is self._pondering:
            self._listener.broadcast({"type": "pondering", "player": None})

    def _new_search(
        self,
        slot: str,
        player: int,
        spec: Spec,
        budget: Budget,
        *,
        game: LiveGame,
        retained: RetainedSearch,
    ) -> PageSearch:
        request = SearchRequest(
            slot=slot,
            player=player,
            spec=spec,
            position=game.position,
            budget=budget,
            seed=game.seed_of(player),
            memory_mib=self._pool.limits.tree_mib,
        )
        return PageSearch(request, retained)

    def _tree(
        self, player: int, spec: Spec, game: LiveGame, *, other: bool = False
    ) -> RetainedSearch:
        """Return the tree of an agent's last search, or the other one, in which it ponders."""
        number = self._tree_in_use.get((player, spec.text, game.id), 0) ^ other
        return self._pool.retain(self._owner, player, spec.text, game.id, number)

    def _choose_tree(self, player: int, spec: Spec, game: LiveGame) -> None:
        """Use the tree of pondering if it has more playouts after the agent's last move."""
        pondered, last = self._pondering, self._by_slot.get(MOVE_SLOT)
        self._pondering = None
        if pondered is None or last is None or last.result is None:
            return
        if (pondered.player, pondered.spec, pondered.position.game) != (player, spec, game.game):
            return
        move = last.result.move_of(player)
        known = sum(stat.visits for stat in last.result.by_player[player] if stat.move == move)
        if pondered.retained.root_visits > known:
            key = player, spec.text, game.id
            self._tree_in_use[key] = 1 - self._tree_in_use.get(key, 0)

    def _in_loop(
        self, handle: Callable[[PageSearch], Coroutine[Any, Any, None]]
    ) -> Callable[[PageSearch], None]:
        """Return a function that lets the event loop handle the end of a search."""
        loop = asyncio.get_running_loop()

        def on_finished(search: PageSearch) -> None:
            # The event loop may be closed by the time a search ends.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: self._spawn(lambda: handle(search)))

        return on_finished

    def finish_now(self, slot: str | None) -> None:
        """End the search of a slot, or all searches, and keep the results."""
        for name, search in self._by_slot.items():
            if slot in (None, name):
                search.finish_now()

    def cancel_outdated(self, game: LiveGame | None) -> None:
        """Cancel searches of positions that are not shown any more."""
        pondering = self._pondering
        if pondering and (
            game is None
            or game.paused
            or pondering.position is not game.position
            or game.seats[pondering.player] != pondering.spec
        ):
            self.end_pondering()
        for search in self._by_slot.values():
            if game is None or search.position is not game.position:
                search.cancel()
        move_search = self._by_slot.get(MOVE_SLOT)
        if move_search and game and game.agent_to_move() != move_search.player:
            move_search.cancel()

    def cancel_all(self) -> None:
        """Cancel all searches."""
        self.end_pondering()
        for search in self._by_slot.values():
            search.cancel()

    def forget(self) -> None:
        """Cancel all searches, forget their results, and free the memory of their trees."""
        self.cancel_all()
        self._by_slot.clear()
        self._pondering = None
        self._tree_in_use.clear()
        self._pool.release(self._owner)

    def close(self) -> None:
        """Cancel all searches and the tasks that wait for them."""
        self._closed = True
        self.cancel_all()
        for task in self._tasks:
            task.cancel()

    async def _publish_updates(self) -> None:
        """Send the progress of running searches until all have ended."""
        try:
            while self._listener.has_tabs and any(search.active for search in self.all()):
                await asyncio.sleep(1 / UPDATES_PER_SECOND)
                for search in self.all():
                    if not search.active:
                        continue
                    # In a thread: the first call compiles, and many moves take long to format.
                    message = await self._listener.in_thread(search_message, search)
                    if search.active and self.is_current(search):
                        self._listener.broadcast(message, droppable=True)
        finally:
            self._publishing = False

    def _spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if self._closed:
            return
        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
