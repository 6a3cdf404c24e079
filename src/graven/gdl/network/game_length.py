"""The most steps of a game whose rules count steps.

Many sheets count steps and end the game at the last one, whatever moves are made. Such a counter
consists of bases that no move influences. Simulate these bases alone until they end the game,
whatever the values of all other bases are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.gdl.network.gate_arrays import GateArrays, Int8, Int32
from graven.gdl.network.gate_builder import FALSE, TRUE
from graven.gdl.network.propositional import FIRST_BASE, Network

Flags = NDArray[np.bool_]

MAX_STEPS = 10_000
"""Steps for which a counter is simulated."""
MAX_ROUNDS = 100
"""Steps through which the influence of moves is followed."""


def longest_game(network: Network) -> int | None:
    """Return the most steps of a game, or None if no counter in the rules bounds them."""
    if network.terminal == TRUE:
        return 0
    if network.terminal == FALSE:
        return None
    free = _free_nodes(network)
    clock = [base for base in range(len(network.bases)) if free[FIRST_BASE + base]]
    if not clock:
        return None
    decidable = _decidable(network, free)
    if not decidable[network.terminal]:
        return None
    values = {FIRST_BASE + base: bool(network.init[base]) for base in clock}
    visited = set()
    for step in range(MAX_STEPS):
        partial = _PartialState(network, values, decidable)
        if partial.certain(network.terminal):
            return step
        state = tuple(values.values())
        if state in visited:
            return None
        visited.add(state)
        values = {FIRST_BASE + base: partial.certain(network.next[base]) for base in clock}
    return None


def _free_nodes(network: Network) -> Flags:
    """Return for each node whether no move of this or an earlier step influences it."""
    free = np.zeros(len(network.inputs), np.int8)
    free[: FIRST_BASE + len(network.bases)] = 1
    if not _mark_free(network.arrays, network.first_gate, np.array(network.next, np.int32), free):
        free[:] = 0
    return free == 1


@compiled
def _mark_free(nodes: GateArrays, first_gate: int, following: Int32, free: Int8) -> bool:
    """Mark the free nodes, whose bases are marked; return whether all influence was followed."""
    for _ in range(MAX_ROUNDS):
        for node in range(first_gate, len(free)):
            free[node] = 1
            for i in range(nodes.start[node], nodes.start[node + 1]):
                free[node] &= free[nodes.literals[i] >> 1]
        ended = True
        for base in range(len(following)):
            if free[FIRST_BASE + base] and not free[following[base] >> 1]:
                free[FIRST_BASE + base] = 0
                ended = False
        if ended:
            return True
    return False


def _decidable(network: Network, free: Flags) -> Flags:
    """Return for each literal whether the free bases alone can make it true."""
    decidable = np.zeros(2 * len(network.inputs), np.int8)
    decidable[: 2 * network.first_gate] = np.repeat(free[: network.first_gate], 2)
    decidable[FALSE] = 0
    _mark_decidable(network.arrays, network.first_gate, decidable)
    return decidable == 1


@compiled
def _mark_decidable(nodes: GateArrays, first_gate: int, decidable: Int8) -> None:
    """Mark the decidable literals of gates; those of other nodes are marked."""
    for node in range(first_gate, len(nodes.start) - 1):
        decidable[2 * node] = 1
        for i in range(nodes.start[node], nodes.start[node + 1]):
            literal = nodes.literals[i]
            decidable[2 * node] &= decidable[literal]
            decidable[2 * node + 1] |= decidable[literal ^ 1]


class _PartialState:
    """A state of which only the free bases are known."""

    def __init__(self, network: Network, values: dict[int, bool], decidable: Flags) -> None:
        self.network = network
        self.values = values
        self.decidable = decidable
        self._certain: dict[int, bool] = {FALSE: False, TRUE: True}

    def certain(self, literal: int) -> bool:
        """Return whether a literal is true whatever the other bases are."""
        if not self.decidable[literal]:
            return False
        if literal not in self._certain:
            self._certain[literal] = self._evaluate(literal)
        return self._certain[literal]

    def _evaluate(self, literal: int) -> bool:
        inputs = self.network.inputs[literal >> 1]
        if not inputs:
            return self.values[literal >> 1] != bool(literal & 1)
        if literal & 1:
            return any(self.certain(other ^ 1) for other in inputs)
        return all(self.certain(other) for other in inputs)
