"""Simplify a network by the legality of moves.

A move that is made was legal, so it implies what its legality needs; and a role whose only legal
move is known makes that move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from graven.gdl.network.gate_builder import TRUE, GateBuilder
from graven.gdl.network.gate_merging import LARGE, Factors, merge_gates
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network

MAX_INPUTS_SEARCHED = 8
"""Gates with more inputs are not simplified by whose turn it is."""


def simplified(network: Network) -> Network:
    """Simplify a network by legality, and merge gates, unless it is too large."""
    return network if is_large(network) else merge_gates(assume_legality(network))


def is_large(network: Network) -> bool:
    """Return whether simplifications would take too long."""
    return len(network.gates) > LARGE


def turn_cycles(network: Network) -> list[list[int]]:
    """Find cycles of bases of which exactly one is true in every state.

    Such as `(control white)` and `(control black)`: each follows the other, and one of them is
    true in the initial state. Bases are returned as nodes.
    """
    bases = range(FIRST_BASE, FIRST_BASE + len(network.bases))
    follows = {
        literal >> 1: base
        for base, literal in zip(bases, network.next, strict=True)
        if literal >> 1 in bases and not literal & 1
    }
    cycles, visited = [], set()
    for base in follows:
        cycle = []
        while base in follows and base not in visited:
            visited.add(base)
            cycle.append(base)
            base = follows[base]
        true = sum(network.init[member - FIRST_BASE] for member in cycle)
        if cycle and base == cycle[0] and true == 1:
            cycles.append(cycle)
    return cycles


def assume_legality(network: Network) -> Network:
    """Remove conditions that the legality of a move already implies."""
    return _Assumption(network).network()


class _Assumption:
    def __init__(self, before: Network) -> None:
        self.before = before
        self.cycle_of = {base: cycle for cycle in turn_cycles(before) for base in cycle}
        self.turns = {x for base in self.cycle_of for x in (2 * base, 2 * base + 1)}
        self.needs: dict[int, frozenset[int]] = {}
        """For the node of a move, new literals that its legality needs."""
        self.builder = GateBuilder(before.first_gate - 1)
        self.new = [2 * node for node in range(before.first_gate)]
        """The new literal of each node so far. Numbers of gates differ before and after."""

    def network(self) -> Network:
        self._name_turns()
        # Moves are read only after all that decides whether they are legal.
        first_reader = self._first_reader()
        self._rebuild(first_reader)
        self._name_moves()
        self._rebuild(len(self.before.inputs))
        return self.before.rebuilt(self.builder.inputs, self._translated)

    def _first_reader(self) -> int:
        """Return the first node that reads a move."""
        moves = range(FIRST_BASE + len(self.before.bases), self.before.first_gate)
        readers = (
            node
            for node, gate in enumerate(self.before.inputs)
            if any(literal >> 1 in moves for literal in gate)
        )
        return next(readers, len(self.before.inputs))

    def _name_turns(self) -> None:
        """Of two bases that take turns, replace the second by the inversion of the first."""
        for base, cycle in self.cycle_of.items():
            if len(cycle) == 2 and base == cycle[1]:
                self.new[base] = 2 * cycle[0] + 1

    def _name_moves(self) -> None:
        """Find what moves need, and replace moves that are made if and only if they are legal."""
        factors, before, built = Factors(self.before), self.before, len(self.new)
        for legal, does in zip(before.legal, before.does, strict=True):
            needs = [
                frozenset(self._translated(x) for x in factors.of(literal) if x >> 1 < built)
                for literal in legal
            ]
            for node, needed in zip(does, needs, strict=True):
                if node != NO_NODE:
                    self.needs[node] = needed
            times = Counter(literal for needed in needs for literal in needed)
            guards = [guard for guard in times if times[guard] >= max(1, len(legal) - 1)]
            for move, (node, literal) in enumerate(zip(does, legal, strict=True)):
                if node == NO_NODE or len(legal) == 1 or literal >> 1 >= built:
                    continue
                # If all other moves need something that excludes this one, it is made if legal.
                name = self._translated(literal)
                others = (
                    guard
                    for guard in guards
                    if times[guard] - (guard in needs[move]) == len(legal) - 1
                )
                if name > TRUE and any(self._exclude(name, guard) for guard in others):
                    self.new[node] = name

    def _exclude(self, one: int, other: int) -> bool:
        """Return whether two literals are never true together."""
        if one == other ^ 1:
            return True
        cycle = self.cycle_of.get(one >> 1)
        same_cycle = cycle is not None and cycle is self.cycle_of.get(other >> 1)
        return same_cycle and one != other and not one & 1 and not other & 1

    def _implies(self, literal: int, other: int) -> bool:
        """Return whether a new literal is true only where the other one is."""
        if literal == other:
            return True
        if inputs := self.builder.inputs[literal >> 1]:
            return bool(literal & 1) and all(self._implies(x ^ 1, other) for x in inputs)
        if literal & 1:
            return False
        needed = self.needs.get(literal >> 1, frozenset())
        return any(x == other or self._exclude(x, other ^ 1) for x in needed)

    def _translated(self, literal: int) -> int:
        return self.new[literal >> 1] ^ (literal & 1)

    def _rebuild(self, end: int) -> None:
        """Rebuild the gates up to a node."""
        for gate in self.before.inputs[len(self.new) : end]:
            factors = [self._translated(literal) for literal in gate]
            if len(factors) <= MAX_INPUTS_SEARCHED and not self.turns.isdisjoint(factors):
                factors = self._without_turn(factors)
            selected = self._selected_by_turn(factors)
            self.new.append(self.builder.conjunction(factors) if selected is None else selected)

    def _without_turn(self, factors: list[int]) -> list[int]:
        """Replace `turn and (A or B)` by `B` where A excludes the turn and B implies it.

        Rules express in this form which role made a move that several roles could make.
        """
        for turn in (x for x in factors if x in self.turns):
            for factor in factors:
                alternatives = self._alternatives(factor)
                rest = [x for x in alternatives if not self._implies(x, turn ^ 1)]
                if alternatives and all(self._implies(x, turn) for x in rest):
                    kept = [other for other in factors if other not in (turn, factor)]
                    return [*kept, self.builder.disjunction(rest)]
        return factors

    def _selected_by_turn(self, factors: Sequence[int]) -> int | None:
        """Replace `(A or x)(B or not x)` by `A or B` where A excludes x and B implies it.

        Rules express in this form that a value stays: the role to move did not change it.
        """
        if len(factors) != 2:
            return None
        one, other = map(self._alternatives, factors)
        for x in one:
            if x ^ 1 in other:
                first, second = {*one} - {x}, {*other} - {x ^ 1}
                if all(self._implies(a, x ^ 1) for a in first) and all(
                    self._implies(b, x) for b in second
                ):
                    return self.builder.disjunction(first | second)
        return None

    def _alternatives(self, literal: int) -> list[int]:
        """Return the alternatives of an OR; none for other literals."""
        return [x ^ 1 for x in self.builder.inputs[literal >> 1]] if literal & 1 else []
