"""Which values each argument of each relation can ever have: more than it has, never fewer.

Values flow from facts through the clauses, place by place, until nothing is new; that two places
of a relation do not take all their values together is ignored. `true` has what `init` and `next`
have, `does` what `legal` has. Good for bounds and for estimates, and fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from graven.gdl.language.kif_reader import Atom, Compound, Term, Variable
from graven.gdl.proof.proof_clauses import ProofClauses, Relation, relation_of

DEEPEST = 6
"""How deep functions may be nested in values; what is deeper has no bound."""
UNBOUNDED = 10**12


class ArgumentDomain:
    """The values of one argument: constants, and functions with a place for each argument."""

    __slots__ = ("_size", "anything", "constants", "deeper", "depth", "functions")

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth
        self.constants: set[str] = set()
        self.functions: dict[tuple[str, int], list[ArgumentDomain]] = {}
        self.deeper = False  # there are functions in here that were not followed
        self.anything = False  # a part of a rule that is only asked with values, and takes any
        self._size = -1

    def function(self, name: str, arity: int) -> list[ArgumentDomain] | None:
        """The places of a function's arguments, new ones if need be; None if that is too deep."""
        if self.depth >= DEEPEST:
            self.deeper = True
            return None
        found = self.functions.get((name, arity))
        if found is None:
            found = self.functions[name, arity] = [
                ArgumentDomain(self.depth + 1) for _ in range(arity)
            ]
        return found

    def size(self) -> int:
        """How many values there are."""
        if self._size < 0:
            self._size = len(self.constants)
            for places in self.functions.values():
                count = 1
                for place in places:
                    count = min(UNBOUNDED, count * place.size())
                self._size += count
        return UNBOUNDED if self.deeper or self.anything else min(self._size, UNBOUNDED)

    def values(self) -> Iterator[Term]:
        """All of them, always in the same order; ask for the size first."""
        yield from sorted(self.constants)
        for (name, _), places in sorted(self.functions.items()):
            for args in product(*(list(place.values()) for place in places)):
                yield Compound(name, args)

    def weight(self) -> int:
        """Grows whenever something is added."""
        below = (place.weight() for places in self.functions.values() for place in places)
        here = len(self.constants) + len(self.functions) + self.deeper + self.anything
        return here + sum(below)


class Domains:
    """The places of all relations of a sheet."""

    def __init__(self, clauses: ProofClauses) -> None:
        self._places: dict[Relation, list[ArgumentDomain]] = {}
        state = [ArgumentDomain()]
        for name in ("true", "init", "next"):
            self._places[name, 1] = state
        moves = [ArgumentDomain(), ArgumentDomain()]
        for name in ("does", "legal"):
            self._places[name, 2] = moves
        for facts in clauses.facts.values():
            for fact in facts:
                for place, term in zip(self.of(relation_of(fact)), fact.args, strict=True):
                    _add(place, term, {})
        waiting = [clause for each in clauses.clauses.values() for clause in each]
        weight = -1
        while weight != self._weight():
            weight = self._weight()
            for clause in waiting:
                self._flow(clause.head, [goal for goal in clause.body if isinstance(goal, Atom)])

    def of(self, relation: Relation) -> list[ArgumentDomain]:
        """A place for each argument of a relation."""
        found = self._places.get(relation)
        if found is None:
            found = self._places[relation] = [ArgumentDomain() for _ in range(relation[1])]
        return found

    def _weight(self) -> int:
        return sum(place.weight() for places in self._places.values() for place in places)

    def _flow(self, head: Atom, body: list[Atom]) -> None:
        """Add to the head's places what its variables can be, by every atom of the body."""
        known: dict[str, list[ArgumentDomain]] = {}
        for atom in body:
            for place, term in zip(self.of(relation_of(atom)), atom.args, strict=True):
                if not _collect(place, term, known):
                    return
        for place, term in zip(self.of(relation_of(head)), head.args, strict=True):
            _add(place, term, known)


def _collect(place: ArgumentDomain, term: Term, known: dict[str, list[ArgumentDomain]]) -> bool:
    """Note where variables take their values from; False if the term cannot be there."""
    if place.anything:
        return True  # which tells nothing of a variable
    if isinstance(term, Variable):
        known.setdefault(term.name, []).append(place)
        return bool(place.constants or place.functions or place.deeper)
    if isinstance(term, Compound):
        places = place.functions.get((term.name, len(term.args)))
        if places is None:
            return place.deeper
        return all(
            _collect(inner, arg, known) for inner, arg in zip(places, term.args, strict=True)
        )
    return term in place.constants


def _add(place: ArgumentDomain, term: Term, known: dict[str, list[ArgumentDomain]]) -> None:
    if isinstance(term, Variable):
        if term.name in known:
            _absorb(place, known[term.name])
        else:
            place.anything = True
    elif isinstance(term, Compound):
        places = place.function(term.name, len(term.args))
        for inner, arg in zip(places or (), term.args, strict=bool(places)):
            _add(inner, arg, known)
    else:
        place.constants.add(term)


def _absorb(place: ArgumentDomain, sources: list[ArgumentDomain]) -> None:
    """Add the values that all sources have."""
    if any(source is place for source in sources):
        return
    place.constants |= set.intersection(*(source.constants for source in sources))
    place.deeper |= all(source.deeper for source in sources)
    for name, arity in list(sources[0].functions):
        if all((name, arity) in source.functions for source in sources):
            places = place.function(name, arity)
            for i, inner in enumerate(places or ()):
                _absorb(inner, [source.functions[name, arity][i] for source in sources])
