"""The order in which the conditions of a rule are joined, as code for `join_kernel`.

Greedy: tests are done as soon as their variables are bound; then comes the condition that is
expected to match the fewest atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from graven.core.errors import UsageError
from graven.gdl.grounding import join_kernel as joins
from graven.gdl.grounding.numbered_rules import AtomPattern, NumberedRule, Operand, rule_text

Estimate = Callable[[AtomPattern, frozenset[int]], float]
"""The expected number of atoms that match a pattern of which these columns are known."""


@dataclass
class RelationIndexes:
    """The indexes of all relations, each on some columns."""

    known: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)

    def number(self, relation: int, columns: tuple[int, ...]) -> int:
        """Return the number of the index of a relation on some columns."""
        return self.known.setdefault((relation, columns), len(self.known))


@dataclass
class PlanWriter:
    """Writes plans as lists of numbers, which then become arrays."""

    indexes: RelationIndexes
    estimate: Estimate
    kept: frozenset[int]
    """Relations that depend on the state: their atoms become literals of ground rules."""
    code: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    plan_first: list[int] = field(default_factory=list)
    plan_rule: list[int] = field(default_factory=list)
    plan_slots: list[int] = field(default_factory=list)
    triggers: dict[int, list[int]] = field(default_factory=dict)
    scratch: int = 1
    """The most values at once: the variables of a rule, and the operands of a step."""

    def add(self, number: int, rule: NumberedRule, trigger: int | None) -> int:
        """Write the plan of a rule that an atom at place `trigger` of its body starts."""
        plan = len(self.plan_first)
        self.plan_first.append(len(self.steps))
        self.plan_rule.append(number)
        slots = _Planner(self, rule, trigger).write()
        keeps = rule.head.relation in self.kept and not rule.silent
        self.plan_slots.append(slots if keeps else -1)
        if trigger is not None:
            self.triggers.setdefault(rule.positive[trigger].relation, []).append(plan)
        return plan

    def arrays(self, relations: int) -> joins.JoinPlans:
        """Return the plans as arrays."""
        by_relation: list[list[int]] = [[] for _ in range(relations)]
        columns: list[tuple[int, ...]] = []
        for (relation, key), index in self.indexes.known.items():
            by_relation[relation].append(index)
            columns.append(key)
        triggers = [self.triggers.get(relation, []) for relation in range(relations)]
        longest = max(np.diff([*self.plan_first, len(self.steps)]), default=0)
        return joins.JoinPlans(
            code=_ints(self.code),
            steps=_ints(self.steps),
            plan_first=_ints([*self.plan_first, len(self.steps)]),
            plan_rule=_ints(self.plan_rule),
            plan_slots=_ints(self.plan_slots),
            trigger_first=_starts(triggers),
            triggers=_ints(chain.from_iterable(triggers)),
            index_first=_starts(by_relation),
            indexes=_ints(chain.from_iterable(by_relation)),
            column_first=_starts(columns),
            columns=_ints(chain.from_iterable(columns)),
            cursor=np.zeros(max(1, int(longest)), np.int32),
            bound=np.zeros(self.scratch, np.int32),
            body=np.zeros(self.scratch, np.int32),
        )


def _ints(values: Iterable[int]) -> joins.Int32:
    return np.array(list(values), np.int32)


def _starts(groups: Iterable[Iterable[int]]) -> joins.Int32:
    sizes = [len(list(group)) for group in groups]
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)


class _Planner:
    """Writes the plan of one rule."""

    def __init__(self, writer: PlanWriter, rule: NumberedRule, trigger: int | None) -> None:
        self.writer = writer
        self.rule = rule
        self.trigger = trigger
        self.bound: set[int] = set()
        self.open = list(range(len(rule.positive)))
        self.functions = list(rule.functions)
        self.distinct = list(rule.distinct)
        self.constants = list(rule.constants)
        keeps = rule.head.relation in writer.kept and not rule.silent
        kept = writer.kept if keeps else frozenset()
        self.slot = dict.fromkeys(range(len(rule.positive)), -1)
        self.slots = 0
        for i, pattern in enumerate(rule.positive):
            if pattern.relation in kept:
                self.slot[i] = self.slots
                self.slots += 1
        # Negated atoms that depend on the state become literals of the ground rule; while possible
        # atoms are derived, they are assumed to be false. Other negated atoms are looked up.
        self.absent = [atom for atom in rule.negative if atom.relation not in writer.kept]
        self.negated = [atom for atom in rule.negative if atom.relation in kept]

    def write(self) -> int:
        """Write all steps; return the number of literals of a ground rule."""
        rule = self.rule
        if self.trigger is not None:
            pattern = rule.positive[self.trigger]
            self.open.remove(self.trigger)
            slot = self.slot[self.trigger]
            self._step([joins.START, pattern.relation, slot, 0, *self._columns(pattern)])
        self._settle()
        while self.open:
            best = min(self.open, key=self._cost)
            self.open.remove(best)
            self._match(best)
            self._settle()
        for pattern in self.negated:
            self._operate(joins.NEGATE, pattern, self.slots)
            self.slots += 1
        if self.functions or self.distinct or self.absent:
            self._raise_unsafe()
        self._operate(joins.DERIVE, rule.head)
        widest = max((len(pattern.operands) for pattern in self._patterns()), default=0)
        scratch = rule.variables + widest + self.slots + 1
        self.writer.scratch = max(self.writer.scratch, scratch)
        return self.slots

    def _patterns(self) -> Iterable[AtomPattern]:
        yield self.rule.head
        yield from self.rule.positive
        yield from self.rule.negative
        for _, pattern in self.rule.functions:
            yield pattern

    def _cost(self, i: int) -> tuple[float, int]:
        pattern = self.rule.positive[i]
        known = frozenset(c for c, x in enumerate(pattern.operands) if self._is_bound(x))
        return self.writer.estimate(pattern, known), i

    def _is_bound(self, operand: Operand) -> bool:
        return operand < 0 or operand in self.bound

    def _all_bound(self, pattern: AtomPattern) -> bool:
        return all(self._is_bound(operand) for operand in pattern.operands)

    def _settle(self) -> None:
        """Write all steps that need no search: take functions apart, build them, and test."""
        again = True
        while again:
            again = self._settle_functions()
            for variable in list(self.constants):
                if variable in self.bound:
                    self._step([joins.CONSTANT, variable])
                    self.constants.remove(variable)
            for pair in list(self.distinct):
                if all(self._is_bound(operand) for operand in pair):
                    self._step([joins.DIFFER, *pair])
                    self.distinct.remove(pair)
            for pattern in list(self.absent):
                if self._all_bound(pattern):
                    self._operate(joins.ABSENT, pattern)
                    self.absent.remove(pattern)
            for i in list(self.open):
                pattern = self.rule.positive[i]
                if self._all_bound(pattern):
                    self._operate(joins.FIND, pattern, self.slot[i], self._skips(i))
                    self.open.remove(i)

    def _settle_functions(self) -> bool:
        """Take apart functions that are bound, and build those whose arguments are."""
        settled = False
        for function in list(self.functions):
            variable, pattern = function
            if variable in self.bound:
                self._step([joins.SPLIT, variable, pattern.relation, *self._columns(pattern)])
            elif self._all_bound(pattern):
                self._operate(joins.BUILD, pattern, variable)
                self.bound.add(variable)
            else:
                continue
            self.functions.remove(function)
            settled = True
        return settled

    def _skips(self, i: int) -> int:
        """Return 1 if the trigger must not match here, because it matched here in another plan."""
        return int(self.trigger is not None and i < self.trigger)

    def _match(self, i: int) -> None:
        """Write the search for atoms that match a pattern, by an index on the known columns."""
        pattern = self.rule.positive[i]
        columns = tuple(c for c, x in enumerate(pattern.operands) if self._is_bound(x))
        index = self.writer.indexes.number(pattern.relation, columns)
        key = [pattern.operands[c] for c in columns]
        head = [joins.MATCH, pattern.relation, self.slot[i], self._skips(i), index, len(key)]
        self._step([*head, *key, *self._columns(pattern)])

    def _columns(self, pattern: AtomPattern) -> list[int]:
        """Return what to do with each column; its variables are bound from now on."""
        columns = [len(pattern.operands)]
        for operand in pattern.operands:
            if operand < 0:
                columns += [joins.SAME_CONSTANT, ~operand]
            elif operand in self.bound:
                columns += [joins.SAME_VARIABLE, operand]
            else:
                columns += [joins.BIND, operand]
                self.bound.add(operand)
        return columns

    def _operate(self, kind: int, pattern: AtomPattern, slot: int = 0, skip: int = 0) -> None:
        """Write a step on an atom all of whose operands are bound."""
        if not self._all_bound(pattern):
            self._raise_unsafe()
        count = len(pattern.operands)
        self._step([kind, pattern.relation, slot, skip, count, *pattern.operands])

    def _step(self, numbers: Iterable[int]) -> None:
        self.writer.steps.append(len(self.writer.code))
        self.writer.code.extend(numbers)

    def _raise_unsafe(self) -> None:
        raise UsageError(
            f"this rule has a variable that nothing in its body gives a value, "
            f"{rule_text(self.rule)}."
        )
