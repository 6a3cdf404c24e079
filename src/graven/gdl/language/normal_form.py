"""Normalise rules: a head, positive atoms, negated atoms, and pairs of different terms.

`or` is split into several rules, `and` and double negation are removed, and equality is
substituted into the terms. A negated condition with a variable that nothing else binds, such as
`(not (true (cell ?x b)))`, becomes an auxiliary relation that is negated as a whole: there is no x.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import (
    And,
    Atom,
    Compound,
    Distinct,
    Literal,
    Not,
    Or,
    Rule,
    Sheet,
    Term,
    Variable,
    show,
)

MOST_ALTERNATIVES = 4096
"""The maximum number of rules that one rule may be split into."""
MOST_ADDED = 20_000
"""The maximum number of rules that splitting may add to a sheet."""


@dataclass(frozen=True, slots=True)
class NormalClause:
    """A rule in normal form, and the rule of the sheet that it comes from."""

    head: Atom
    holds: tuple[Atom, ...]
    fails: tuple[Atom, ...]
    differ: tuple[tuple[Term, Term], ...]
    origin: Rule


def variables(part: Term | Literal) -> list[str]:
    """Return the names of all variables in order, with repetitions."""
    names: list[str] = []
    _add_variables(part, names)
    return names


def _add_variables(part: Term | Literal, names: list[str]) -> None:
    # Large sheets have hundreds of thousands of terms: a call for each variable would be slow.
    if isinstance(part, (Atom, Compound)):
        for arg in part.args:
            if arg.__class__ is Variable:
                names.append(arg.name)
            elif arg.__class__ is not str:
                _add_variables(arg, names)
    elif isinstance(part, Variable):
        names.append(part.name)
    elif isinstance(part, Not):
        _add_variables(part.body, names)
    elif isinstance(part, Or | And):
        for each in part.parts:
            _add_variables(each, names)
    elif isinstance(part, Distinct):
        _add_variables(part.left, names)
        _add_variables(part.right, names)


def normal(sheet: Sheet) -> list[NormalClause]:
    """Return all rules of a sheet in normal form."""
    made: list[NormalClause] = []
    numbers = count(1)
    most = len(sheet.rules) + MOST_ADDED
    for rule in sheet.rules:
        _Rewriter(rule, made, numbers, most).rewrite(rule.head, rule.body)
    return made


def _is_simple(literal: Literal) -> bool:
    """Return whether a condition has only one alternative, itself."""
    if isinstance(literal, Not):
        return not isinstance(literal.body, (Not, Or))
    return isinstance(literal, (Atom, Distinct))


class _Rewriter:
    """Normalises one rule; auxiliary relations are added to `made`."""

    def __init__(
        self, rule: Rule, made: list[NormalClause], numbers: Iterator[int], most: int
    ) -> None:
        self.rule = rule
        self.made = made
        self.numbers = numbers
        self.most = most

    def rewrite(self, head: Atom, body: Iterable[Literal]) -> None:
        """Append the normal form of a rule with this head and body."""
        literals = tuple(body)
        ways = [literals] if all(map(_is_simple, literals)) else self._alternatives(And(literals))
        for simple in ways:
            clause = self._clause(head, simple)
            if clause is not None:
                self.made.append(clause)
            if len(self.made) > self.most:
                raise UsageError(
                    f"line {self.rule.line}: with this rule, splitting the 'or's gives more than "
                    f"{self.most:,} rules: {show(self.rule)}."
                )

    def _alternatives(self, literal: Literal) -> list[tuple[Literal, ...]]:
        """Return the disjunctive normal form: conjunctions of atoms, `distinct` and `not`."""
        match literal:
            case Or(parts):
                ways = []
                for part in parts:
                    ways += self._alternatives(part)
                    self._bound_number(len(ways))
            case And(parts):
                ways = [()]
                for part in parts:
                    more = self._alternatives(part)
                    self._bound_number(len(ways) * len(more))
                    ways = [left + right for left in ways for right in more]
            case Not(Not(body)):
                ways = self._alternatives(body)
            case Not(Or(parts)):
                ways = self._alternatives(And(tuple(Not(part) for part in parts)))
            case _:
                ways = [(literal,)]
        return list(dict.fromkeys(ways))

    def _bound_number(self, ways: int) -> None:
        if ways > MOST_ALTERNATIVES:
            raise UsageError(
                f"line {self.rule.line}: splitting the 'or's of this rule gives more than "
                f"{MOST_ALTERNATIVES} rules: {show(self.rule)}."
            )

    def _clause(self, head: Atom, literals: tuple[Literal, ...]) -> NormalClause | None:
        """Return the clause, or None if it can never hold."""
        equal: dict[str, Term] = {}
        for literal in literals:
            if (
                isinstance(literal, Not)
                and isinstance(literal.body, Distinct)
                and not _unify(literal.body.left, literal.body.right, equal)
            ):
                return None
        if equal:
            head = _replace_atom(head, equal)
            literals = tuple(_replace(literal, equal) for literal in literals)
        holds = tuple(each for each in literals if isinstance(each, Atom))
        differ: list[tuple[Term, Term]] = []
        fails: list[Atom] = []
        for literal in literals:
            if isinstance(literal, Distinct):
                if literal.left == literal.right:
                    return None
                if not _apart(literal.left, literal.right):
                    differ.append((literal.left, literal.right))
            elif isinstance(literal, Not) and not isinstance(literal.body, Distinct):
                fails.append(self._negated_atom(literal.body, holds))
        return NormalClause(
            head, tuple(dict.fromkeys(holds)), tuple(fails), tuple(differ), origin=self.rule
        )

    def _negated_atom(self, body: Literal, holds: tuple[Atom, ...]) -> Atom:
        """Return the atom to negate: the body itself or an auxiliary relation."""
        bound = {name for atom in holds for name in variables(atom)}
        names = list(dict.fromkeys(variables(body)))
        if isinstance(body, Atom) and bound.issuperset(names):
            return body
        # Names in a sheet contain no space, so that this name is new.
        name = f"denied {next(self.numbers)}"
        head = Atom(name, tuple(Variable(name) for name in names if name in bound))
        # Variables that the body only compares or negates are bound by the rule's positive atoms.
        bound_by_way = [set(_named(way)) for way in self._alternatives(body)]
        missing = {each for each in variables(head) if not all(each in way for way in bound_by_way)}
        sources = [atom for atom in holds if not missing.isdisjoint(variables(atom))]
        self.rewrite(head, [*sources, body])
        return head


def _named(literals: Iterable[Literal]) -> Iterator[str]:
    """Yield the variables of the positive atoms."""
    return (name for each in literals if isinstance(each, Atom) for name in variables(each))


def _unify(left: Term, right: Term, equal: dict[str, Term]) -> bool:
    left, right = _replace_term(left, equal), _replace_term(right, equal)
    if left == right:
        return True
    if isinstance(right, Variable) and not isinstance(left, Variable):
        left, right = right, left
    if isinstance(left, Variable):
        if left.name in variables(right):
            return False
        for name, value in equal.items():
            equal[name] = _replace_term(value, {left.name: right})
        equal[left.name] = right
        return True
    if isinstance(left, Compound) and isinstance(right, Compound):
        if left.name != right.name or len(left.args) != len(right.args):
            return False
        return all(_unify(a, b, equal) for a, b in zip(left.args, right.args, strict=True))
    return False


def _apart(left: Term, right: Term) -> bool:
    """Return whether two terms differ for all values of their variables."""
    if isinstance(left, Variable) or isinstance(right, Variable):
        return False
    return not _unify(left, right, {})


def may_match(left: Atom, right: Atom) -> bool:
    """Return whether atoms of different rules unify."""
    if left.name != right.name or len(left.args) != len(right.args):
        return False
    apart = {name: Variable(f"{name} ") for name in variables(right)}
    equal: dict[str, Term] = {}
    return all(
        _unify(a, _replace_term(b, dict(apart)), equal)
        for a, b in zip(left.args, right.args, strict=True)
    )


def _replace_term(term: Term, values: dict[str, Term]) -> Term:
    match term:
        case Variable(name):
            return values.get(name, term)
        case Compound(name, args):
            return Compound(name, tuple(_replace_term(arg, values) for arg in args))
        case _:
            return term


def _replace_atom(atom: Atom, values: dict[str, Term]) -> Atom:
    return Atom(atom.name, tuple(_replace_term(arg, values) for arg in atom.args))


def _replace(literal: Literal, values: dict[str, Term]) -> Literal:
    match literal:
        case Atom():
            return _replace_atom(literal, values)
        case Distinct(left, right):
            return Distinct(_replace_term(left, values), _replace_term(right, values))
        case Not(body):
            return Not(_replace(body, values))
        case Or(parts):
            return Or(tuple(_replace(part, values) for part in parts))
        case And(parts):
            return And(tuple(_replace(part, values) for part in parts))


def replaced(clause: NormalClause, values: dict[str, Term]) -> NormalClause:
    """Return the clause with variables replaced by terms."""
    return NormalClause(
        _replace_atom(clause.head, values),
        tuple(_replace_atom(atom, values) for atom in clause.holds),
        tuple(_replace_atom(atom, values) for atom in clause.fails),
        tuple(
            (_replace_term(left, values), _replace_term(right, values))
            for left, right in clause.differ
        ),
        origin=clause.origin,
    )
