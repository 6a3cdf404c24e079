"""Fewer and quieter gates for the same game.

`told` uses what legality says: a move implies whatever its legality waits for; a role that has a
single legal move makes it. `simplified` works on gates alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from graven.gdl.circuit import Builder, Circuit, negated
from graven.gdl.network import ALWAYS, NEVER

MOST_ASKED = 8
"""Inputs of a gate in which it is looked for whose turn it is."""
LARGE = 60_000
"""Circuits of more gates are taken as they are."""
FACTORED = 4
"""A literal is taken out of so many inputs of a gate or more."""


def rings(circuit: Circuit) -> list[list[int]]:
    """Bases that follow one another in a ring, one of which holds at the start: so always one does.

    As in `(next (control black))` if `(true (control white))`, and the other way round.
    """
    follows = {
        literal >> 1: base
        for base, literal in enumerate(circuit.next)
        if 0 <= literal < 2 * circuit.bases and not literal & 1
    }
    found, seen = [], set()
    for base in follows:
        ring = []
        while base in follows and base not in seen:
            seen.add(base)
            ring.append(base)
            base = follows[base]
        if ring and base == ring[0] and sum(circuit.init[b] for b in ring) == 1:
            found.append(ring)
    return found


def tidy(circuit: Circuit) -> Circuit:
    """All of it, unless the circuit is so large that it would take seconds."""
    return circuit if len(circuit.gates) > LARGE else simplified(told(circuit))


def tidied(circuit: Circuit) -> Circuit:
    """The same for one position at a time, where it counts how many gates a flip reaches."""
    return circuit if len(circuit.gates) > LARGE else simplified(circuit, factor=True)


def told(before: Circuit) -> Circuit:
    """Take out what legality tells: see the module's text."""
    of_ring = {base: ring for ring in rings(before) for base in ring}

    # Of two bases that take turns, the second is the first's negation.
    names = {
        2 * base + sign: 2 * ring[0] + 1 - sign
        for base, ring in of_ring.items()
        if len(ring) == 2 and base == ring[1]
        for sign in (0, 1)
    }

    def excludes(one: int, other: int) -> bool:
        """Whether two literals, already by their new names, can never hold together."""
        if one == other ^ 1:
            return True
        ring = of_ring.get(one >> 1)
        apart = ring is not None and ring is of_ring.get(other >> 1)
        return apart and one != other and not one & 1 and not other & 1

    factors = Factors(before)
    waits: dict[int, frozenset[int]] = {}  # what each move implies
    for legal, does in zip(before.legal, before.does, strict=True):
        sets = [
            frozenset(names.get(x, x) for x in factors.of(literal)) if literal >= 0 else frozenset()
            for literal in legal
        ]
        for unit, implied in zip(does, sets, strict=True):
            if unit >= 0:
                waits[unit] = implied
        times = Counter(literal for implied in sets for literal in implied)
        guards = [guard for guard in times if times[guard] >= max(1, len(legal) - 1)]
        for move, (unit, literal) in enumerate(zip(does, legal, strict=True)):
            # All other moves wait for something that excludes this one: it is made if it is legal.
            alone = names.get(literal, literal)
            others = (
                guard for guard in guards if times[guard] - (guard in sets[move]) == len(legal) - 1
            )
            known = unit >= 0 and literal >= 0 and len(legal) > 1
            if known and any(excludes(alone, guard) for guard in others):
                names[2 * unit], names[2 * unit + 1] = alone, negated(alone)

    builder = Builder(before.first)
    became: list[int] = []

    def implies(literal: int, other: int) -> bool:
        """Whether a literal, by its new name, cannot hold without the other."""
        if literal == other:
            return True
        if literal & 1:
            return False
        if inputs := builder.inputs(literal >> 1):
            return all(implies(part, other) for part in inputs)
        return any(x == other or excludes(x, other ^ 1) for x in waits.get(literal >> 1, ()))

    def new(literal: int) -> int:
        if literal < 2 * before.first:
            return names.get(literal, literal)
        found = became[(literal >> 1) - before.first]
        return negated(found) if literal & 1 else found

    turns = {x for ring in of_ring for x in (2 * ring, 2 * ring + 1)}
    for gate in before.gates:
        literals = [new(literal) for literal in gate]
        if len(literals) <= MOST_ASKED and not turns.isdisjoint(literals):
            literals = _moved(builder, literals, turns, implies)
        became.append(_whose_turn(builder, literals, implies) or builder.any_of(literals))
    return before.changed(builder.gates, new)


Implies = Callable[[int, int], bool]


def _moved(builder: Builder, literals: list[int], turns: set[int], implies: Implies) -> list[int]:
    """`x or not (A or B)` is `not B` where x is one of `turns`, A implies it and B excludes it.

    This is how rules say who made a move that several could make: whose turn it is.
    """
    for x in literals:
        if x not in turns:
            continue
        for literal in literals:
            inputs = builder.inputs(literal >> 1) if literal & 1 and literal > 0 else ()
            rest = [part for part in inputs if not implies(part, x)]
            if inputs and all(implies(part, x ^ 1) for part in rest):
                kept = [other for other in literals if other not in (x, literal)]
                return [*kept, negated(builder.any_of(rest))]
    return literals


def _whose_turn(builder: Builder, literals: list[int], implies: Implies) -> int | None:
    """`not (A or x) or not (B or not x)` is `not (A or B)` where A excludes x and B implies x.

    This is how rules say that something stays: whoever's turn it is did not touch it.
    """
    if len(literals) != 2 or not (literals[0] & literals[1] & 1) or min(literals) < 0:
        return None
    one, other = (builder.inputs(literal >> 1) for literal in literals)
    for x in one:
        if x ^ 1 in other:
            first, second = set(one) - {x}, set(other) - {x ^ 1}
            if all(implies(a, x ^ 1) for a in first) and all(implies(b, x) for b in second):
                return negated(builder.any_of(first | second))
    return None


class Factors:
    """What gates wait for, and what is left of them without it."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._sets: dict[int, frozenset[int]] = {}

    def of(self, literal: int) -> frozenset[int]:
        """Literals without which this one cannot hold, itself among them, as far as plain
        conjunctions and alternatives of them tell."""
        if literal not in self._sets:
            inputs = self.circuit.inputs(literal >> 1) if literal >= 0 else ()
            found = {literal} if literal >= 0 else set()
            if inputs and literal & 1:
                found |= {other ^ 1 for other in inputs}
            elif inputs and all(other & 1 for other in inputs):
                found |= frozenset.intersection(*(self.of(other) for other in inputs))
            self._sets[literal] = frozenset(found)
        return self._sets[literal]

    def without(self, builder: Builder, literal: int, factor: int) -> int:
        """What is left to hold once the factor does."""
        if literal == factor:
            return ALWAYS
        inputs = self.circuit.inputs(literal >> 1)
        if literal & 1:
            return negated(builder.any_of(i for i in inputs if i != factor ^ 1))
        return builder.any_of(self.without(builder, other, factor) for other in inputs)


def simplified(before: Circuit, factor: bool = False) -> Circuit:
    """Gates that only one gate reads, and as they are, become part of it; unread ones go.

    With `factor`, a literal that many inputs of a gate wait for is taken out of them, and what
    another input of the same gate says is not asked again: a unit that flips often, such as whose
    turn it is, then reaches few gates.
    """
    outputs = before.outputs()
    live = before.reached(outputs)
    readers = [0] * (before.first + len(before.gates))
    for unit in live:
        for literal in before.inputs(unit):
            readers[literal >> 1] += 1
    for literal in outputs:
        if literal >= 0:
            readers[literal >> 1] += 2
    builder = Builder(before.first)
    became: dict[int, int] = {}
    inlined: dict[int, list[int]] = {}

    def new(literal: int) -> int:
        if literal < 2 * before.first:  # a base, a move or a constant
            return literal
        unit = literal >> 1
        if unit in inlined:
            became[unit] = make(inlined.pop(unit))
        found = became[unit]
        return negated(found) if literal & 1 else found

    def make(literals: list[int]) -> int:
        return builder.any_of(_factored(builder, literals) if factor else literals)

    for gate, given in enumerate(before.gates):
        unit = before.first + gate
        if unit not in live:
            continue
        wanted: list[int] = []
        for literal in given:
            if not literal & 1 and literal >> 1 in inlined:
                wanted += inlined[literal >> 1]
            else:
                wanted.append(new(literal))
        if readers[unit] == 1:
            inlined[unit] = wanted
        else:
            became[unit] = make(wanted)
    return before.changed(builder.gates, new)


def _factored(builder: Builder, literals: list[int]) -> list[int]:
    """The same alternatives, each without what the others say already, and grouped by what most of
    them wait for."""
    plain = {literal for literal in literals if literal >= 0}
    if ALWAYS in literals:
        return [ALWAYS]
    kept: set[int] = set()
    for literal in plain:
        inputs = builder.inputs(literal >> 1) if literal & 1 else ()
        # The gate holds anyway if one of the others does: here they may be taken for false.
        if any(other ^ 1 in plain for other in inputs):
            continue
        if any(other in plain for other in inputs):
            literal = negated(builder.any_of(other for other in inputs if other not in plain))
        kept.add(literal)
    if NEVER in kept:
        kept.discard(NEVER)
    if ALWAYS in kept:
        return [ALWAYS]
    waits = Counter(
        other for literal in kept if literal & 1 for other in builder.inputs(literal >> 1)
    )
    if not waits:
        return sorted(kept)
    factor, times = max(waits.items(), key=lambda item: (item[1], -item[0]))
    if times < FACTORED:
        return sorted(kept)
    group = [x for x in kept if x & 1 and factor in builder.inputs(x >> 1)]
    inside = builder.any_of(
        negated(builder.any_of(other for other in builder.inputs(x >> 1) if other != factor))
        for x in group
    )
    rest = [x for x in kept if x not in set(group)]
    return sorted([*rest, negated(builder.any_of([factor, negated(inside)]))])
