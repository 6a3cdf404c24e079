"""Games as lists of AND, OR and NOT gates, evaluated gate by gate, and random ones.

Shares nothing with and-inverter graphs but the conversion into one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network

BASE, MOVE, AND, OR, NOT = range(5)
NEVER, ALWAYS = -1, -2
"""Stand for a gate where something is constant: always false, always true."""


@dataclass
class GateList:
    """Gates are numbered: bases first, each gate after its inputs."""

    roles: tuple[str, ...]
    kinds: list[int]
    inputs: list[list[int]]
    bases: tuple[str, ...]
    next: list[int]
    init: list[bool]
    moves: tuple[tuple[str, ...], ...]
    does: list[list[int]]
    legal: list[list[int]]
    terminal: int
    goals: list[list[tuple[int, int]]]

    def network(self) -> Network:
        """The same game as an and-inverter graph."""
        nodes = {base: FIRST_BASE + base for base in range(len(self.bases))}
        for role in self.does:
            for move in role:
                if move != NEVER:
                    nodes[move] = FIRST_BASE + len(nodes)
        builder = GateBuilder(len(nodes))
        literals = {NEVER: FALSE, ALWAYS: TRUE}
        for gate, kind in enumerate(self.kinds):
            inputs = [literals[source] for source in self.inputs[gate]]
            if kind in (BASE, MOVE):
                literals[gate] = 2 * nodes[gate]
            elif kind == NOT:
                literals[gate] = inputs[0] ^ 1
            elif kind == AND:
                literals[gate] = builder.conjunction(inputs)
            else:
                literals[gate] = builder.disjunction(inputs)
        return Network(
            roles=self.roles,
            bases=self.bases,
            moves=self.moves,
            init=list(self.init),
            inputs=builder.inputs,
            does=[[nodes.get(move, NO_NODE) for move in role] for role in self.does],
            next=[literals[gate] for gate in self.next],
            legal=[[literals[gate] for gate in role] for role in self.legal],
            terminal=literals[self.terminal],
            goals=[[(value, literals[gate]) for value, gate in role] for role in self.goals],
        )


@dataclass
class Naive:
    """The game that a list of gates describes: a state is the tuple of its bases' truth values."""

    gates: GateList

    def values(self, state, joint=()):
        """Every gate's value; `joint` has the move of each role, or nothing at all."""
        made = {does[move] for does, move in zip(self.gates.does, joint, strict=False)}
        values = []
        for gate, kind in enumerate(self.gates.kinds):
            inputs = [values[source] for source in self.gates.inputs[gate]]
            if kind == BASE:
                values.append(bool(state[gate]))
            elif kind == MOVE:
                values.append(gate in made)
            elif kind == NOT:
                values.append(not inputs[0])
            else:
                values.append(all(inputs) if kind == AND else any(inputs))
        return values

    def start(self):
        return tuple(bool(value) for value in self.gates.init)

    def legal(self, state):
        """Each role's legal moves."""
        held = self.values(state)
        return [
            [move for move, gate in enumerate(role) if truth(held, gate)]
            for role in self.gates.legal
        ]

    def terminal(self, state):
        return truth(self.values(state), self.gates.terminal)

    def next(self, state, joint):
        held = self.values(state, joint)
        return tuple(truth(held, gate) for gate in self.gates.next)

    def goals(self, state):
        """The goals that hold for each role."""
        held = self.values(state)
        return [[value for value, gate in role if truth(held, gate)] for role in self.gates.goals]


def truth(held, gate):
    return gate == ALWAYS if gate < 0 else held[gate]


def random_gates(seed: int, roles: int = 2, turns: bool = False) -> GateList:
    """Any game at all: gates of random kinds and inputs, everything decided by random gates.

    Moves are inputs of gates of their own, which only the next state depends on. Now and then
    something is constant, or a move has no effect. With `turns` the roles take turns: a base for
    each role says whose turn it is, all moves but the last wait for it, and the last one, to do
    nothing, for the others'; some bases stay as they are unless whoever's turn it is touched them.
    """
    chance = random.Random(seed)
    bases = chance.randint(1, 90) + roles * turns
    sizes = [chance.choice([1, 2, 5, 30, 64, 70, 130][turns:]) for _ in range(roles)]
    kinds, inputs = [BASE] * bases, [[] for _ in range(bases)]
    does = []
    for size in sizes:
        numbers = []
        for _ in range(size):
            if chance.random() < 0.1:
                numbers.append(NEVER)
                continue
            numbers.append(len(kinds))
            kinds.append(MOVE)
            inputs.append([])
        does.append(numbers)
    moves = list(range(bases, len(kinds)))

    def grow(sources, count):
        """Some more gates over the sources and one another; all of them."""
        grown = list(sources)
        for _ in range(count):
            kind = chance.choice([AND, AND, OR, OR, NOT])
            width = 1 if kind == NOT else chance.choice([2, 2, 2, 3, 5])
            grown.append(len(kinds))
            kinds.append(kind)
            inputs.append([chance.choice(grown[:-1]) for _ in range(width)])
        return grown

    seeing = grow(range(bases), chance.randint(1, 200))
    acting = grow(seeing + moves + moves, chance.randint(1, 200))

    def decide(among, constant=0.05):
        if chance.random() < constant:
            return chance.choice([NEVER, ALWAYS])
        return chance.choice(among)

    def gate(kind, *sources):
        kinds.append(kind)
        inputs.append(list(sources))
        return len(kinds) - 1

    nexts = [decide(acting) for _ in range(bases)]
    legal = [[ALWAYS if i == 0 else decide(seeing, 0.1) for i in range(n)] for n in sizes]
    init = [chance.random() < 0.5 for _ in range(bases)]
    if turns:
        control = list(range(bases - roles, bases))
        first = chance.randrange(roles)
        for role in range(roles):
            init[control[role]] = role == first
            nexts[control[role]] = control[role - 1]
            others = [unit for unit in control if unit != control[role]]
            wait = others[0] if len(others) == 1 else gate(OR, *others)
            waits = [gate(AND, control[role], chance.choice(seeing)) for _ in legal[role][1:-1]]
            legal[role] = [control[role], *waits, wait][-len(legal[role]) :]
        for base in range(0, bases - roles, 2):
            stays = []
            for numbers in does:
                known = [unit for unit in numbers if unit >= 0]
                touching = chance.sample(known, min(len(known), 4))
                if known and known[-1] not in touching:
                    touching.append(known[-1])  # mostly the move that does nothing
                stays.append(gate(NOT, gate(OR, *touching, *touching)) if touching else base)
            stay = gate(OR, *stays) if len(stays) > 1 else stays[0]
            nexts[base] = gate(AND, base, stay) if chance.random() < 0.7 else stay

    # An end that is neither at once nor never, as far as chance has it: several gates together.
    terminal = len(kinds)
    kinds.append(AND)
    inputs.append([chance.choice(seeing) for _ in range(3)])
    return GateList(
        roles=tuple(f"role{i}" for i in range(roles)),
        kinds=kinds,
        inputs=inputs,
        bases=tuple(f"( base {i} )" for i in range(bases)),
        next=nexts,
        init=init,
        moves=tuple(tuple(f"( m {i} )" for i in range(size)) for size in sizes),
        does=does,
        legal=legal,
        terminal=terminal,
        goals=[[(value, decide(seeing)) for value in (100, 75, 20)] for _ in range(roles)],
    )
