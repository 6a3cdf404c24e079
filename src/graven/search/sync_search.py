"""Deterministic searches by several threads (`parallel=sync`); see `rounds` for how they work."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace

import numpy as np

from graven.core.atomics import LINE_WORDS, own_lines, yield_address
from graven.core.contract import Rules, State
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.core.status import Status, call_kernel
from graven.core.watchdog import beat
from graven.search.batch import simulate_batches
from graven.search.budget import Budget
from graven.search.layout import Float64
from graven.search.playout.entry import Functions, learn_address
from graven.search.record_log import LOGGED, ROUND, SharedLog, log_bytes, place_of, use_memory_of
from graven.search.reuse import History
from graven.search.rounds import (
    Rounds,
    add_others,
    leave,
    shares,
)
from graven.search.runner import Run, Search, Stop
from graven.search.simulate import DONE, STOP, simulate
from graven.search.specs import Spec
from graven.search.threaded import ThreadedSearch
from graven.search.tree import ROOT, all_codes

# A round has one simulation for each GROWTH playouts of the root, and a thread makes at most MOST
# of them, or fewer if their log would take more than LOG_BYTES, but at least LEAST.
GROWTH, MOST, LEAST, LOG_BYTES = 16, 512, 16, 1 << 21
# How often a running search looks whether it is to stop.
POLL_SECONDS = 0.01


class SyncSearch(ThreadedSearch):
    """Trees that exchange their simulations after each round."""

    # Called before each simulation with the number of the thread: for tests.
    delay: Callable[[int], None] | None = None

    def __init__(
        self, name: str, rules: Rules, spec: Spec, functions: Functions | None = None
    ) -> None:
        super().__init__(name, rules, spec, functions)
        variant, options, memory = spec.playout.variant, spec.options, self.playout_memory
        if rules.chance:
            raise UsageError(
                f"threads={options.threads}: {name} has chance events, which threads of one search "
                "cannot exchange; add parallel=tree or parallel=root."
            )
        if self.rules.permutations:
            raise UsageError(
                f"threads={options.threads}: {spec.tree.name} counts the moves of all simulations, "
                "which threads do not exchange; add parallel=tree or parallel=root."
            )
        learning = variant.batch
        if options.learn_after == "batch" and learning and learning.choose and learning.count:
            raise UsageError(
                f"threads={options.threads}: threads do not exchange what {spec.playout.text} "
                "learns after a batch; leave learn_after out, or use parallel=root."
            )
        fields = () if variant.learn is None else variant.playout_fields
        if fields is None:
            raise UsageError(
                f"{spec.playout.text} does not say what its playouts leave for `learn`, so that "
                "threads cannot exchange it: set playout_fields, or use parallel=tree."
            )
        affordable = LOG_BYTES // (2 * log_bytes(self.rules, memory, fields))
        batch = options.batch_leaves * options.playouts_per_leaf
        self.most = max(batch, min(MOST, max(LEAST, affordable)))
        self.shared_log = SharedLog(self.rules, options.threads, self.most, memory, fields=fields)
        later = replace(variant, learn=variant.learn_later or variant.learn)
        self.learn_later = learn_address(later, memory)
        words = options.threads * LINE_WORDS
        self.logged, self.even, self.odd = (own_lines(words, np.int64) for _ in range(3))
        self.failed = own_lines(1, np.int64)
        self.table_entries = 2 * all_codes(self.rules) if self.plan.amaf else 0
        self.root_added: Float64 = own_lines(2 * options.threads * self.table_entries, np.float64)
        self.goal, self.base, self.deadline = 0, 0, math.inf
        self.trees = [SyncedTree(self, number) for number in range(options.threads)]
        self.trees[0].load()

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
        self.deadline = began + budget.seconds if budget.seconds is not None else math.inf
        self.logged[:] = 0
        self.failed[:] = 0
        self.goal = min(
            each.search.begin(state, history, budget, derive(seed, each.number))
            for each in self.trees
        )
        self.base = self.root_visits
        for each in self.trees:
            each.reset()
        if any(each.search.control[STOP] for each in self.trees):
            self.interrupt()  # before it began, or the root is proven
        futures = [self._submit(each.run) for each in self.trees]
        with self._stopping(futures):
            self._watch(futures, stop)
        # A thread that was interrupted may have left a round before the others.
        latest = max(each.round for each in self.trees)
        for each in self.trees:
            if each.round < latest:
                each.add_others()
        self.lead_with_proof()
        runs = [each.search.end(time.perf_counter() - began) for each in self.trees]
        return replace(runs[0], full=any(run.full for run in runs))

    def _watch(self, futures: Sequence[Future[None]], stop: Stop | None) -> None:
        """Wait for all threads; interrupt them at the deadline, or when `stop` is set."""
        done, left = -1, self.deadline - time.perf_counter()
        while wait(futures, timeout=max(0.0, min(POLL_SECONDS, left))).not_done:
            left = self.deadline - time.perf_counter()
            if left <= 0 or (stop is not None and stop.is_set()):
                self.interrupt()
                break
            if self.playouts_done != done:
                done = self.playouts_done
                beat()


class SyncedTree:
    """One of the trees, and what its thread does: simulate, and add what others simulated."""

    def __init__(self, owner: SyncSearch, number: int) -> None:
        self.number = number
        self.search: Search = owner.members[number]
        self._owner = owner
        self.position = own_lines(2, np.int64)
        self._root_before: Float64 = own_lines(owner.table_entries, np.float64)
        self._prepare()

    @property
    def round(self) -> int:
        """The number of the round under way."""
        return int(self.position[ROUND])

    def load(self) -> None:
        """Compile the kernels, or load them from the cache, before any clock runs."""
        self._owner.failed[0] = 1
        # The tree has no root yet, and so no table of it.
        rounds = self._rounds._replace(root_before=np.zeros(0))
        add_others(self.search.state, rounds)
        leave(rounds, self.number, self.round)

    def reset(self) -> None:
        """Prepare for the first round of a search."""
        self.position[:] = 0
        if len(self._root_before):
            tree = self.search.tree
            table = int(tree.table[tree.meta[ROOT]]) * len(self._root_before)
            self._root_before[:] = tree.amaf[table : table + len(self._root_before)]
        self._prepare()

    def _prepare(self) -> None:
        """Make what the kernels work on; to be repeated after growth."""
        search, owner = self.search, self._owner
        log = owner.shared_log.of_thread(
            self.number,
            self.position,
            search.playout_memory,
            whole=search.plan.learn != 0,
        )
        search.log = log
        batch = search.batch
        self._rounds = Rounds(
            learn=batch.learn if batch is not None and batch.learn else owner.learn_later,
            settle=batch.settle if batch is not None else 0,
            yield_thread=yield_address(),
            logged=owner.logged,
            even=owner.even,
            odd=owner.odd,
            failed=owner.failed,
            root_before=self._root_before,
            root_added=owner.root_added,
        )
        place = place_of.py_func(log, self.number, int(self.position[LOGGED]))  # type: ignore[attr-defined]
        use_memory_of.py_func(log, place)  # type: ignore[attr-defined]

    def run(self) -> None:
        """Make rounds until the search has reached its goal or is stopped."""
        owner, control = self._owner, self.search.control
        threads = len(owner.trees)
        try:
            while not owner.failed[0]:
                done = int(control[DONE])
                if done >= owner.goal or control[STOP]:
                    break
                visits, left = owner.base + done, owner.goal - done
                share = shares(visits, left, threads, GROWTH, most=owner.most)[self.number]
                self.simulate(done, done + share)
                self.add_others()
            leave(self._rounds, self.number, self.round)
        except BaseException:
            owner.failed[0] = 1
            raise

    def simulate(self, done: int, until: int) -> None:
        """Make the thread's simulations of a round."""
        if self._owner.delay is None:
            self._simulate_part(until, until)
            return
        for part in range(done + 1, until + 1):
            self._owner.delay(self.number)
            self._simulate_part(part, until)

    def _simulate_part(self, part: int, until: int) -> None:
        """Simulate until `part` simulations of the search are done, in a round that ends later."""
        if self.search.batch is not None:
            at = self.search.batch_address
            self._call(lambda: simulate_batches(self.search.state, at, part, until))
        else:
            self._call(lambda: simulate(self.search.state, part))

    def add_others(self) -> None:
        """End the thread's simulations of a round, and add those of the other threads."""
        self._call(lambda: add_others(self.search.state, self._rounds))

    def _call(self, kernel: Callable[[], int]) -> None:
        while not call_kernel(kernel=kernel, fault=self.search.fault, resume=self._grow):
            pass

    def _grow(self, status: Status) -> None:
        self.search.grow(status, self._owner.deadline - time.perf_counter())
        self._prepare()
