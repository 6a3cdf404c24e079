"""Deterministic searches by several threads (`parallel=sync`); see `rounds` for how they work."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from typing import Any

import numpy as np

from graven.core.atomics import LINE_WORDS, own_lines, yield_address
from graven.core.compile import address
from graven.core.contract import Rules, State
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.core.status import Status, call_kernel
from graven.core.struct_memory import packed, words_of
from graven.core.watchdog import beat
from graven.search.budget import MOST_PLAYOUTS, Budget
from graven.search.layout import Float64
from graven.search.playout.entry import Functions, learn_address
from graven.search.record_log import (
    LOGGED,
    POSITIONS,
    ROUND,
    UNLISTED,
    UNLISTED_MOVES,
    SharedLog,
    log_bytes,
    place_of,
    use_memory_of,
)
from graven.search.reuse import History
from graven.search.rounds import (
    ADVANCE,
    ROUNDS,
    SIMULATE,
    THREAD,
    TURN,
    Rounds,
    add_others,
    advance,
    end_last_level,
    make_rounds,
    simulate_in_batches,
    simulate_in_levels,
    simulate_singly,
    take_turns,
)
from graven.search.runner import Run, Search, Stop
from graven.search.simulate import STOP
from graven.search.specs import Spec
from graven.search.threaded import ThreadedSearch
from graven.search.tree import all_codes

# Until the root has ALONE playouts for each thread, the first one works alone. While the root has
# fewer than COMPLETE playouts, rounds are complete, and have one simulation of each thread; then
# they are brief, and have one simulation for each GROWTH playouts of the root: see `rounds`.
ALONE, COMPLETE, GROWTH = 16, 4096, 128
# A thread makes at most MOST simulations in a round, or fewer if their log could take more than
# LOG_BYTES, but it can make LEAST.
MOST, LEAST, LOG_BYTES = 512, 16, 1 << 23
# The log of a thread may take this part of the memory of its tree if a second level needs it.
LEVEL_PART = 0.25
# How often a running search looks whether it is to stop.
POLL_SECONDS = 0.01


class SyncSearch(ThreadedSearch):
    """Trees that exchange their simulations after each round."""

    delay = 0  # see `Rounds`: for tests

    def __init__(
        self, name: str, rules: Rules, spec: Spec, functions: Functions | None = None
    ) -> None:
        super().__init__(name, rules, spec, functions)
        variant, options, memory = spec.playout.variant, spec.options, self.playout_memory
        learn, fields = self._learning_from_others()
        bytes_of_one = log_bytes(self.rules, memory, fields)
        self._check_level(bytes_of_one)
        self.least = spec.inner or options.batch_leaves * options.playouts_per_leaf
        self.most = max(self.least, min(MOST, max(LEAST, LOG_BYTES // bytes_of_one)))
        self.shared_log = SharedLog(self.rules, options.threads, self.most, memory, fields=fields)
        self.learn_later = learn_address(replace(variant, learn=learn), memory)
        words = options.threads * LINE_WORDS
        self.logged, self.even, self.odd = (own_lines(words, np.int64) for _ in range(3))
        self.failed = own_lines(1, np.int64)
        self.claims = own_lines(words, np.int64)
        self.states, self.places = (own_lines(options.threads, np.int64) for _ in range(2))
        self.table_entries = 2 * all_codes(self.rules) if self.plan.amaf else 0
        self.root_added: Float64 = own_lines(2 * options.threads * self.table_entries, np.float64)
        self.goal, self.base, self.deadline = 0, 0, math.inf
        # Whether brief rounds have made the trees different: complete ones need equal trees.
        self._are_different = False
        self.trees = [SyncedTree(self, number) for number in range(options.threads)]
        self.trees[0].load()

    def _check_level(self, bytes_of_one: int) -> None:
        """Raise a UsageError if a second level takes too much memory in the log.

        `bytes_of_one` is what a simulation may take there.
        """
        inner, largest = self.spec.inner, int(LEVEL_PART * self.arena.limit) // (2 * bytes_of_one)
        if inner > largest:
            raise UsageError(
                f"{self.spec.tree.name}: threads exchange a whole second level at a time, and "
                f"inner={inner} is too much for that at {self.name} in the memory of a thread; "
                f"give it at most {largest}, use parallel=tree, or raise memory_mib."
            )

    def _learning_from_others(self) -> tuple[Callable[..., Any] | None, tuple[str, ...]]:
        """Return the function that learns from other threads' simulations, and what it reads.

        That is what their playouts leave for it in arrays of the policy's memory.
        """
        playout, learning = self.spec.playout, self._batch_learning()
        variant = playout.variant
        learn, function, needed = variant.learn_later or variant.learn, "learn", "playout_fields"
        fields = () if learn is None else variant.playout_fields
        if learning:
            learn = learning.count_later or learning.count
            fields = fields if learning.playout_fields is None else learning.playout_fields
            if learning.choose and learning.count and not learning.count_later:
                fields, function, needed = None, "count", "count_later"
        if fields is None:
            raise UsageError(
                f"{playout.text} does not say what its playouts leave for `{function}`, so that "
                f"threads cannot exchange it: set {needed}, or use parallel=tree."
            )
        return learn, fields

    @property
    def complete(self) -> int:
        """Up to how many playouts of the root rounds are complete; see `rounds`."""
        rules = self.rules
        if rules.permutations or rules.implicit or rules.criticality:
            return MOST_PLAYOUTS
        return 0 if self._are_different or rules.last_use else COMPLETE

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
        self.prepare(state, history, budget, seed)
        futures = [self._submit(each.run) for each in self.trees]
        with self._stopping(futures):
            self._watch(futures, stop)
        # A thread that was interrupted may have left a round before the others.
        latest = max(each.round for each in self.trees)
        for each in self.trees:
            if each.round < latest:
                each.add_others()
        return self.conclude(began)

    def run_in_turn(self, state: State, history: History, budget: Budget, seed: int) -> Run:
        """Search a position as `run` does, in one thread: the trees are the same."""
        began = time.perf_counter()
        self.prepare(state, history, budget, seed)
        turn = np.zeros(TURN, np.int64)

        def take() -> int:
            states = np.array([each.search.state for each in self.trees], np.int64)
            rounds = np.array([each.rounds_address for each in self.trees], np.int64)
            return take_turns(states, rounds, turn)

        while not call_kernel(
            kernel=take,
            fault=self.fault,
            resume=lambda status: self.trees[int(turn[THREAD])].grow(status),
        ):
            pass
        return self.conclude(began)

    def prepare(self, state: State, history: History, budget: Budget, seed: int) -> None:
        """Prepare all trees for a search."""
        left = budget.seconds if budget.seconds is not None else math.inf
        self.deadline = time.perf_counter() + left
        self.logged[:] = 0
        self.failed[:] = self.claims[:] = 0
        self.goal = min(
            each.search.begin(state, history, budget, derive(seed, each.number))
            for each in self.trees
        )
        self.base = self.root_visits
        self._are_different = self._are_different and self.base > 0
        for each in self.trees:
            each.reset()
        if any(each.search.control[STOP] for each in self.trees):
            self.interrupt()  # before it began, or the root is proven

    def conclude(self, began: float) -> Run:
        """Return how the search went."""
        self._are_different = self._are_different or self.root_visits >= self.complete
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
        # No reference back: the memory of a search is kept for others as soon as it is gone.
        self._owner = weakref.proxy(owner)
        self.position = own_lines(POSITIONS, np.int64)
        self._root_before: Float64 = own_lines(owner.table_entries, np.float64)
        # Always in the same place: other threads know where it is.
        self._packed = np.zeros(words_of(ROUNDS), np.int64)
        self.rounds_address = int(self._packed.ctypes.data)
        self._prepare()

    @property
    def search(self) -> Search:
        """The search that has the tree."""
        search: Search = self._owner.members[self.number]
        return search

    @property
    def round(self) -> int:
        """The number of the round under way."""
        return int(self.position[ROUND])

    def load(self) -> None:
        """Compile the kernels, or load them from the cache, before any clock runs."""
        self._owner.failed[0] = 1
        make_rounds(self.rounds_address, self.number, self.position)

    def reset(self) -> None:
        """Prepare for the first round of a search."""
        self.position[:] = 0
        self._prepare()

    def _prepare(self) -> None:
        """Make what the kernels work on; to be repeated after growth."""
        search, owner = self.search, self._owner
        log = owner.shared_log.of_thread(
            self.number,
            self.position,
            search.playout_memory,
            whole=bool(owner.learn_later or search.rules.permutations),
            traced=bool(search.plan.amaf),
            every_key=search.record.expand[0] > 1
            or search.rules.last_use != 0
            or search.level is not None,
        )
        search.log = log
        batch, level, options = search.batch, search.level, owner.spec.options
        function = simulate_singly if batch is None else simulate_in_batches
        if level is not None:
            function = simulate_in_levels
        self._rounds = Rounds(
            advance=address(advance, ADVANCE),
            simulate=address(function, SIMULATE),
            batch=search.batch_address if level is None else search.level_address,
            end_level=address(end_last_level, ADVANCE) if level is not None else 0,
            learn=owner.learn_later,
            settle=batch.settle if batch is not None else 0,
            yield_thread=yield_address(),
            delay=owner.delay,
            base=owner.base,
            goal=owner.goal,
            alone=ALONE,
            growth=GROWTH,
            least=owner.least,
            inner=owner.spec.inner,
            batch_growth=options.batch_growth,
            most=owner.most,
            complete=owner.complete,
            logged=owner.logged,
            even=owner.even,
            odd=owner.odd,
            states=owner.states,
            places=owner.places,
            claims=owner.claims,
            failed=owner.failed,
            root_before=self._root_before,
            root_added=owner.root_added,
        )
        self._packed[:] = packed(self._rounds)
        owner.states[self.number], owner.places[self.number] = search.state, self.rounds_address
        place = place_of.py_func(log, self.number, int(self.position[LOGGED]))  # type: ignore[attr-defined]
        use_memory_of.py_func(log, place)  # type: ignore[attr-defined]

    def run(self) -> None:
        """Make rounds until the search has reached its goal or is stopped."""
        try:
            self._call(lambda: make_rounds(self.rounds_address, self.number, self.position))
        except BaseException:
            self._owner.failed[0] = 1
            raise

    def add_others(self) -> None:
        """Add the simulations of the other threads in a round, which have all ended."""
        self._call(lambda: add_others(self.search.state, self.rounds_address))

    def _call(self, kernel: Callable[[], int]) -> None:
        while not call_kernel(kernel=kernel, fault=self.search.fault, resume=self.grow):
            pass

    def grow(self, status: Status) -> None:
        """Let the tree have what a kernel needs more of; it may recycle nodes for that."""
        self.search.grow(status, self._owner.deadline - time.perf_counter())
        if self.search.rules.last_use:
            # Edges have other numbers now: log all lists of the round.
            self.position[UNLISTED] = self.position[UNLISTED_MOVES] = 0
        self._prepare()
