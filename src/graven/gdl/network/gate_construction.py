"""Gates for the relevant atoms of the ground rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graven.core.cancellation import raise_if_cancelled
from graven.gdl.grounding.grounded_sheet import GroundedSheet
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.network.fixed_values import EITHER
from graven.gdl.network.game_atoms import GameAtoms
from graven.gdl.network.gate_arrays import flatten, mark_cone
from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder
from graven.gdl.network.gate_merging import LiveNodes, merge_single_readers
from graven.gdl.network.linear_recursion import Recursion, solve
from graven.gdl.network.relevance import RelevantAtoms, RulesByHead, needed_now, own_negation

MAX_GATES = 3_000_000
UNDEFINED = -1
ATOMS_PER_CHECK = 200
"""Atoms between two checks of the limits."""


@dataclass(frozen=True)
class AtomLiterals:
    """A graph under construction and the literal of each atom in it."""

    game: GameAtoms
    builder: GateBuilder
    literal: Sequence[int]
    """The literal of each atom; UNDEFINED for atoms that are not relevant."""

    @cached_property
    def live(self) -> LiveNodes:
        """The nodes that legal moves, goals and the end depend on, through all states."""
        literal, game = self.literal, self.game
        arrays = flatten(self.builder.inputs)
        marks = np.zeros(len(self.builder.inputs), np.int8)
        roots = [literal[atom] for atom in game.outputs()]
        bases = {literal[base] >> 1: base for base in game.true.values() if literal[base] >= 0}
        new = roots
        while new:
            marks[np.array(new, np.int64) >> 1] = 1
            mark_cone(arrays, marks, 1)
            marked = [bases.pop(node) for node in list(bases) if marks[node]]
            new = [
                literal[game.next[base]]
                for base in marked
                if base in game.next and literal[base] > TRUE
            ]
            roots = roots + new
        return LiveNodes(arrays, marks == 1, roots)

    def size(self) -> tuple[int, int]:
        """Return how many live nodes there are, and how many inputs they have."""
        live = self.live
        return int(live.needed.sum()), int(np.diff(live.arrays.start)[live.needed].sum())

    def merged(self) -> AtomLiterals:
        """Merge each gate with one reader into that reader, unless few of a large graph have one.

        Larger alternatives of moves may then come together, whose complements are small.
        """
        inputs, facts, live = self.builder.inputs, self.builder.facts, self.live
        if not live.is_worth_merging():
            return self
        builder, new = GateBuilder(), [FALSE] * len(inputs)
        for role, moves in facts.moves.items():
            for move in moves:
                new[move >> 1] = builder.leaf()
                builder.facts.role[new[move >> 1]] = role
            builder.facts.moves[role] = frozenset(new[move >> 1] for move in moves)
        for node in np.flatnonzero(live.needed).tolist():
            if node and not inputs[node] and new[node] == FALSE:
                new[node] = builder.leaf()

        def make(factors: list[int]) -> int:
            return builder.disjunction(factor ^ 1 for factor in factors) ^ 1

        merge_single_readers(inputs, live, new, make)
        literal = [old if old < 0 else new[old >> 1] ^ (old & 1) for old in self.literal]
        return AtomLiterals(self.game, builder, literal)


def construct_gates(
    ground: GroundedSheet,
    game: GameAtoms,
    rules: RulesByHead,
    relevant: RelevantAtoms,
    values: NDArray[np.int8],
) -> AtomLiterals:
    """Make gates for all relevant atoms whose value is not fixed."""
    return _Construction(ground, game, rules).construct(relevant, values)


class _Construction:
    def __init__(self, ground: GroundedSheet, game: GameAtoms, rules: RulesByHead) -> None:
        self.ground = ground
        self.game = game
        self.rules = rules
        self.lists = tuple(array.tolist() for array in rules)  # faster to index than arrays
        self.builder = GateBuilder()
        self.literal = [UNDEFINED] * len(ground.relation)
        self.solved: dict[tuple[object, ...], list[int] | None] = {}
        """The solutions of recursions by their keys, None for those that are unrolled."""
        self.unchecked = 0

    def construct(self, relevant: RelevantAtoms, values: NDArray[np.int8]) -> AtomLiterals:
        bases = set(self.game.true.values())
        for atom in relevant.order.tolist():
            if values[atom] != EITHER:
                self.literal[atom] = int(values[atom])
            elif atom in bases:
                self.literal[atom] = self.builder.leaf()
        # Legality first: what it implies is then known when moves occur in rules.
        self._define(needed_now(self.rules.dependencies(), self.game.legal_atoms()))
        self._add_moves(values)
        self._define(relevant)
        return AtomLiterals(self.game, self.builder, self.literal)

    def _add_moves(self, values: NDArray[np.int8]) -> None:
        """Add a leaf for each move that is neither always made nor ever."""
        facts = self.builder.facts
        for role, table in enumerate(self.game.does):
            leaves = []
            for move, atom in table.items():
                legal = self.literal[self.game.legal[role][move]]
                if legal == FALSE:
                    self.literal[atom] = FALSE
                elif values[atom] != EITHER:
                    self.literal[atom] = int(values[atom])
                else:
                    leaf = self.literal[atom] = self.builder.leaf()
                    facts.role[leaf] = role
                    facts.implied[leaf] = self.builder.implications(legal) - {TRUE}
                    leaves.append(leaf)
            facts.moves[role] = frozenset(leaves)

    def _define(self, atoms: RelevantAtoms) -> None:
        """Make gates for atoms, component by component."""
        is_open = np.array(self.literal, np.int64)[atoms.order] < 0
        order, component = atoms.order[is_open].tolist(), atoms.component[is_open]
        ends = np.flatnonzero(np.diff(component, append=-1)) + 1
        begin = 0
        for end in ends.tolist():
            atom = order[begin]
            if end - begin == 1:
                self.literal[atom] = self._value(atom)
            else:
                self._solve(order[begin:end])
            self._check_limits(atom, end - begin)
            begin = end

    def _check_limits(self, atom: int, atoms: int) -> None:
        """Check the limits every ATOMS_PER_CHECK atoms; the error names the atom."""
        self.unchecked += atoms
        if self.unchecked < ATOMS_PER_CHECK:
            return
        self.unchecked = 0
        raise_if_cancelled()
        too_many = len(self.builder.inputs) > MAX_GATES
        if too_many or self.ground.clock() > self.ground.deadline:
            reason = f"the rules make more than {MAX_GATES:,} gates"
            reason = reason if too_many else "making gates takes too long"
            relation = self.ground.program.relations[self.ground.relation[atom]]
            raise TooLargeError(f"{reason}, at {relation}.")

    def _value(self, atom: int) -> int:
        literal, (first, start, literals) = self.literal, self.lists
        products = [
            [literal[x >> 1] ^ (x & 1) for x in literals[start[rule] : start[rule + 1]]]
            for rule in range(first[atom], first[atom + 1])
        ]
        if len(products) == 1 and len(products[0]) == 1:  # another name of a literal
            return products[0][0]
        return self.builder.sum_of_products(products)

    def _solve(self, members: Sequence[int]) -> None:
        """Make gates for atoms that depend on each other: the least fixpoint of their rules."""
        recursion = self._recursion(members)
        values = None
        if recursion is not None:
            key = recursion.key()
            if key not in self.solved:
                self.solved[key] = solve(self.builder, recursion)
            values = self.solved[key]
        if values is None:
            self._unroll(members)
        else:
            for atom, value in zip(members, values, strict=True):
                self.literal[atom] = value

    def _recursion(self, members: Sequence[int]) -> Recursion | None:
        """Return the rules as equations; None if one has several of the atoms in its body."""
        literal, (first, start, literals) = self.literal, self.lists
        number = {atom: i for i, atom in enumerate(members)}
        recursion = Recursion([[] for _ in members], [{} for _ in members])
        is_linear = True
        for i, atom in enumerate(members):
            for rule in range(first[atom], first[atom + 1]):
                product, inside = [], []
                for x in literals[start[rule] : start[rule + 1]]:
                    if x >> 1 not in number:
                        product.append(literal[x >> 1] ^ (x & 1))
                    elif x & 1:
                        raise own_negation(self.ground, atom)
                    else:
                        inside.append(number[x >> 1])
                if not inside:
                    recursion.constants[i].append(product)
                elif len(inside) == 1:
                    recursion.coefficients[i].setdefault(inside[0], []).append(product)
                else:
                    is_linear = False
        return recursion if is_linear else None

    def _unroll(self, members: Sequence[int]) -> None:
        """Unroll atoms that depend on each other, from false on, until a fixpoint."""
        first, start, literals = self.lists
        readers: dict[int, list[int]] = {atom: [] for atom in members}
        for atom in members:
            self.literal[atom] = FALSE
            for x in literals[start[first[atom]] : start[first[atom + 1]]]:
                if x >> 1 in readers:
                    readers[x >> 1].append(atom)
        changed = set(members)
        for _ in range(len(members)):
            evaluated = 0
            for atom in members:
                if atom in changed:
                    changed.remove(atom)
                    evaluated += 1
                    value = self._value(atom)
                    if value != self.literal[atom]:
                        self.literal[atom] = value
                        changed.update(readers[atom])
            if not changed:
                break
            self._check_limits(members[0], evaluated)
