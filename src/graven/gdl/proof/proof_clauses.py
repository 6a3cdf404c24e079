"""Rules in a plain form for the interpreter: bodies of atoms, negated atoms and comparisons.

Every `or`, and whatever else is not an atom inside a `not`, becomes a relation of its own, with the
variables that the rest of the rule shares with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graven.gdl.language.kif_reader import (
    And,
    Atom,
    Compound,
    Distinct,
    Literal,
    Not,
    Or,
    Sheet,
    Term,
    Variable,
)
from graven.gdl.strong_components import components

Relation = tuple[str, int]
"""A relation's name and how many arguments it has."""


@dataclass(frozen=True, slots=True)
class Negation:
    """True where the atom cannot be shown."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Equal:
    """True where both terms are the same."""

    left: Term
    right: Term


Goal = Atom | Negation | Distinct | Equal


@dataclass(frozen=True, slots=True)
class ProofClause:
    """A head and the goals that it follows from."""

    head: Atom
    body: tuple[Goal, ...]


@dataclass
class ProofClauses:
    """A sheet's facts, its clauses by relation, and what is known about the relations.

    `needs` names the variables that have to be known before an atom of an `or` can be asked, by
    their places. `group` numbers the relations that can ask themselves; those that can also ask
    each other have the same number. `dynamic` relations depend on the state, `moving` ones on the
    joint move as well.
    """

    facts: dict[Relation, list[Atom]] = field(default_factory=dict)
    clauses: dict[Relation, list[ProofClause]] = field(default_factory=dict)
    needs: dict[Relation, frozenset[int]] = field(default_factory=dict)
    group: dict[Relation, int] = field(default_factory=dict)
    dynamic: set[Relation] = field(default_factory=set)
    moving: set[Relation] = field(default_factory=set)

    def below(self, roots: Iterable[Relation]) -> list[Relation]:
        """The relations with clauses that some ask, if only through others: those asked first."""
        asks = _asks(self)
        order: dict[Relation, None] = {}
        path = [(root, iter(asks[root])) for root in roots if root in asks]
        seen = {root for root, _ in path}
        while path:
            relation, children = path[-1]
            for child in children:
                if child in asks and child not in seen:
                    seen.add(child)
                    path.append((child, iter(asks[child])))
                    break
            else:
                order[relation] = None
                path.pop()
        return list(order)


def clauses_of(sheet: Sheet) -> ProofClauses:
    """The sheet in plain form."""
    made = ProofClauses()
    for rule in sheet.rules:
        if rule.body:
            _add(made, rule.head, rule.body)
        else:
            made.facts.setdefault(relation_of(rule.head), []).append(rule.head)
    for relation in made.clauses.keys() & made.facts.keys():
        # Facts beside rules: a relation of their own, which can be looked up at once.
        name, size = relation
        own = f"{name} facts", size
        made.facts[own] = made.facts.pop(relation)
        args = tuple(Variable(f"?{i}") for i in range(size))
        made.clauses[relation].insert(0, ProofClause(Atom(name, args), (Atom(own[0], args),)))
    made.dynamic = _depending(made, {("true", 1), ("does", 2)})
    made.moving = _depending(made, {("does", 2)})
    made.group = _groups(made)
    return made


def relation_of(atom: Atom) -> Relation:
    """The relation that an atom is about."""
    return atom.name, len(atom.args)


def variables(part: Term | Literal | Goal) -> Iterator[str]:
    """The names of all variables in it."""
    match part:
        case Variable(name):
            yield name
        case Compound(_, args) | Atom(_, args):
            for each in args:
                yield from variables(each)
        case Distinct(left, right) | Equal(left, right):
            yield from variables(left)
            yield from variables(right)
        case Not(body) | Negation(body):
            yield from variables(body)
        case Or(parts) | And(parts):
            for piece in parts:
                yield from variables(piece)


def _add(made: ProofClauses, head: Atom, body: tuple[Literal, ...]) -> None:
    """A rule as a clause, and further clauses for what its body has in it."""
    goals: list[Goal] = []
    for place, literal in enumerate(body):
        others = body[:place] + body[place + 1 :]
        outside = {*variables(head), *(name for other in others for name in variables(other))}
        goals.append(_goal(made, literal, outside))
    made.clauses.setdefault(relation_of(head), []).append(ProofClause(head, tuple(goals)))


def _goal(made: ProofClauses, literal: Literal, outside: set[str]) -> Goal:
    match literal:
        case Atom() | Distinct():
            return literal
        case Not(Atom() as atom):
            return Negation(atom)
        case Not(Distinct(left, right)):
            return Equal(left, right)
        case Not(inner):
            return Negation(_own_relation(made, inner, outside))
        case _:
            return _own_relation(made, literal, outside)


def _own_relation(made: ProofClauses, literal: Literal, outside: set[str]) -> Atom:
    shared = sorted({*variables(literal)} & outside)
    head = Atom(f"part {len(made.needs)}", tuple(map(Variable, shared)))
    bound = _bound_by(literal)
    made.needs[relation_of(head)] = frozenset(
        place for place, name in enumerate(shared) if name not in bound
    )
    made.clauses[relation_of(head)] = []
    for part in literal.parts if isinstance(literal, Or) else (literal,):
        _add(made, head, part.parts if isinstance(part, And) else (part,))
    return head


def _bound_by(literal: Literal) -> frozenset[str]:
    """The variables that have a value wherever the literal is true."""
    match literal:
        case Atom():
            return frozenset(variables(literal))
        case And(parts):
            return frozenset().union(*map(_bound_by, parts))
        case Or(parts) if parts:
            return frozenset.intersection(*map(_bound_by, parts))
        case _:
            return frozenset()


def atoms(body: Iterable[Goal]) -> Iterator[Atom]:
    """The atoms of a body, negated ones too."""
    for goal in body:
        if isinstance(goal, Atom | Negation):
            yield goal.atom if isinstance(goal, Negation) else goal


def _asks(made: ProofClauses) -> dict[Relation, list[Relation]]:
    """Which relations each relation's clauses ask."""
    return {
        relation: [relation_of(atom) for clause in clauses for atom in atoms(clause.body)]
        for relation, clauses in made.clauses.items()
    }


def _depending(made: ProofClauses, on: set[Relation]) -> set[Relation]:
    """All relations that depend on some, those included."""
    asked_by: dict[Relation, list[Relation]] = {}
    for relation, asked in _asks(made).items():
        for each in asked:
            asked_by.setdefault(each, []).append(relation)
    found, waiting = set(on), list(on)
    while waiting:
        for relation in asked_by.get(waiting.pop(), ()):
            if relation not in found:
                found.add(relation)
                waiting.append(relation)
    return found


def _groups(made: ProofClauses) -> dict[Relation, int]:
    """Relations that depend on themselves, with a number for each group that does so together."""
    asks = _asks(made)
    number = {relation: i for i, relation in enumerate(asks)}
    needs = [[number[each] for each in asked if each in number] for asked in asks.values()]
    relations = list(asks)
    return {
        relations[member]: group
        for group, members in enumerate(components(needs))
        for member in members
        if len(members) > 1 or member in needs[member]
    }
