"""Which relations depend on which: those that are needed, on the state, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from graven.gdl.grounding.numbered_rules import NumberedProgram, NumberedRule
from graven.gdl.strong_components import components

GAME = ("role", "init", "true", "next", "legal", "does", "goal", "terminal")
STATE = ("true", "does")
UNKNOWN_VALUES = range(-8, 0)
"""Stand for the values of a column that are arguments of functions: their number is unknown."""

Column = tuple[int, int]
"""A relation and the number of a column."""


def needed_rules(program: NumberedProgram) -> list[NumberedRule]:
    """Return the rules of the relations that the game consists of, or that these need."""
    by_head: dict[int, list[NumberedRule]] = {}
    for rule in program.rules:
        by_head.setdefault(rule.head.relation, []).append(rule)
    waiting = [number for name in GAME for number in program.family(name)]
    needed = set(waiting)
    while waiting:
        for rule in by_head.get(waiting.pop(), []):
            new = {atom.relation for atom in (*rule.positive, *rule.negative)} - needed
            needed |= new
            waiting += new
    return [rule for rule in program.rules if rule.head.relation in needed]


def relation_components(relations: int, rules: Iterable[NumberedRule]) -> list[set[int]]:
    """Return groups of relations that depend on each other, each after those that it needs."""
    needs: list[set[int]] = [set() for _ in range(relations)]
    for rule in rules:
        atoms = (*rule.positive, *rule.negative)
        needs[rule.head.relation].update(atom.relation for atom in atoms)
    return components(needs)


def state_relations(
    program: NumberedProgram, rules: Iterable[NumberedRule], groups: Iterable[set[int]]
) -> set[int]:
    """Return the relations that depend on the state or on moves.

    Relations that negate each other in a cycle are treated so too: their atoms need not be
    cyclic.
    """
    users: dict[int, set[int]] = {}
    negations: dict[int, set[int]] = {}
    for rule in rules:
        for atom in (*rule.positive, *rule.negative):
            users.setdefault(atom.relation, set()).add(rule.head.relation)
        negated = (atom.relation for atom in rule.negative)
        negations.setdefault(rule.head.relation, set()).update(negated)
    dependent = {number for name in STATE for number in program.family(name)}
    for group in groups:
        if any(negations.get(relation, set()) & group for relation in group):
            dependent |= group
    waiting = list(dependent)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in dependent:
                dependent.add(user)
                waiting.append(user)
    return dependent


def domain_sizes(
    rules: Sequence[NumberedRule], rows: Callable[[int], NDArray[np.int32]]
) -> dict[Column, int]:
    """Return an upper bound of the number of values of each column of the rules' heads.

    `rows` returns the values of a relation that is already computed.
    """
    heads = {rule.head.relation for rule in rules}
    values = column_values(rules, rows)
    return {column: max(1, len(held)) for column, held in values.items() if column[0] in heads}


def column_values(
    rules: Sequence[NumberedRule], rows: Callable[[int], NDArray[np.int32]]
) -> dict[Column, set[int]]:
    """Return the values that each column of a relation in the rules may have.

    `rows` returns the values of a relation that is already computed.
    """
    values: dict[Column, set[int]] = {}
    heads = {rule.head.relation for rule in rules}
    for rule in rules:
        for atom in (*rule.positive, *rule.negative, rule.head):
            for column in range(len(atom.operands)):
                if (atom.relation, column) not in values:
                    known = (
                        () if atom.relation in heads else rows(atom.relation)[:, column].tolist()
                    )
                    values[atom.relation, column] = set(known)
    changed = True
    while changed:
        changed = False
        for rule in rules:
            for column, operand in enumerate(rule.head.operands):
                target = values[rule.head.relation, column]
                new = _values_of(rule, operand, values)
                if not new <= target:
                    target |= new
                    changed = True
    return values


def _values_of(rule: NumberedRule, operand: int, values: dict[Column, set[int]]) -> set[int]:
    """Return the values that an operand of a rule may have."""
    if operand < 0:
        return {~operand}
    columns = [
        values[atom.relation, column]
        for atom in rule.positive
        for column, other in enumerate(atom.operands)
        if other == operand
    ]
    if not columns and any(operand in function.operands for _, function in rule.functions):
        return set(UNKNOWN_VALUES)
    return set.intersection(*columns) if columns else set()
