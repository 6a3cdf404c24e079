"""Searches of one tree by several threads (`parallel=tree`): see `shared_tree`."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import wait
from functools import partial

import numpy as np

from graven.core.atomics import LINE_WORDS, own_lines
from graven.core.contract import Rules, State
from graven.core.rng import derive
from graven.core.status import Status, call_kernel
from graven.core.watchdog import beat
from graven.search.budget import Budget
from graven.search.playout.entry import Functions
from graven.search.reuse import History
from graven.search.root_rows import AMAF_TOTAL, AMAF_VISITS, CODE, RootRows
from graven.search.runner import CHUNK_SECONDS, MIB, Run, Search, Stop
from graven.search.shared_arrays import (
    NODE_WORDS,
    USED,
    SharedArrays,
    not_shared,
)
from graven.search.shared_tree import forget_removed, swap_all
from graven.search.simulate import DONE, STOP
from graven.search.specs import Spec
from graven.search.threaded import ThreadedSearch, polling_time
from graven.search.tree import NODES, NONE, ROOT
from graven.search.tree_memory import return_buffer, take_buffer

# The first thread makes so many playouts before the others begin: then the root has edges.
FIRST_PLAYOUTS = 2
# The memory of what the threads share: at most this, and at most so much of the whole.
MOST_SHARED_BYTES, SHARED_PART = 64 * MIB, 8
MOST_SHARED_NODES = 1 << 15


class SharedSearch(ThreadedSearch):
    """One tree, whose lower part is different in each member, with its statistics."""

    def __init__(
        self, name: str, rules: Rules, spec: Spec, functions: Functions | None = None
    ) -> None:
        super().__init__(name, rules, spec, functions)
        for member in self.members:
            member.plan = member.plan._replace(shared=1)
        self._lock = threading.Lock()
        self._left = 0  # playouts that no thread has begun
        self._deadline = math.inf
        self._share_memory()

    # Memory.

    def _share_memory(self) -> None:
        """Make the arrays that all members share."""
        threads, width = len(self.members), 2 + int(self.rules.squares != 0)
        limit = min(MOST_SHARED_BYTES, threads * self.arena.limit // SHARED_PART)
        capacity = limit // 8 // (1 + threads)
        slots = 2 * MOST_SHARED_NODES
        self._buffers = {
            "shared_totals": take_buffer("shared_totals", np.float64, capacity),
            "shared_known": take_buffer("shared_known", np.float64, threads * capacity),
            "shared_nodes": take_buffer("shared_nodes", np.int64, NODE_WORDS * MOST_SHARED_NODES),
            "shared_slots": take_buffer("shared_slots", np.int32, slots),
        }
        arrays = SharedArrays(
            thread=0,
            threads=threads,
            width=width,
            capacity=capacity,
            allocated=own_lines(LINE_WORDS + 1, np.int64),
            slots=self._buffers["shared_slots"][:slots],
            nodes=self._buffers["shared_nodes"],
            totals=self._buffers["shared_totals"],
            known=self._buffers["shared_known"],
            waiting=np.zeros(1, np.int64),
        )
        for number, member in enumerate(self.members):
            waiting = own_lines(1, np.int64)
            member.shared = arrays._replace(thread=number, waiting=waiting)
        self._shared_bytes = limit // threads
        self._count_shared()
        self.shared.slots[:] = NONE

    def _count_shared(self) -> None:
        """Let every member count its part of the shared memory."""
        for member in self.members:
            member.arena.use({}, self._shared_bytes)

    def __del__(self) -> None:
        buffers = self.__dict__.pop("_buffers", {})
        if not callable(return_buffer):  # None while the interpreter ends
            return
        if buffers:
            for member in self.members:
                member.shared, member._saved = not_shared(), None
        while buffers:
            return_buffer(*buffers.popitem())

    def _forget_shared(self) -> None:
        """Let no node be shared."""
        if self.shared.allocated.any():
            self.shared.allocated[:] = 0
            self.shared.slots[:] = NONE

    def renew(self) -> None:
        """Forget everything but the compiled code."""
        super().renew()
        self._count_shared()
        self._forget_shared()

    # The search.

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
        self._deadline = began + budget.seconds if budget.seconds is not None else math.inf
        self._left = self.begin(state, history, budget, seed)
        if self._left and not self._is_stopped(stop):
            self._claim_and_simulate(self, FIRST_PLAYOUTS)
        if self._left and not self._is_stopped(stop):
            futures = [self._submit(partial(self._work, member)) for member in self.members]
            with self._stopping(futures):
                while wait(futures, timeout=polling_time(self._deadline)).not_done:
                    beat()
                    late = time.perf_counter() >= self._deadline
                    if late or (stop is not None and stop.is_set()):
                        self.interrupt()
                        break
        return self._end_all(time.perf_counter() - began)

    def _is_stopped(self, stop: Stop | None) -> bool:
        return (
            time.perf_counter() >= self._deadline
            or (stop is not None and stop.is_set())
            or any(member.control[STOP] for member in self.members)
        )

    def begin(self, state: State, history: History, budget: Budget, seed: int) -> int:
        """Make a position the root of all trees; return how many playouts the search may make."""
        reusable = [self._can_reuse(member, state, history) for member in self.members]
        # The keys of paths begin with the root: all trees must have begun with the same one.
        if not any(reusable) or not (all(reusable) or self.spec.options.transpositions):
            self._forget_shared()
            reusable = [False] * len(reusable)
        for member, is_reusable in zip(self.members, reusable, strict=True):
            if not is_reusable:
                member._history = None  # its tree begins anew
        goal = Search.begin(self, state, history, budget, seed)
        for number, member in enumerate(self.others, 1):
            Search.begin(member, state, history, budget, derive(seed, number))
        for member in self.members:
            if member.tree.meta[NODES] == 1 and member.root_visits == 0:  # a new tree
                own = member.shared.thread * member.shared.capacity
                used = min(int(member.shared.allocated[USED]), member.shared.capacity)
                member.shared.known[own : own + used] = 0.0
            forget_removed(member.state)
        if any(member.control[STOP] for member in self.members):
            self.interrupt()  # before it began, or the root is proven
        return goal

    def _can_reuse(self, member: Search, state: State, history: History) -> bool:
        """Return whether the tree of a member has the new root."""
        if not self.spec.options.reuse_tree:
            return False
        member.record.root[:] = state
        root = member._known_node(history)
        if root == NONE:
            return False
        member.tree.meta[ROOT] = root
        return member._prune()

    def lead_with_proof(self) -> None:
        """Let results be read from the statistics of a thread that has proven the root."""
        before = self.arena
        super().lead_with_proof()
        for number, member in enumerate(self.members):
            if number and member.arena is before:
                self.shared, member.shared = member.shared, self.shared

    def _work(self, member: Search) -> None:
        """Search in one thread until no playouts are left."""
        chunk, control = 1, member.control
        while not control[STOP]:
            now, done = time.perf_counter(), int(control[DONE])
            if now >= self._deadline or not self._claim_and_simulate(member, chunk):
                break
            spent = max(time.perf_counter() - now, 1e-6)
            rate = (control[DONE] - done) / spent
            left = min(CHUNK_SECONDS, self._deadline - now - spent)
            chunk = max(1, min(8 * chunk, int(rate * left)))
        if control[STOP]:
            self.interrupt()  # the root is proven

    def _claim_and_simulate(self, member: Search, playouts: int) -> bool:
        """Make so many of the playouts that are left; return False if there are none."""
        control = member.control
        with self._lock:
            claimed = min(playouts, self._left)
            self._left -= claimed
        until = int(control[DONE]) + claimed
        try:
            while control[DONE] < until and not control[STOP]:
                call_kernel(
                    kernel=partial(member.simulate, until, until),
                    fault=member.fault,
                    resume=partial(self._grow, member),
                )
        finally:
            with self._lock:
                self._left += until - int(control[DONE])
        return claimed > 0

    def _grow(self, member: Search, status: Status) -> None:
        """Let a member have what it needs more of; it may recycle nodes for that."""
        member.grow(status, self._deadline - time.perf_counter())
        if self.rules.last_use:
            forget_removed(member.state)

    def _end_all(self, seconds: float) -> Run:
        """Add up the statistics of all threads; return how the search went."""
        self.lead_with_proof()
        for _ in range(2):  # first all add their playouts, then all have those of the others
            for member in self.members:
                while not call_kernel(
                    kernel=lambda: swap_all(member.state),  # noqa: B023
                    fault=member.fault,
                    resume=lambda status: member.grow(status, math.inf),  # noqa: B023
                ):
                    pass
        runs = [member.end(seconds) for member in self.members]
        first = runs[0]
        first.playouts = sum(run.playouts for run in runs)
        first.plies = sum(run.plies for run in runs)
        first.full = any(run.full for run in runs)
        first.nodes = sum(run.nodes for run in runs)
        first.tables = sum(run.tables for run in runs)
        return first

    def root_rows(self, player: int) -> RootRows:
        """Return the statistics of a player's moves, with the AMAF statistics of all threads."""
        rows = super().root_rows(player)
        places = {int(code): place for place, code in enumerate(rows.counts[:, CODE])}
        for member in self.others:
            for counts, scores in zip(*member.root_rows(player), strict=True):
                place = places.get(int(counts[CODE]))
                if place is not None:
                    rows.counts[place, AMAF_VISITS] += counts[AMAF_VISITS]
                    rows.scores[place, AMAF_TOTAL] += scores[AMAF_TOTAL]
        return rows

    @property
    def playouts_done(self) -> int:
        """The playouts of all threads."""
        return sum(int(member.control[DONE]) for member in self.members)
