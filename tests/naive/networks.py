"""Networks evaluated gate by gate in plain Python, and random ones to try kernels on."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from graven.gdl.network import ALWAYS, AND, BASE, MOVE, NEVER, NOT, OR, Network


@dataclass
class Naive:
    """The game that a network describes: a state is the tuple of its bases' truth values."""

    network: Network

    def values(self, state, joint=()):
        """Every gate's value; `joint` has the move of each role, or nothing at all."""
        network = self.network
        made = {int(does[move]) for does, move in zip(network.does, joint, strict=False)}
        held = []
        for gate, kind in enumerate(network.kinds):
            inputs = [
                held[i] for i in network.inputs[network.starts[gate] : network.starts[gate + 1]]
            ]
            if kind == BASE:
                held.append(bool(state[gate]))
            elif kind == MOVE:
                held.append(gate in made)
            elif kind == NOT:
                held.append(not inputs[0])
            else:
                held.append(all(inputs) if kind == AND else any(inputs))
        return held

    def start(self):
        return tuple(bool(value) for value in self.network.init)

    def legal(self, state):
        """Each role's legal moves."""
        held = self.values(state)
        return [
            [move for move, gate in enumerate(role) if truth(held, gate)]
            for role in self.network.legal
        ]

    def terminal(self, state):
        return truth(self.values(state), self.network.terminal)

    def next(self, state, joint):
        held = self.values(state, joint)
        return tuple(truth(held, gate) for gate in self.network.next)

    def goals(self, state):
        """The goals that hold for each role."""
        held = self.values(state)
        return [[value for value, gate in role if truth(held, gate)] for role in self.network.goals]


def truth(held, gate):
    return gate == ALWAYS if gate < 0 else held[gate]


def random_network(seed: int, roles: int = 2, turns: bool = False) -> Network:
    """Any network at all: gates of random kinds and inputs, everything decided by random gates.

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
        does.append(np.array(numbers, dtype=np.int32))
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
                known = [unit for unit in numbers.tolist() if unit >= 0]
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
    return Network(
        roles=tuple(f"role{i}" for i in range(roles)),
        kinds=np.array(kinds, dtype=np.int8),
        starts=np.cumsum([0, *map(len, inputs)]).astype(np.int32),
        inputs=np.array([i for part in inputs for i in part], dtype=np.int32),
        bases=tuple(f"( base {i} )" for i in range(bases)),
        next=np.array(nexts, dtype=np.int32),
        init=np.array(init),
        moves=tuple(tuple(f"( m {i} )" for i in range(size)) for size in sizes),
        does=tuple(does),
        legal=tuple(np.array(literals, dtype=np.int32) for literals in legal),
        terminal=terminal,
        goals=tuple(
            tuple((value, decide(seeing)) for value in (100, 75, 20)) for _ in range(roles)
        ),
    )
