"""The most steps of a game whose rules count steps.

Many sheets count steps and end the game at the last one, whatever moves are made. Such a counter
consists of bases that no move influences. Simulate these bases alone until they end the game,
whatever the values of all other bases are.
"""

from __future__ import annotations

from graven.gdl.network.gate_builder import FALSE, TRUE
from graven.gdl.network.propositional import FIRST_BASE, Network

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


def _free_nodes(network: Network) -> list[bool]:
    """Return for each node whether no move of this or an earlier step influences it."""
    bases = 1 + len(network.bases)
    free = [node < bases for node in range(len(network.inputs))]
    for _ in range(MAX_ROUNDS):
        for node, gate in enumerate(network.gates, network.first_gate):
            free[node] = all(free[literal >> 1] for literal in gate)
        influenced = [
            node
            for node, literal in enumerate(network.next, FIRST_BASE)
            if free[node] and not free[literal >> 1]
        ]
        if not influenced:
            return free
        for node in influenced:
            free[node] = False
    return [False] * len(free)


def _decidable(network: Network, free: list[bool]) -> list[bool]:
    """Return for each literal whether the free bases alone can make it true."""
    decidable = [free[node] for node in range(network.first_gate) for _ in range(2)]
    decidable[FALSE] = False
    for gate in network.gates:
        decidable.append(all(decidable[literal] for literal in gate))
        decidable.append(any(decidable[literal ^ 1] for literal in gate))
    return decidable


class _PartialState:
    """A state of which only the free bases are known."""

    def __init__(self, network: Network, values: dict[int, bool], decidable: list[bool]) -> None:
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
