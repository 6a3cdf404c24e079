"""The rules of a sheet as data: terms, conditions, rules, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

MOST_DEPTH = 100
"""The maximum nesting depth, so that functions over terms may recurse."""

KEYWORDS = frozenset(
    ("role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input")
)
OPERATORS = frozenset(("<=", "not", "or", "and", "distinct", "quote"))


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; its name includes the question mark."""

    name: str


@dataclass(frozen=True, slots=True)
class Compound:
    """A function with its arguments: `(cell 1 1 b)`; `(noop)` differs from the constant `noop`."""

    name: str
    args: tuple[Term, ...]


Term = str | Variable | Compound
"""A constant is represented by its name."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation with its arguments; a proposition such as `terminal` has none."""

    name: str
    args: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Distinct:
    """True if the two terms are different."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """Negation as failure: true if the body cannot be proved."""

    body: Literal


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction."""

    parts: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction; occurs only inside `Not` and `Or`."""

    parts: tuple[Literal, ...]


Literal = Atom | Distinct | Not | Or | And


@dataclass(frozen=True, slots=True)
class Rule:
    """A head that holds if the whole body holds; a fact has no body."""

    head: Atom
    body: tuple[Literal, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rules of a game in the order of the text."""

    rules: tuple[Rule, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """The players in the order of the `role` facts."""
        named = (r.head.args[0] for r in self.rules if r.head.name == "role" and r.head.args)
        return tuple(dict.fromkeys(role for role in named if isinstance(role, str)))


def flattened(body: Sequence[Literal]) -> tuple[Literal, ...]:
    """Flatten nested conjunctions: a body is a conjunction already."""
    flat: list[Literal] = []
    for literal in body:
        flat.extend(flattened(literal.parts) if isinstance(literal, And) else [literal])
    return tuple(flat)


def show(part: Term | Literal | Rule) -> str:
    """Format a term, a condition or a rule as KIF."""
    match part:
        case str():
            return part
        case Variable(name):
            return name
        case Compound(name, args):
            return f"({' '.join([name, *map(show, args)])})"
        case Atom(name, args):
            return f"({' '.join([name, *map(show, args)])})" if args else name
        case Distinct(left, right):
            return f"(distinct {show(left)} {show(right)})"
        case Not(body):
            return f"(not {show(body)})"
        case Or(parts):
            return f"({' '.join(['or', *map(show, parts)])})"
        case And(parts):
            return f"({' '.join(['and', *map(show, parts)])})"
        case Rule(head, body):
            return f"({' '.join(['<=', show(head), *map(show, body)])})" if body else show(head)


def spaced(term: Term) -> str:
    """Format a term as GGP-Base prints moves: `( move 1 2 )`, `noop`."""
    if isinstance(term, Compound):
        return f"( {' '.join([term.name, *map(spaced, term.args)])} )"
    return show(term)


def atoms(rule: Rule) -> Iterator[Atom]:
    """Yield all atoms of a rule."""
    yield rule.head
    for literal in rule.body:
        yield from _inside(literal)


def _inside(literal: Literal) -> Iterator[Atom]:
    match literal:
        case Atom():
            yield literal
        case Not(body):
            yield from _inside(body)
        case Or(parts) | And(parts):
            for part in parts:
                yield from _inside(part)
