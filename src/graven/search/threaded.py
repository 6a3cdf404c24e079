"""Searches by several threads, each with its own tree; `parallel=root`.

The threads are Python threads, which run kernels without the GIL.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from graven.core.contract import Rules, State
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.search.playout.entry import Functions
from graven.search.reuse import History
from graven.search.root_rows import RootRows, RootStatistics
from graven.search.runner import Run, Search, Stop
from graven.search.score_bounds import is_decided
from graven.search.simulate import DONE
from graven.search.specs import Spec
from graven.search.tree import PACKED, ROOT, WIDE

T = TypeVar("T")

# How often a running search looks whether it is to stop.
POLL_SECONDS = 0.01


class ThreadedSearch(Search):
    """A search that is the first of several, each with its own tree and its own thread."""

    def __init__(
        self, name: str, rules: Rules, spec: Spec, functions: Functions | None = None
    ) -> None:
        super().__init__(name, rules, spec, functions)
        others = spec.options.threads - 1
        self.others = [Search(name, rules, spec, functions) for _ in range(others)]
        self._pool: ThreadPoolExecutor | None = None

    @property
    def members(self) -> list[Search]:
        """The searches of all threads.

        Not a list of its own: a search that refers to itself would keep its memory for too long.
        """
        return [self, *self.others]

    def renew(self) -> None:
        """Forget everything but the compiled code."""
        super().renew()
        for other in self.others:
            other.renew()

    def interrupt(self) -> None:
        """End the search under way, or else the next one. Any thread may call this."""
        for member in self.members:
            Search.interrupt(member)

    def lead_with_proof(self) -> None:
        """Let results be read from a tree whose root is proven: that of the first thread."""
        if not self.plan.solver:
            return
        # Trees change places: their AMAF tables must be of the same kind.
        if any(member.rules.amaf == WIDE for member in self.members):
            for member in self.members:
                if member.rules.amaf == PACKED:
                    member.widen()
        for member in self.members:
            if is_decided.py_func(self.rules.players, member.tree, member.tree.meta[ROOT]):  # type: ignore[attr-defined]
                self.arena, member.arena = member.arena, self.arena
                return

    @property
    def nbytes(self) -> int:
        """How much memory all trees take."""
        return sum(member.arena.nbytes for member in self.members)

    def _submit(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        """Call a function in one of the search's threads; if it raises, the others stop."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(self.members), "graven-search")

        def call() -> T:
            try:
                return function(*arguments)
            except BaseException:
                self.interrupt()
                raise

        return self._pool.submit(call)

    @contextmanager
    def _stopping(self, futures: Sequence[Future[T]]) -> Iterator[None]:
        """End all threads if the block raises, as Ctrl-C does; raise what a thread has raised."""
        try:
            yield
        except BaseException:
            self.interrupt()
            raise
        finally:
            wait(futures)
            if any(future.exception() for future in futures):
                for member in self.members:
                    member.control[:] = 0
        for future in futures:
            future.result()


class RootSearch(ThreadedSearch):
    """Independent trees, each with its share of the playouts, added up at the root."""

    def run(
        self,
        state: State,
        history: History,
        budget: Budget,
        seed: int,
        stop: Stop | None = None,
    ) -> Run:
        """Search a position until the budget is used, `stop` is set or `interrupt` is called."""
        began = time.perf_counter()
        futures = []
        for number, member in enumerate(self.members):
            share = _share(budget.playouts, number, len(self.members))
            if share == 0:
                member.begin(state, history, budget, seed)
                continue
            run = partial(Search.run, member)
            arguments = state, history, Budget(share, budget.seconds), derive(seed, number)
            futures.append(self._submit(run, *arguments, stop))
        deadline = began + budget.seconds if budget.seconds is not None else math.inf
        with self._stopping(futures):
            # A thread looks at the clock after each chunk of simulations: later, if it had to wait
            # for a processor meanwhile.
            while wait(futures, timeout=polling_time(deadline)).not_done:
                if time.perf_counter() >= deadline:
                    self.interrupt()
                    break
        runs = [future.result() for future in futures]
        for member in self.members:
            member.control[:] = 0
        self.lead_with_proof()
        return replace(
            runs[0],
            tree=self.tree,
            playouts=sum(run.playouts for run in runs),
            plies=sum(run.plies for run in runs),
            seconds=time.perf_counter() - began,
            full=any(run.full for run in runs),
            nodes=sum(run.nodes for run in runs),
            tables=sum(run.tables for run in runs),
        )

    def root_rows(self, player: int) -> RootRows:
        """Return the sums of the statistics of a player's moves over the roots of all trees."""
        total: dict[int, RootStatistics] = {}
        for member in self.members:
            for move in Search.root_rows(member, player).statistics():
                total[move.code] = total[move.code] + move if move.code in total else move
        return RootRows.of(list(total.values()))

    @property
    def playouts_done(self) -> int:
        """The playouts of the running search in all trees."""
        return sum(int(member.control[DONE]) for member in self.members)

    @property
    def with_roots(self) -> Sequence[Search]:
        """All trees."""
        return self.members


def polling_time(deadline: float) -> float:
    """Return the seconds until a search should look again whether its deadline has passed."""
    return max(0.0, min(POLL_SECONDS, deadline - time.perf_counter()))


def _share(playouts: int | None, number: int, threads: int) -> int | None:
    """Return the share of one of several threads; None if playouts are not limited."""
    if playouts is None:
        return None
    return playouts // threads + (number < playouts % threads)
