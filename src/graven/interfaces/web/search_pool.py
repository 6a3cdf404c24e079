"""A thread pool for the searches of the page, and the trees kept after their searches."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from graven.agents import MoveClock, SearchAgent, SearchPlayer, SearchResult
from graven.core.cancellation import SearchCancelled, cancelled_by
from graven.core.errors import GravenError
from graven.core.position import Position
from graven.interfaces.web.board_cells import cell_names
from graven.interfaces.web.web_limits import PageLimits
from graven.search.budget import Budget
from graven.search.runner import MIB, Search
from graven.search.specs import Spec

WAITING, COMPILING, SEARCHING = "waiting", "compiling", "searching"
DONE, STOPPED, FAILED = "done", "stopped", "failed"
MOVE_SLOT = "move"  # the search for the agent to move
PONDER_SLOT = "ponder"  # the search of an agent while a person is to move
COMPILE_PLAYOUTS = 2  # of the search that compiles: rules in Python may be slow


class RetainedSearch:
    """A search kept for its tree. `lock` is held by the thread that runs it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.player: SearchPlayer | None = None
        self.search: Search | None = None  # the player's, for views
        self._released = False

    @property
    def nbytes(self) -> int:
        """The memory of the tree."""
        search = self.search
        return 0 if search is None else search.nbytes

    @property
    def root_visits(self) -> int:
        """The playouts of the tree's root."""
        search = self.search
        return 0 if search is None else search.root_visits

    def release(self) -> None:
        """Free the tree now, or when the search that uses it ends.

        Sessions keep references to their last searches, so dropping ours frees nothing.
        """
        self._released = True
        self.free_if_released()

    def free_if_released(self) -> None:
        """Free the tree if it was released and no thread searches it."""
        if self._released and self.lock.acquire(blocking=False):
            self.player = self.search = None
            self.lock.release()


@dataclass(frozen=True)
class SearchRequest:
    """What to search, and for which slot of the page.

    The slot "move" is the search for the agent to move, "analysis" that of the position on the Play
    board; "left" and "right" are compared side by side. The page does not show the slot "ponder".
    """

    slot: str
    player: int
    spec: Spec
    position: Position
    budget: Budget
    seed: int
    memory_mib: int


class PageSearch:
    """One search requested by a session: its status while it runs, and its result."""

    def __init__(self, request: SearchRequest, retained: RetainedSearch) -> None:
        self.request, self.retained = request, retained
        self.slot, self.player, self.spec = request.slot, request.player, request.spec
        self.position, self.budget = request.position, request.budget
        self.status = WAITING
        self.result: SearchResult | None = None
        self.error = ""
        self.started_at = 0.0
        position = request.position
        self.cells = cell_names(position.svg()) if position.game.svg else frozenset()
        self._stop, self._cancelled = threading.Event(), threading.Event()
        self._result_wanted = False

    def cancel(self) -> None:
        """End the search, or prevent it from starting, and discard its result."""
        self._result_wanted = False
        self._cancelled.set()
        self._stop.set()

    def finish_now(self) -> None:
        """End the search early and keep its result."""
        if not self.stopping:
            self._result_wanted = True
            self._stop.set()

    @property
    def stopping(self) -> bool:
        """Whether the search was cancelled or asked to finish."""
        return self._stop.is_set()

    @property
    def active(self) -> bool:
        """Whether the search is waiting, compiling or running."""
        return self.status in (WAITING, COMPILING, SEARCHING)

    @property
    def seconds(self) -> float:
        """How long the search has been running, or compiling."""
        if self.result is not None:
            return self.result.seconds
        return time.perf_counter() - self.started_at if self.started_at else 0.0

    def run(self) -> None:
        """Search; called in a thread of the pool."""
        status = FAILED
        retained = self.retained
        try:
            with retained.lock:
                if self._result_discarded():
                    status = STOPPED
                    return
                self.started_at = time.perf_counter()
                self.status = COMPILING
                player = self._retained_player()
                with cancelled_by(self._cancelled):
                    if not self.position.game.in_python:  # there a playout may take hours
                        player.warm_up(COMPILE_PLAYOUTS)
                    self.started_at = time.perf_counter()
                    self.status = SEARCHING
                    clock = MoveClock(self.budget, self._stop)
                    if self.slot == PONDER_SLOT:
                        self.result = player.ponder(self.position, clock)
                    else:
                        self.result = player.choose(self.position, clock)
            status = STOPPED if self._result_discarded() else DONE
        except SearchCancelled:  # rules in Python are cancelled within a playout
            status = STOPPED
        except GravenError as error:
            self.error = str(error)
        except MemoryError:
            self.error = "the search ran out of memory."
        except Exception as error:  # an error ends only this search, not its thread
            self.error = f"this is a bug: {type(error).__name__}: {error}."
        finally:
            retained.free_if_released()
            self.status = status

    def _retained_player(self) -> SearchPlayer:
        """Return the retained player, or make one; its lock must be held."""
        retained = self.retained
        if retained.player is None:
            memory = min(self.request.memory_mib, self.spec.options.memory_mib)
            # Agents keep their tree between the moves of a game; an analysis begins a new one.
            reuse = self.spec.options.reuse_tree or self.slot in (MOVE_SLOT, PONDER_SLOT)
            agent = SearchAgent(self.spec).with_options(memory_mib=memory, reuse_tree=reuse)
            retained.player = agent.player(self.position.game)
            retained.search = retained.player.search
        retained.player.seed = self.request.seed
        return retained.player

    def _result_discarded(self) -> bool:
        return self._stop.is_set() and not self._result_wanted


class SearchPool:
    """A thread pool for searches, and an LRU cache of their trees.

    Running searches and kept trees share the memory of the page: each search that runs may use
    `limits.tree_mib`, the trees that are kept have what is left. Pondering gives way: it begins
    only if fewer searches run than allowed, and ends when another search needs its place.
    """

    def __init__(self, limits: PageLimits) -> None:
        self.limits = limits
        self._threads = ThreadPoolExecutor(limits.searches, "graven-search")
        self._retained: OrderedDict[tuple[Any, ...], RetainedSearch] = OrderedDict()
        self._lock = threading.Lock()  # guards the cache and the number of searches
        self._running = 0  # searches that have begun
        self._submitted = 0  # searches that have begun or wait for a thread, without pondering
        self._pondering: list[PageSearch] = []

    def retain(self, owner: str, *key: Any) -> RetainedSearch:
        """Return the search of an owner and a key, or a new one.

        The least recently used searches beyond the limit are released.
        """
        with self._lock:
            full_key = (owner, *key)
            retained = self._retained.pop(full_key, None) or RetainedSearch()
            self._retained[full_key] = retained
            while len(self._retained) > self.limits.trees:
                self._retained.popitem(last=False)[1].release()
            return retained

    def release(self, owner: str) -> None:
        """Release all searches of an owner."""
        with self._lock:
            for key in [key for key in self._retained if key[0] == owner]:
                self._retained.pop(key).release()

    def start(self, search: PageSearch, on_finished: Callable[[PageSearch], None]) -> None:
        """Run a search as soon as a thread is free, then call `on_finished` in that thread."""

        def work() -> None:
            try:
                self._run(search)
            finally:
                with self._lock:
                    self._submitted -= 1
            on_finished(search)

        with self._lock:
            self._submitted += 1
            while self._pondering and self._has_no_place(0):
                self._pondering.pop(0).finish_now()
        self._threads.submit(work)

    def ponder(self, search: PageSearch, on_finished: Callable[[PageSearch], None]) -> bool:
        """Run a search in a thread of its own until another one needs its place.

        Return False if as many searches run as allowed. Then nothing is done.
        """

        def work() -> None:
            try:
                self._run(search)
            finally:
                with self._lock:
                    if search in self._pondering:
                        self._pondering.remove(search)
            on_finished(search)

        with self._lock:
            if self._has_no_place(1):
                return False
            self._pondering.append(search)
        threading.Thread(target=work, name="graven-ponder", daemon=True).start()
        return True

    def _has_no_place(self, more: int) -> bool:
        """Return whether so many more searches are too many; the lock must be held."""
        return self._submitted + len(self._pondering) + more > self.limits.searches

    def _run(self, search: PageSearch) -> None:
        self._make_room(search.retained)
        try:
            search.run()
        finally:
            with self._lock:
                self._running -= 1

    def _make_room(self, used: RetainedSearch) -> None:
        """Count a search that begins, and free the oldest trees that its memory is taken from."""
        with self._lock:
            self._running += 1
            left = (self.limits.memory_mib - self._running * self.limits.tree_mib) * MIB
            idle = {
                key: each
                for key, each in self._retained.items()
                if each is not used and not each.lock.locked()
            }
            kept = sum(each.nbytes for each in idle.values())
            for key, each in idle.items():
                if kept <= left:
                    return
                kept -= each.nbytes
                self._retained.pop(key).release()

    def close(self) -> None:
        """Start no more searches."""
        self._threads.shutdown(wait=False, cancel_futures=True)
