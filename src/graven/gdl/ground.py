"""From rules to ground rules: all that can ever be the case, and why.

1. Relations that do not depend on the state are worked out for good, one after another, those
   that others deny first (stratified negation).
2. Then what may be true, legal, done: everything that follows if no denial of the state is ever
   in the way. This is more than what can be reached, never less. Each way to derive an atom is
   kept as a ground rule.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from graven.core.cancellation import raise_if_cancelled
from graven.gdl import joins
from graven.gdl.components import components
from graven.gdl.plans import Code, Indexes
from graven.gdl.program import Line, Part, Program, TooLargeError, show_line
from graven.gdl.split import Splitter

T = TypeVar("T", bound=np.generic)

PAUSE = 3_000_000
"""Steps between two looks at the clock: some 50 ms."""
STEPS_A_SECOND = 60_000_000
"""About as many as a fast machine makes."""
STATE = ("true", "does")
UNKNOWN = range(-8, 0)
"""Stand for the values of a column that functions are taken apart for: nobody knows how many."""
GAME = ("role", "init", "true", "next", "legal", "does", "goal", "terminal")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far grounding may go."""

    seconds: float = 60.0
    atoms: int = 3_000_000
    instances: int = 5_000_000
    """Ground rules. Together with `literals` this bounds the memory: some 3 GB at most."""
    literals: int = 20_000_000
    """Conditions of all ground rules."""


@dataclass
class Ground:
    """Atoms and ground rules of a sheet."""

    program: Program
    relation: NDArray[np.int32]
    """(atoms,) the relation of each atom."""
    first: NDArray[np.int32]
    values: NDArray[np.int32]
    """An atom's values start at its `first`; see `text`."""
    holds: NDArray[np.bool_]
    """(atoms,) whether it can hold: some atoms are only named, in denials."""
    state: frozenset[int]
    """Relations that depend on the state."""
    heads: NDArray[np.int32]
    """(rules,) the atom that each ground rule gives."""
    ends: NDArray[np.int64]
    """(rules,) where its literals end."""
    literals: NDArray[np.int32]
    """2 * atom, + 1 where the atom is denied; only atoms that depend on the state."""
    steps: int
    """How many steps the joins took."""
    deadline: float
    """When the time is up, by time.monotonic()."""

    def rows(self, relation: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The atoms of a relation that can hold, and their values, one row each."""
        atoms = np.flatnonzero((self.relation == relation) & self.holds)
        width = self.program.relations[relation].columns
        return atoms, self.values[self.first[atoms][:, None] + np.arange(width)]

    def value(self, value: int) -> str:
        """A constant or function as text."""
        if value < len(self.program.constants):
            return self.program.constants[value]
        atom = value - len(self.program.constants)
        return self.compound(atom, 0)

    def compound(self, atom: int, skip: int) -> str:
        """The function in an atom as text: `skip` columns before it belong to the relation."""
        relation = self.program.relations[self.relation[atom]]
        first = int(self.first[atom])
        values = [self.value(int(v)) for v in self.values[first + skip : first + relation.columns]]
        if relation.function is None or relation.function[1] < 0:
            return values[0]
        return f"( {' '.join([relation.function[0], *values])} )"


def ground(program: Program, limits: Limits | None = None) -> Ground:
    """All ground rules of a program."""
    return _Grounder(program, limits or Limits()).ground()


class _Grounder:
    def __init__(self, program: Program, limits: Limits) -> None:
        self.program = program
        self.limits = limits
        self.deadline = time.monotonic() + limits.seconds
        self.widths = np.array([each.columns for each in program.relations], np.int32)
        self.indexes = Indexes()
        self.filled = 0
        self.store = _new_store(len(program.constants))
        self.sizes: dict[int, tuple[int, tuple[int, ...]]] = {}
        """Of each finished relation: how many atoms, and how many values in each column."""
        self.domains: dict[tuple[int, int], int] = {}

    def ground(self) -> Ground:
        """Work out all strata."""
        lines = self.program.lines = _needed(self.program)
        groups = _components(len(self.program.relations), lines)
        state = _dependent(self.program, lines, groups)
        by_head: dict[int, list[int]] = {}
        for i, line in enumerate(lines):
            by_head.setdefault(line.head.relation, []).append(i)
        for component in groups:
            if not component & state:
                rules = [i for relation in sorted(component) for i in by_head.get(relation, [])]
                self._stratum(rules, component, frozenset())
        dynamic = [line for line in lines if line.head.relation in state]
        self.domains = _domains(self, dynamic)
        splitter = Splitter(self.program, state, self._domain, self._density)
        pieces = [piece for line in dynamic for piece in splitter.split(line)] + splitter.made
        self.widths = np.array([each.columns for each in self.program.relations], np.int32)
        self.domains = _domains(self, pieces)
        first = len(self.program.lines)
        self.program.lines += pieces
        self._stratum(range(first, len(self.program.lines)), state, frozenset(state))
        return self._result(frozenset(state))

    def _stratum(self, rules: Sequence[int], together: set[int], kept: frozenset[int]) -> None:
        """Work out relations that depend on each other and on finished ones."""
        if not rules:
            return
        self._look_at_the_clock()
        code = Code(self.indexes, self._estimate, kept)
        opening = []
        for i in rules:
            line = self.program.lines[i]
            starts = [p for p, part in enumerate(line.holds) if part.relation in together]
            for trigger in starts:
                code.add(i, line, trigger)
            if not starts:
                opening.append(code.add(i, line, None))
        plans = code.arrays(len(self.program.relations))
        self._fill(plans)
        for plan in opening:
            while answer := joins.follow(self.store, plans, plan, -1, self._most()):
                self._go_on(answer, plans)
        while answer := joins.run(self.store, plans, PAUSE, self._most()):
            self._go_on(answer, plans)

    def _most(self) -> int:
        """Steps that one atom may take in one plan: what the time that is left allows."""
        return max(PAUSE, int((self.deadline - time.monotonic()) * STEPS_A_SECOND))

    def _look_at_the_clock(self) -> None:
        """Complain if it takes too long, or if nobody waits any more."""
        raise_if_cancelled()
        if time.monotonic() > self.deadline:
            raise TooLargeError(
                f"grounding takes more than {self.limits.seconds:g} s: most atoms are of "
                f"{self._largest()}."
            )

    def _go_on(self, answer: int, plans: joins.Plans) -> None:
        """Make room, or say why there is none."""
        meta = self.store.meta
        if answer == joins.TOO_LONG:
            line = self.program.lines[plans.plan_rule[meta[joins.FAULT]]]
            raise TooLargeError(f"grounding takes too long at this rule, {show_line(line)}.")
        if (
            meta[joins.ATOMS] > self.limits.atoms
            or meta[joins.INSTANCES] > self.limits.instances
            or meta[joins.LITERALS] > self.limits.literals
        ):
            raise TooLargeError(
                f"the rules have more than {meta[joins.ATOMS]:,} atoms and "
                f"{meta[joins.INSTANCES]:,} ground rules: most are of {self._largest()}."
            )
        self._look_at_the_clock()
        if answer == joins.ROOM_ATOMS:
            self._grow_atoms()
        elif answer == joins.ROOM_ENTRIES:
            self._grow_entries(plans)
        elif answer == joins.ROOM_INSTANCES:
            self._grow_instances()

    def _largest(self) -> str:
        """The relation with the most atoms."""
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
        joins.seat_all(self.store, self.widths)

    def _grow_entries(self, plans: joins.Plans) -> None:
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

    def _fill(self, plans: joins.Plans) -> None:
        """Put the atoms that are there into indexes that are new."""
        known = list(self.indexes.known.items())[self.filled :]
        numbers = np.array([number for _, number in known], np.int32)
        relations = np.array([relation for (relation, _), _ in known], np.int32)
        entries = int(self.store.meta[joins.ENTRIES])
        buckets = self.store.buckets.copy()
        if joins.fill(self.store, plans, numbers, relations):
            self.filled = len(self.indexes.known)
        else:
            self.store.meta[joins.ENTRIES] = entries
            self.store.buckets[:] = buckets
            self._grow_entries(plans)

    def _estimate(self, part: Part, known: frozenset[int]) -> float:
        if part.relation in self.domains_of_state:
            return float(
                np.prod(
                    [
                        self.domains.get((part.relation, c), 1)
                        for c in range(len(part.operands))
                        if c not in known
                    ],
                    dtype=np.float64,
                )
            )
        size, distinct = self._size(part.relation)
        keys = float(np.prod([distinct[c] for c in known], dtype=np.float64)) if known else 1.0
        return size / max(1.0, min(keys, float(size)))

    @property
    def domains_of_state(self) -> set[int]:
        """Relations whose size can only be guessed."""
        return {relation for relation, _ in self.domains}

    def _domain(self, relation: int, column: int) -> float:
        if relation in self.domains_of_state:
            return float(self.domains.get((relation, column), 1))
        return float(max(1, self._size(relation)[1][column]))

    def _density(self, relation: int) -> float:
        size, distinct = self._size(relation)
        return size / max(1.0, float(np.prod(distinct, dtype=np.float64)))

    def _size(self, relation: int) -> tuple[int, tuple[int, ...]]:
        if relation not in self.sizes:
            rows = self.rows(relation)
            distinct = tuple(len(np.unique(column)) for column in rows.T)
            self.sizes[relation] = (len(rows), distinct)
        return self.sizes[relation]

    def rows(self, relation: int) -> NDArray[np.int32]:
        """The values of all atoms of a relation so far."""
        store, count = self.store, self.store.meta[joins.ATOMS]
        atoms = np.flatnonzero(
            (store.relation[:count] == relation) & (store.state[:count] != joins.NAMED)
        )
        return store.values[store.first[atoms][:, None] + np.arange(self.widths[relation])]

    def _result(self, state: frozenset[int]) -> Ground:
        store, meta = self.store, self.store.meta
        atoms, instances = int(meta[joins.ATOMS]), int(meta[joins.INSTANCES])
        return Ground(
            self.program,
            store.relation[:atoms],
            store.first[:atoms],
            store.values[: meta[joins.VALUES]],
            store.state[:atoms] != joins.NAMED,
            state,
            store.instance_head[:instances],
            store.instance_end[:instances],
            store.literals[: meta[joins.LITERALS]],
            int(meta[joins.STEPS]),
            self.deadline,
        )


def _new_store(constants: int) -> joins.Store:
    atoms, entries, instances = 1 << 16, 1 << 17, 1 << 16
    meta = np.zeros(joins.META, np.int64)
    meta[joins.CONSTANTS] = constants
    return joins.Store(
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


def _needed(program: Program) -> list[Line]:
    """The lines of relations that the game is made of, or that these need."""
    by_head: dict[int, list[Line]] = {}
    for line in program.lines:
        by_head.setdefault(line.head.relation, []).append(line)
    waiting = [number for name in GAME for number in program.family(name)]
    found = set(waiting)
    while waiting:
        for line in by_head.get(waiting.pop(), []):
            new = {part.relation for part in (*line.holds, *line.fails)} - found
            found |= new
            waiting += new
    return [line for line in program.lines if line.head.relation in found]


def _dependent(program: Program, lines: Iterable[Line], groups: Iterable[set[int]]) -> set[int]:
    """Relations that depend on what is true or done.

    Also those that deny each other in a circle, which atom by atom need not be one.
    """
    users: dict[int, set[int]] = {}
    for line in lines:
        for part in (*line.holds, *line.fails):
            users.setdefault(part.relation, set()).add(line.head.relation)
    found = {number for name in STATE for number in program.family(name)}
    for group in groups:
        denied = {
            part.relation for line in lines if line.head.relation in group for part in line.fails
        }
        found |= group if denied & group else set()
    waiting = list(found)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found


def _components(count: int, lines: Iterable[Line]) -> list[set[int]]:
    """Relations that depend on each other, each group after those that it depends on."""
    needs: list[set[int]] = [set() for _ in range(count)]
    for line in lines:
        needs[line.head.relation].update(part.relation for part in (*line.holds, *line.fails))
    return components(needs)


def _domains(grounder: _Grounder, lines: Sequence[Line]) -> dict[tuple[int, int], int]:
    """How many values each column of the state's relations may have, at most."""
    sets: dict[tuple[int, int], set[int]] = {}
    open_relations = {line.head.relation for line in lines}
    for line in lines:
        for part in (*line.holds, *line.fails, line.head):
            for column in range(len(part.operands)):
                place = (part.relation, column)
                if place in sets:
                    continue
                sets[place] = set()
                if part.relation not in open_relations:
                    sets[place] = set(grounder.rows(part.relation)[:, column].tolist())
    changed = True
    while changed:
        changed = False
        for line in lines:
            for column, operand in enumerate(line.head.operands):
                target = sets[line.head.relation, column]
                values = _values(line, operand, sets)
                if not values <= target:
                    target |= values
                    changed = True
    return {
        place: max(1, len(values)) for place, values in sets.items() if place[0] in open_relations
    }


def _values(line: Line, operand: int, sets: dict[tuple[int, int], set[int]]) -> set[int]:
    if operand < 0:
        return {~operand}
    places = [
        sets[part.relation, column]
        for part in line.holds
        for column, each in enumerate(part.operands)
        if each == operand
    ]
    if not places and any(operand in part.operands for _, part in line.built):
        return set(UNKNOWN)
    return set.intersection(*places) if places else set()
