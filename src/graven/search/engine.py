"""Running a search: within a budget, in a tree that grows, kept between moves if asked."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.callbacks import raise_fault
from graven.core.compile import address
from graven.core.contract import Rules, State
from graven.core.errors import ContractError, UsageError
from graven.core.rng import Rng, generator
from graven.search import plan as status_of
from graven.search.batch import Batch, batch_bytes, new_batch, simulate_batches
from graven.search.budget import MOST_PLAYOUTS, Budget
from graven.search.plan import LEARN, NEVER, PLAYOUT, Plan
from graven.search.reuse import History, known_node, look_up, prune
from graven.search.simulate import CONTROL, DONE, PLIES, STOP, plant, simulate
from graven.search.specs import UNIFORM, Spec
from graven.search.tree import (
    CLOSED,
    LOST,
    NODES,
    NONE,
    ROOT,
    TABLES,
    Record,
    Room,
    Tree,
    new_record,
)

MIB = 1 << 20
# A chunk of simulations lasts about this long: clocks and stop requests are looked at in between.
CHUNK_SECONDS = 0.01
# How fast a group of arrays grows, at the least: is there time left for it?
GROW_BYTES_PER_SECOND = 2.5e8

GROUPS = {
    status_of.NEED_NODES: "nodes",
    status_of.NEED_EDGES: "edges",
    status_of.NEED_TABLES: "tables",
    status_of.NEED_PASSES: "passes",
    status_of.NEED_SIMULATIONS: "simulations",
    status_of.NEED_TRACES: "traces",
}
FAULTS = {
    status_of.TOO_LONG: "`turn` let a game go beyond the declared {max_plies} plies",
    status_of.BAD_CODE: "`legal` or `sample` gave a move outside 0..{num_codes} - 1",
    status_of.BAD_TURN: "`turn` named a player outside 0..{players} - 1",
    status_of.BAD_FEATURE: "`feature` or `coded` gave a code outside 0..{num_features} - 1",
    status_of.NO_MOVE: "`legal` or `sample` gave no move to a player whom `turn` had named",
    status_of.TOO_MANY: "`legal` gave more than the declared {max_moves} moves",
}


_loaded: set[bool] = set()  # which kernels this process has: in batches or not


class Stop(Protocol):
    """Anything like a `threading.Event`."""

    def is_set(self) -> bool:
        """Whether the search is to end."""


@dataclass
class Run:
    """How a search went, and the tree as it left it: nodes and AMAF tables in use.

    `plies` are those of all playouts, their way through the tree included.
    """

    playouts: int
    plies: int
    seconds: float
    full: bool
    nodes: int
    tables: int
    tree: Tree = field(repr=False)


class Search:
    """One player's search in one game: its plan, its tree and its playouts' memory."""

    def __init__(self, name: str, rules: Rules, spec: Spec) -> None:
        if not spec.playout.policy.features:
            rules = rules._replace(
                feature=0, playout_moves_with_features=0, num_features=rules.num_codes
            )
        self.name = name
        self.rules = rules
        self.spec = spec
        options = spec.options
        self.room = Room(rules, options.memory_mib * MIB)
        if self.room.nbytes > self.room.limit:
            raise UsageError(
                f"memory_mib={options.memory_mib} is too little to search {name}: it takes at "
                f"least {math.ceil(self.room.nbytes / MIB)}."
            )
        self.record: Record = new_record(rules)
        playout = spec.playout.form
        try:
            self.learner = playout.memory(rules, spec.playout.values)
        except MemoryError:
            raise UsageError(
                f"there is not enough memory for what these playouts learn at {name}: its bounds, "
                f"{rules.max_moves:,} moves and {rules.max_plies:,} plies, are too high for them."
            ) from None
        self.control: NDArray[np.int64] = np.zeros(CONTROL, np.int64)
        ref = NEVER if spec.ref is None else spec.ref
        pool = NEVER if spec.playout.pool is None else spec.playout.pool - 1
        amaf = spec.ref is not None or spec.playout.pool is not None
        self.plan = Plan(
            params=np.array(spec.params, dtype=np.float64),
            select=spec.formula.address,
            playout=address(playout.play_out, PLAYOUT),
            learn=address(playout.learn, LEARN) if playout.learn else 0,
            amaf=int(amaf),
            tables=min(ref, pool),
            ref=ref,
            pool=pool,
            passes=int(amaf and (min(ref, pool) < NEVER or options.reuse_tree)),
            expand=options.expand,
            transpositions=int(options.transpositions),
        )
        self.batch: Batch | None = None
        leaves, playouts = options.batch_leaves, options.playouts_per_leaf
        if leaves * playouts > 1:
            many = spec.playout.text == UNIFORM and bool(rules.batch_playouts)
            if batch_bytes(rules, leaves, playouts, many) > self.room.limit:
                raise UsageError(
                    f"memory_mib={options.memory_mib} is too little for batches of {leaves} "
                    f"leaves with {playouts} playouts each at {name}."
                )
            self.batch = new_batch(rules, leaves, playouts, many)
        self.prune_above = self.room.limit // 2
        self._history: History | None = None
        self._load()

    def _load(self) -> None:
        """Compile the kernels, or load them from the cache, before any clock runs."""
        batches = self.batch is not None
        if batches in _loaded:
            return
        contract.start(self.rules, self.record.root)
        while plant(self.rules, self.room.tree, self.plan, self.record) != status_of.OK:
            self.room.grow("tables")
        self._simulate(generator(0), 0, 0)
        look_up(self.room.tree, 0)
        prune(self.rules, self.room.tree)
        self.room.clear()
        _loaded.add(batches)

    def interrupt(self) -> None:
        """End the search under way, or else the next one; any thread may call this."""
        self.control[STOP] = 1

    def _simulate(self, rng: Rng, until: int, goal: int) -> int:
        """Go on until so many playouts of the search's `goal` are done."""
        if self.batch is not None:
            return simulate_batches(
                self.rules,
                self.room.tree,
                self.plan,
                self.record,
                self.learner,
                self.batch,
                self.control,
                rng,
                until,
                goal,
            )
        return simulate(
            self.rules,
            self.room.tree,
            self.plan,
            self.record,
            self.learner,
            self.control,
            rng,
            until,
        )

    def run(
        self,
        state: State,
        history: History,
        budget: Budget,
        seed: int,
        stop: Stop | None = None,
    ) -> Run:
        """Search from a position until the budget is spent, or `stop` or `interrupt` says so."""
        begin = time.perf_counter()
        deadline = begin + budget.seconds if budget.seconds is not None else math.inf
        rng = generator(seed)
        self.control[DONE] = self.control[PLIES] = 0  # whatever ended the search before
        self.record.root[:] = state
        if self._history is not None and self.spec.playout.form.carry:
            self.spec.playout.form.carry(self.learner)
        self._root_at(history)
        visits = int(self.room.tree.visits[self.room.tree.meta[ROOT]])
        goal = min(budget.playouts or MOST_PLAYOUTS, MOST_PLAYOUTS - visits)
        chunk = 1  # where one playout takes seconds, a second one may be too late
        while self.control[DONE] < goal and not self.control[STOP]:
            done, now = int(self.control[DONE]), time.perf_counter()
            if now >= deadline or (stop is not None and stop.is_set()):
                break
            status = self._simulate(rng, min(goal, done + chunk), goal)
            raise_fault()
            if status in GROUPS:
                self._grow(GROUPS[status], deadline - time.perf_counter())
            elif status == status_of.NEED_MEMORY and self.spec.playout.form.grow:
                self.learner = self.spec.playout.form.grow(self.learner)
            elif status != status_of.OK:
                raise self._fault(status)
            else:
                spent = max(time.perf_counter() - now, 1e-6)
                rate = (self.control[DONE] - done) / spent
                left = min(CHUNK_SECONDS, deadline - now - spent)
                chunk = max(1, min(8 * chunk, int(rate * left)))
        playouts, plies = int(self.control[DONE]), int(self.control[PLIES])
        self.control[:] = 0
        tree = self.room.tree
        return Run(
            playouts=playouts,
            plies=plies,
            seconds=time.perf_counter() - begin,
            full=self.room.full,
            nodes=int(tree.meta[NODES]),
            tables=int(tree.meta[TABLES]),
            tree=tree,
        )

    def _grow(self, group: str, seconds_left: float) -> None:
        """Make room for more of a group, or go on without if there is no time for it."""
        if self.room.group_bytes(group) / GROW_BYTES_PER_SECOND > seconds_left:
            self.room.close()
        else:
            self.room.grow(group)

    def _root_at(self, history: History) -> None:
        """Plant the tree at the new position: what is known of it if the tree is kept."""
        root = NONE
        if self.spec.options.reuse_tree and self._history is not None:
            root = known_node(
                self.rules,
                self.room.tree,
                self.spec.options.transpositions,
                self.record.root,
                self._history,
                history,
            )
        self.room.tree.meta[ROOT] = root
        if root == NONE or not self._tidy():
            self.room.clear()
        self._history = history
        while plant(self.rules, self.room.tree, self.plan, self.record) != status_of.OK:
            self.room.grow("tables")
            if self.room.full:
                # A kept tree has no room left for its new root's table: start afresh.
                self.room.clear()

    def _tidy(self) -> bool:
        """Free what the new root cannot reach, once memory gets short; False if the tree is of no
        use: it cannot be pruned, or the root's AMAF table cannot be built."""
        tree = self.room.tree
        root = tree.meta[ROOT]
        if self.plan.amaf and tree.table[root] == NONE and tree.passed[root] == LOST:
            return False
        if tree.meta[CLOSED] or self.room.nbytes > self.prune_above:
            self.room.full = False
            return prune(self.rules, tree)
        return True

    def _fault(self, status: int) -> ContractError:
        said = FAULTS[status].format(**self.rules._asdict())
        play_out = self.spec.playout.form.play_out
        if not play_out.__module__.startswith("graven."):
            said += f"; or the playout's own {play_out.__name__!r} did so"
        return ContractError(f"the rules of {self.name} break the game contract: {said}.")
