"""Relations that are too large to be listed, such as "nine numbers are all different".

    (<= (row ?i) (true (mark ?i 1 ?a)) (true (mark ?i 2 ?b)) (true (mark ?i 3 ?c))
        (different ?a ?b ?c))

If `different` does not depend on the state but has too many atoms, it is made a decision diagram
over ?a, ?b and ?c, whose levels are small relations. The rule becomes a path through it:

    (<= (step1 ?i ?n) (true (mark ?i 1 ?a)) (level1 root ?a ?n))
    (<= (step2 ?i ?n) (step1 ?i ?m) (true (mark ?i 2 ?b)) (level2 ?m ?b ?n))
    (<= (row ?i) (step2 ?i ?m) (true (mark ?i 3 ?c)) (level3 ?m ?c end))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graven.gdl.grounding.decision_diagrams import FALSE, TRUE, Diagrams, DiagramTooLargeError
from graven.gdl.grounding.numbered_rules import (
    AtomPattern,
    NumberedProgram,
    NumberedRule,
    Operand,
    Relation,
)
from graven.gdl.grounding.relation_dependencies import Column, column_values

MIN_ATOMS, MIN_COLUMNS = 10_000_000, 4
"""Relations that are expected to have fewer atoms, or have fewer arguments, are listed."""
MAX_CASES, MAX_MATCHES = 500, 100_000
"""Ways to fulfil a rule's static conditions, and pairs that are tried to find them."""
MAX_TUPLES = 100_000
"""Relations with more atoms are not read into diagrams."""

Rows = Callable[[int], NDArray[np.int32]]
"""The values of a relation that is computed."""
Size = Callable[[int], tuple[int, tuple[int, ...]]]
"""The number of atoms of a relation that is computed, and of values in each column."""


class _UnsuitableError(Exception):
    """No diagram can be made of a relation or a rule."""


class WideRelations:
    """The relations of one program that are not computed, because they are too large."""

    def __init__(self, program: NumberedProgram, rows: Rows, size: Size) -> None:
        self.program = program
        self.rows = rows
        self.size = size
        self.rules: dict[int, list[NumberedRule]] = {}
        """The rules of each wide relation."""
        self.is_recursive = False
        """Whether one depends on itself: it has no diagram."""

    def add_if_wide(self, group: set[int], rules: Sequence[NumberedRule]) -> bool:
        """Add a relation if it is wide, or uses one that is; `group` has its dependencies."""
        used = {atom.relation for rule in rules for atom in (*rule.positive, *rule.negative)}
        is_alone = len(group) == 1 and not used & group
        is_derived = any(rule.positive for rule in rules)
        if used & self.rules.keys():
            is_wide = True
            self.is_recursive |= not is_alone
        elif is_alone and is_derived and len(rules[0].head.operands) >= MIN_COLUMNS:
            is_wide = sum(map(self._expected, rules)) >= MIN_ATOMS
        else:
            is_wide = False
        if is_wide:
            for rule in rules:
                self.rules.setdefault(rule.head.relation, []).append(rule)
        return is_wide

    def _expected(self, rule: NumberedRule) -> float:
        """Return how many atoms a rule is expected to have."""
        sizes: dict[int, float] = {}
        density = 1.0
        for atom in rule.positive:
            size, counts = self.size(atom.relation)
            density *= size / max(1.0, math.prod(map(float, counts)))
            for operand, count in zip(atom.operands, counts, strict=True):
                if operand >= 0:
                    sizes[operand] = min(count, sizes.get(operand, math.inf))
        return density * math.prod(sizes.values())

    def replace_in(self, rules: Iterable[NumberedRule], state: set[int]) -> bool:
        """Use diagrams in the program's rules instead of wide relations.

        `state` are the relations that depend on the state. Return False, with the program as it
        was, if there is a rule in which that is not possible.
        """
        if self.is_recursive:
            return False
        others = [rule for rule in rules if rule.head.relation not in self.rules]
        known = [rule for wide in self.rules.values() for rule in wide]
        values = column_values([*others, *known], self.rows)
        writer = _RuleWriter(self, values)
        try:
            for rule in others:
                for case in self._cases(rule, state):
                    writer.add(case)
        except (_UnsuitableError, DiagramTooLargeError):
            return False
        program = self.program
        program.rules = writer.rules
        for relation, edges in writer.levels.items():
            number = program.relation(relation)
            for node, value, child in edges:
                operands = ~_node(program, node), ~value, ~_node(program, child)
                program.rules.append(NumberedRule(AtomPattern(number, operands), ()))
        return True

    def _cases(self, rule: NumberedRule, state: set[int]) -> list[NumberedRule]:
        """Return a rule with wide relations once for each way to fulfil its static conditions.

        The places of a board in a rule are then constants, and its variables only
        those that the diagram is about.
        """
        if rule.functions or not any(
            atom.relation in self.rules for atom in (*rule.positive, *rule.negative)
        ):
            return [rule]
        bindings: list[dict[Operand, Operand]] = [{}]
        kept = []
        for atom in rule.positive:
            if atom.relation in state or atom.relation in self.rules:
                kept.append(atom)
                continue
            rows = self.rows(atom.relation).tolist()
            if len(bindings) * len(rows) > MAX_MATCHES:
                return [rule]
            bindings = [
                matched
                for binding in bindings
                for row in rows
                if (matched := _matched(binding, atom.operands, row)) is not None
            ]
        if len(bindings) > MAX_CASES:
            return [rule]
        rest = replace(rule, positive=tuple(kept))
        return [_with_values(rest, binding) for binding in bindings]


def _matched(
    binding: dict[Operand, Operand], operands: Sequence[Operand], row: Sequence[int]
) -> dict[Operand, Operand] | None:
    """Return a binding of variables extended by an atom with these values; None if it differs."""
    extended = dict(binding)
    for operand, value in zip(operands, row, strict=True):
        expected = operand if operand < 0 else extended.setdefault(operand, ~value)
        if expected != ~value:
            return None
    return extended


def _with_values(rule: NumberedRule, binding: Mapping[Operand, Operand]) -> NumberedRule:
    """Return a rule with constants for some of its variables."""

    def of(atom: AtomPattern) -> AtomPattern:
        return AtomPattern(atom.relation, tuple(binding.get(x, x) for x in atom.operands))

    return replace(
        rule,
        head=of(rule.head),
        positive=tuple(map(of, rule.positive)),
        negative=tuple(map(of, rule.negative)),
        distinct=tuple((binding.get(a, a), binding.get(b, b)) for a, b in rule.distinct),
    )


def _node(program: NumberedProgram, node: int) -> int:
    return program.constant(f"?node {node}")


class _RuleWriter:
    """Writes rules that use diagrams."""

    def __init__(self, wide: WideRelations, values: Mapping[Column, set[int]]) -> None:
        self.wide = wide
        self.program = wide.program
        self.values = values
        self.levels: dict[Relation, list[tuple[int, int, int]]] = {}
        """The relations of all diagrams, and their edges."""
        self.rules: list[NumberedRule] = []
        self._makers: dict[tuple[tuple[int, ...], ...], _DiagramMaker] = {}

    def add(self, rule: NumberedRule) -> None:
        """Add a rule, without wide relations."""
        known = self.wide.rules
        positive = [atom for atom in rule.positive if atom.relation in known]
        negative = [atom for atom in rule.negative if atom.relation in known]
        if not positive and not negative:
            self.rules.append(rule)
            return
        if rule.functions or rule.constants:
            raise _UnsuitableError
        rest = replace(
            rule,
            positive=tuple(atom for atom in rule.positive if atom.relation not in known),
            negative=tuple(atom for atom in rule.negative if atom.relation not in known),
        )
        used = {x for atom in (*positive, *negative) for x in atom.operands if x >= 0}
        order = list(dict.fromkeys(x for atom in rest.positive for x in atom.operands if x in used))
        if len(order) < len(used):
            raise _UnsuitableError
        domains = tuple(self._domain(rest, variable) for variable in order)
        index = list(self._makers).index(domains) if domains in self._makers else len(self._makers)
        maker = self._makers.setdefault(domains, _DiagramMaker(self.wide, domains))
        level = {variable: i for i, variable in enumerate(order)}
        diagram = TRUE
        for atom in positive:
            diagram = maker.diagrams.both(diagram, maker.of_atom(atom, level))
        for atom in negative:
            other = maker.diagrams.complement(maker.of_atom(atom, level))
            diagram = maker.diagrams.both(diagram, other)
        if diagram != FALSE:
            path = self._path(f"diagram {index}-{diagram}", order, maker.diagrams, diagram)
            self._add_steps(rest, path, _node(self.program, diagram))

    def _domain(self, rule: NumberedRule, variable: int) -> tuple[int, ...]:
        """Return the values that a variable may have by the conditions that bind it."""
        columns = [
            self.values[atom.relation, column]
            for atom in rule.positive
            for column, operand in enumerate(atom.operands)
            if operand == variable
        ]
        domain = sorted(set.intersection(*columns))
        if domain and not 0 <= domain[0] <= domain[-1] < len(self.program.constants):
            raise _UnsuitableError  # functions
        return tuple(domain)

    def _path(
        self, name: str, order: Sequence[int], diagrams: Diagrams, diagram: int
    ) -> list[AtomPattern]:
        """Return the conditions of a path through a diagram: a level's operands are a node, a
        variable and the next node; the variables of nodes are not numbered yet.
        """
        path = []
        for level, edges in diagrams.steps(diagram):
            relation = Relation(f"{name} level {level}", None, 3)
            self.levels[relation] = edges
            path.append(AtomPattern(self.program.relation(relation), (0, order[level], 0)))
        return path

    def _add_steps(self, rule: NumberedRule, path: Sequence[AtomPattern], root: int) -> None:
        """Add a rule step by step, one for each level of a path; the last derives its head."""
        if not path:
            self.rules.append(rule)
        end = _node(self.program, TRUE)
        conditions = _Conditions(rule)
        node, following = rule.variables, rule.variables + 1
        before: tuple[AtomPattern, ...] = ()
        for i, level in enumerate(path):
            is_last = i == len(path) - 1
            variable = level.operands[1]
            operands = (node if i else ~root, variable, ~end if is_last else following)
            taken = conditions.take(None if is_last else variable)
            head = rule.head
            if not is_last:
                kept = conditions.kept(rule.head)
                name = f"step {len(self.rules)} of {self.program.relations[rule.head.relation]}"
                relation = self.program.relation(Relation(name, None, len(kept) + 1))
                head = AtomPattern(relation, (*kept, following))
            positive = (*before, *taken.positive, AtomPattern(level.relation, operands))
            steps = replace(taken, head=head, positive=positive, variables=rule.variables + 2)
            self.rules.append(steps)
            if not is_last:
                before = (AtomPattern(head.relation, (*head.operands[:-1], node)),)


class _Conditions:
    """The conditions of a rule that are not used yet."""

    def __init__(self, rule: NumberedRule) -> None:
        self.rule = rule
        self.bound: set[int] = set()

    def take(self, variable: int | None) -> NumberedRule:
        """Take the positive conditions on a variable and all others that can be tested then.

        None: take all that are left.
        """
        rule = self.rule
        positive = [a for a in rule.positive if variable is None or variable in a.operands]
        self.bound |= {x for atom in positive for x in atom.operands}
        negative = [a for a in rule.negative if variable is None or self._is_bound(a.operands)]
        distinct = [pair for pair in rule.distinct if variable is None or self._is_bound(pair)]
        self.rule = replace(
            rule,
            positive=tuple(atom for atom in rule.positive if atom not in positive),
            negative=tuple(atom for atom in rule.negative if atom not in negative),
            distinct=tuple(pair for pair in rule.distinct if pair not in distinct),
        )
        return replace(
            rule, positive=tuple(positive), negative=tuple(negative), distinct=tuple(distinct)
        )

    def kept(self, head: AtomPattern) -> tuple[int, ...]:
        """Return the variables bound so far that are still needed."""
        rule = self.rule
        atoms = (*rule.positive, *rule.negative, head)
        needed = {x for atom in atoms for x in atom.operands}
        needed |= {x for pair in rule.distinct for x in pair}
        return tuple(sorted(x for x in needed & self.bound if x >= 0))

    def _is_bound(self, operands: Iterable[Operand]) -> bool:
        return all(x < 0 or x in self.bound for x in operands)


class _DiagramMaker:
    """Makes diagrams of atoms of static relations, over variables with these domains."""

    def __init__(self, wide: WideRelations, domains: Sequence[Sequence[int]]) -> None:
        self.wide = wide
        self.diagrams = Diagrams(domains)
        self._known: dict[tuple[int, tuple[Operand, ...]], int] = {}

    def of_atom(self, atom: AtomPattern, level: Mapping[int, Operand]) -> int:
        """Return the diagram of an atom; `level` translates its variables."""
        operands = tuple(x if x < 0 else _level_of(x, level) for x in atom.operands)
        key = atom.relation, operands
        if key not in self._known:
            if atom.relation in self.wide.rules:
                result = FALSE
                for rule in self.wide.rules[atom.relation]:
                    result = self.diagrams.either(result, self._of_rule(rule, operands))
            else:
                result = self._of_rows(atom.relation, operands)
            self._known[key] = result
        return self._known[key]

    def _of_rows(self, relation: int, operands: tuple[Operand, ...]) -> int:
        """Return the diagram of a relation that is computed."""
        rows = self.wide.rows(relation)
        if len(rows) > MAX_TUPLES:
            raise _UnsuitableError
        levels = sorted({x for x in operands if x >= 0})
        tuples = set()
        for row in rows.tolist():
            values: dict[Operand, int] = {}
            if all(
                values.setdefault(x, value if x >= 0 else ~x) == value
                for x, value in zip(operands, row, strict=True)
            ):
                tuples.add(tuple(values[x] for x in levels))
        return self.diagrams.of_tuples(levels, tuples)

    def _of_rule(self, rule: NumberedRule, operands: tuple[Operand, ...]) -> int:
        """Return the diagram of what one rule derives of its head with these operands."""
        if rule.functions or rule.constants:
            raise _UnsuitableError
        diagrams, result = self.diagrams, TRUE
        level: dict[int, Operand] = {}
        for formal, actual in zip(rule.head.operands, operands, strict=True):
            if formal < 0 or level.setdefault(formal, actual) != actual:
                same = self._same(level[formal] if formal >= 0 else formal, actual)
                result = diagrams.both(result, same)
        # Conditions on few variables first: they keep the diagrams small.
        for atom in sorted(rule.positive, key=lambda atom: len(atom.operands)):
            result = diagrams.both(result, self.of_atom(atom, level))
        for atom in rule.negative:
            result = diagrams.both(result, diagrams.complement(self.of_atom(atom, level)))
        for pair in rule.distinct:
            one, other = (x if x < 0 else _level_of(x, level) for x in pair)
            result = diagrams.both(result, diagrams.complement(self._same(one, other)))
        return result

    def _same(self, one: Operand, other: Operand) -> int:
        """Return the diagram of equality between two operands."""
        if one == other:
            return TRUE
        if one < 0 and other < 0:
            return FALSE
        if one >= 0 and other >= 0:
            return self.diagrams.equal(one, other)
        return self.diagrams.of_tuples([max(one, other)], [(~min(one, other),)])


def _level_of(variable: int, level: Mapping[int, Operand]) -> Operand:
    """Return the operand that replaces a variable; raise if it is only in the body."""
    if variable not in level:
        raise _UnsuitableError
    return level[variable]
