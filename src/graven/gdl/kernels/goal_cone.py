"""Bounds of a goal where propositions are not known: whether it may still become true.

The gates that the highest goal of the only role depends on, down to the bases, in an order in which
they can be evaluated. Each node has two bits: whether it is certainly true, and whether it may be
true. A word has 64 cases, one in each bit, which are evaluated together.

The tables: CONE_BASES, CONE_GATES and GOAL_LITERAL as words, then in 32-bit numbers where the
inputs of each gate begin, and the literals of all inputs. Node b is base b, gates come after.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.core.contract import Constants
from graven.gdl.kernels.table_packing import TablePacker
from graven.gdl.network.gate_builder import TRUE
from graven.gdl.network.propositional import FIRST_BASE, Network

CONE_BASES, CONE_GATES, GOAL_LITERAL, STARTS, LITERALS, CONE = range(6)

Words = NDArray[np.int64]


def pack_goal_cone(packer: TablePacker, network: Network) -> int:
    """Write the tables; return their position, 0 where the goal is constant or not one role's."""
    if len(network.roles) != 1 or not network.goals[0] or network.goals[0][0][1] <= TRUE:
        return 0
    goal = network.goals[0][0][1]
    bases = len(network.bases)
    gates = np.flatnonzero(network.cone([goal]))
    gates = gates[gates >= network.first_gate]
    number = np.full(len(network.inputs), -1, np.int64)
    number[FIRST_BASE : FIRST_BASE + bases] = np.arange(bases)
    number[gates] = bases + np.arange(len(gates))
    starts, literals = [0], []
    for gate in gates.tolist():
        literals += [2 * int(number[x >> 1]) + (x & 1) for x in network.inputs[gate]]
        starts.append(len(literals))
    if min(literals, default=0) < 0:
        return 0  # a gate that reads a move
    entry = [0] * CONE
    entry[CONE_BASES], entry[CONE_GATES] = bases, len(gates)
    entry[GOAL_LITERAL] = 2 * int(number[goal >> 1]) + (goal & 1)
    entry[STARTS], entry[LITERALS] = packer.halves(starts), packer.halves(literals)
    return packer.words(entry)


@compiled
def bound_goal(constants: Constants, cone: int, certain: Words, possible: Words) -> int:
    """Return the cases in which the goal may be true; the bounds of bases are given."""
    links = constants.view(np.int32)
    bases, starts = constants[cone + CONE_BASES], constants[cone + STARTS]
    first = constants[cone + LITERALS]
    for gate in range(constants[cone + CONE_GATES]):
        low, high = np.int64(-1), np.int64(-1)
        for i in range(first + links[starts + gate], first + links[starts + gate + 1]):
            literal = links[i]
            if literal & 1:
                low &= ~possible[literal >> 1]
                high &= ~certain[literal >> 1]
            else:
                low &= certain[literal >> 1]
                high &= possible[literal >> 1]
        certain[bases + gate] = low
        possible[bases + gate] = high
    goal = constants[cone + GOAL_LITERAL]
    return ~certain[goal >> 1] if goal & 1 else possible[goal >> 1]
