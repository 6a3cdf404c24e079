"""A game as a propositional network: an and-inverter graph and what its literals mean.

This is the one form of a game between ground rules and the kernels' tables; every simplification
turns a network into a smaller one. See `gate_builder` for nodes and literals. Node 0 is the
constant false; then come the base propositions, the moves and the gates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graven.gdl.network.gate_arrays import (
    GateArrays,
    Int8,
    flatten,
    mark_cone,
    write_levels,
    write_values,
)
from graven.gdl.network.gate_builder import Gate

NO_NODE = -1
"""Stands for the node of a move that nothing depends on."""
FIRST_BASE = 1
"""The node of the first base proposition."""


@dataclass(frozen=True)
class Network:
    """A propositional network. Outputs are literals, constants among them."""

    roles: tuple[str, ...]
    bases: tuple[str, ...]
    """The text of each base proposition, as `( cell 1 1 b )`; base i is node FIRST_BASE + i."""
    moves: tuple[tuple[str, ...], ...]
    """For each role, the text of each move that can ever be legal, as `( mark 1 1 )`."""
    init: Sequence[bool]
    """For each base, whether it is true in the initial state."""
    inputs: Sequence[Gate]
    """The inputs of each node, all of smaller numbers; empty for the constant and for leaves."""
    does: Sequence[Sequence[int]]
    """For each role and move its node, or NO_NODE where nothing depends on it."""
    next: Sequence[int]
    """For each base, the literal that decides whether it is true in the next state."""
    legal: Sequence[Sequence[int]]
    """For each role and move, the literal that decides whether it is legal."""
    terminal: int
    """The literal that decides whether the game is over."""
    goals: Sequence[Sequence[tuple[int, int]]]
    """For each role (goal value, literal), by descending value."""
    always: tuple[str, ...] = ()
    """Propositions that are true in every state and therefore no bases."""
    guards: Sequence[int] = field(default=())
    """For each role, a literal that its moves need (see `kernels.single_tables`)."""

    def __repr__(self) -> str:
        """Return the sizes: the propositions of a large network take minutes to print."""
        moves = sum(len(texts) for texts in self.moves)
        return (
            f"Network(roles={len(self.roles)}, bases={len(self.bases)}, moves={moves}, "
            f"nodes={len(self.inputs)})"
        )

    @cached_property
    def first_gate(self) -> int:
        """The node of the first gate."""
        used = [node for role in self.does for node in role if node != NO_NODE]
        return max([FIRST_BASE + len(self.bases), *(node + 1 for node in used)])

    @property
    def gates(self) -> Sequence[Gate]:
        """The inputs of each gate."""
        return self.inputs[self.first_gate :]

    @cached_property
    def arrays(self) -> GateArrays:
        """The nodes as arrays."""
        return flatten(self.inputs)

    @property
    def input_count(self) -> int:
        """The inputs of all gates together."""
        return len(self.arrays.literals)

    def cone(self, literals: Iterable[int]) -> NDArray[np.bool_]:
        """Return for each node whether one of `literals` depends on it."""
        marks = np.zeros(len(self.inputs), np.int8)
        marks[[literal >> 1 for literal in literals]] = 1
        mark_cone(self.arrays, marks, 1)
        marks[0] = 0
        return marks == 1

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """The level of each node: the length of the longest path from a leaf to it."""
        levels = np.zeros(len(self.inputs), np.int32)
        write_levels(self.arrays, levels)
        return levels

    def initial_values(self) -> Int8:
        """Return the value of every node in the initial state, 0 or 1, before any move."""
        values = np.zeros(len(self.inputs), np.int8)
        values[FIRST_BASE : FIRST_BASE + len(self.bases)] = self.init
        write_values(self.arrays, self.first_gate, values)
        return values

    def goal_literals(self) -> list[int]:
        """Return the literals of all goals of all roles."""
        return [literal for goals in self.goals for _, literal in goals]

    def outputs(self) -> list[int]:
        """Return all literals that the game consists of."""
        legal = [literal for role in self.legal for literal in role]
        return [*self.next, *legal, self.terminal, *self.goal_literals(), *self.guards]

    def rebuilt(self, inputs: Sequence[Gate], new: Callable[[int], int]) -> Network:
        """Return the network with other gates; `new` translates the literals of outputs."""
        return replace(
            self,
            inputs=inputs,
            next=[new(literal) for literal in self.next],
            legal=[[new(literal) for literal in role] for role in self.legal],
            terminal=new(self.terminal),
            goals=[[(value, new(literal)) for value, literal in role] for role in self.goals],
            guards=[new(literal) for literal in self.guards],
        )


def holds(values: Sequence[bool], literal: int) -> bool:
    """Return whether a literal is true, given the value of every node."""
    return values[literal >> 1] != bool(literal & 1)
