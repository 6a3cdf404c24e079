"""Searches in threads, a bounded number at once, and the trees they leave to be looked at."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from graven.agents.agent import Agent, SearchResult, find_move
from graven.core.cancellation import SearchCancelled, cancelled_by
from graven.core.errors import GravenError
from graven.core.game import Position
from graven.interfaces.web.web_games import cell_names
from graven.interfaces.web.web_limits import Limits
from graven.search.budget import Budget
from graven.search.engine import Search
from graven.search.specs import Spec

WAITING, SEARCHING, DONE, STOPPED, FAILED = "waiting", "searching", "done", "stopped", "failed"


class Held:
    """A search that is kept, for its tree; one thread at a time may run it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.search: Search | None = None
        self._unwanted = False

    def drop(self) -> None:
        """Let go of the tree, at once or as soon as its search has ended, whoever still knows us:
        sessions remember their last searches for as long as they live."""
        self._unwanted = True
        self.tidy()

    def tidy(self) -> None:
        """Free the memory of a tree that nobody wants and nobody searches."""
        if self._unwanted and self.lock.acquire(blocking=False):
            self.search = None
            self.lock.release()


class Thinker:
    """One search: for the player whose move it is, or because somebody wants to watch.

    `lens` is where the page shows it: "move", or "a" and "b" side by side.
    """

    def __init__(
        self,
        lens: str,
        player: int,
        spec: Spec,
        position: Position,
        budget: Budget,
        seed: int,
        held: Held,
        memory: int,
    ) -> None:
        self.lens, self.player, self.spec, self.position = lens, player, spec, position
        self.budget, self.seed, self.held = budget, seed, held
        self.memory = min(memory, spec.options.memory_mib)
        self.status = WAITING
        self.found: SearchResult | None = None
        self.error = ""
        self.began = 0.0
        game = position.game
        self.cells = cell_names(position.svg()) if game.svg else frozenset()
        self._stop, self._unwanted = threading.Event(), threading.Event()
        self._hurried = False

    def stop(self) -> None:
        """End the search, or let it never begin: nobody wants to know any more."""
        self._hurried = False
        self._unwanted.set()
        self._stop.set()

    def hurry(self) -> None:
        """End the search: what it has found so far is good enough."""
        if not self.stopping:
            self._hurried = True
            self._stop.set()

    @property
    def stopping(self) -> bool:
        """Whether it has been told to end."""
        return self._stop.is_set()

    @property
    def active(self) -> bool:
        """Whether there is still something to come."""
        return self.status in (WAITING, SEARCHING)

    @property
    def seconds(self) -> float:
        """How long it has been searching."""
        if self.found is not None:
            return self.found.seconds
        return time.perf_counter() - self.began if self.began else 0.0

    def run(self) -> None:
        """Search; called in a thread of the pool."""
        status = FAILED
        try:
            with self.held.lock:
                if self._stop.is_set() and not self._hurried:
                    status = STOPPED
                    return
                if self.held.search is None:
                    agent = Agent(self.spec)
                    self.held.search = agent.bind(self.position.game, self.memory)
                self.began = time.perf_counter()
                self.status = SEARCHING
                with cancelled_by(self._unwanted):
                    self.found = find_move(
                        self.held.search, self.position, self.budget, self.seed, self._stop
                    )
            status = STOPPED if self._stop.is_set() and not self._hurried else DONE
        except SearchCancelled:  # rules in Python, within a playout
            status = STOPPED
        except GravenError as error:
            self.error = str(error)
        except MemoryError:
            self.error = "the search ran out of memory."
        except Exception as error:  # whatever it is, only this search ends
            self.error = f"this is a bug: {type(error).__name__}: {error}."
        finally:
            self.held.tidy()
            self.status = status


class Pool:
    """Threads for searches, and the trees of the last ones."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._threads = ThreadPoolExecutor(limits.searches, "graven-search")
        self._kept: OrderedDict[tuple[Any, ...], Held] = OrderedDict()
        self._lock = threading.Lock()

    def hold(self, *key: Any) -> Held:
        """The search of that name, or a new one; the longest unused ones are let go."""
        with self._lock:
            held = self._kept.pop(key, None) or Held()
            self._kept[key] = held
            while len(self._kept) > self.limits.trees:
                self._kept.popitem(last=False)[1].drop()
            return held

    def forget(self, owner: str) -> None:
        """Let go of all that one owner had; an owner is the first part of a name."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == owner]:
                self._kept.pop(key).drop()

    def start(self, thinker: Thinker, finished: Callable[[Thinker], None]) -> None:
        """Search as soon as a thread is free, and say so in the end, from that thread."""

        def work() -> None:
            thinker.run()
            finished(thinker)

        self._threads.submit(work)

    def close(self) -> None:
        """Start nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
