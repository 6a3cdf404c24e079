"""The nodes of an and-inverter graph as arrays, for what has to be fast on large graphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.gdl.network.gate_builder import Gate

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]


class GateArrays(NamedTuple):
    """The inputs of node n are literals[start[n] : start[n + 1]]."""

    start: Int32  # (nodes + 1,)
    literals: Int32  # (inputs,)


def flatten(inputs: Sequence[Gate]) -> GateArrays:
    """Write all nodes as arrays."""
    start = np.zeros(len(inputs) + 1, np.int32)
    start[1:] = np.cumsum(np.fromiter(map(len, inputs), np.int32, len(inputs)))
    return GateArrays(start, np.fromiter(chain.from_iterable(inputs), np.int32, int(start[-1])))


@compiled
def mark_cone(nodes: GateArrays, marks: Int8, mark: int) -> None:
    """Give `mark` to all unmarked nodes (0) that nodes with this mark depend on."""
    for node in range(len(marks) - 1, -1, -1):
        if marks[node] == mark:
            for i in range(nodes.start[node], nodes.start[node + 1]):
                source = nodes.literals[i] >> 1
                if marks[source] == 0:
                    marks[source] = mark


@compiled
def write_values(nodes: GateArrays, first_gate: int, values: Int8) -> None:
    """Write the value of each gate, 0 or 1, by those of the nodes before the first gate."""
    for node in range(first_gate, len(values)):
        values[node] = 1
        for i in range(nodes.start[node], nodes.start[node + 1]):
            literal = nodes.literals[i]
            if values[literal >> 1] == literal & 1:
                values[node] = 0
                break


@compiled
def write_levels(nodes: GateArrays, levels: Int32) -> None:
    """Write each node's level: 0 without inputs, else one more than the highest of its inputs."""
    for node in range(len(levels)):
        level = 0
        for i in range(nodes.start[node], nodes.start[node + 1]):
            level = max(level, levels[nodes.literals[i] >> 1] + 1)
        levels[node] = level
