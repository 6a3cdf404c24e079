"""Compute the domain of each argument of each relation: a superset of its possible values.

Values propagate from facts through the clauses, argument by argument, until a fixpoint; which
values occur together in one row is ignored. `true` shares the domain of `init` and `next`, `does`
that of `legal`. The result gives bounds and estimates, and is fast to compute.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from graven.core.cancellation import raise_if_cancelled
from graven.gdl.language.kif_terms import Atom, Compound, Term, Variable
from graven.gdl.proof.proof_clauses import ProofClauses, Relation, relation_of

MAX_NESTING = 6
"""The maximum nesting of functions in values; a domain with deeper values is unbounded."""
UNBOUNDED = 10**12


class ArgumentDomain:
    """The values of one argument: constants, and functions with a domain for each argument."""

    __slots__ = ("_size", "constants", "depth", "functions", "truncated", "unrestricted")

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth
        self.constants: set[str] = set()
        self.functions: dict[tuple[str, int], list[ArgumentDomain]] = {}
        self.truncated = False  # it has functions nested deeper than MAX_NESTING
        self.unrestricted = False  # of an auxiliary relation: always bound, to any value
        self._size = -1

    def function(self, name: str, arity: int) -> list[ArgumentDomain] | None:
        """Return the domains of a function's arguments, added if new; None if nested too deep."""
        if self.depth >= MAX_NESTING:
            self.truncated = True
            return None
        arguments = self.functions.get((name, arity))
        if arguments is None:
            raise_if_cancelled()  # nested functions of many arguments have very many domains
            arguments = self.functions[name, arity] = [
                ArgumentDomain(self.depth + 1) for _ in range(arity)
            ]
        return arguments

    def size(self) -> int:
        """Return the number of values, at most UNBOUNDED; the domain must not grow afterwards."""
        if self._size < 0:
            self._size = len(self.constants)
            for arguments in self.functions.values():
                count = 1
                for argument in arguments:
                    count = min(UNBOUNDED, count * argument.size())
                self._size += count
        return UNBOUNDED if self.truncated or self.unrestricted else min(self._size, UNBOUNDED)

    def values(self) -> Iterator[Term]:
        """Yield all values in a fixed order; only for a domain whose size is small."""
        yield from sorted(self.constants)
        for (name, _), arguments in sorted(self.functions.items()):
            for args in product(*(list(argument.values()) for argument in arguments)):
                yield Compound(name, args)

    def weight(self) -> int:
        """Return a number that grows whenever something is added."""
        nested = (domain.weight() for domains in self.functions.values() for domain in domains)
        flags = self.truncated + self.unrestricted
        return len(self.constants) + len(self.functions) + flags + sum(nested)


class RelationDomains:
    """The argument domains of all relations of a sheet."""

    def __init__(self, program: ProofClauses) -> None:
        self._domains: dict[Relation, list[ArgumentDomain]] = {}
        state = [ArgumentDomain()]
        for name in ("true", "init", "next"):
            self._domains[name, 1] = state
        moves = [ArgumentDomain(), ArgumentDomain()]
        for name in ("does", "legal"):
            self._domains[name, 2] = moves
        for facts in program.facts.values():
            for fact in facts:
                for domain, term in zip(self.of(relation_of(fact)), fact.args, strict=True):
                    _add(domain, term, {})
        clauses = [clause for listed in program.clauses.values() for clause in listed]
        weight = -1
        while weight != self._weight():
            weight = self._weight()
            for clause in clauses:
                raise_if_cancelled()
                atoms = [goal for goal in clause.body if isinstance(goal, Atom)]
                self._propagate(clause.head, atoms)

    def of(self, relation: Relation) -> list[ArgumentDomain]:
        """Return the domain of each argument of a relation."""
        domains = self._domains.get(relation)
        if domains is None:
            domains = self._domains[relation] = [ArgumentDomain() for _ in range(relation[1])]
        return domains

    def _weight(self) -> int:
        return sum(domain.weight() for domains in self._domains.values() for domain in domains)

    def _propagate(self, head: Atom, body: list[Atom]) -> None:
        """Add to the head's domains the values that all atoms of the body allow."""
        sources: dict[str, list[ArgumentDomain]] = {}
        for atom in body:
            for domain, term in zip(self.of(relation_of(atom)), atom.args, strict=True):
                if not _collect(domain, term, sources):
                    return
        for domain, term in zip(self.of(relation_of(head)), head.args, strict=True):
            _add(domain, term, sources)


def _collect(domain: ArgumentDomain, term: Term, sources: dict[str, list[ArgumentDomain]]) -> bool:
    """Collect the domains of each variable; return False if no value matches the term."""
    if domain.unrestricted:
        return True  # it does not restrict the variables of the term
    if isinstance(term, Variable):
        sources.setdefault(term.name, []).append(domain)
        return bool(domain.constants or domain.functions or domain.truncated)
    if isinstance(term, Compound):
        arguments = domain.functions.get((term.name, len(term.args)))
        if arguments is None:
            return domain.truncated
        return all(
            _collect(inner, arg, sources) for inner, arg in zip(arguments, term.args, strict=True)
        )
    return term in domain.constants


def _add(domain: ArgumentDomain, term: Term, sources: dict[str, list[ArgumentDomain]]) -> None:
    """Add the values of a term whose variables have these domains."""
    if isinstance(term, Variable):
        if term.name in sources:
            _add_intersection(domain, sources[term.name])
        else:
            domain.unrestricted = True
    elif isinstance(term, Compound):
        arguments = domain.function(term.name, len(term.args))
        for inner, arg in zip(arguments or (), term.args, strict=bool(arguments)):
            _add(inner, arg, sources)
    else:
        domain.constants.add(term)


def _add_intersection(domain: ArgumentDomain, sources: list[ArgumentDomain]) -> None:
    """Add the values that are in all sources."""
    if any(source is domain for source in sources):
        return
    domain.constants |= set.intersection(*(source.constants for source in sources))
    domain.truncated |= all(source.truncated for source in sources)
    for name, arity in list(sources[0].functions):
        if all((name, arity) in source.functions for source in sources):
            arguments = domain.function(name, arity)
            for i, inner in enumerate(arguments or ()):
                _add_intersection(inner, [source.functions[name, arity][i] for source in sources])
