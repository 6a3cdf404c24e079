"""From gates of one kind to a network's AND, OR and NOT, numbered in the order of use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.gdl.gates import NO, YES
from graven.gdl.network import ALWAYS, AND, NEVER, NOT, OR

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]


class Flat(NamedTuple):
    """Gates as arrays: the inputs of gate g are literals[start[g] : start[g + 1]]."""

    start: Int32
    literals: Int32


def flatten(inputs: Sequence[tuple[int, ...]]) -> Flat:
    """All gates as arrays."""
    start = np.zeros(len(inputs) + 1, np.int32)
    start[1:] = np.cumsum(np.fromiter(map(len, inputs), np.int32, len(inputs)))
    count = int(start[-1])
    return Flat(start, np.fromiter((each for gate in inputs for each in gate), np.int32, count))


@compiled
def cone(gates: Flat, needed: Int8, mark: int) -> None:
    """Mark all that marked gates depend on. A gate's inputs have smaller numbers."""
    for gate in range(len(needed) - 1, -1, -1):
        if needed[gate] == mark:
            for i in range(gates.start[gate], gates.start[gate + 1]):
                each = gates.literals[i] >> 1
                if needed[each] == 0:
                    needed[each] = mark


@compiled
def _write(
    gates: Flat,
    wanted: Int8,
    mark: int,
    made: Int32,
    kinds: Int8,
    starts: Int32,
    inputs: Int32,
    count: int,
) -> int:
    """Write all gates of a mark; returns how many there are then.

    A gate becomes an AND, or an OR that is its negation, whichever needs fewer new NOTs.
    """
    at = starts[count]
    for gate in range(len(wanted)):
        first, end = gates.start[gate], gates.start[gate + 1]
        if wanted[gate] != mark or first == end:
            continue
        missing = 0
        for i in range(first, end):
            each = gates.literals[i]
            missing += (made[each] == NO_NUMBER) - (made[each ^ 1] == NO_NUMBER)
        turn = 1 if missing > 0 else 0
        for i in range(first, end):
            each = gates.literals[i] ^ turn
            if made[each] == NO_NUMBER:
                kinds[count] = NOT
                inputs[at] = made[each ^ 1]
                at += 1
                made[each] = count
                count += 1
                starts[count] = at
        for i in range(first, end):
            inputs[at] = made[gates.literals[i] ^ turn]
            at += 1
        kinds[count] = OR if turn else AND
        made[2 * gate + turn] = count
        count += 1
        starts[count] = at
    return count


NO_NUMBER = -3


class Output:
    """A network's gates as they are written."""

    def __init__(self, inputs: Sequence[tuple[int, ...]]) -> None:
        self.gates = flatten(inputs)
        gates, literals = len(inputs), len(self.gates.literals)
        self.wanted = np.zeros(gates, np.int8)
        self.made = np.full(2 * gates, NO_NUMBER, np.int32)
        """The number of each literal in the network."""
        self.made[NO], self.made[YES] = NEVER, ALWAYS
        # Every gate may need a NOT for either of its literals, at worst.
        self.kinds = np.zeros(3 * gates + 1, np.int8)
        self.starts = np.zeros(3 * gates + 2, np.int32)
        self.inputs = np.zeros(literals + 2 * gates + 1, np.int32)
        self.count = 0
        self.marks = 0

    def leaf(self, literal: int, kind: int) -> int:
        """Write a proposition or a move."""
        self.made[literal] = self.count
        return self._new(kind)

    def _new(self, kind: int) -> int:
        self.kinds[self.count] = kind
        self.count += 1
        self.starts[self.count] = self.starts[self.count - 1]
        return self.count - 1

    def write(self, literals: Sequence[int]) -> Int32:
        """Write all that some literals depend on, and give their numbers."""
        self.marks += 1
        chosen = np.array(literals, np.int64)
        gates = chosen >> 1
        self.wanted[gates[self.wanted[gates] == 0]] = self.marks
        cone(self.gates, self.wanted, self.marks)
        self.count = _write(
            self.gates,
            self.wanted,
            self.marks,
            self.made,
            self.kinds,
            self.starts,
            self.inputs,
            self.count,
        )
        for literal in np.unique(chosen[self.made[chosen] == NO_NUMBER]).tolist():
            number = self._new(NOT)
            self.inputs[self.starts[number]] = self.made[literal ^ 1]
            self.starts[number + 1] += 1
            self.made[literal] = number
        return self.made[chosen]

    def arrays(self) -> tuple[Int8, Int32, Int32]:
        """What the gates are, where their inputs start, and the inputs."""
        starts = self.starts[: self.count + 1].copy()
        return self.kinds[: self.count].copy(), starts, self.inputs[: starts[-1]].copy()
