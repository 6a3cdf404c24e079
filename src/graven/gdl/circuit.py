"""A network in its plainest form: one kind of gate, which holds if any of its inputs does.

An input is a literal: `2 * unit` says that a unit holds, `2 * unit + 1` that it does not. So NOT is
a literal, and AND is the negation of a gate over negated literals. Units are the base propositions,
then the moves, then the gates, each after all of its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from graven.gdl.network import ALWAYS, AND, NEVER, NOT, Network

WIDEST = 16_000
"""How many inputs a gate may have: the kernels count them in 16 bits."""


@dataclass
class Circuit:
    """A network as gates of one kind; literals may also be the constants NEVER and ALWAYS."""

    bases: int
    moves: int
    gates: list[tuple[int, ...]]
    """The inputs of each gate, sorted literals; gate i is unit `bases + moves + i`."""
    next: list[int]
    legal: list[list[int]]
    terminal: int
    goals: list[list[tuple[int, int]]]
    init: list[bool]
    does: list[list[int]]
    """For each role and move its unit, or -1 where nothing depends on it."""
    guards: list[int] = field(default_factory=list)
    """Further literals that somebody wants to know (see `one_tables`)."""

    def __post_init__(self) -> None:
        self.first = self.bases + self.moves
        """The first gate's unit."""

    def inputs(self, unit: int) -> tuple[int, ...]:
        """The literals of a gate; none for a base or a move."""
        return self.gates[unit - self.first] if unit >= self.first else ()

    def reached(self, literals: Iterable[int]) -> set[int]:
        """The units that some literals depend on."""
        waiting = [literal >> 1 for literal in literals if literal >= 0]
        seen = set(waiting)
        while waiting:
            for literal in self.inputs(waiting.pop()):
                unit = literal >> 1
                if unit not in seen:
                    seen.add(unit)
                    waiting.append(unit)
        return seen

    def values(self) -> list[bool]:
        """What holds at the start, before anybody moves: a truth value for each unit."""
        held = [*self.init, *[False] * self.moves]
        for gate in self.gates:
            held.append(any(held[literal >> 1] != (literal & 1) for literal in gate))
        return held

    def outputs(self) -> list[int]:
        """All literals that anybody wants to know."""
        legal = [literal for role in self.legal for literal in role]
        return [*self.next, *legal, self.terminal, *self.goal_literals(), *self.guards]

    def changed(self, gates: list[tuple[int, ...]], new: Callable[[int], int]) -> Circuit:
        """Other gates for the same outputs, whose literals `new` translates."""
        return replace(
            self,
            gates=gates,
            next=[new(literal) for literal in self.next],
            legal=[[new(literal) for literal in role] for role in self.legal],
            terminal=new(self.terminal),
            goals=[[(value, new(literal)) for value, literal in role] for role in self.goals],
            guards=[new(literal) for literal in self.guards],
        )

    def goal_literals(self) -> list[int]:
        """The literals of all goals of all roles."""
        return [literal for goals in self.goals for _, literal in goals]


class Builder:
    """Gates under construction, of which no two are alike."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.gates: list[tuple[int, ...]] = []
        self._known: dict[tuple[int, ...], int] = {}

    @classmethod
    def resume(cls, circuit: Circuit) -> Builder:
        """Go on with a circuit's gates, of which those that follow may be alike to none."""
        builder = cls(circuit.first)
        builder.gates = list(circuit.gates)
        builder._known = {gate: 2 * (circuit.first + i) for i, gate in enumerate(circuit.gates)}
        return builder

    def inputs(self, unit: int) -> tuple[int, ...]:
        """The literals of a gate; none for a base or a move."""
        return self.gates[unit - self.first] if unit >= self.first else ()

    def any_of(self, literals: Iterable[int]) -> int:
        """A literal that holds if one of the given ones does, constants among them."""
        inputs = sorted(set(literals))
        if inputs and inputs[0] < 0:
            if inputs[0] == ALWAYS:
                return ALWAYS
            del inputs[0]
        if not inputs:
            return NEVER
        # A literal and its opposite are neighbours.
        if any(a ^ 1 == b for a, b in pairwise(inputs)):
            return ALWAYS
        while len(inputs) > WIDEST:
            inputs = [
                self._gate(tuple(inputs[i : i + WIDEST])) for i in range(0, len(inputs), WIDEST)
            ]
        return self._gate(tuple(inputs))

    def _gate(self, inputs: tuple[int, ...]) -> int:
        if len(inputs) == 1:
            return inputs[0]
        if inputs not in self._known:
            self._known[inputs] = 2 * (self.first + len(self.gates))
            self.gates.append(inputs)
        return self._known[inputs]


def negated(literal: int) -> int:
    """The opposite of a literal or a constant."""
    if literal < 0:
        return NEVER + ALWAYS - literal
    return literal ^ 1


def circuit(network: Network) -> Circuit:
    """The same functions as a network's."""
    kinds, starts = network.kinds.tolist(), network.starts.tolist()
    inputs = network.inputs.tolist()
    bases = len(network.bases)
    first = bases
    units = {}
    for role in network.does:
        for gate in role.tolist():
            if gate >= 0 and gate not in units:
                units[gate] = first
                first += 1
    builder = Builder(first)
    literals: list[int] = []
    for gate, kind in enumerate(kinds):
        given = [literals[source] for source in inputs[starts[gate] : starts[gate + 1]]]
        if gate < bases:
            literals.append(2 * gate)
        elif not given:
            # A move that no role has is never made.
            literals.append(2 * units[gate] if gate in units else NEVER)
        elif kind == NOT:
            literals.append(negated(given[0]))
        elif kind == AND:
            literals.append(negated(builder.any_of(negated(literal) for literal in given)))
        else:
            literals.append(builder.any_of(given))

    def literal_of(gate: int) -> int:
        return literals[gate] if gate >= 0 else gate

    return Circuit(
        bases=bases,
        moves=first - bases,
        gates=builder.gates,
        next=[literal_of(gate) for gate in network.next.tolist()],
        legal=[[literal_of(gate) for gate in role.tolist()] for role in network.legal],
        terminal=literal_of(int(network.terminal)),
        goals=[[(value, literal_of(gate)) for value, gate in role] for role in network.goals],
        init=[bool(held) for held in network.init],
        does=[[units.get(gate, -1) for gate in role.tolist()] for role in network.does],
    )
