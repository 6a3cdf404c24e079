"""Convert rules to clauses for the prover: bodies of atoms, negated atoms and comparisons.

Each `or`, and each `not` of anything but an atom, becomes an auxiliary relation whose arguments are
the variables that it shares with the rest of the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graven.gdl.language.kif_terms import (
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
"""The name and the number of arguments of a relation."""


@dataclass(frozen=True, slots=True)
class Negation:
    """True if the atom cannot be proved."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Equal:
    """True if both terms are the same."""

    left: Term
    right: Term


Goal = Atom | Negation | Distinct | Equal


@dataclass(frozen=True, slots=True)
class ProofClause:
    """A head that holds if all goals of the body hold."""

    head: Atom
    body: tuple[Goal, ...]


@dataclass
class ProofClauses:
    """The facts and clauses of a sheet by relation, and properties of the relations.

    `must_be_bound` has, for each auxiliary relation, the arguments that its clauses do not bind.
    `component` numbers the strongly connected components of recursive relations: relations that
    depend on each other have the same number. `state_dependent` relations depend on the state,
    `move_dependent` ones on the joint move.
    """

    facts: dict[Relation, list[Atom]] = field(default_factory=dict)
    clauses: dict[Relation, list[ProofClause]] = field(default_factory=dict)
    must_be_bound: dict[Relation, frozenset[int]] = field(default_factory=dict)
    component: dict[Relation, int] = field(default_factory=dict)
    state_dependent: set[Relation] = field(default_factory=set)
    move_dependent: set[Relation] = field(default_factory=set)

    def dependencies_first(self, roots: Iterable[Relation]) -> list[Relation]:
        """Return the relations with clauses that `roots` depend on, in post-order."""
        dependencies = _dependencies(self)
        order: dict[Relation, None] = {}
        path = [(root, iter(dependencies[root])) for root in roots if root in dependencies]
        visited = {root for root, _ in path}
        while path:
            relation, children = path[-1]
            for child in children:
                if child in dependencies and child not in visited:
                    visited.add(child)
                    path.append((child, iter(dependencies[child])))
                    break
            else:
                order[relation] = None
                path.pop()
        return list(order)


def clauses_of(sheet: Sheet) -> ProofClauses:
    """Return the facts and clauses of a sheet."""
    program = ProofClauses()
    for rule in sheet.rules:
        if rule.body:
            _add(program, rule.head, rule.body)
        else:
            program.facts.setdefault(relation_of(rule.head), []).append(rule.head)
    for relation in program.clauses.keys() & program.facts.keys():
        # Facts of a relation with rules become an auxiliary relation, which can be indexed.
        name, size = relation
        auxiliary = f"{name} facts", size
        program.facts[auxiliary] = program.facts.pop(relation)
        args = tuple(Variable(f"?{i}") for i in range(size))
        clause = ProofClause(Atom(name, args), (Atom(auxiliary[0], args),))
        program.clauses[relation].insert(0, clause)
    program.state_dependent = _dependents(program, {("true", 1), ("does", 2)})
    program.move_dependent = _dependents(program, {("does", 2)})
    program.component = _recursive_components(program)
    return program


def relation_of(atom: Atom) -> Relation:
    """Return the relation of an atom."""
    return atom.name, len(atom.args)


def variables(part: Term | Literal | Goal) -> Iterator[str]:
    """Yield the names of all variables in order, with repetitions."""
    match part:
        case Variable(name):
            yield name
        case Compound(_, args) | Atom(_, args):
            for arg in args:
                yield from variables(arg)
        case Distinct(left, right) | Equal(left, right):
            yield from variables(left)
            yield from variables(right)
        case Not(body) | Negation(body):
            yield from variables(body)
        case Or(parts) | And(parts):
            for literal in parts:
                yield from variables(literal)


def _add(program: ProofClauses, head: Atom, body: tuple[Literal, ...]) -> None:
    """Add the clause of a rule, and the auxiliary relations of its body."""
    goals: list[Goal] = []
    for place, literal in enumerate(body):
        rest = body[:place] + body[place + 1 :]
        outside = {*variables(head), *(name for sibling in rest for name in variables(sibling))}
        goals.append(_goal(program, literal, outside))
    program.clauses.setdefault(relation_of(head), []).append(ProofClause(head, tuple(goals)))


def _goal(program: ProofClauses, literal: Literal, outside: set[str]) -> Goal:
    """Convert a literal; `outside` are the variables of the rest of the rule."""
    match literal:
        case Atom() | Distinct():
            return literal
        case Not(Atom() as atom):
            return Negation(atom)
        case Not(Distinct(left, right)):
            return Equal(left, right)
        case Not(inner):
            return Negation(_auxiliary_relation(program, inner, outside))
        case _:
            return _auxiliary_relation(program, literal, outside)


def _auxiliary_relation(program: ProofClauses, literal: Literal, outside: set[str]) -> Atom:
    shared = sorted({*variables(literal)} & outside)
    head = Atom(f"part {len(program.must_be_bound)}", tuple(map(Variable, shared)))
    bound = _bound_by(literal)
    program.must_be_bound[relation_of(head)] = frozenset(
        place for place, name in enumerate(shared) if name not in bound
    )
    program.clauses[relation_of(head)] = []
    for part in literal.parts if isinstance(literal, Or) else (literal,):
        _add(program, head, part.parts if isinstance(part, And) else (part,))
    return head


def _bound_by(literal: Literal) -> frozenset[str]:
    """Return the variables that a true literal binds."""
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
    """Yield the atoms of a body, including negated ones."""
    for goal in body:
        if isinstance(goal, Atom | Negation):
            yield goal.atom if isinstance(goal, Negation) else goal


def _dependencies(program: ProofClauses) -> dict[Relation, list[Relation]]:
    """Return the relations in the bodies of each relation's clauses."""
    return {
        relation: [relation_of(atom) for clause in clauses for atom in atoms(clause.body)]
        for relation, clauses in program.clauses.items()
    }


def _dependents(program: ProofClauses, roots: set[Relation]) -> set[Relation]:
    """Return the relations that depend on `roots`, the roots included."""
    users: dict[Relation, list[Relation]] = {}
    for relation, dependencies in _dependencies(program).items():
        for dependency in dependencies:
            users.setdefault(dependency, []).append(relation)
    dependents, queue = set(roots), list(roots)
    while queue:
        for relation in users.get(queue.pop(), ()):
            if relation not in dependents:
                dependents.add(relation)
                queue.append(relation)
    return dependents


def _recursive_components(program: ProofClauses) -> dict[Relation, int]:
    """Return the number of the strongly connected component of each recursive relation."""
    dependencies = _dependencies(program)
    relations = list(dependencies)
    number = {relation: i for i, relation in enumerate(relations)}
    graph = [
        [number[relation] for relation in used if relation in number]
        for used in dependencies.values()
    ]
    return {
        relations[member]: component
        for component, members in enumerate(components(graph))
        for member in members
        if len(members) > 1 or member in graph[member]
    }
