"""In which order a rule's body is looked for, as code for joins.py.

Greedy: whatever can be tested is tested at once; then comes the part that is expected to match
least often given what is bound by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from graven.core.errors import UsageError
from graven.gdl import joins
from graven.gdl.program import Line, Operand, Part, show_line

Estimate = Callable[[Part, frozenset[int]], float]
"""How many atoms are expected to match a part whose columns so numbered are known."""


@dataclass
class Indexes:
    """The indexes of all relations: which columns they look up."""

    known: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)

    def number(self, relation: int, columns: tuple[int, ...]) -> int:
        """The index of a relation on some columns."""
        return self.known.setdefault((relation, columns), len(self.known))


@dataclass
class Code:
    """Plans as they are written, before they become arrays."""

    indexes: Indexes
    estimate: Estimate
    kept: frozenset[int]
    """Relations whose atoms depend on the state: they become literals of ground rules."""
    code: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    plan_first: list[int] = field(default_factory=list)
    plan_rule: list[int] = field(default_factory=list)
    plan_slots: list[int] = field(default_factory=list)
    triggers: dict[int, list[int]] = field(default_factory=dict)
    room: int = 1
    """Values to remember at once: the variables of a line, and the operands of a step."""

    def add(self, rule: int, line: Line, trigger: int | None) -> int:
        """Write the plan of a line that an atom at place `trigger` of its body starts."""
        number = len(self.plan_first)
        self.plan_first.append(len(self.steps))
        self.plan_rule.append(rule)
        slots = _Planner(self, line, trigger).write()
        keeps = line.head.relation in self.kept and not line.silent
        self.plan_slots.append(slots if keeps else -1)
        if trigger is not None:
            self.triggers.setdefault(line.holds[trigger].relation, []).append(number)
        return number

    def arrays(self, relations: int) -> joins.Plans:
        """The plans as arrays."""
        by_relation: list[list[int]] = [[] for _ in range(relations)]
        columns: list[tuple[int, ...]] = []
        for (relation, wanted), index in self.indexes.known.items():
            by_relation[relation].append(index)
            columns.append(wanted)
        triggers = [self.triggers.get(relation, []) for relation in range(relations)]
        most = max(np.diff([*self.plan_first, len(self.steps)]), default=0)
        return joins.Plans(
            code=_ints(self.code),
            steps=_ints(self.steps),
            plan_first=_ints([*self.plan_first, len(self.steps)]),
            plan_rule=_ints(self.plan_rule),
            plan_slots=_ints(self.plan_slots),
            trigger_first=_starts(triggers),
            triggers=_ints([plan for each in triggers for plan in each]),
            index_first=_starts(by_relation),
            indexes=_ints([index for each in by_relation for index in each]),
            column_first=_starts(columns),
            columns=_ints([column for each in columns for column in each]),
            cursor=np.zeros(max(1, int(most)), np.int32),
            bound=np.zeros(self.room, np.int32),
            found=np.zeros(self.room, np.int32),
        )


def _ints(values: Iterable[int]) -> joins.Int32:
    return np.array(list(values), np.int32)


def _starts(groups: Iterable[Iterable[int]]) -> joins.Int32:
    sizes = [len(list(group)) for group in groups]
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)


class _Planner:
    """Writes the plan of one line."""

    def __init__(self, code: Code, line: Line, trigger: int | None) -> None:
        self.code = code
        self.line = line
        self.trigger = trigger
        self.bound: set[int] = set()
        self.open = list(range(len(line.holds)))
        self.built = list(line.built)
        self.differ = list(line.differ)
        self.plain = list(line.plain)
        kept = code.kept if line.head.relation in code.kept and not line.silent else frozenset()
        self.slot = dict.fromkeys(range(len(line.holds)), -1)
        count = 0
        for i, part in enumerate(line.holds):
            if part.relation in kept:
                self.slot[i] = count
                count += 1
        # What depends on the state is only named; what does not is known, and looked up. While
        # possible atoms of the state are looked for, its denials are taken for true.
        self.lacking = [part for part in line.fails if part.relation not in code.kept]
        self.naming = [part for part in line.fails if part.relation in kept]
        self.slots = count

    def write(self) -> int:
        """Write all steps; how many literals an instance has."""
        line = self.line
        if self.trigger is not None:
            part = line.holds[self.trigger]
            self.open.remove(self.trigger)
            self._step(joins.START, part.relation, self.slot[self.trigger], 0, *self._pattern(part))
        self._settle()
        while self.open:
            best = min(self.open, key=self._cost)
            self.open.remove(best)
            self._match(best)
            self._settle()
        for part in self.naming:
            self._fixed(joins.NAME, part.relation, self.slots, 0, part.operands)
            self.slots += 1
        if self.built or self.differ or self.lacking:
            self._unsafe()
        self._fixed(joins.EMIT, line.head.relation, 0, 0, line.head.operands)
        most = max((len(part.operands) for part in self._parts()), default=0)
        self.code.room = max(self.code.room, line.variables + most + self.slots + 1)
        return self.slots

    def _parts(self) -> Iterable[Part]:
        yield self.line.head
        yield from self.line.holds
        yield from self.line.fails
        for _, part in self.line.built:
            yield part

    def _cost(self, i: int) -> tuple[float, int]:
        part = self.line.holds[i]
        known = frozenset(c for c, operand in enumerate(part.operands) if self._is_bound(operand))
        return self.code.estimate(part, known), i

    def _is_bound(self, operand: Operand) -> bool:
        return operand < 0 or operand in self.bound

    def _all_bound(self, part: Part) -> bool:
        return all(self._is_bound(operand) for operand in part.operands)

    def _settle(self) -> None:
        """Do all that needs no search: take functions apart or build them, and test."""
        again = True
        while again:
            again = False
            for each in list(self.built):
                variable, part = each
                if variable in self.bound:
                    self._step(joins.SPLIT, variable, part.relation, *self._pattern(part))
                elif self._all_bound(part):
                    self._fixed(joins.BUILD, part.relation, variable, 0, part.operands)
                    self.bound.add(variable)
                else:
                    continue
                self.built.remove(each)
                again = True
            for variable in list(self.plain):
                if variable in self.bound:
                    self._step(joins.PLAIN, variable)
                    self.plain.remove(variable)
            for pair in list(self.differ):
                if all(self._is_bound(operand) for operand in pair):
                    self._step(joins.DIFFER, *pair)
                    self.differ.remove(pair)
            for part in list(self.lacking):
                if self._all_bound(part):
                    self._fixed(joins.LACK, part.relation, 0, 0, part.operands)
                    self.lacking.remove(part)
            for i in list(self.open):
                part = self.line.holds[i]
                if self._all_bound(part):
                    self._fixed(
                        joins.FIND, part.relation, self.slot[i], self._skips(i), part.operands
                    )
                    self.open.remove(i)

    def _skips(self, i: int) -> int:
        """Whether the atom that started the plan may not stand here: it stood here earlier."""
        return int(self.trigger is not None and i < self.trigger)

    def _match(self, i: int) -> None:
        part = self.line.holds[i]
        columns = tuple(c for c, each in enumerate(part.operands) if self._is_bound(each))
        index = self.code.indexes.number(part.relation, columns)
        key = [part.operands[c] for c in columns]
        head = (part.relation, self.slot[i], self._skips(i), index, len(key), *key)
        self._step(joins.MATCH, *head, *self._pattern(part))

    def _pattern(self, part: Part) -> list[int]:
        """What to do with each column; its variables are bound from now on."""
        pattern = [len(part.operands)]
        for operand in part.operands:
            if operand < 0:
                pattern += [joins.SAME_CONSTANT, ~operand]
            elif operand in self.bound:
                pattern += [joins.SAME, operand]
            else:
                pattern += [joins.KEEP, operand]
                self.bound.add(operand)
        return pattern

    def _fixed(
        self, kind: int, relation: int, slot: int, skip: int, operands: tuple[Operand, ...]
    ) -> None:
        if not all(self._is_bound(operand) for operand in operands):
            self._unsafe()
        self._step(kind, relation, slot, skip, len(operands), *operands)

    def _step(self, *numbers: int) -> None:
        self.code.steps.append(len(self.code.code))
        self.code.code.extend(numbers)

    def _unsafe(self) -> None:
        raise UsageError(
            f"this rule has a variable that nothing in its body gives a value, "
            f"{show_line(self.line)}."
        )
