"""Rules in smaller pieces: what a rule asks about some variables alone becomes a relation.

    (<= (next (cell ?x ?y ?p))
        (true (cell ?x ?y ?p)) (does ?r (move ?a ?b)) (elsewhere ?x ?y ?a ?b))

has a ground rule for every cell, piece, role and move. Whether a move elsewhere was made does not
depend on the piece, though:

    (<= (other ?x ?y) (does ?r (move ?a ?b)) (elsewhere ?x ?y ?a ?b))
    (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (other ?x ?y))

A variable that is only in the body is eliminated together with the parts that name it, if fewer
ground rules are expected that way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from graven.gdl.program import Line, Part, Program, Relation

WORTH = 0.6
"""Split where this share of the ground rules, or less, is expected to be left."""
SMALL = 60.0
"""Leave rules alone of which so few ground rules are expected."""

Domain = Callable[[int, int], float]
"""How many values a column of a relation has."""
Density = Callable[[int], float]
"""Which share of all combinations of its columns' values a relation holds."""


class Splitter:
    """Splits rules of one program."""

    def __init__(self, program: Program, state: set[int], domain: Domain, density: Density) -> None:
        self.program = program
        self.state = state
        self.domain = domain
        self.density = density
        self.own: dict[tuple[int, int], float] = {}
        """How many values the columns of relations made here have."""
        self.known: dict[object, int] = {}
        """Bodies that have become relations, so that equal ones become the same."""
        self.made: list[Line] = []

    def split(self, line: Line) -> Iterator[Line]:
        """The line, or lines that say the same."""
        while True:
            best = self._best(line)
            if best is None:
                yield line
                return
            inside, kept = best
            piece = self._piece(line, inside, kept)
            line = _without(line, inside, Part(piece, kept))

    def _best(self, line: Line) -> tuple[frozenset[int], tuple[int, ...]] | None:
        """The parts to take out, and the variables that they share with the rest."""
        if line.plain or line.silent:
            return None
        whole = self._expected(line, range(_count(line)))
        if whole < SMALL:
            return None
        parts = [_operands(line, i) for i in range(_count(line))]
        head = {each for each in line.head.operands if each >= 0}
        local = set().union(*parts, set()) - head
        best, found = whole * WORTH, None
        for start in sorted(local):
            gone = {start}
            while gone:
                inside = frozenset(i for i, part in enumerate(parts) if part & gone)
                outside = [i for i in range(len(parts)) if i not in inside]
                inner = set().union(*(parts[i] for i in inside))
                outer = set().union(head, *(parts[i] for i in outside))
                kept = tuple(sorted(inner & outer))
                if self._worth_asking(line, inside, outside, inner):
                    cost = self._cost(line, inside, outside, kept)
                    if cost < best:
                        best, found = cost, (inside, kept)
                more = [v for v in sorted((inner & local) - gone) if v in kept]
                gone |= (inner - outer) & local
                if not more:
                    break
                gone.add(min(more, key=lambda v: sum(v in part for part in parts)))
        return found

    def _worth_asking(
        self, line: Line, inside: frozenset[int], outside: list[int], inner: set[int]
    ) -> bool:
        """Whether the parts make a rule of their own, and both sides depend on the state."""
        if not inner <= _bound(line, inside):
            return False
        return any(self._of_state(line, i) for i in inside) and any(
            self._of_state(line, i) for i in outside
        )

    def _of_state(self, line: Line, i: int) -> bool:
        parts = (*line.holds, *line.fails)
        return i < len(parts) and parts[i].relation in self.state

    def _cost(
        self, line: Line, inside: frozenset[int], outside: list[int], kept: tuple[int, ...]
    ) -> float:
        inner = self._expected(line, inside)
        sizes = self._sizes(line, range(_count(line)))
        rest = self._expected(line, outside, {v: sizes[v] for v in kept})
        return inner + rest

    def _sizes(self, line: Line, chosen: Iterable[int]) -> dict[int, float]:
        """How many values each variable may have, by the parts that bind it."""
        sizes: dict[int, float] = {}
        chosen = list(chosen)
        for i in chosen:
            if i < len(line.holds):
                part = line.holds[i]
                for column, operand in enumerate(part.operands):
                    if operand >= 0:
                        size = self._domain(part.relation, column)
                        sizes[operand] = min(size, sizes.get(operand, math.inf))
        # A function and its arguments follow from each other.
        for i in chosen:
            if i >= _count(line) - len(line.built):
                variable, part = line.built[i - _count(line) + len(line.built)]
                whole = sizes.get(variable, 1.0)
                new = [each for each in part.operands if each >= 0 and each not in sizes]
                sizes.update(dict.fromkeys(new, max(1.0, whole ** (1 / max(1, len(new))))))
                if variable in sizes and new:
                    sizes[variable] = 1.0
                sizes.setdefault(variable, 1.0)
        return sizes

    def _domain(self, relation: int, column: int) -> float:
        return self.own.get((relation, column)) or self.domain(relation, column)

    def _expected(
        self, line: Line, chosen: Iterable[int], given: dict[int, float] | None = None
    ) -> float:
        """How many ground rules some parts of a body have."""
        chosen = list(chosen)
        sizes = self._sizes(line, chosen)
        for variable, size in (given or {}).items():
            sizes[variable] = min(size, sizes.get(variable, math.inf))
        expected = math.prod(sizes.values())
        for i in chosen:
            if i < len(line.holds) and line.holds[i].relation not in self.state:
                expected *= self.density(line.holds[i].relation)
        return expected

    def _piece(self, line: Line, inside: frozenset[int], kept: tuple[int, ...]) -> int:
        """The relation of some parts of a body."""
        holds = tuple(part for i, part in enumerate(line.holds) if i in inside)
        base = len(line.holds)
        fails = tuple(part for i, part in enumerate(line.fails) if base + i in inside)
        base += len(line.fails)
        differ = tuple(pair for i, pair in enumerate(line.differ) if base + i in inside)
        base += len(line.differ)
        built = tuple(each for i, each in enumerate(line.built) if base + i in inside)
        key = _canonical(holds, fails, differ, built, kept)
        if key not in self.known:
            name = f"part {len(self.known) + 1} of {self.program.relations[line.head.relation]}"
            relation = self.program.relation(Relation(name, None, len(kept)))
            self.known[key] = relation
            self.state.add(relation)
            sizes = self._sizes(line, range(_count(line)))
            for column, variable in enumerate(kept):
                self.own[relation, column] = sizes[variable]
            head = Part(relation, kept)
            whole = Line(head, holds, fails, differ, built, line.variables, line.origin)
            self.made.extend(self.split(whole))
        return self.known[key]


def _count(line: Line) -> int:
    return len(line.holds) + len(line.fails) + len(line.differ) + len(line.built)


def _operands(line: Line, i: int) -> set[int]:
    """The variables of the i-th part of a body: what holds, fails, differs, is built."""
    if i < len(line.holds):
        operands: tuple[int, ...] = line.holds[i].operands
    elif i < len(line.holds) + len(line.fails):
        operands = line.fails[i - len(line.holds)].operands
    elif i < _count(line) - len(line.built):
        operands = line.differ[i - len(line.holds) - len(line.fails)]
    else:
        variable, part = line.built[i - _count(line) + len(line.built)]
        operands = (variable, *part.operands)
    return {operand for operand in operands if operand >= 0}


def _without(line: Line, inside: frozenset[int], instead: Part) -> Line:
    base = len(line.holds)
    far = base + len(line.fails)
    end = far + len(line.differ)
    return replace(
        line,
        holds=(*(part for i, part in enumerate(line.holds) if i not in inside), instead),
        fails=tuple(part for i, part in enumerate(line.fails) if base + i not in inside),
        differ=tuple(pair for i, pair in enumerate(line.differ) if far + i not in inside),
        built=tuple(each for i, each in enumerate(line.built) if end + i not in inside),
    )


def _bound(line: Line, chosen: Iterable[int]) -> set[int]:
    """The variables that some parts of a body give values."""
    chosen = sorted(chosen)
    bound: set[int] = set()
    for i in chosen:
        if i < len(line.holds):
            bound |= _operands(line, i)
    first = _count(line) - len(line.built)
    waiting = [line.built[i - first] for i in chosen if i >= first]
    while waiting:
        left = []
        for variable, part in waiting:
            operands = {each for each in part.operands if each >= 0}
            if variable in bound or operands <= bound:
                bound |= {variable} | operands
            else:
                left.append((variable, part))
        if len(left) == len(waiting):
            break
        waiting = left
    return bound


def _canonical(
    holds: tuple[Part, ...],
    fails: tuple[Part, ...],
    differ: tuple[tuple[int, int], ...],
    built: tuple[tuple[int, Part], ...],
    kept: tuple[int, ...],
) -> object:
    """The same for bodies that differ only in the numbers of their variables."""
    names: dict[int, int] = {}
    for variable in kept:
        names.setdefault(variable, len(names))

    def renamed(operands: Iterable[int]) -> tuple[int, ...]:
        return tuple(o if o < 0 else names.setdefault(o, len(names)) for o in operands)

    return (
        len(kept),
        tuple((part.relation, renamed(part.operands)) for part in holds),
        tuple((part.relation, renamed(part.operands)) for part in fails),
        tuple(renamed(pair) for pair in differ),
        tuple((part.relation, renamed((each, *part.operands))) for each, part in built),
    )
