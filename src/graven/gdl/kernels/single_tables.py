"""The tables of `single`: each node's readers, and the first position.

The kernel numbers units: bases and moves; gates by level, each level from a new word of 64, first
those that do not depend on moves; outputs, each in the place of its bit of the state. A gate that
decides just one output is that output; other outputs are gates with one input. Gates that only
goals need are numbered for themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import words_for
from graven.core.compile import compiled
from graven.gdl.kernels import single
from graven.gdl.kernels.table_packing import TablePacker, bit_words
from graven.gdl.network.gate_arrays import GateArrays, Int8
from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder
from graven.gdl.network.gate_merging import Factors, merge_gates
from graven.gdl.network.legality import is_large
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network, holds

MIN_GUARDED_MOVES = 4
"""A literal that fewer moves need is no guard."""
MAX_GUARDED_ROLES = 60
"""Roles that can have a guard: flags are one word."""
FEW_WORDS = 4
"""Of so many words of moves, none is left out while a guard is shut."""
MIN_OPENED = 8
"""A unit opens gates only if it opens so many of them."""
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
    header[single.WORDS] = layout.words
    header[single.GATES] = units.first_gate // 64
    header[single.MOVED] = units.first_moved // 64
    header[single.OUTPUTS] = units.first_output // 64
    header[single.END] = units.count // 64
    header[single.DEPENDENT] = int(units.dependent)
    header[single.GOAL_GATES] = goals.first_gate // 64
    header[single.GOAL_END] = goals.count // 64
    header[single.GOAL_DEPENDENT] = int(goals.dependent)
    header[single.GOAL_LEAVES] = len(goals.leaves)
    header[single.LEAF_UNITS] = packer.halves(units.of_node[goals.leaves])
    header[single.COUNTED], header[single.MAX_STEPS] = int(counted), max_steps
    header[single.INIT] = packer.words(_initial_state(split, units, goals, layout))
    header[single.FANS] = _pack_readers(packer, units.reads, units.count)
    header[single.GOAL_FANS] = _pack_readers(packer, goals.reads, goals.count)
    entries: list[int] = []
    for player, (start, span) in enumerate(zip(layout.legal, layout.spans, strict=True)):
        pairs = [(value, goals.literal(x)) for value, x in split.goals[player] if x != FALSE]
        does = [node - FIRST_BASE if node != NO_NODE else NO_NODE for node in split.does[player]]
        entries += [
            start,
            span,
            packer.words(bit_words(shut[player])),
            1 + player if player < MAX_GUARDED_ROLES else 0,
            *_free_words(shut[player]),
            packer.halves(does),
            packer.words([part for pair in pairs for part in pair]),
            len(pairs),
        ]
    header[single.ROLES] = packer.words(entries)
    return PackedState(packer, layout.words)


def _free_words(shut: list[bool]) -> tuple[int, int]:
    """Return the first word and the end of the words of moves that need no guard.

    All of few words: a loop that is always as long takes less time than a shorter one.
    """
    if len(shut) <= 64 * FEW_WORDS:
        return 0, words_for(len(shut))
    words = [move // 64 for move, needing in enumerate(shut) if not needing]
    return (min(words), 1 + max(words)) if words else (0, 0)


@dataclass(frozen=True)
class _Reads:
    """Which units read which units, in arrays: of an input that counts, and of one that opens."""

    readers: NDArray[np.int64]
    sources: NDArray[np.int64]
    inverted: NDArray[np.int64]
    opens: NDArray[np.bool_]


class _Units:
    """The kernel's numbers of nodes."""

    def __init__(self, network: Network, layout: _Layout) -> None:
        deciding = [*network.next, network.terminal, *network.guards]
        for role in network.legal:
            deciding += role
        is_gate = np.arange(len(network.inputs)) >= network.first_gate
        needed = network.cone(deciding)
        self.live = np.flatnonzero(needed & is_gate)
        """Gates that legal moves, the end or the next state need."""
        leaves = np.arange(FIRST_BASE, network.first_gate)
        self.of_node = np.full(len(network.inputs), -1, np.int64)
        self.of_node[leaves] = np.arange(len(leaves))
        outputs = _single_outputs(network, self.live, layout)
        readers, literals = _inputs_of(network, self.live)
        opens = _opening(readers, literals, len(network.inputs))
        opener = np.full(len(network.inputs), -1, np.int64)
        opener[readers[opens]] = literals[opens]
        is_moved = _depends_on_moves(network)
        inner = self.live[~np.isin(self.live, list(outputs))]
        self.first_gate = 64 * words_for(len(leaves))
        self.first_moved, is_dependent = number_by_level(
            network, inner[~is_moved[inner]], self.first_gate, self.of_node, opener
        )
        self.first_output, self.dependent = number_by_level(
            network, inner[is_moved[inner]], self.first_moved, self.of_node, opener
        )
        self.dependent |= is_dependent
        for node, bit in outputs.items():
            self.of_node[node] = self.first_output + bit
        self.count = self.first_output + 64 * layout.output_words
        copies = [
            (literal, bit)
            for literal, bit in layout.outputs(network)
            if literal > TRUE and literal >> 1 not in outputs
        ]
        copied, bits = np.array(copies, np.int64).reshape(-1, 2).T
        every = np.concatenate((literals.astype(np.int64), copied))
        self.reads = _Reads(
            readers=np.concatenate((self.of_node[readers], self.first_output + bits)),
            sources=self.of_node[every >> 1],
            inverted=every & 1,
            opens=np.concatenate((opens, np.zeros(len(copies), np.bool_))),
        )


class _GoalUnits:
    """The numbers of nodes in the network that only goals need."""

    def __init__(self, network: Network, units: _Units) -> None:
        goal_nodes = [literal >> 1 for literal in network.goal_literals() if literal > TRUE]
        is_gate = np.arange(len(network.inputs)) >= network.first_gate
        is_known = units.of_node >= 0
        gates = np.flatnonzero(network.cone(network.goal_literals()) & is_gate & ~is_known)
        readers, literals = _inputs_of(network, gates)
        read = np.zeros(len(network.inputs), np.bool_)
        read[literals >> 1] = True
        read[goal_nodes] = True
        self.leaves = np.flatnonzero(read & is_known)
        """Nodes of the other network that these gates, or goals themselves, read."""
        self.of_node = np.full(len(network.inputs), -1, np.int64)
        self.of_node[self.leaves] = np.arange(len(self.leaves))
        self.first_gate = 64 * words_for(len(self.leaves))
        self.count, self.dependent = number_by_level(network, gates, self.first_gate, self.of_node)
        # No unit opens gates: `distance` reads the number of false inputs.
        self.reads = _Reads(
            readers=self.of_node[readers],
            sources=self.of_node[literals >> 1],
            inverted=literals.astype(np.int64) & 1,
            opens=np.zeros(len(readers), np.bool_),
        )

    def literal(self, literal: int) -> int:
        """Return a literal by its unit; ALWAYS for the constant true."""
        if literal == TRUE:
            return single.ALWAYS
        return 2 * int(self.of_node[literal >> 1]) + (literal & 1)


def _opening(
    readers: NDArray[np.int64], literals: NDArray[np.int32], nodes: int
) -> NDArray[np.bool_]:
    """Return for each input of a gate whether it opens the gate: at most one of each gate.

    It is the node that most gates read, of those that would open MIN_OPENED gates.
    """
    sources = literals >> 1
    times = np.bincount(sources, minlength=nodes)[sources]
    order = np.lexsort((sources, -times, readers))
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = readers[order[1:]] != readers[order[:-1]]
    opens = np.zeros(len(order), np.bool_)
    opens[order[is_first]] = True
    opened = np.bincount(sources[opens], minlength=nodes)
    return opens & (opened[sources] >= MIN_OPENED)


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
    opener: NDArray[np.int64] | None = None,
) -> tuple[int, bool]:
    """Number gates by level from `start` on, each level from a multiple of 64 on.

    Gates of a level that the same unit opens follow each other. Return the end, and whether this
    was too much: then levels follow each other at once.
    """
    levels = network.levels[gates]
    groups = np.zeros(len(gates)) if opener is None else opener[gates]
    ordered = gates[np.lexsort((gates, groups, levels))]
    sizes = np.bincount(levels)
    padded = 64 * -(-sizes // 64)
    if padded.sum() > MAX_PADDING * len(gates) + MIN_PADDED:
        numbers[ordered] = start + np.arange(len(gates))
        return start + 64 * words_for(len(gates)), True
    begin = start + np.cumsum(padded) - padded
    within = np.arange(len(gates)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    numbers[ordered] = np.repeat(begin, sizes) + within
    return start + int(padded.sum()), False


def _single_outputs(network: Network, live: NDArray[np.int64], layout: _Layout) -> dict[int, int]:
    """Return gates that no gate reads and that decide one output, each with its bit."""
    _, literals = _inputs_of(network, live)
    is_read = np.zeros(len(network.inputs), np.bool_)
    is_read[literals >> 1] = True
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


class _Layout:
    """Where each part of the state is, and which of its bits copy which literals."""

    def __init__(self, network: Network) -> None:
        self.base_words = words_for(max(1, len(network.bases)))
        self.spans = [words_for(len(literals)) for literals in network.legal]
        self.output_words = self.base_words + sum(self.spans) + 1
        self.place: dict[int, int] = {}
        self.words = self.base_words
        roles = len(network.roles)
        for name, size in {
            single.STEP: 1,
            single.TURN: 1,
            single.NUMBERS: roles,
            single.ONLY: roles,
            single.CHANGING: self.base_words,
            single.CHANGES: self.base_words,
            single.LEGAL_BITS: sum(self.spans),
            single.FLAGS: 1,
        }.items():
            self._add(name, size)
        ends = np.cumsum([self.place[single.LEGAL_BITS], *self.spans])
        self.legal: list[int] = ends[:-1].tolist()
        """For each role, the word where the bits of its legal moves start."""

    def add_units(self, units: _Units, goals: _GoalUnits) -> None:
        """Add the parts whose size depends on the number of units."""
        words, goal_words = units.count // 64, goals.count // 64
        for name, size in {
            single.VALUE: words,
            single.ZERO: words,
            single.OPEN: words,
            single.GOAL_VALUE: goal_words,
            single.GOAL_ZERO: goal_words,
            single.GOAL_OPEN: goal_words,
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
        changes = self.place[single.CHANGES]
        yield from zip(network.next, count())
        for start, literals in zip(self.legal, network.legal, strict=True):
            yield from zip(literals, count(64 * (start - changes)))
        flags = 64 * (self.place[single.FLAGS] - changes)
        yield network.terminal, flags + single.TERMINAL_FLAG
        yield from zip(network.guards[:MAX_GUARDED_ROLES], count(flags + 1))


def _initial_state(
    network: Network, units: _Units, goals: _GoalUnits, layout: _Layout
) -> NDArray[np.int64]:
    """Return the first position: bases, outputs, and for each unit its count and bits."""
    values = network.initial_values()
    bits = np.zeros(64 * layout.words, dtype=np.uint8)
    changes, bases = layout.place[single.CHANGES], layout.base_words
    shown = [bit for literal, bit in layout.outputs(network) if holds(values, literal)]
    bits[64 * changes + np.array(shown, np.int64)] = 1
    state = np.packbits(bits, bitorder="little").view("<i8").astype(np.int64)
    state[:bases] = bit_words(network.init)
    state[changes : changes + bases] ^= state[:bases]
    truth = np.array(values, np.bool_)
    known = np.zeros(units.count, np.bool_)
    placed = np.flatnonzero(units.of_node >= 0)
    known[units.of_node[placed]] = truth[placed]
    counts, bit_rows = _initial_units(units.reads, known, units.first_gate)
    _place_units(state, layout, (single.COUNTS, counts), (single.VALUE, bit_rows))
    known = np.zeros(goals.count, np.bool_)
    placed = np.flatnonzero(goals.of_node >= 0)
    known[goals.of_node[placed]] = truth[placed]
    counts, bit_rows = _initial_units(goals.reads, known, goals.first_gate)
    counts[: len(goals.leaves)] = ~truth[goals.leaves]
    _place_units(state, layout, (single.GOAL_COUNTS, counts), (single.GOAL_VALUE, bit_rows))
    return state


def _initial_units(
    reads: _Reads, truth: NDArray[np.bool_], first_gate: int
) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """Return each unit's number of false inputs that count, and the rows VALUE, ZERO and OPEN."""
    is_false = truth[reads.sources] == (reads.inverted == 1)
    counts = np.zeros(len(truth), np.int16)
    np.add.at(counts, reads.readers[is_false & ~reads.opens], np.int16(1))
    is_open = np.ones(len(truth), np.bool_)
    is_open[reads.readers[is_false & reads.opens]] = False
    is_zero = counts == 0
    value = is_zero & is_open
    value[:first_gate] = truth[:first_gate]
    return counts, np.stack((value, is_zero, is_open))


def _place_units(
    state: NDArray[np.int64],
    layout: _Layout,
    counts: tuple[int, NDArray[np.int16]],
    bits: tuple[int, NDArray[np.bool_]],
) -> None:
    """Write counts, and bits from a part of the state on, each part by its name in the header."""
    place, numbers = layout.place[counts[0]], counts[1]
    state[place:].view(np.int16)[: len(numbers)] = numbers
    words = np.packbits(bits[1], axis=1, bitorder="little").view("<i8").reshape(-1)
    state[layout.place[bits[0]] :][: len(words)] = words


def _inputs_of(
    network: Network, gates: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the inputs of some gates, as two arrays: the gate, and the literal that it reads."""
    start, literals = network.arrays
    chosen = np.zeros(len(network.inputs), np.bool_)
    chosen[gates] = True
    sizes = np.diff(start)
    return np.repeat(gates, sizes[gates]), literals[np.repeat(chosen, sizes)]


def _pack_readers(packer: TablePacker, reads: _Reads, units: int) -> int:
    """Write for each unit the gates that read it, and the words of gates that it opens.

    Return where the table of both positions begins: of each unit, and at last the ends.
    """
    counted = np.flatnonzero(~reads.opens)
    counted = counted[np.lexsort((reads.readers[counted], reads.sources[counted]))]
    edges = packer.halves(2 * reads.readers[counted] + reads.inverted[counted])
    opened = np.flatnonzero(reads.opens)
    places = reads.sources[opened] * (1 << 32) + (reads.readers[opened] >> 6)
    pairs, pair_of = np.unique(places, return_inverse=True)
    masks = np.zeros(len(pairs), np.uint64)
    np.bitwise_or.at(masks, pair_of, np.uint64(1) << (reads.readers[opened] & 63).astype(np.uint64))
    openings = packer.words(
        np.stack((pairs & ((1 << 32) - 1), masks.view(np.int64)), axis=1).reshape(-1)
    )
    table = np.zeros((units + 1, 2), np.int64)
    table[1:, 0] = np.cumsum(np.bincount(reads.sources[counted], minlength=units))
    table[1:, 1] = 2 * np.cumsum(np.bincount(pairs >> 32, minlength=units))
    table += [edges, openings]
    return packer.halves(table.reshape(-1))
