"""Run a search: within a budget, in a tree that grows, and is reused between moves if asked."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.atomics import own_lines
from graven.core.compile_cache import is_user_defined
from graven.core.contract import Rules, State
from graven.core.errors import ContractError, UsageError
from graven.core.handles import Handle
from graven.core.rng import generator
from graven.core.status import Status, call_kernel, contract_fault
from graven.core.struct_memory import packed
from graven.core.watchdog import beat
from graven.search.batch import Batch, batch_bytes, new_batch, simulate_batches
from graven.search.budget import MOST_PLAYOUTS, Budget
from graven.search.permutations import forget_simulations
from graven.search.plan import (
    EDGE_WORDS,
    NEVER,
    STATE_WORDS,
    Plan,
    SearchState,
    save_state,
    state_addresses,
)
from graven.search.playout.entry import (
    BatchAddresses,
    Functions,
    batch_addresses,
    learn_address,
    playout_address,
)
from graven.search.policy import BatchLearning
from graven.search.record_log import no_log
from graven.search.recycling import Worth, playouts_of, recycle, worthy_units
from graven.search.reuse import (
    History,
    find_node,
    keep_units,
    node_after,
    node_of_state,
    prune,
)
from graven.search.root_rows import RootRows, RootStatistics, new_rows, read_state
from graven.search.search_rules import rules_of_search, widened
from graven.search.select.selection import log_table
from graven.search.shared_arrays import not_shared
from graven.search.simulate import CONTROL, DONE, PLIES, STOP
from graven.search.simulate import set_root as set_root_of
from graven.search.simulate import simulate as simulate_in
from graven.search.specs import UNIFORM, Spec
from graven.search.steps import steps_of
from graven.search.tree import (
    ARMS,
    BUDGET,
    CLOSED,
    LOST,
    NODES,
    NONE,
    PACKED,
    ROOT,
    TABLES,
    Record,
    Tree,
    new_record,
)
from graven.search.tree_arena import NEEDED, Group, TreeArena
from graven.search.tuning_arrays import forget_tuning, most_tried, new_tuning
from graven.search.two_levels import LEAF, SecondLevel, end_level, new_level, simulate_levels

MIB = 1 << 20
# A chunk of simulations takes about this long: deadlines and stop requests are tested in between.
CHUNK_SECONDS = 0.01
# The least speed at which a group of arrays grows: is there time left for it?
GROW_BYTES_PER_SECOND = 2.5e8


# The kernels that this process has loaded: in batches or not, with those for a reused tree or not,
# with those that recycle nodes or not, with those for searches of two levels or not.
_loaded: set[tuple[bool, ...]] = set()


class Stop(Protocol):
    """Anything like a `threading.Event`."""

    def is_set(self) -> bool:
        """Return whether the search is to end."""


@dataclass
class Run:
    """How a search went, and its tree: nodes and AMAF tables in use.

    `plies` are those of all simulations, their part in the tree included.
    """

    playouts: int
    plies: int
    seconds: float
    full: bool
    nodes: int
    tables: int
    tree: Tree = field(repr=False)


class Search:
    """The search of one player in one game: its plan, its tree and the memory of its playouts.

    `functions` are the game's functions that playouts are compiled together with, if any.
    """

    def __init__(
        self, name: str, rules: Rules, spec: Spec, functions: Functions | None = None
    ) -> None:
        options = spec.options
        rules = rules_of_search(name, rules, spec)
        self.name = name
        self.rules = rules
        self.spec = spec
        self.arena = TreeArena(rules, options.memory_mib * MIB, options.max_nodes)
        if rules.amaf == PACKED and self.arena.widened_bytes(widened(rules)) > self.arena.limit:
            self.rules = rules = widened(rules)
            self.arena = TreeArena(rules, options.memory_mib * MIB, options.max_nodes)
        self._first_rules = rules
        if self.arena.nbytes > self.arena.limit:
            raise UsageError(
                f"memory_mib={options.memory_mib} is too little to search {name}: it takes at "
                f"least {math.ceil(self.arena.nbytes / MIB)}."
            )
        self.record: Record = new_record(rules)
        self.record.expand[0] = options.expand
        playout = spec.playout.variant
        learning = self._batch_learning()
        at_once = bool(learning) or (
            spec.playout.text == UNIFORM and bool(rules.batch_playouts) and spec.calls_rollout
        )
        leaves, playouts = options.batch_leaves, options.playouts_per_leaf
        in_batches = leaves * playouts > 1 or learning is not None
        if in_batches:
            self._check_batch_memory(at_once, learning)
        self.playout_memory = self._new_memory()
        self.control: NDArray[np.int64] = own_lines(CONTROL, np.int64)
        ref = NEVER if spec.ref is None else spec.ref
        pool = NEVER if spec.playout.pool_min_visits is None else spec.playout.pool_min_visits - 1
        self._memory = np.zeros(STATE_WORDS + 2 * EDGE_WORDS, np.int64)
        self._saved: SearchState | None = None  # what is in that memory
        state_address, listed_edges, open_edges = state_addresses(int(self._memory.ctypes.data))
        self.plan = Plan(
            params=np.array(spec.params, dtype=np.float64),
            logs=log_table(),
            select=self._formula_address(),
            select_muted=self._formula_address(muted=True) if options.amaf_off > 0 else 0,
            playout=0
            if in_batches and at_once
            else playout_address(
                playout, self.playout_memory, functions, decisive=options.decisive
            ),
            learn=learn_address(playout, self.playout_memory),
            rollout=int(spec.calls_rollout and rules.rollout != 0),
            memory=self.playout_memory.address,
            amaf=rules.amaf,
            tables=min(ref, pool),
            pool=pool,
            store_traces=int(rules.amaf != 0 and (min(ref, pool) < NEVER or options.reuse_tree)),
            amaf_all=int(options.amaf_count == "all"),
            amaf_playout=int(options.amaf_moves == "playout"),
            amaf_distance=int(options.amaf_weight == "distance"),
            credit_creation=int(options.credit_creation),
            transpositions=int(options.transpositions),
            solver=rules.score_bounds,
            shared=0,
            levels=int(spec.inner > 0),
            tuned=len(spec.tuned),
            halving=int(options.root != "policy"),
            state=state_address,
            listed_edges=listed_edges,
            open_edges=open_edges,
            regret_min=options.regret_min,
            widen_first=options.widen_first,
            gamma=float(options.gamma),
            amaf_off=float(options.amaf_off),
            widen=float(options.widen),
            widen_growth=float(options.widen_growth),
        )
        self.log = no_log()
        self.shared = not_shared()
        self.tuning = new_tuning(
            rules.players,
            [each.values for each in spec.tuned],
            [each.usual for each in spec.tuned],
            options.tuner == "ntuple",
        )
        self._aim_tuning()
        self.batch: Batch | None = None
        self.batch_address = 0
        if in_batches:
            addresses = BatchAddresses()
            if learning:
                addresses = batch_addresses(learning, self.playout_memory)
            self.batch = new_batch(rules, options, at_once, addresses)
            self._packed_batch = packed(self.batch)
            self.batch_address = int(self._packed_batch.ctypes.data)
        self.level: SecondLevel | None = None
        if spec.inner:
            self.level = new_level(rules, spec.inner)
            self._packed_level = packed(self.level)
            self.level_address = int(self._packed_level.ctypes.data)
        self.prune_above = self.arena.limit // 2
        self._history: History | None = None
        self._has_begun = False  # whether it has searched before
        # Playouts of the next chunk. Where one takes seconds, a second one may be too late.
        self._chunk = 1
        self._load()

    def __del__(self) -> None:
        # The arena keeps its buffers for later searches only if nothing else refers to them.
        self._saved = None

    def _formula_address(self, muted: bool = False) -> int:
        """Return the address of the compiled tree policy, with or without AMAF."""
        options = self.spec.options
        return self.spec.formula.address(
            exploration=self.spec.values.get("c") != 0,
            untried_by_amaf=options.untried == "amaf",
            prior_options=self.spec.uses_prior_options,
            implicit=options.implicit > 0,
            criticality=options.criticality > 0,
            muted=muted,
            packed=self.rules.amaf == PACKED,
        )

    def widen(self) -> None:
        """Replace packed AMAF tables by wide ones, which count any scores."""
        self.rules = widened(self.rules)
        self.arena.widen(self.rules)
        self._use_tables()

    def _use_tables(self) -> None:
        """Let the tree policy read the AMAF tables that there are."""
        muted = self._formula_address(muted=True) if self.plan.select_muted else 0
        self.plan = self.plan._replace(
            amaf=self.rules.amaf, select=self._formula_address(), select_muted=muted
        )

    def renew(self) -> None:
        """Forget everything but the compiled code: the next run is that of a new search."""
        limit, grown, max_nodes = self.arena.limit, self.arena.grown, self.arena.max_nodes
        # A result may still refer to the tree; one that has grown would reach its limit later.
        # References: the attribute, the state in memory, and the argument of getrefcount.
        widened = self.rules is not self._first_rules
        if grown or widened or sys.getrefcount(self.arena.tree) > 3:
            self._saved = None
            del self.arena
            self.rules = self._first_rules
            self.arena = TreeArena(self.rules, limit, max_nodes)
        if widened:
            self._use_tables()
        self._history, self._has_begun = None, False
        self.control[:] = 0
        if self.level is not None:
            self.level.now[:] = 0
            self.level.now[LEAF] = NONE
        if self.spec.playout.variant.memory:
            self.playout_memory = self._new_memory()
            self.plan = self.plan._replace(memory=self.playout_memory.address)
        forget_tuning(self.tuning)
        self._aim_tuning()

    def _aim_tuning(self) -> None:
        """Write where the policies read the parameters that tune themselves."""
        for i, tuned in enumerate(self.spec.tuned):
            name = tuned.parameter.name
            words: Any = self.plan.params
            if tuned.place is None:
                words = getattr(self.playout_memory.record, name, None)
                if not isinstance(words, np.ndarray) or words.shape != (self.rules.players,):
                    raise UsageError(
                        f"{self.spec.playout.text}: {name} cannot be auto, because the policy's "
                        f"memory has no array {name!r} with an entry for each player."
                    )
            self.tuning.targets[i] = words[tuned.place or 0 :].ctypes.data
            self.tuning.by_player[i] = tuned.place is None

    def _settle_tuning(self) -> None:
        """Let those who read the tree see the values tried most often by the player to move."""
        player = max(int(self.tree.turns[self.tree.meta[ROOT]]), 0)
        values = self.tuned_values(player)
        for tuned in self.spec.tuned:
            if tuned.place is not None:
                self.plan.params[tuned.place] = values[tuned.parameter.name]

    def tuned_values(self, player: int) -> dict[str, float]:
        """Return the values tried most often of the parameters that tune themselves, by name."""
        names = [tuned.parameter.name for tuned in self.spec.tuned]
        return dict(zip(names, most_tried(self.tuning, player), strict=True)) if names else {}

    def _new_memory(self) -> Handle:
        """Return the memory of playouts that have learned nothing."""
        playout, rules, options = self.spec.playout, self.rules, self.spec.options
        if playout.variant.memory is None:
            return Handle(None)
        try:
            memory = playout.variant.memory(rules, playout.first_values)
            learning = self._batch_learning()
            if learning and learning.memory:
                playouts = options.batch_leaves * options.playouts_per_leaf
                memory = learning.memory(memory, rules, playouts)
            return Handle(memory)
        except MemoryError:
            raise UsageError(
                f"not enough memory for what these playouts learn at {self.name}: its bounds, "
                f"{rules.max_moves:,} moves and {rules.max_plies:,} plies, are too high for them."
            ) from None

    def _batch_learning(self) -> BatchLearning | None:
        """Return how playouts learn after a batch; None if they do not."""
        playout = self.spec.playout
        learning = playout.variant.batch
        if self.spec.options.learn_after != "batch":
            return None
        if learning is None and playout.variant.learn is None:
            return None
        if learning is None or self.rules.feature or playout.values.get("joint"):
            raise UsageError(
                f"learn_after=batch: {playout.text} can only learn after each playout; leave "
                "learn_after out, or use mast (without joint), nst, ppa or poolrave."
            )
        if playout.game_playout:
            raise UsageError(
                f"learn_after=batch: {playout.text} plays the game's own playout "
                f"{playout.game_playout}, which no batch can; leave learn_after out."
            )
        return learning

    def _check_batch_memory(self, at_once: bool, learning: BatchLearning | None) -> None:
        """Raise a UsageError if the buffers of a batch exceed the limit of memory."""
        options, rules = self.spec.options, self.rules
        leaves, playouts = options.batch_leaves, options.playouts_per_leaf
        needed = batch_bytes(rules, leaves, playouts, at_once)
        if learning and learning.bytes:
            needed += learning.bytes(rules, leaves * playouts)
        if needed > self.arena.limit:
            raise UsageError(
                f"memory_mib={options.memory_mib} is too little for batches of {leaves} "
                f"leaves with {playouts} playouts each at {self.name}."
            )

    def _load(self) -> None:
        """Compile the kernels, or load them from the cache, before any clock runs."""
        recycles = self.rules.last_use != 0
        reuses, two_levels = self.spec.options.reuse_tree, self.level is not None
        kernels = self.batch is not None, reuses, recycles, two_levels
        if kernels in _loaded:
            return
        contract.start(self.rules, self.record.root)
        self.set_root()
        self.simulate(0, 0)
        self._end_level()
        if reuses:
            find_node(self.tree, 0)
            prune(self.rules, self.tree)
        if recycles:
            playouts = playouts_of(self.rules.players, self.tree)
            worth = Worth(playouts, self.tree.last_use[: len(playouts)])
            keep_units(self.rules, self.tree, worthy_units(self.rules, self.tree, worth, 0))
        self.arena.clear()
        _loaded.add(kernels)

    @property
    def tree(self) -> Tree:
        """The arrays of the tree; replaced by others when it grows."""
        return self.arena.tree

    def interrupt(self) -> None:
        """End the search under way, or else the next one. Any thread may call this."""
        self.control[STOP] = 1

    def simulate(self, until: int, goal: int) -> int:
        """Run simulations until so many of the search's `goal` are done; return the status."""
        if self.batch is not None:
            return simulate_batches(self.state, self.batch_address, until, goal)
        if self.level is not None:
            return simulate_levels(self.state, self.level_address, until, until)
        return simulate_in(self.state, until)

    @property
    def state(self) -> int:
        """The address of what kernels work on now: tree, plan and log are replaced at times."""
        tree, plan, log, saved = self.arena.tree, self.plan, self.log, self._saved
        if (
            saved is None
            or saved.tree is not tree
            or saved.plan is not plan
            or saved.log is not log
            or saved.shared is not self.shared
        ):
            self._saved = SearchState(
                self.rules,
                tree,
                plan,
                self.record,
                control=self.control,
                log=log,
                shared=self.shared,
                tuning=self.tuning,
                steps=steps_of(self.rules, plan, log),
            )
            save_state(self._saved)
        return plan.state

    def run(
        self,
        state: State,
        history: History,
        budget: Budget,
        seed: int,
        stop: Stop | None = None,
    ) -> Run:
        """Search a position until the budget is used, `stop` is set or `interrupt` is called."""
        begin = time.perf_counter()
        deadline = begin + budget.seconds if budget.seconds is not None else math.inf
        goal = self.begin(state, history, budget, seed)
        chunk = self._chunk if deadline == math.inf else 1
        while self.control[DONE] < goal and not self.control[STOP]:
            done, now = int(self.control[DONE]), time.perf_counter()
            if now >= deadline or (stop is not None and stop.is_set()):
                break
            until = min(goal, done + chunk)
            beat()
            if call_kernel(
                kernel=partial(self.simulate, until, goal),
                fault=self.fault,
                resume=lambda status: self.grow(status, deadline - time.perf_counter()),
            ):
                spent = max(time.perf_counter() - now, 1e-6)
                rate = (self.control[DONE] - done) / spent
                left = min(CHUNK_SECONDS, deadline - now - spent)
                chunk = max(1, min(8 * chunk, int(rate * left)))
        if deadline == math.inf:
            self._chunk = chunk
        return self.end(time.perf_counter() - begin)

    def begin(self, state: State, history: History, budget: Budget, seed: int) -> int:
        """Make a position the root of the tree; return how many playouts the search may make."""
        self._end_level()  # of a search that ended by an error
        self.record.rng[:] = generator(seed)
        self.control[DONE] = self.control[PLIES] = 0  # the search before may have been interrupted
        self.record.root[:] = state
        self.record.expand[0] = self.spec.options.expand
        self.begin_learning()
        self.tuning.baselines[:] = 0.0
        self._move_root(history)
        self.record.halving[:] = 0
        self.record.halving[BUDGET] = (budget.playouts or 0) * (self.spec.options.root == "sh")
        return min(budget.playouts or MOST_PLAYOUTS, MOST_PLAYOUTS - self.root_visits)

    def begin_learning(self) -> None:
        """Let playouts that learn forget some of it, if this is not their first search."""
        if self._has_begun and self.spec.playout.variant.on_new_search:
            self.spec.playout.variant.on_new_search(self.playout_memory.record)
        self._has_begun = True

    def end(self, seconds: float) -> Run:
        """Return how the search went, and prepare for the next one."""
        playouts, plies = int(self.control[DONE]), int(self.control[PLIES])
        self.control[:] = 0
        self._end_level()
        self._settle_tuning()
        tree = self.tree
        return Run(
            playouts=playouts,
            plies=plies,
            seconds=seconds,
            full=self.arena.full,
            nodes=int(tree.meta[NODES]),
            tables=int(tree.meta[TABLES]),
            tree=tree,
        )

    def root_rows(self, player: int) -> RootRows:
        """Return the statistics of a player's moves at the root, in rows."""
        rows = new_rows(self.rules, self.tree, player)
        read_state(self.state, player, rows.counts, rows.scores)
        return rows

    def root_statistics(self, player: int) -> list[RootStatistics]:
        """Return the statistics of a player's moves at the root."""
        return self.root_rows(player).statistics()

    @property
    def root_visits(self) -> int:
        """The playouts of the root."""
        return int(self.tree.visits[self.tree.meta[ROOT]])

    @property
    def playouts_done(self) -> int:
        """The playouts of the running search; 0 before it has a tree and after it has ended."""
        return int(self.control[DONE])

    @property
    def with_roots(self) -> Sequence[Search]:
        """The searches whose statistics of the root add up to those of this one."""
        return (self,)

    @property
    def nbytes(self) -> int:
        """How much memory the search takes."""
        return self.arena.nbytes

    def grow(self, status: Status, seconds_left: float) -> None:
        """Enlarge what a kernel needs more of, or recycle nodes at the limit of memory.

        Close the tree if there is no time for it.
        """
        if status == Status.NEED_MEMORY:
            self._grow_memory()
            return
        if status == Status.NEED_WIDE:
            self.widen()
            return
        group = NEEDED[status]
        if self.arena.group_bytes(group) / GROW_BYTES_PER_SECOND > seconds_left:
            self.arena.close()
        else:
            self.arena.grow(group)
            if self.arena.full and self.level is not None and self.level.now[LEAF] != NONE:
                self._end_level()
                self.arena.reopen()
            elif self.arena.full and self.arena.nbytes / GROW_BYTES_PER_SECOND < seconds_left:
                self._recycle(group)

    def _end_level(self) -> None:
        """Remove the nodes of the second level, if there is one."""
        while self.level is not None and not call_kernel(
            kernel=lambda: end_level(self.state, self.level_address),
            fault=self.fault,
            resume=lambda status: self.arena.grow(NEEDED[status]),
        ):
            pass

    def _recycle(self, group: Group) -> bool:
        """Remove the nodes with the fewest playouts from a full tree if the spec says so.

        Return whether the group has space now.
        """
        tree, halving, players = self.tree, self.record.halving, self.rules.players
        if not self.rules.last_use:
            return False
        edges = tree.first[int(tree.meta[ROOT]) * players :][:players].max()
        removed = recycle(self.rules, tree, group, bool(self.plan.transpositions))
        if removed is None:
            return False
        if not self.plan.solver:
            self.record.expand[0] = max(int(self.record.expand[0]), removed + 1)
        # Sequential halving knows the edges of the root by their numbers.
        moved = edges - tree.first[int(tree.meta[ROOT]) * players :][:players].max()
        self.record.arms[: halving[ARMS]] -= moved
        self.arena.full = False
        return True

    def _grow_memory(self) -> None:
        """Replace the playout policy's memory by a larger one."""
        grow = self.spec.playout.variant.grow
        if grow is None:
            raise ContractError("the playout policy asked for more memory, but has no `grow`.")
        memory = Handle(grow(self.playout_memory.record))
        if memory.layout != self.playout_memory.layout:
            raise ContractError("the playout policy's `grow` returned a memory of another type.")
        self.playout_memory, self.plan = memory, self.plan._replace(memory=memory.address)
        self._aim_tuning()

    def set_root(self) -> None:
        """Make the record's root state the root, with an AMAF table if the search keeps any."""

        def grow(status: Status) -> None:
            group = NEEDED[status]
            self.arena.grow(group)
            if self.arena.full and not self._recycle(group):
                # The reused tree has no space left for the table of its new root: start a new tree.
                self.arena.clear()

        while not call_kernel(
            kernel=lambda: set_root_of(self.state),
            fault=self.fault,
            resume=grow,
        ):
            pass

    def _move_root(self, history: History) -> None:
        """Make the new position the root: of the same tree if that is reused, else of a new one."""
        root = self._known_node(history) if self.spec.options.reuse_tree else NONE
        self.tree.meta[ROOT] = root
        if root == NONE or not self._prune():
            self.arena.clear()
        if self.rules.permutations:
            forget_simulations(self.tree)
        self._history = history
        self.set_root()

    def _known_node(self, history: History) -> int:
        """Return the visited node of the new position, or NONE."""
        before = self._history
        if before is None:
            return NONE
        if self.spec.options.transpositions:
            return node_of_state(self.rules, self.tree, self.record.root)
        if history[: len(before)] == before:
            return node_after(self.rules, self.tree, history[len(before) :])
        return NONE

    def _prune(self) -> bool:
        """Prune what the new root cannot reach if memory is short.

        Return False if the tree cannot be reused: it cannot be pruned, or the root's AMAF table
        cannot be built.
        """
        tree = self.tree
        root = tree.meta[ROOT]
        if self.plan.amaf and tree.table[root] == NONE and tree.newest_link[root] == LOST:
            return False
        if tree.meta[CLOSED] or self.arena.nbytes > self.prune_above:
            self.arena.full = False
            return prune(self.rules, tree)
        return True

    def fault(self, status: Status) -> ContractError:
        """Return the error for a status that says that the game breaks its contract."""
        function, suffix = self.spec.playout.variant.function, ""
        if function is not None and is_user_defined(function):
            suffix = f"; or the playout policy's {function.__name__!r} did so"
        if status == Status.BAD_SCORE:
            scores = ", ".join(f"{score:g}" for score in self.record.scores)
            suffix += f" (the scores were {scores})"
        return contract_fault(status, self.name, self.rules, suffix)
