"""Split rules: conditions on variables that the rest of a rule does not use become a relation.

    (<= (next (cell ?x ?y ?p))
        (true (cell ?x ?y ?p)) (does ?r (move ?a ?b)) (elsewhere ?x ?y ?a ?b))

has a ground rule for every cell, piece, role and move. But whether a move elsewhere was made
does not depend on the piece:

    (<= (other ?x ?y) (does ?r (move ?a ?b)) (elsewhere ?x ?y ?a ?b))
    (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (other ?x ?y))

A variable that is only in the body is eliminated together with the conditions that contain it, if
this is expected to give fewer ground rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from graven.gdl.grounding.numbered_rules import AtomPattern, NumberedProgram, NumberedRule, Relation

MAX_SHARE_LEFT = 0.6
"""Split if at most this share of the ground rules is expected to be left."""
MIN_GROUND_RULES = 60.0
"""Rules with fewer expected ground rules are not split."""

DomainSize = Callable[[int, int], float]
"""The number of values of a column of a relation."""
Density = Callable[[int], float]
"""The number of a relation's atoms as a share of all combinations of its columns' values."""


class RuleSplitter:
    """Splits the rules of one program."""

    def __init__(
        self, program: NumberedProgram, state: set[int], domain: DomainSize, density: Density
    ) -> None:
        self.program = program
        self.state = state
        self.domain = domain
        self.density = density
        self.own: dict[tuple[int, int], float] = {}
        """The number of values of the columns of new relations."""
        self.known: dict[object, int] = {}
        """New relations by their bodies, so that equal bodies share one."""
        self.added: list[NumberedRule] = []
        """The rules of new relations."""

    def split(self, rule: NumberedRule) -> Iterator[NumberedRule]:
        """Yield the rule, or equivalent rules."""
        while True:
            best = self._best(rule)
            if best is None:
                yield rule
                return
            inside, kept = best
            relation = self._relation_of(rule, inside, kept)
            rule = _without(rule, inside, AtomPattern(relation, kept))

    def _best(self, rule: NumberedRule) -> tuple[frozenset[int], tuple[int, ...]] | None:
        """Return the conditions to take out, and the variables that they share with the rest."""
        if rule.constants or rule.silent:
            return None
        whole = self._expected(rule, range(_count(rule)))
        if whole < MIN_GROUND_RULES:
            return None
        conditions = [_operands(rule, i) for i in range(_count(rule))]
        head = {operand for operand in rule.head.operands if operand >= 0}
        local = set().union(*conditions, set()) - head
        least, best = whole * MAX_SHARE_LEFT, None
        for start in sorted(local):
            eliminated = {start}
            while eliminated:
                inside = frozenset(
                    i for i, variables in enumerate(conditions) if variables & eliminated
                )
                outside = [i for i in range(len(conditions)) if i not in inside]
                inner = set().union(*(conditions[i] for i in inside))
                outer = set().union(head, *(conditions[i] for i in outside))
                kept = tuple(sorted(inner & outer))
                if self._separable(rule, inside, outside, inner):
                    cost = self._cost(rule, inside, outside, kept)
                    if cost < least:
                        least, best = cost, (inside, kept)
                more = [v for v in sorted((inner & local) - eliminated) if v in kept]
                eliminated |= (inner - outer) & local
                if not more:
                    break
                eliminated.add(min(more, key=lambda v: sum(v in names for names in conditions)))
        return best

    def _separable(
        self, rule: NumberedRule, inside: frozenset[int], outside: list[int], inner: set[int]
    ) -> bool:
        """Return whether the conditions are a safe body, and both sides depend on the state."""
        if not inner <= _bound(rule, inside):
            return False
        return any(self._of_state(rule, i) for i in inside) and any(
            self._of_state(rule, i) for i in outside
        )

    def _of_state(self, rule: NumberedRule, i: int) -> bool:
        conditions = (*rule.positive, *rule.negative)
        return i < len(conditions) and conditions[i].relation in self.state

    def _cost(
        self, rule: NumberedRule, inside: frozenset[int], outside: list[int], kept: tuple[int, ...]
    ) -> float:
        inner = self._expected(rule, inside)
        sizes = self._sizes(rule, range(_count(rule)))
        rest = self._expected(rule, outside, {v: sizes[v] for v in kept})
        return inner + rest

    def _sizes(self, rule: NumberedRule, chosen: Iterable[int]) -> dict[int, float]:
        """Return how many values each variable may have, by the conditions that bind it."""
        sizes: dict[int, float] = {}
        chosen = list(chosen)
        for i in chosen:
            if i < len(rule.positive):
                atom = rule.positive[i]
                for column, operand in enumerate(atom.operands):
                    if operand >= 0:
                        size = self._domain(atom.relation, column)
                        sizes[operand] = min(size, sizes.get(operand, math.inf))
        # A function determines its arguments and the other way round.
        for i in chosen:
            if i >= _count(rule) - len(rule.functions):
                variable, function = rule.functions[i - _count(rule) + len(rule.functions)]
                values = sizes.get(variable, 1.0)
                new = [x for x in function.operands if x >= 0 and x not in sizes]
                sizes.update(dict.fromkeys(new, max(1.0, values ** (1 / max(1, len(new))))))
                if variable in sizes and new:
                    sizes[variable] = 1.0
                sizes.setdefault(variable, 1.0)
        return sizes

    def _domain(self, relation: int, column: int) -> float:
        return self.own.get((relation, column)) or self.domain(relation, column)

    def _expected(
        self, rule: NumberedRule, chosen: Iterable[int], given: dict[int, float] | None = None
    ) -> float:
        """Return how many ground rules some conditions of a body are expected to have."""
        chosen = list(chosen)
        sizes = self._sizes(rule, chosen)
        for variable, size in (given or {}).items():
            sizes[variable] = min(size, sizes.get(variable, math.inf))
        expected = math.prod(sizes.values())
        for i in chosen:
            if i < len(rule.positive) and rule.positive[i].relation not in self.state:
                expected *= self.density(rule.positive[i].relation)
        return expected

    def _relation_of(
        self, rule: NumberedRule, inside: frozenset[int], kept: tuple[int, ...]
    ) -> int:
        """Return the new relation of some conditions of a body."""
        body = _body(rule, inside)
        key = _canonical(body, kept)
        if key not in self.known:
            name = f"part {len(self.known) + 1} of {self.program.relations[rule.head.relation]}"
            relation = self.program.relation(Relation(name, None, len(kept)))
            self.known[key] = relation
            self.state.add(relation)
            sizes = self._sizes(rule, range(_count(rule)))
            for column, variable in enumerate(kept):
                self.own[relation, column] = sizes[variable]
            added = replace(body, head=AtomPattern(relation, kept), constants=(), silent=False)
            self.added.extend(self.split(added))
        return self.known[key]


def _count(rule: NumberedRule) -> int:
    return len(rule.positive) + len(rule.negative) + len(rule.distinct) + len(rule.functions)


def _operands(rule: NumberedRule, i: int) -> set[int]:
    """Return the variables of the i-th condition: positive, negative, distinct, functions."""
    if i < len(rule.positive):
        operands: tuple[int, ...] = rule.positive[i].operands
    elif i < len(rule.positive) + len(rule.negative):
        operands = rule.negative[i - len(rule.positive)].operands
    elif i < _count(rule) - len(rule.functions):
        operands = rule.distinct[i - len(rule.positive) - len(rule.negative)]
    else:
        variable, function = rule.functions[i - _count(rule) + len(rule.functions)]
        operands = (variable, *function.operands)
    return {operand for operand in operands if operand >= 0}


def _body(rule: NumberedRule, chosen: frozenset[int]) -> NumberedRule:
    """Return the rule with only the chosen conditions."""
    negative = len(rule.positive)
    distinct = negative + len(rule.negative)
    functions = distinct + len(rule.distinct)
    return replace(
        rule,
        positive=tuple(x for i, x in enumerate(rule.positive) if i in chosen),
        negative=tuple(x for i, x in enumerate(rule.negative, negative) if i in chosen),
        distinct=tuple(x for i, x in enumerate(rule.distinct, distinct) if i in chosen),
        functions=tuple(x for i, x in enumerate(rule.functions, functions) if i in chosen),
    )


def _without(rule: NumberedRule, inside: frozenset[int], instead: AtomPattern) -> NumberedRule:
    """Return the rule with another condition instead of some."""
    rest = _body(rule, frozenset(range(_count(rule))) - inside)
    return replace(rest, positive=(*rest.positive, instead))


def _bound(rule: NumberedRule, chosen: Iterable[int]) -> set[int]:
    """Return the variables that some conditions of a body give values."""
    chosen = sorted(chosen)
    bound: set[int] = set()
    for i in chosen:
        if i < len(rule.positive):
            bound |= _operands(rule, i)
    first = _count(rule) - len(rule.functions)
    waiting = [rule.functions[i - first] for i in chosen if i >= first]
    while waiting:
        unbound = []
        for variable, function in waiting:
            operands = {operand for operand in function.operands if operand >= 0}
            if variable in bound or operands <= bound:
                bound |= {variable} | operands
            else:
                unbound.append((variable, function))
        if len(unbound) == len(waiting):
            break
        waiting = unbound
    return bound


def _canonical(body: NumberedRule, kept: tuple[int, ...]) -> object:
    """Return a key that is equal for bodies that differ only in the numbers of variables."""
    names: dict[int, int] = {}
    for variable in kept:
        names.setdefault(variable, len(names))

    def renamed(operands: Iterable[int]) -> tuple[int, ...]:
        return tuple(o if o < 0 else names.setdefault(o, len(names)) for o in operands)

    return (
        len(kept),
        tuple((atom.relation, renamed(atom.operands)) for atom in body.positive),
        tuple((atom.relation, renamed(atom.operands)) for atom in body.negative),
        tuple(renamed(pair) for pair in body.distinct),
        tuple((f.relation, renamed((variable, *f.operands))) for variable, f in body.functions),
    )
