"""How long a game can last, where its rules say so.

Many sheets count steps and end the game at the last one. Such a counter goes on whatever anybody
does: it is found among the bases that no move has any influence on, run by itself, and watched for
the first step at which it ends the game, whatever the rest of the position may be.
"""

from __future__ import annotations

from graven.gdl.circuit import Circuit
from graven.gdl.network import ALWAYS

LONGEST = 10_000
"""Steps for which a counter is watched."""
ROUNDS = 100
"""How often influence is passed on from one step to the next before giving up."""


def longest_game(circuit: Circuit) -> int | None:
    """The most steps of a game, or None if nothing in the rules bounds it by itself."""
    if circuit.terminal == ALWAYS:
        return 0
    if circuit.terminal < 0:
        return None
    free = _free_bases(circuit)
    if not any(free[: circuit.bases]):
        return None
    true, false = _decidable(circuit, free)
    if not (false if circuit.terminal & 1 else true)[circuit.terminal >> 1]:
        return None
    clock = [base for base in range(circuit.bases) if free[base]]
    held = {base: circuit.init[base] for base in clock}
    seen = set()
    for step in range(LONGEST):
        known = _Known(circuit, held, true, false)
        if known.certain(circuit.terminal):
            return step
        moment = tuple(held.values())
        if moment in seen:
            return None
        seen.add(moment)
        held = {base: known.certain(circuit.next[base]) for base in clock}
    return None


def _free_bases(circuit: Circuit) -> list[bool]:
    """For each unit, whether no move of this or an earlier step has any influence on it."""
    free = [True] * circuit.bases + [False] * circuit.moves + [True] * len(circuit.gates)
    for _ in range(ROUNDS):
        for unit, gate in enumerate(circuit.gates, circuit.first):
            free[unit] = all(free[literal >> 1] for literal in gate)
        moved = [
            base
            for base, literal in enumerate(circuit.next)
            if free[base] and literal >= 0 and not free[literal >> 1]
        ]
        if not moved:
            return free
        for base in moved:
            free[base] = False
    return [False] * len(free)


def _decidable(circuit: Circuit, free: list[bool]) -> tuple[list[bool], list[bool]]:
    """For each unit, whether the free bases alone can make it true, and whether false."""
    true = free[: circuit.first]
    false = list(true)
    for gate in circuit.gates:
        true.append(any((false if x & 1 else true)[x >> 1] for x in gate))
        false.append(all((true if x & 1 else false)[x >> 1] for x in gate))
    return true, false


class _Known:
    """What is certain when only the free bases are known."""

    def __init__(
        self, circuit: Circuit, held: dict[int, bool], true: list[bool], false: list[bool]
    ) -> None:
        self.circuit = circuit
        self.held = held
        self.true = true
        self.false = false
        self._found: dict[int, bool] = {}

    def certain(self, literal: int) -> bool:
        """Whether a literal must hold."""
        if literal < 0:
            return literal == ALWAYS
        if not (self.false if literal & 1 else self.true)[literal >> 1]:
            return False
        if literal not in self._found:
            self._found[literal] = self._certain(literal)
        return self._found[literal]

    def _certain(self, literal: int) -> bool:
        inputs = self.circuit.inputs(literal >> 1)
        if not inputs:
            return self.held[literal >> 1] != bool(literal & 1)
        if literal & 1:
            return all(self.certain(other ^ 1) for other in inputs)
        return any(self.certain(other) for other in inputs)
