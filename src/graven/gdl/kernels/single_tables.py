"""The tables of `single`: each node's readers, and the first position.

The kernel numbers units: bases, moves, then gates, those that only goals need last.
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
    units = _Units(split)
    layout = _Layout(split, units)
    packer = TablePacker(single.HEADER)
    header = packer.header
    for name, position in layout.place.items():
        header[name] = position
    header[single.COUNTS] = 4 * layout.place[single.COUNTS]
    header[single.PLAYERS], header[single.BASES] = len(split.roles), layout.base_words
    header[single.WORDS], header[single.SUMMARIES] = layout.words, layout.summaries
    header[single.COUNTED], header[single.MAX_STEPS] = int(counted), max_steps
    header[single.INIT] = packer.words(_initial_state(split, units, layout))
    header[single.FANS] = _pack_readers(packer, split, units, layout)
    header[single.GOAL_GATES], header[single.GOAL_COUNT] = units.first_goal, len(units.judging)
    header[single.GOAL_FANS] = _pack_goal_gates(packer, split, units)
    records: list[int] = []
    for player, (start, span) in enumerate(zip(layout.legal, layout.spans, strict=True)):
        goals = [(value, units.literal(x)) for value, x in split.goals[player] if x != FALSE]
        does = [node - FIRST_BASE if node != NO_NODE else NO_NODE for node in split.does[player]]
        records += [
            start,
            span,
            packer.words(bit_words(shut[player])),
            1 + player if player < MAX_GUARDED_ROLES else 0,
            packer.halves(does),
            packer.words([part for pair in goals for part in pair]),
            len(goals),
        ]
    header[single.ROLES] = packer.words(records)
    return PackedState(packer, layout.words)


class _Units:
    """The kernel's numbers of nodes."""

    def __init__(self, network: Network) -> None:
        deciding = [*network.next, network.terminal, *network.guards]
        for literals in network.legal:
            deciding += literals
        is_gate = np.arange(len(network.inputs)) >= network.first_gate
        needed = network.cone(deciding)
        self.live = np.flatnonzero(needed & is_gate)
        """Gates that legal moves, the end or the next state need."""
        self.judging = np.flatnonzero(network.cone(network.goal_literals()) & is_gate & ~needed)
        """Gates that only goals need."""
        self.first_goal = network.first_gate - FIRST_BASE + len(self.live)
        self.count = self.first_goal + len(self.judging)
        self.of_node = np.full(len(network.inputs), -1, np.int64)
        leaves = np.arange(FIRST_BASE, network.first_gate)
        self.of_node[np.concatenate((leaves, self.live, self.judging))] = np.arange(self.count)

    def literals(self, literals: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return literals that are no constants by their units."""
        numbered: NDArray[np.int64] = 2 * self.of_node[literals >> 1] + (literals & 1)
        return numbered

    def literal(self, literal: int) -> int:
        """Return a literal by its unit; ALWAYS for the constant true."""
        if literal == TRUE:
            return single.ALWAYS
        return 2 * int(self.of_node[literal >> 1]) + (literal & 1)


class _Layout:
    """Where each part of the state is, and which of its bits copy which literals."""

    def __init__(self, network: Network, units: _Units) -> None:
        roles = len(network.roles)
        self.base_words = words_for(max(1, len(network.bases)))
        self.spans = [words_for(len(literals)) for literals in network.legal]
        waiting = words_for(units.first_goal)
        self.summaries = words_for(waiting)
        sizes = {
            single.STEP: 1,
            single.FLAGS: 1,
            single.TURN: 1,
            single.NUMBERS: roles,
            single.ONLY: roles,
            single.CHANGES: self.base_words,
            single.CHANGING: self.base_words,
            single.LEGAL_BITS: sum(self.spans),
            single.WAITING: waiting,
            single.SUMMARY: self.summaries,
            single.COUNTS: -(-units.count // 4),
        }
        self.place: dict[int, int] = {}
        self.words = self.base_words
        for name, size in sizes.items():
            self.place[name] = self.words
            self.words += size
        ends = np.cumsum([self.place[single.LEGAL_BITS], *self.spans])
        self.legal: list[int] = ends[:-1].tolist()
        """For each role, the word where the bits of its legal moves start."""

    def copies(self, network: Network) -> Iterator[tuple[int, int]]:
        """Yield (literal, bit of the state that is toggled when it changes)."""
        changes = 64 * self.place[single.CHANGES]
        yield from zip(network.next, count(changes))
        yield network.terminal, 64 * self.place[single.FLAGS] + single.TERMINAL_FLAG
        for start, literals in zip(self.legal, network.legal, strict=True):
            yield from zip(literals, count(64 * start))
        guards = network.guards[:MAX_GUARDED_ROLES]
        yield from zip(guards, count(64 * self.place[single.FLAGS] + 1))


def _initial_state(network: Network, units: _Units, layout: _Layout) -> NDArray[np.int64]:
    """Return the first position: bases, copied bits, and each unit's number of false inputs."""
    values = network.initial_values()
    bits = np.zeros(64 * layout.words, dtype=np.uint8)
    bits[[bit for literal, bit in layout.copies(network) if holds(values, literal)]] = 1
    state = np.packbits(bits, bitorder="little").view("<i8").astype(np.int64)
    bases, changes = layout.base_words, layout.place[single.CHANGES]
    state[:bases] = bit_words(network.init)
    state[changes : changes + bases] ^= state[:bases]
    counts = state[layout.place[single.COUNTS] :].view(np.int16)
    leaves = network.first_gate
    counts[: leaves - FIRST_BASE] = [not value for value in values[FIRST_BASE:leaves]]
    readers, literals = _inputs_of(network, units.live)
    is_false = np.array(values, np.int8)[literals >> 1] == literals & 1
    counts[: units.count] += np.bincount(
        units.of_node[readers[is_false]], minlength=units.count
    ).astype(np.int16)
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
    copies = [pair for pair in layout.copies(network) if pair[0] > TRUE]
    copied, bits = np.array(copies, np.int64).reshape(-1, 2).T
    groups = np.concatenate((2 * units.of_node[literals >> 1], 2 * units.of_node[copied >> 1] + 1))
    return _pack_groups(packer, groups, np.concatenate((edges, bits)), 2 * units.count)


def _pack_goal_gates(packer: TablePacker, network: Network, units: _Units) -> int:
    """Write the inputs of each gate that only goals need."""
    gates, literals = _inputs_of(network, units.judging)
    groups = units.of_node[gates] - units.first_goal
    return _pack_groups(packer, groups, units.literals(literals), len(units.judging))


def _pack_groups(
    packer: TablePacker, groups: NDArray[np.int64], values: NDArray[np.int64], number: int
) -> int:
    """Write values sorted by their group, then where each of `number` groups begins and the end.

    These are positions among the 32-bit numbers of the finished vector.
    """
    begin = packer.halves(values[np.argsort(groups, kind="stable")])
    sizes = np.bincount(groups, minlength=number)
    return packer.halves(begin + np.concatenate(([0], np.cumsum(sizes))))
