"""Units of `single`: numbers for the nodes of a network, and their places in the state.

The kernel numbers units: bases; moves; gates by level, each level from a new word of 64, first
those that do not depend on moves; outputs. A gate that decides just one output is that output;
other outputs are gates with one input. Gates that only goals need are numbered for themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import words_for
from graven.core.compile import compiled
from graven.gdl.kernels import unit_state
from graven.gdl.network.gate_arrays import GateArrays, Int8
from graven.gdl.network.gate_builder import FALSE, TRUE
from graven.gdl.network.propositional import FIRST_BASE, Network

MAX_GUARDED_ROLES = 60
"""Roles that can have a guard: flags are one word."""
IS_COUNTED = -1
"""Instead of the plane of an input: the gate counts it."""
MAX_TOGGLED = unit_state.PLANES
"""A gate with more inputs has planes for one input less; plane 0 is for those that it counts."""
MAX_PADDING, MIN_PADDED = 3, 1 << 14
"""Levels begin with a new word unless there are then more than factor * gates + number units."""


@dataclass(frozen=True)
class UnitReads:
    """Which units read which units, in arrays, one entry for each input of a unit."""

    readers: NDArray[np.int64]
    sources: NDArray[np.int64]
    inverted: NDArray[np.int64]
    planes: NDArray[np.int64]
    """The plane of the reader where the input has its bit, or IS_COUNTED."""


@dataclass(frozen=True)
class UnitWiring:
    """The units of one network: which exist and what they read."""

    reads: UnitReads
    first_value: int
    """The first unit whose value is stored, and the first gate: both begin a word."""
    first_gate: int
    end: int
    """The end of the gates that units read: the first output, if there are outputs."""
    exists: NDArray[np.bool_]
    """For each unit, outputs among them, whether there is one with this number."""
    dependent: bool

    @property
    def counted(self) -> NDArray[np.int64]:
        """The units that count inputs, ascending."""
        reads = self.reads
        return np.unique(reads.readers[reads.planes == IS_COUNTED])


@dataclass(frozen=True)
class UnitPlaces:
    """Where the parts of a network's state would begin, if they began with unit 0."""

    value: int
    plane: int
    counts: int
    """A word: the counts are in the order of the units that count."""


class StateLayout:
    """Where each part of the state is, and which output is which literal."""

    def __init__(self, network: Network) -> None:
        self.base_words = words_for(max(1, len(network.bases)))
        self.spans = [words_for(len(literals)) for literals in network.legal]
        self.output_words = self.base_words + sum(self.spans) + 1
        self.place: dict[int, int] = {}
        self.words = self.base_words
        self.networks: list[UnitPlaces] = []
        roles = len(network.roles)
        for name, size in {
            unit_state.STEP: 1,
            unit_state.TURN: 1,
            unit_state.NUMBERS: roles,
            unit_state.ONLY: roles,
            unit_state.COMING: self.base_words,
            unit_state.LEGAL_BITS: sum(self.spans),
            unit_state.FLAGS: 1,
            unit_state.LISTED: unit_state.MAX_LISTED // 2 + 1,
        }.items():
            self.place[name] = self._add(size)
        ends = np.cumsum([self.place[unit_state.LEGAL_BITS], *self.spans])
        self.legal: list[int] = ends[:-1].tolist()
        """For each role, the word where the bits of its legal moves start."""

    def add_units(self, *wirings: UnitWiring) -> None:
        """Add the state of the units of each network."""
        for wiring in wirings:
            values, gates = wiring.first_value // 64, wiring.first_gate // 64
            units = len(wiring.exists) // 64
            places = UnitPlaces(
                value=self._add(wiring.end // 64 - values) - values,
                plane=self._add(unit_state.PLANES * (units - gates)) - unit_state.PLANES * gates,
                counts=self._add(-(-len(wiring.counted) // 4)),
            )
            self.networks.append(places)

    def _add(self, size: int) -> int:
        position = self.words
        self.words += size
        return position

    def outputs(self, network: Network) -> Iterator[tuple[int, int]]:
        """Yield (literal, number of the output)."""
        yield from zip(network.next, count())
        at = 64 * self.base_words
        for span, literals in zip(self.spans, network.legal, strict=True):
            yield from zip(literals, count(at))
            at += 64 * span
        yield network.terminal, at + unit_state.TERMINAL_FLAG
        yield from zip(network.guards[:MAX_GUARDED_ROLES], count(at + 1))


class NumberedUnits:
    """The kernel's numbers of nodes."""

    def __init__(self, network: Network, layout: StateLayout) -> None:
        deciding = [*network.next, network.terminal, *network.guards]
        for role in network.legal:
            deciding += role
        nodes = len(network.inputs)
        is_gate = np.arange(nodes) >= network.first_gate
        needed = network.cone(deciding)
        live = np.flatnonzero(needed & is_gate)  # what legal moves, the end or a next state need
        self.goal_gates = np.flatnonzero(network.cone(network.goal_literals()) & is_gate & ~needed)
        """Gates that only goals need."""
        self.of_node = np.full(nodes, -1, np.int64)
        bases, moves = len(network.bases), network.first_gate - FIRST_BASE - len(network.bases)
        first_move = 64 * layout.base_words
        self.of_node[FIRST_BASE : network.first_gate] = np.concatenate(
            (np.arange(bases), first_move + np.arange(moves))
        )
        outputs = self._single_outputs(network, live, layout)
        readers, literals = _inputs_of(network, live)
        planes = _planes(readers, literals >> 1, nodes)
        order = _input_order(readers, literals, planes, nodes)
        is_moved = _depends_on_moves(network)
        inner = live[~np.isin(live, list(outputs))]
        first_gate = first_move + 64 * words_for(moves)
        self.first_moved, is_dependent = number_by_level(
            network, inner[~is_moved[inner]], first_gate, self.of_node, order
        )
        self.first_output, dependent = number_by_level(
            network, inner[is_moved[inner]], self.first_moved, self.of_node, order
        )
        self.inverted = [False] * (64 * layout.output_words)
        """For each output whether it is that of its gate, inverted."""
        exists = np.zeros(self.first_output + 64 * layout.output_words, np.bool_)
        copies = []
        for literal, bit in layout.outputs(network):
            if literal >> 1 in outputs:
                self.of_node[literal >> 1] = self.first_output + bit
                self.inverted[bit] = bool(literal & 1)
            elif literal > TRUE:
                copies.append((literal, bit))
            exists[self.first_output + bit] = literal != FALSE
        exists[self.of_node[self.of_node >= 0]] = True
        copied, bits = np.array(copies, np.int64).reshape(-1, 2).T
        every = np.concatenate((literals.astype(np.int64), copied))
        reads = UnitReads(
            readers=np.concatenate((self.of_node[readers], self.first_output + bits)),
            sources=self.of_node[every >> 1],
            inverted=every & 1,
            planes=np.concatenate((planes, np.zeros(len(copies), np.int64))),
        )
        self.wiring = UnitWiring(
            reads=reads,
            first_value=first_move,
            first_gate=first_gate,
            end=self.first_output,
            exists=exists,
            dependent=is_dependent or dependent,
        )

    def _single_outputs(
        self, network: Network, live: NDArray[np.int64], layout: StateLayout
    ) -> dict[int, int]:
        """Return gates that no gate and no goal reads and that decide one output, with its bit."""
        is_read = np.zeros(len(network.inputs), np.bool_)
        for gates in (live, self.goal_gates):
            is_read[_inputs_of(network, gates)[1] >> 1] = True
        is_read[[literal >> 1 for literal in network.goal_literals()]] = True
        uses: Counter[int] = Counter()
        bits: dict[int, int] = {}
        for literal, bit in layout.outputs(network):
            uses[literal >> 1] += 1
            bits[literal >> 1] = bit
        return {
            node: bit
            for node, bit in bits.items()
            if node >= network.first_gate and uses[node] == 1 and not is_read[node]
        }


class GoalUnits:
    """The numbers of nodes in the network that only goals need."""

    def __init__(self, network: Network, units: NumberedUnits) -> None:
        nodes, gates = len(network.inputs), units.goal_gates
        readers, literals = _inputs_of(network, gates)
        read = np.zeros(nodes, np.bool_)
        read[literals >> 1] = True
        read[[literal >> 1 for literal in network.goal_literals() if literal > TRUE]] = True
        self.leaves = np.flatnonzero(read & (units.of_node >= 0))
        """Nodes of the other network that these gates, or goals themselves, read."""
        self.of_node = np.full(nodes, -1, np.int64)
        self.of_node[self.leaves] = np.arange(len(self.leaves))
        first_gate = 64 * words_for(len(self.leaves))
        planes = _planes(readers, literals >> 1, nodes)
        order = _input_order(readers, literals, planes, nodes)
        end, dependent = number_by_level(network, gates, first_gate, self.of_node, order)
        exists = np.zeros(end, np.bool_)
        exists[self.of_node[self.of_node >= 0]] = True
        reads = UnitReads(
            readers=self.of_node[readers],
            sources=self.of_node[literals >> 1],
            inverted=literals.astype(np.int64) & 1,
            planes=planes,
        )
        self.wiring = UnitWiring(
            reads=reads,
            first_value=0,
            first_gate=first_gate,
            end=end,
            exists=exists,
            dependent=dependent,
        )

    def literal(self, literal: int) -> int:
        """Return a literal by its unit; ALWAYS for the constant true."""
        if literal == TRUE:
            return unit_state.ALWAYS
        return 2 * int(self.of_node[literal >> 1]) + (literal & 1)

    def conditions(self, network: Network) -> list[int]:
        """Return what the first role's highest goal needs: the inputs of its gate, or itself."""
        literals = [literal for _, literal in network.goals[0] if literal != FALSE]
        if not literals or literals[0] == TRUE:
            return []
        unit = self.of_node[literals[0] >> 1]
        if literals[0] & 1 or unit < self.wiring.first_gate:
            return [self.literal(literals[0])]
        return [self.literal(literal) for literal in network.inputs[literals[0] >> 1]]


def _inputs_of(
    network: Network, gates: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the inputs of some gates, as two arrays: the gate, and the literal that it reads."""
    start, literals = network.arrays
    chosen = np.zeros(len(network.inputs), np.bool_)
    chosen[gates] = True
    sizes = np.diff(start)
    return np.repeat(gates, sizes[gates]), literals[np.repeat(chosen, sizes)]


def _planes(
    readers: NDArray[np.int64], sources: NDArray[np.int32], nodes: int
) -> NDArray[np.int64]:
    """Return for each input of a gate its plane, or IS_COUNTED.

    The inputs that most gates read have the first planes, so that gates which share an input
    probably have it in the same plane.
    """
    times = np.bincount(sources, minlength=nodes)[sources]
    order = np.lexsort((sources, -times, readers))
    sizes = np.bincount(readers, minlength=nodes)
    ranks = np.empty(len(order), np.int64)
    starts = np.cumsum(sizes) - sizes
    ranks[order] = np.arange(len(order)) - starts[readers[order]]
    kept = np.where(ranks < MAX_TOGGLED - 1, ranks + 1, IS_COUNTED)
    return np.where(sizes[readers] <= MAX_TOGGLED, ranks, kept)


def _input_order(
    readers: NDArray[np.int64],
    literals: NDArray[np.int32],
    planes: NDArray[np.int64],
    nodes: int,
) -> NDArray[np.int64]:
    """Return the input of each gate in each plane, or -1: gates are numbered in this order."""
    order = np.full((unit_state.PLANES, nodes), -1, np.int64)
    shown = planes != IS_COUNTED
    order[planes[shown], readers[shown]] = literals[shown] >> 1
    return order


@compiled
def _mark_readers(nodes: GateArrays, marks: Int8) -> None:
    """Mark all nodes that depend on a marked one."""
    for node in range(len(marks)):
        for i in range(nodes.start[node], nodes.start[node + 1]):
            marks[node] |= marks[nodes.literals[i] >> 1]


def _depends_on_moves(network: Network) -> NDArray[np.bool_]:
    """Return for each node whether it depends on a move."""
    marks = np.zeros(len(network.inputs), np.int8)
    marks[FIRST_BASE + len(network.bases) : network.first_gate] = 1
    _mark_readers(network.arrays, marks)
    return marks == 1


def number_by_level(
    network: Network,
    gates: NDArray[np.int64],
    start: int,
    numbers: NDArray[np.int64],
    order: NDArray[np.int64],
) -> tuple[int, bool]:
    """Number gates by level from `start` on, each level from a multiple of 64 on.

    Gates of a level with the same inputs in the first planes follow each other. Return the end, and
    whether padding would be too much: then levels follow each other without it.
    """
    levels = network.levels[gates]
    ordered = gates[np.lexsort((gates, *(order[::-1, gates]), levels))]
    sizes = np.bincount(levels)
    padded = 64 * -(-sizes // 64)
    if padded.sum() > MAX_PADDING * len(gates) + MIN_PADDED:
        numbers[ordered] = start + np.arange(len(gates))
        return start + 64 * words_for(len(gates)), True
    begin = start + np.cumsum(padded) - padded
    within = np.arange(len(gates)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    numbers[ordered] = np.repeat(begin, sizes) + within
    return start + int(padded.sum()), False
