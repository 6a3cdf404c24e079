"""The tables of `single`: each node's readers, and the first position.

The kernel numbers units: bases and moves; gates by level, each level from a new word of 64; gates
that decide just one bit of the state; gates that only goals need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import words_for
from graven.gdl.kernels import single
from graven.gdl.kernels.table_packing import TablePacker, bit_words
from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder
from graven.gdl.network.gate_merging import Factors, merge_gates
from graven.gdl.network.legality import is_large
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network, holds

MIN_GUARDED_MOVES = 4
"""A literal that fewer moves need is no guard."""
MAX_GUARDED_ROLES = 60
"""Roles that can have a guard: flags are one word."""
MAX_PADDING, MIN_PADDED = 3, 1 << 14
"""Levels begin with a new word unless this makes the units so many times as many, and so many."""


def guarded(network: Network) -> tuple[Network, list[list[bool]]]:
    """Take out of the legal moves of each role the literal that most of them need, if many do.

    Return the network, whose guards are these literals (TRUE for a role without), and for each
    role which of its moves need the guard.
    """
    factors, builder = Factors(network), GateBuilder.resume(network.inputs)
    guards, legal, shut = [], [], []
    for player, literals in enumerate(network.legal):
        needs: Counter[int] = Counter()
        for literal in literals:
            needs.update(factors.of(literal))
        guard, times = max(needs.items(), key=lambda item: (item[1], -item[0]), default=(TRUE, 0))
        if times < MIN_GUARDED_MOVES or player >= MAX_GUARDED_ROLES:
            guard = TRUE
        closed = [guard in factors.of(literal) for literal in literals]
        guards.append(guard)
        shut.append(closed)
        legal.append(
            [
                factors.without(builder, literal, guard) if needing else literal
                for literal, needing in zip(literals, closed, strict=True)
            ]
        )
    split = replace(network, inputs=builder.inputs, legal=legal, guards=guards)
    return (split if is_large(split) else merge_gates(split, factor=True)), shut


@dataclass(frozen=True)
class PackedState:
    """The tables so far, and the size of a state in words."""

    packer: TablePacker
    words: int


def pack_single(network: Network, counted: bool, max_steps: int) -> PackedState:
    """Lay out the state and write the tables.

    `counted` is whether the state counts steps; the game then ends after `max_steps`.
    """
    split, shut = guarded(network)
    layout = _Layout(split)
    units = _Units(split, layout)
    goals = _GoalUnits(split, units)
    layout.add_units(units, goals)
    packer = TablePacker(single.HEADER)
    header = packer.header
    for name, position in layout.place.items():
        header[name] = position
    header[single.COUNTS] = 4 * layout.place[single.COUNTS]
    header[single.GOAL_COUNTS] = 4 * layout.place[single.GOAL_COUNTS]
    header[single.LISTED] = 2 * layout.place[single.LISTED]
    header[single.PLAYERS], header[single.BASES] = len(split.roles), layout.base_words
    header[single.WORDS], header[single.SUMMARIES] = layout.words, layout.summaries
    header[single.OUTPUTS] = units.first_output // 64
    header[single.DEPENDENT] = int(units.dependent)
    header[single.GOAL_SUMMARIES] = layout.goal_summaries
    header[single.GOAL_DEPENDENT] = int(goals.dependent)
    header[single.GOAL_LEAVES] = len(goals.leaves)
    header[single.LEAF_UNITS] = packer.halves(units.of_node[goals.leaves])
    header[single.COUNTED], header[single.MAX_STEPS] = int(counted), max_steps
    header[single.INIT] = packer.words(_initial_state(split, units, goals, layout))
    header[single.FANS] = _pack_readers(packer, split, units, layout)
    header[single.GOAL_FANS] = _pack_goal_readers(packer, split, goals)
    entries: list[int] = []
    for player, (start, span) in enumerate(zip(layout.legal, layout.spans, strict=True)):
        pairs = [(value, goals.literal(x)) for value, x in split.goals[player] if x != FALSE]
        does = [node - FIRST_BASE if node != NO_NODE else NO_NODE for node in split.does[player]]
        entries += [
            start,
            span,
            packer.words(bit_words(shut[player])),
            1 + player if player < MAX_GUARDED_ROLES else 0,
            packer.halves(does),
            packer.words([part for pair in pairs for part in pair]),
            len(pairs),
        ]
    header[single.ROLES] = packer.words(entries)
    return PackedState(packer, layout.words)


class _Units:
    """The kernel's numbers of nodes."""

    def __init__(self, network: Network, layout: _Layout) -> None:
        deciding = [*network.next, network.terminal, *network.guards]
        for literals in network.legal:
            deciding += literals
        is_gate = np.arange(len(network.inputs)) >= network.first_gate
        needed = network.cone(deciding)
        self.live = np.flatnonzero(needed & is_gate)
        """Gates that legal moves, the end or the next state need."""
        leaves = np.arange(FIRST_BASE, network.first_gate)
        self.of_node = np.full(len(network.inputs), -1, np.int64)
        self.of_node[leaves] = np.arange(len(leaves))
        self.outputs = _single_outputs(network, self.live, layout)
        """For each gate that only decides one bit of an output, this bit."""
        inner = self.live[~np.isin(self.live, list(self.outputs))]
        end, self.dependent = number_by_level(network, inner, len(leaves), self.of_node)
        self.first_output = 64 * words_for(end)
        for node, bit in self.outputs.items():
            self.of_node[node] = self.first_output + bit
        self.count = self.first_output + 64 * layout.output_words


class _GoalUnits:
    """The numbers of nodes in the network that only goals need."""

    def __init__(self, network: Network, units: _Units) -> None:
        goal_nodes = [literal >> 1 for literal in network.goal_literals() if literal > TRUE]
        is_gate = np.arange(len(network.inputs)) >= network.first_gate
        is_known = units.of_node >= 0
        self.gates = np.flatnonzero(network.cone(network.goal_literals()) & is_gate & ~is_known)
        """Gates that only goals need."""
        _, literals = _inputs_of(network, self.gates)
        read = np.zeros(len(network.inputs), np.bool_)
        read[literals >> 1] = True
        read[goal_nodes] = True
        self.leaves = np.flatnonzero(read & is_known)
        """Nodes of the other network that these gates, or goals themselves, read."""
        self.of_node = np.full(len(network.inputs), -1, np.int64)
        self.of_node[self.leaves] = np.arange(len(self.leaves))
        self.count, self.dependent = number_by_level(
            network, self.gates, len(self.leaves), self.of_node
        )

    def literal(self, literal: int) -> int:
        """Return a literal by its unit; ALWAYS for the constant true."""
        if literal == TRUE:
            return single.ALWAYS
        return 2 * int(self.of_node[literal >> 1]) + (literal & 1)


def number_by_level(
    network: Network, gates: NDArray[np.int64], leaves: int, numbers: NDArray[np.int64]
) -> tuple[int, bool]:
    """Number gates by level, after so many leaves, each level from a multiple of 64 on.

    Return the end, and whether this was too much: then levels follow each other at once.
    """
    levels = network.levels[gates]
    ordered = gates[np.argsort(levels, kind="stable")]
    sizes = np.bincount(levels)
    padded = 64 * -(-sizes // 64)
    start = 64 * words_for(leaves)
    if padded.sum() > MAX_PADDING * len(gates) + MIN_PADDED:
        numbers[ordered] = start + np.arange(len(gates))
        return start + len(gates), True
    begin = start + np.cumsum(padded) - padded
    within = np.arange(len(gates)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    numbers[ordered] = np.repeat(begin, sizes) + within
    return start + int(padded.sum()), False


def _single_outputs(network: Network, live: NDArray[np.int64], layout: _Layout) -> dict[int, int]:
    """Return gates that no gate reads and that decide one bit of an output, each with this bit."""
    _, literals = _inputs_of(network, live)
    is_read = np.zeros(len(network.inputs), np.bool_)
    is_read[literals >> 1] = True
    uses = Counter(literal >> 1 for literal in [network.terminal, *network.guards])
    bits: dict[int, int] = {}
    for literal, bit in layout.outputs(network):
        uses[literal >> 1] += 1
        bits[literal >> 1] = bit
    return {
        node: bit
        for node, bit in bits.items()
        if node >= network.first_gate and uses[node] == 1 and not is_read[node]
    }


class _Layout:
    """Where each part of the state is, and which of its bits copy which literals."""

    def __init__(self, network: Network) -> None:
        self.base_words = words_for(max(1, len(network.bases)))
        self.spans = [words_for(len(literals)) for literals in network.legal]
        self.output_words = self.base_words + sum(self.spans)
        self.place: dict[int, int] = {}
        self.words = self.base_words
        roles = len(network.roles)
        for name, size in {
            single.STEP: 1,
            single.FLAGS: 1,
            single.TURN: 1,
            single.NUMBERS: roles,
            single.ONLY: roles,
            single.CHANGING: self.base_words,
            single.CHANGES: self.base_words,
            single.LEGAL_BITS: sum(self.spans),
        }.items():
            self._add(name, size)
        ends = np.cumsum([self.place[single.LEGAL_BITS], *self.spans])
        self.legal: list[int] = ends[:-1].tolist()
        """For each role, the word where the bits of its legal moves start."""

    def add_units(self, units: _Units, goals: _GoalUnits) -> None:
        """Add the parts whose size depends on the number of units."""
        waiting, goal_waiting = words_for(units.count), words_for(goals.count)
        self.summaries, self.goal_summaries = words_for(waiting), words_for(goal_waiting)
        for name, size in {
            single.WAITING: waiting,
            single.SUMMARY: self.summaries,
            single.GOAL_WAITING: goal_waiting,
            single.GOAL_SUMMARY: self.goal_summaries,
            single.LISTED: single.MAX_LISTED // 2 + 1,
            single.COUNTS: -(-units.count // 4),
            single.GOAL_COUNTS: -(-goals.count // 4),
        }.items():
            self._add(name, size)

    def _add(self, name: int, size: int) -> None:
        self.place[name] = self.words
        self.words += size

    def outputs(self, network: Network) -> Iterator[tuple[int, int]]:
        """Yield (literal, bit from CHANGES on that is toggled when it changes)."""
        yield from zip(network.next, count())
        for start, literals in zip(self.legal, network.legal, strict=True):
            yield from zip(literals, count(64 * (start - self.place[single.CHANGES])))

    def copies(self, network: Network) -> Iterator[tuple[int, int]]:
        """Yield (literal, bit of the state that is toggled when it changes)."""
        changes = 64 * self.place[single.CHANGES]
        for literal, bit in self.outputs(network):
            yield literal, changes + bit
        yield network.terminal, 64 * self.place[single.FLAGS] + single.TERMINAL_FLAG
        guards = network.guards[:MAX_GUARDED_ROLES]
        yield from zip(guards, count(64 * self.place[single.FLAGS] + 1))


def _initial_state(
    network: Network, units: _Units, goals: _GoalUnits, layout: _Layout
) -> NDArray[np.int64]:
    """Return the first position: bases, copied bits, and each unit's number of false inputs."""
    values = network.initial_values()
    bits = np.zeros(64 * layout.words, dtype=np.uint8)
    bits[[bit for literal, bit in layout.copies(network) if holds(values, literal)]] = 1
    state = np.packbits(bits, bitorder="little").view("<i8").astype(np.int64)
    bases, changes = layout.base_words, layout.place[single.CHANGES]
    state[:bases] = bit_words(network.init)
    state[changes : changes + bases] ^= state[:bases]
    leaves = np.arange(FIRST_BASE, network.first_gate)
    truth = np.array(values, np.int8)
    for numbers, place, known, gates in (
        (units.of_node, single.COUNTS, leaves, units.live),
        (goals.of_node, single.GOAL_COUNTS, goals.leaves, goals.gates),
    ):
        counts = state[layout.place[place] :].view(np.int16)
        counts[numbers[known]] = 1 - truth[known]
        readers, literals = _inputs_of(network, gates)
        is_false = truth[literals >> 1] == literals & 1
        np.add.at(counts, numbers[readers[is_false]], np.int16(1))
    return state


def _inputs_of(
    network: Network, gates: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the inputs of some gates, as two arrays: the gate, and the literal that it reads."""
    start, literals = network.arrays
    chosen = np.zeros(len(network.inputs), np.bool_)
    chosen[gates] = True
    sizes = np.diff(start)
    return np.repeat(gates, sizes[gates]), literals[np.repeat(chosen, sizes)]


def _pack_readers(packer: TablePacker, network: Network, units: _Units, layout: _Layout) -> int:
    """Write for each unit the gates that read it, and then the bits of the state that copy it."""
    readers, literals = _inputs_of(network, units.live)
    edges = 2 * units.of_node[readers] + (literals & 1)
    copies = [
        (literal, bit)
        for literal, bit in layout.copies(network)
        if literal > TRUE and literal >> 1 not in units.outputs
    ]
    copied, bits = np.array(copies, np.int64).reshape(-1, 2).T
    groups = np.concatenate((2 * units.of_node[literals >> 1], 2 * units.of_node[copied >> 1] + 1))
    return _pack_groups(packer, groups, np.concatenate((edges, bits)), 2 * units.count)


def _pack_goal_readers(packer: TablePacker, network: Network, goals: _GoalUnits) -> int:
    """Write for each unit of the goals' network the gates that read it."""
    readers, literals = _inputs_of(network, goals.gates)
    edges = 2 * goals.of_node[readers] + (literals & 1)
    return _pack_groups(packer, 2 * goals.of_node[literals >> 1], edges, 2 * goals.count)


def _pack_groups(
    packer: TablePacker, groups: NDArray[np.int64], values: NDArray[np.int64], number: int
) -> int:
    """Write values sorted by their group, then where each of `number` groups begins and the end.

    These are positions among the 32-bit numbers of the finished vector.
    """
    begin = packer.halves(values[np.argsort(groups, kind="stable")])
    sizes = np.bincount(groups, minlength=number)
    return packer.halves(begin + np.concatenate(([0], np.cumsum(sizes))))
