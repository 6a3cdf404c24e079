"""Searches of one tree by several threads (`parallel=tree`): see `shared_tree`."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import wait
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graven.core.atomics import LINE_WORDS, own_lines
from graven.core.contract import Rules, State
from graven.core.rng import derive, generator
from graven.core.status import Status, call_kernel
from graven.core.watchdog import beat
from graven.search.budget import Budget
from graven.search.layout import SPARE
from graven.search.playout.entry import Functions
from graven.search.reuse import History
from graven.search.root_rows import AMAF_TOTAL, AMAF_VISITS, RootRows
from graven.search.runner import CHUNK_SECONDS, Run, Search, Stop
from graven.search.shared_arrays import SharedArrays
from graven.search.shared_tree import add_up_all
from graven.search.simulate import DONE, PLIES, STOP
from graven.search.specs import Spec
from graven.search.threaded import ThreadedSearch
from graven.search.tree import (
    CLOSED,
    EDGES,
    GROUPS,
    LOST,
    NEEDED,
    NODES,
    NONE,
    ROOT,
    SLOTS,
    Group,
    rehash,
)

# Arrays of the groups of nodes and edges that all threads use; of the others each has its own part.
OF_ALL = {"slots", "keys", "turns", "first", "degree"} | {
    "moves",
    "children",
    "codes",
    "chances",
    "priors",
}
# How often a running search looks whether it is to stop.
POLL_SECONDS = 0.01


class SharedSearch(ThreadedSearch):
    """One tree. Each member has its record, its random numbers and statistics of its own."""

    def __init__(
        self, name: str, rules: Rules, spec: Spec, functions: Functions | None = None
    ) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        super().__init__(name, rules, spec, functions)
        for member in self.members:
            member.plan = member.plan._replace(shared=1)
        self._parts = list(range(len(self.members)))  # of each member, in the arrays of all
        self._lock = threading.Lock()
        self._left = 0  # playouts that no thread has begun
        self._need: Status | None = None  # what a thread needs more of, while all pause
        self._deadline = math.inf
        self._allocated = own_lines(LINE_WORDS + 1, np.int64)
        self._share_memory()

    # Memory.

    def _share_memory(self) -> None:
        """Give all members one tree without nodes."""
        self._allocated[:] = 0
        for name in ("nodes", "edges"):
            group = GROUPS[name]
            first = min(group.first_bytes, self.arena.limit // 16) // group.unit_bytes(self.rules)
            self._allocate(group, max(group.least(self.rules), first))
        self._set_views()

    def _capacity(self, name: str) -> int:
        """Return the units of a group."""
        return len(self._arrays["turns" if name == "nodes" else "children"]) - SPARE

    def _allocate(self, group: Group, units: int) -> None:
        """Make arrays of a group for so many units; what is in the present ones is kept."""
        threads, rules = len(self.members), self.rules
        # A power of two: the transposition table needs that.
        units = 1 << (units - 1).bit_length()
        own: dict[str, Any] = {"shared_visits": np.int32, "known": np.int8, "due": np.int32}
        if group.name == "edges":
            own = {"shared_counts": np.int32, "shared_sums": np.float64}
            if rules.squares:
                own["shared_squares"] = np.float64
        layouts = [(array.name, array.dtype, array.size.entries(rules)) for array in group.arrays]
        layouts += [(name, np.dtype(dtype), 1) for name, dtype in own.items()]
        for name, dtype, entries in layouts:
            if name in OF_ALL:
                length, old = units * entries, self._arrays.get(name)
                array = np.empty(length + SPARE, dtype)
                if old is not None and name != SLOTS:
                    array[: len(old) - SPARE] = old[:-SPARE]
            else:
                # Zeros: no thread knows the node, nor bounds of its score.
                length, old = units * entries, self._arrays.get(name)
                array = np.zeros(threads * length + SPARE, dtype)
                if old is not None:
                    before = (len(old) - SPARE) // threads
                    rows = array[:-SPARE].reshape(threads, length)
                    rows[:, :before] = old[:-SPARE].reshape(threads, before)
            self._arrays[name] = array
        if SLOTS in {name for name, _, _ in layouts}:
            self._arrays[SLOTS][:] = NONE

    def _set_views(self) -> None:
        """Let the trees of all members refer to the present arrays."""
        threads = len(self.members)
        nodes, edges = self._capacity("nodes"), self._capacity("edges")
        names = {array.name for name in ("nodes", "edges") for array in GROUPS[name].arrays}
        others = [array.nbytes for name, array in self._arrays.items() if name not in names]
        own_bytes = sum(others) // threads
        for thread, member in zip(self._parts, self.members, strict=True):
            views = {}
            for group in (GROUPS["nodes"], GROUPS["edges"]):
                for array in group.arrays:
                    whole = self._arrays[array.name]
                    length = (len(whole) - SPARE) // (1 if array.name in OF_ALL else threads)
                    start = 0 if array.name in OF_ALL else thread * length
                    views[array.name] = whole[start : start + length]
            member.arena.use(views, own_bytes)
            member.shared = SharedArrays(
                threads=threads,
                nodes=nodes,
                edges=edges,
                first_node=thread * nodes,
                first_edge=thread * edges,
                allocated=self._allocated,
                known=self._arrays["known"],
                visits=self._arrays["shared_visits"],
                counts=self._arrays["shared_counts"],
                sums=self._arrays["shared_sums"],
                squares=self._arrays.get("shared_squares", np.zeros(1)),
                due=self._arrays["due"][thread * nodes : (thread + 1) * nodes],
                waiting=np.zeros(1, np.int64),
            )

    def _grow_shared(self, status: Status) -> None:
        """Double the nodes or the edges while no thread searches; close the tree at the limit."""
        group = NEEDED[status]
        self._set_counts()
        if any(
            member.arena.nbytes + member.arena.group_bytes(group) > member.arena.limit
            for member in self.members
        ):
            for member in self.members:
                member.arena.full = True
                member.arena.close()
            return
        self._allocate(group, 2 * self._capacity(group.name))
        self._set_views()
        if group.name == "nodes":
            rehash(self.tree)

    def _set_counts(self) -> None:
        """Let all trees know how many nodes and edges there are."""
        for place, name, meta in ((0, "nodes", NODES), (LINE_WORDS, "edges", EDGES)):
            # A thread that found no space has counted what it wanted.
            self._allocated[place] = min(self._allocated[place], self._capacity(name))
            for member in self.members:
                member.tree.meta[meta] = self._allocated[place]

    def _clear(self) -> None:
        """Remove everything from the tree."""
        self._allocated[:] = 0
        for name in ("known", "bounded"):
            if name in self._arrays:
                self._arrays[name][:] = 0
        for member in self.members:
            member.arena.clear()

    def renew(self) -> None:
        """Forget everything but the compiled code."""
        super().renew()
        self._arrays.clear()
        self._share_memory()

    @property
    def nbytes(self) -> int:
        """How much memory the tree takes."""
        shared = sum(array.nbytes for array in self._arrays.values())
        own = 0
        for member in self.members:
            nodes_and_edges = (GROUPS["nodes"], GROUPS["edges"])
            own += member.arena.own_bytes - sum(map(member.arena.group_bytes, nodes_and_edges))
        return shared + own

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
        while self._left and not self._is_stopped(stop):
            self._need = None
            futures = [self._submit(partial(self._work, member)) for member in self.members]
            with self._stopping(futures):
                while wait(futures, timeout=POLL_SECONDS).not_done:
                    beat()
                    if stop is not None and stop.is_set():
                        self.interrupt()
            if self._need is not None:
                self._grow_shared(self._need)
            elif any(member.control[STOP] for member in self.members):
                break
        return self._end_all(time.perf_counter() - began)

    def _is_stopped(self, stop: Stop | None) -> bool:
        return (
            time.perf_counter() >= self._deadline
            or (stop is not None and stop.is_set())
            or any(member.control[STOP] for member in self.members)
        )

    def begin(self, state: State, history: History, budget: Budget, seed: int) -> int:
        """Make a position the root of the tree; return how many playouts the search may make."""
        goal = super().begin(state, history, budget, seed)
        root = int(self.tree.meta[ROOT])
        self._set_counts()
        for number, member in enumerate(self.members[1:], 1):
            member.record.rng[:] = generator(derive(seed, number))
            member.record.root[:] = state
            member.record.halving[:] = self.record.halving
            member.control[DONE] = member.control[PLIES] = 0
            member.begin_learning()
            member.tree.meta[ROOT] = root
            member.set_root()
        if any(member.control[STOP] for member in self.members):
            self.interrupt()  # before it began, or the root is proven
        return goal

    def _move_root(self, history: History) -> None:
        """Make the new position the root: of the same tree if that is reused, else of a new one."""
        root = self._known_node(history) if self.spec.options.reuse_tree else NONE
        tree = self.tree
        too_large = tree.meta[CLOSED] or self.arena.nbytes > self.prune_above
        if root == NONE or too_large or self._is_table_lost(root):
            self._clear()
            root = NONE
        self.tree.meta[ROOT] = root
        self._history = history
        self.set_root()

    def _is_table_lost(self, root: int) -> bool:
        """Return whether a thread cannot build the AMAF table of a node."""
        return bool(self.plan.amaf) and any(
            member.tree.table[root] == NONE and member.tree.newest_link[root] == LOST
            for member in self.members
            if member.shared.known[member.shared.first_node + root]
        )

    def lead_with_proof(self) -> None:
        """Let results be read from the statistics of a thread that has proven the root."""
        before = self.arena
        super().lead_with_proof()
        for number, member in enumerate(self.members):
            if number and member.arena is before:
                self.shared, member.shared = member.shared, self.shared
                self._parts[0], self._parts[number] = self._parts[number], self._parts[0]

    def _work(self, member: Search) -> None:
        """Search in one thread until no playouts are left, or all have to pause."""
        chunk, control = 1, member.control
        while self._need is None and not control[STOP]:
            now = time.perf_counter()
            with self._lock:
                claimed = min(chunk, self._left) if now < self._deadline else 0
                self._left -= claimed
            if not claimed:
                return
            done = int(control[DONE])
            until = done + claimed
            try:
                while control[DONE] < until and not control[STOP] and self._need is None:
                    call_kernel(
                        kernel=partial(member.simulate, until, until),
                        fault=member.fault,
                        resume=partial(self._resume, member),
                    )
            finally:
                with self._lock:
                    self._left += until - int(control[DONE])
            spent = max(time.perf_counter() - now, 1e-6)
            rate = (control[DONE] - done) / spent
            left = min(CHUNK_SECONDS, self._deadline - now - spent)
            chunk = max(1, min(8 * chunk, int(rate * left)))
        if control[STOP]:
            self.interrupt()  # the root is proven

    def _resume(self, member: Search, status: Status) -> None:
        """Let a kernel have what it needs: at once, or while all threads pause."""
        if status in NEEDED and NEEDED[status].name in ("nodes", "edges"):
            self._need = status
        else:
            member.grow(status, self._deadline - time.perf_counter())

    def _end_all(self, seconds: float) -> Run:
        """Add up the statistics of all threads; return how the search went."""
        self._set_counts()
        self.lead_with_proof()
        add_up_all(self.state)
        runs = [member.end(seconds) for member in self.members]
        first = runs[0]
        first.playouts = sum(run.playouts for run in runs)
        first.plies = sum(run.plies for run in runs)
        first.full = any(run.full for run in runs)
        first.tables = sum(run.tables for run in runs)
        return first

    def root_rows(self, player: int) -> RootRows:
        """Return the statistics of a player's moves, with the AMAF statistics of all threads."""
        rows = super().root_rows(player)
        for member in self.members[1:]:
            other = member.root_rows(player)
            rows.counts[:, AMAF_VISITS] += other.counts[:, AMAF_VISITS]
            rows.scores[:, AMAF_TOTAL] += other.scores[:, AMAF_TOTAL]
        return rows

    @property
    def playouts_done(self) -> int:
        """The playouts of all threads."""
        return sum(int(member.control[DONE]) for member in self.members)
