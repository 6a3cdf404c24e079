"""Moves that set and clear the same bases in every position.

The next state under a move is compared with that under no move at all. With bases unknown, a gate
is false if an input is false, true if all are true, else unknown; a gate whose inputs are those of
the other case is the same. If no base is unknown and different, the move has constant effects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import allocating
from graven.gdl.network.gate_arrays import GateArrays, Int8, Int32
from graven.gdl.network.propositional import FIRST_BASE, Network

FALSE, TRUE, UNKNOWN = range(3)
MAX_EFFECTS = 16
"""A move with more effects is flipped."""
MAX_DEPENDENT = 1000
"""A move on which more gates depend is flipped too."""
MAX_WORK = 20_000_000
"""Inputs of gates that are looked at for all moves together: the moves left are flipped."""


class ConstantEffects(NamedTuple):
    """Moves by their number, that of their node less that of the first."""

    is_constant: NDArray[np.bool_]  # for each move
    # For each effect, sorted by moves: the move, the base, and its value in the next state.
    moves: NDArray[np.int64]
    bases: NDArray[np.int64]
    values: NDArray[np.int64]


def constant_effects(network: Network) -> ConstantEffects:
    """Return the constant effects of all moves."""
    first_move = FIRST_BASE + len(network.bases)
    moves, nodes = network.first_gate - first_move, len(network.inputs)
    start, literals = network.arrays
    readers = np.repeat(np.arange(nodes, dtype=np.int32), np.diff(start))
    outputs = np.array(network.next, np.int32)
    effects = np.zeros((moves, MAX_EFFECTS), np.int32)
    numbers = np.full(moves, -1, np.int32)
    _write_effects(
        network.arrays,
        _inverse(literals >> 1, readers, nodes),
        _inverse(outputs >> 1, 2 * np.arange(len(outputs), dtype=np.int32) + (outputs & 1), nodes),
        first_move,
        effects,
        numbers,
    )
    is_constant = numbers >= 0
    kept = np.arange(MAX_EFFECTS) < numbers[:, None]
    found = effects[kept].astype(np.int64)
    return ConstantEffects(is_constant, np.nonzero(kept)[0], found >> 1, found & 1)


def _inverse(keys: Int32, values: Int32, nodes: int) -> GateArrays:
    """Return the values of each key, in the form of the inputs of nodes."""
    start = np.zeros(nodes + 1, np.int32)
    start[1:] = np.cumsum(np.bincount(keys, minlength=nodes))
    return GateArrays(start, values[np.argsort(keys, kind="stable")])


@allocating
def _write_effects(
    inputs: GateArrays,
    readers: GateArrays,
    bases: GateArrays,
    first_move: int,
    effects: Int32,
    numbers: Int32,
) -> None:
    """Write for each move its effects, 2 * base + value, and their number or -1."""
    nodes = len(inputs.start) - 1
    usual = np.zeros(nodes, np.int8)  # without a move
    usual[FIRST_BASE:first_move] = UNKNOWN
    for node in range(first_move + len(numbers), nodes):
        usual[node] = _evaluated(inputs, node, usual)
    values, is_changed = usual.copy(), np.zeros(nodes, np.bool_)
    dependent, work = np.zeros(MAX_DEPENDENT, np.int32), 0
    for move in range(len(numbers)):
        # The nodes that depend on the move, first it alone, in the order of their numbers.
        dependent[0], size, at = first_move + move, 1, 0
        is_changed[dependent[0]] = True
        while at < size <= MAX_DEPENDENT and work < MAX_WORK:
            for i in range(readers.start[dependent[at]], readers.start[dependent[at] + 1]):
                node = readers.literals[i]
                work += 1
                if not is_changed[node]:
                    if size < MAX_DEPENDENT:
                        dependent[size] = node
                        is_changed[node] = True
                    size += 1
                    if size > MAX_DEPENDENT:
                        break
            at += 1
        marked = dependent[: min(size, MAX_DEPENDENT)]
        if size <= MAX_DEPENDENT and work < MAX_WORK:
            marked.sort()
            values[marked[0]] = TRUE
            number = 0
            for at in range(len(marked)):
                node = marked[at]
                if at > 0:
                    is_changed[node] = False
                    for i in range(inputs.start[node], inputs.start[node + 1]):
                        is_changed[node] |= is_changed[inputs.literals[i] >> 1]
                        work += 1
                    if not is_changed[node]:
                        continue
                    values[node] = _evaluated(inputs, node, values)
                    is_changed[node] = values[node] == UNKNOWN or values[node] != usual[node]
                    if not is_changed[node]:
                        continue
                for i in range(bases.start[node], bases.start[node + 1]):
                    if values[node] == UNKNOWN or number == MAX_EFFECTS:
                        number = MAX_EFFECTS + 1
                    if number < MAX_EFFECTS:
                        effects[move, number] = bases.literals[i] ^ values[node]
                        number += 1
                if number > MAX_EFFECTS:
                    break
            if number <= MAX_EFFECTS:
                numbers[move] = number
        for node in marked:
            values[node] = usual[node]
            is_changed[node] = False


@allocating
def _evaluated(inputs: GateArrays, node: int, values: Int8) -> int:
    """Return the value of a gate by those of its inputs."""
    unknown = False
    for i in range(inputs.start[node], inputs.start[node + 1]):
        literal = inputs.literals[i]
        value = values[literal >> 1]
        if value == UNKNOWN:
            unknown = True
        elif value == literal & 1:  # plain and false, or inverted and true
            return FALSE
    return UNKNOWN if unknown else TRUE
