"""Grounding: from rules to all ground rules that can ever apply.

1. Relations that do not depend on the state are computed once, stratum by stratum: a relation
   after those that it negates (stratified negation).
2. Then all atoms that may be true, legal or done are derived, as if every negated atom of the state
   were false. These include all that can be reached, and perhaps more. Each way to derive an atom
   is kept as a ground rule.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from graven.core.cancellation import raise_if_cancelled
from graven.core.status import Status, call_kernel
from graven.gdl.grounding import join_kernel as joins
from graven.gdl.grounding.grounded_sheet import GroundedSheet
from graven.gdl.grounding.join_plans import PlanWriter, RelationIndexes
from graven.gdl.grounding.numbered_rules import (
    AtomPattern,
    NumberedProgram,
    TooLargeError,
    rule_text,
)
from graven.gdl.grounding.relation_dependencies import (
    Column,
    domain_sizes,
    needed_rules,
    relation_components,
    state_relations,
)
from graven.gdl.grounding.rule_splitter import RuleSplitter
from graven.gdl.grounding.wide_relations import WideRelations

T = TypeVar("T", bound=np.generic)

PAUSE = 3_000_000
"""Join steps between two checks of the limits: some 50 ms."""
STEPS_PER_SECOND = 60_000_000
"""Join steps per second of a fast machine."""


@dataclass(frozen=True, slots=True)
class GroundingLimits:
    """Limits of grounding; beyond them TooLargeError is raised."""

    seconds: float = 60.0
    atoms: int = 3_000_000
    instances: int = 5_000_000
    """Ground rules. Together with `literals` this bounds the memory: some 3 GB at most."""
    literals: int = 20_000_000
    """Conditions of all ground rules."""
    clock: Callable[[], float] = time.thread_time
    """What measures `seconds`: processor time, which other work on the machine does not change."""


def ground(program: NumberedProgram, limits: GroundingLimits | None = None) -> GroundedSheet:
    """Compute all ground rules of a program."""
    return _Grounder(program, limits or GroundingLimits()).ground()


class _Grounder:
    def __init__(
        self, program: NumberedProgram, limits: GroundingLimits, may_replace: bool = True
    ) -> None:
        self.program = program
        self.may_replace = may_replace
        """Whether wide relations may become diagrams."""
        self.limits = limits
        self.deadline = limits.clock() + limits.seconds
        self.widths = np.array([relation.columns for relation in program.relations], np.int32)
        self.indexes = RelationIndexes()
        self.filled = 0
        self.store = _new_store(len(program.constants))
        self.sizes: dict[int, tuple[int, tuple[int, ...]]] = {}
        """For each computed relation, the number of atoms, and of values in each column."""
        self.domains: dict[Column, int] = {}
        """For each column of the relations that depend on the state, a bound of its values."""
        self.bounded: set[int] = set()
        """The relations in `domains`, whose size can only be estimated."""

    def ground(self) -> GroundedSheet:
        """Compute all strata."""
        program = self.program
        rules = program.rules = needed_rules(program)
        groups = relation_components(len(program.relations), rules)
        state = state_relations(program, rules, groups)
        by_head: dict[int, list[int]] = {}
        for i, rule in enumerate(rules):
            by_head.setdefault(rule.head.relation, []).append(i)
        wide, waiting = WideRelations(program, self._rows, self._size), []
        for group in groups:
            if not group & state:
                numbers = [i for relation in sorted(group) for i in by_head.get(relation, [])]
                if self.may_replace and wide.add_if_wide(group, [rules[i] for i in numbers]):
                    waiting.append((numbers, group))
                else:
                    self._compute(numbers, group, frozenset())
        if waiting and wide.replace_in(rules, state):
            return _Grounder(program, self.limits, may_replace=False).ground()
        for numbers, group in waiting:
            self._compute(numbers, group, frozenset())
        dynamic = [rule for rule in rules if rule.head.relation in state]
        self._set_domains(domain_sizes(dynamic, self._rows))
        splitter = RuleSplitter(program, state, self._domain, self._density)
        split = [piece for rule in dynamic for piece in splitter.split(rule)] + splitter.added
        self.widths = np.array([relation.columns for relation in program.relations], np.int32)
        self._set_domains(domain_sizes(split, self._rows))
        first = len(program.rules)
        program.rules += split
        self._compute(range(first, len(program.rules)), state, frozenset(state))
        return self._result(frozenset(state))

    def _compute(self, rules: Sequence[int], together: set[int], kept: frozenset[int]) -> None:
        """Compute relations that depend on each other and on computed ones."""
        if not rules:
            return
        self._check_time()
        writer = PlanWriter(self.indexes, self._estimate, kept)
        opening = []
        for i in rules:
            rule = self.program.rules[i]
            starts = [p for p, atom in enumerate(rule.positive) if atom.relation in together]
            for trigger in starts:
                writer.add(i, rule, trigger)
            if not starts:
                opening.append(writer.add(i, rule, None))
        plans = writer.arrays(len(self.program.relations))
        self._fill(plans)
        for plan in opening:
            self._call(plans, partial(self._match_opening, plans, plan))
        self._call(plans, lambda: joins.run(self.store, plans, PAUSE, self._max_steps()))

    def _match_opening(self, plans: joins.JoinPlans, plan: int) -> int:
        """Match a plan that no atom triggers; return the status."""
        return int(
            joins.match_plan(self.store, plans, plan, trigger=-1, max_steps=self._max_steps())
        )

    def _call(self, plans: joins.JoinPlans, kernel: Callable[[], int]) -> None:
        """Call a kernel until it has done its work."""
        while not call_kernel(
            kernel, lambda status: self._fault(plans), lambda status: self._resume(status, plans)
        ):
            pass

    def _max_steps(self) -> int:
        """Return the steps that one atom may take in one plan, by the time that is left."""
        return max(PAUSE, int((self.deadline - self.limits.clock()) * STEPS_PER_SECOND))

    def _check_time(self) -> None:
        """Raise if the time is over, or if the caller has cancelled."""
        raise_if_cancelled()
        if self.limits.clock() > self.deadline:
            raise TooLargeError(
                f"grounding takes more than {self.limits.seconds:g} s: most atoms are of "
                f"{self._largest()}."
            )

    def _fault(self, plans: joins.JoinPlans) -> TooLargeError:
        """Return the error for a join that takes too many steps."""
        rule = self.program.rules[plans.plan_rule[self.store.meta[joins.FAULT]]]
        return TooLargeError(f"grounding takes too long at this rule, {rule_text(rule)}.")

    def _resume(self, status: Status, plans: joins.JoinPlans) -> None:
        """Grow the arrays that are full; raise TooLargeError beyond the limits."""
        meta = self.store.meta
        if (
            meta[joins.ATOMS] > self.limits.atoms
            or meta[joins.INSTANCES] > self.limits.instances
            or meta[joins.LITERALS] > self.limits.literals
        ):
            raise TooLargeError(
                f"the rules have more than {meta[joins.ATOMS]:,} atoms and "
                f"{meta[joins.INSTANCES]:,} ground rules: most are of {self._largest()}."
            )
        self._check_time()
        if status == Status.NEED_ATOMS:
            self._grow_atoms()
        elif status == Status.NEED_ENTRIES:
            self._grow_entries(plans)
        elif status == Status.NEED_INSTANCES:
            self._grow_instances()

    def _largest(self) -> str:
        """Return the relation with the most atoms."""
        atoms = self.store.meta[joins.ATOMS]
        counts = np.bincount(self.store.relation[:atoms], minlength=len(self.widths))
        most = int(np.argmax(counts))
        return f"{self.program.relations[most]!s} ({counts[most]:,})"

    def _grow_atoms(self) -> None:
        store = self.store
        self.store = store._replace(
            relation=_double(store.relation),
            first=_double(store.first),
            state=_double(store.state),
            values=_double(store.values),
            queue=_double(store.queue),
            slots=np.zeros(2 * len(store.slots), np.int32),
        )
        joins.rehash(self.store, self.widths)

    def _grow_entries(self, plans: joins.JoinPlans) -> None:
        store = self.store
        store.meta[joins.ENTRIES] = 0
        self.store = store._replace(
            buckets=np.zeros(2 * len(store.buckets), np.int32),
            entry_atom=np.zeros(2 * len(store.entry_atom), np.int32),
            entry_next=np.zeros(2 * len(store.entry_next), np.int32),
        )
        self.filled = 0
        self._fill(plans)

    def _grow_instances(self) -> None:
        store = self.store
        self.store = store._replace(
            instance_rule=_double(store.instance_rule),
            instance_head=_double(store.instance_head),
            instance_end=_double(store.instance_end),
            literals=_double(store.literals),
        )

    def _fill(self, plans: joins.JoinPlans) -> None:
        """Put the known atoms into indexes that are new."""
        new = list(self.indexes.known.items())[self.filled :]
        numbers = np.array([number for _, number in new], np.int32)
        relations = np.array([relation for (relation, _), _ in new], np.int32)
        entries = int(self.store.meta[joins.ENTRIES])
        buckets = self.store.buckets.copy()
        if joins.fill(self.store, plans, numbers, relations):
            self.filled = len(self.indexes.known)
        else:
            self.store.meta[joins.ENTRIES] = entries
            self.store.buckets[:] = buckets
            self._grow_entries(plans)

    def _estimate(self, pattern: AtomPattern, known: frozenset[int]) -> float:
        """Return the expected number of atoms that match a pattern with known columns."""
        relation = pattern.relation
        if relation in self.bounded:
            columns = (c for c in range(len(pattern.operands)) if c not in known)
            sizes = [self.domains.get((relation, column), 1) for column in columns]
            return float(np.prod(sizes, dtype=np.float64))
        size, distinct = self._size(relation)
        keys = float(np.prod([distinct[c] for c in known], dtype=np.float64)) if known else 1.0
        return size / max(1.0, min(keys, float(size)))

    def _set_domains(self, domains: dict[Column, int]) -> None:
        self.domains = domains
        self.bounded = {relation for relation, _ in domains}

    def _domain(self, relation: int, column: int) -> float:
        if relation in self.bounded:
            return float(self.domains.get((relation, column), 1))
        return float(max(1, self._size(relation)[1][column]))

    def _density(self, relation: int) -> float:
        size, distinct = self._size(relation)
        return size / max(1.0, float(np.prod(distinct, dtype=np.float64)))

    def _size(self, relation: int) -> tuple[int, tuple[int, ...]]:
        if relation not in self.sizes:
            rows = self._rows(relation)
            distinct = tuple(len(np.unique(column)) for column in rows.T)
            self.sizes[relation] = (len(rows), distinct)
        return self.sizes[relation]

    def _rows(self, relation: int) -> NDArray[np.int32]:
        """Return the values of all atoms of a relation so far."""
        store, count = self.store, self.store.meta[joins.ATOMS]
        atoms = np.flatnonzero(
            (store.relation[:count] == relation) & (store.state[:count] != joins.NAMED)
        )
        return store.values[store.first[atoms][:, None] + np.arange(self.widths[relation])]

    def _result(self, state: frozenset[int]) -> GroundedSheet:
        store, meta = self.store, self.store.meta
        atoms, instances = int(meta[joins.ATOMS]), int(meta[joins.INSTANCES])
        return GroundedSheet(
            program=self.program,
            relation=store.relation[:atoms],
            first=store.first[:atoms],
            values=store.values[: meta[joins.VALUES]],
            derivable=store.state[:atoms] != joins.NAMED,
            state=state,
            heads=store.instance_head[:instances],
            ends=store.instance_end[:instances],
            literals=store.literals[: meta[joins.LITERALS]],
            steps=int(meta[joins.STEPS]),
            deadline=self.deadline,
            clock=self.limits.clock,
        )


def _new_store(constants: int) -> joins.FactStore:
    atoms, entries, instances = 1 << 16, 1 << 17, 1 << 16
    meta = np.zeros(joins.META, np.int64)
    meta[joins.CONSTANTS] = constants
    return joins.FactStore(
        meta=meta,
        relation=np.zeros(atoms, np.int32),
        first=np.zeros(atoms, np.int32),
        state=np.zeros(atoms, np.int8),
        values=np.zeros(4 * atoms, np.int32),
        slots=np.zeros(4 * atoms, np.int32),
        queue=np.zeros(atoms, np.int32),
        buckets=np.zeros(entries, np.int32),
        entry_atom=np.zeros(entries, np.int32),
        entry_next=np.zeros(entries, np.int32),
        instance_rule=np.zeros(instances, np.int32),
        instance_head=np.zeros(instances, np.int32),
        instance_end=np.zeros(instances, np.int64),
        literals=np.zeros(4 * instances, np.int32),
    )


def _double(array: NDArray[T]) -> NDArray[T]:
    return np.concatenate((array, np.zeros_like(array)))
