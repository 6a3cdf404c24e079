"""The final numbering of a network: bases, moves, then gates in the order of their use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graven.gdl.grounding.grounded_sheet import GroundedSheet
from graven.gdl.network.game_atoms import GameAtoms
from graven.gdl.network.gate_arrays import GateArrays, mark_cone
from graven.gdl.network.gate_builder import FALSE, TRUE
from graven.gdl.network.gate_construction import AtomLiterals
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network

Goals = list[list[tuple[int, int]]]


def number_network(ground: GroundedSheet, roles: Sequence[str], atoms: AtomLiterals) -> Network:
    """Return the network of the live nodes.

    Gates that legal moves and the end need come first, then those that the next state needs
    besides, then those of goals alone.
    """
    game, literal = atoms.game, atoms.literal
    live = atoms.live
    bases = _live_bases(ground, atoms, live.needed)
    moves = [
        tuple(sorted(text for text, atom in table.items() if literal[atom] != FALSE))
        for table in game.legal
    ]
    new = [FALSE] * len(atoms.builder.inputs)
    for node, atom in enumerate(bases, FIRST_BASE):
        new[literal[atom] >> 1] = 2 * node
    count = FIRST_BASE + len(bases)
    does = []
    for table, texts in zip(game.does, moves, strict=True):
        nodes = []
        for text in texts:
            made = literal[table[text]]
            if made > TRUE and live.needed[made >> 1]:
                new[made >> 1] = 2 * count
                nodes.append(count)
                count += 1
            else:
                nodes.append(NO_NODE)
        does.append(nodes)
    legal = [
        [literal[table[text]] for text in texts]
        for table, texts in zip(game.legal, moves, strict=True)
    ]
    terminal = FALSE if game.terminal is None else literal[game.terminal]
    following = [literal[game.next[atom]] if atom in game.next else FALSE for atom in bases]
    goals = _goals(game, literal)
    uses = [
        [*(x for role in legal for x in role), terminal],
        following,
        [x for role in goals for _, x in role],
    ]
    inputs: list[tuple[int, ...]] = [()] * count
    for node in _order_of_use(live.arrays, uses):
        new[node] = 2 * len(inputs)
        gate = (new[x >> 1] ^ (x & 1) for x in atoms.builder.inputs[node])
        inputs.append(tuple(sorted(gate)))
    network = Network(
        roles=tuple(roles),
        bases=tuple(ground.compound(atom, 0) for atom in bases),
        moves=tuple(moves),
        init=[atom in game.initial for atom in bases],
        inputs=inputs,
        does=does,
        next=following,
        legal=legal,
        terminal=terminal,
        goals=goals,
        always=tuple(
            ground.compound(atom, 0) for atom in game.true.values() if literal[atom] == TRUE
        ),
    )
    return network.rebuilt(inputs, lambda x: new[x >> 1] ^ (x & 1))


def _live_bases(ground: GroundedSheet, atoms: AtomLiterals, needed: NDArray[np.bool_]) -> list[int]:
    """Return the atoms of `true` that become bases, sorted by relation."""
    literal = atoms.literal
    live = (
        atom
        for atom in atoms.game.true.values()
        if literal[atom] > TRUE and needed[literal[atom] >> 1]
    )
    return sorted(live, key=lambda atom: (ground.relation[atom], atom))


def _goals(game: GameAtoms, literal: Sequence[int]) -> Goals:
    """Return (value, literal) for each role, the highest value first."""
    goals = []
    for table in game.goal:
        texts = [text for text in table if literal[table[text]] != FALSE]
        texts.sort(key=int, reverse=True)
        goals.append([(int(text), literal[table[text]]) for text in texts])
    return goals


def _order_of_use(arrays: GateArrays, uses: Sequence[Sequence[int]]) -> list[int]:
    """Return the gates that some literals depend on: those of the first use first."""
    marks = np.zeros(len(arrays.start) - 1, np.int8)
    for mark, literals in enumerate(uses, 1):
        nodes = np.array(literals, np.int64) >> 1
        marks[nodes[marks[nodes] == 0]] = mark
        mark_cone(arrays, marks, mark)
    gates = np.flatnonzero((marks > 0) & (np.diff(arrays.start) > 0))
    order: list[int] = gates[np.argsort(marks[gates], kind="stable")].tolist()
    return order
