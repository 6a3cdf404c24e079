"""The tables of `single`: what each unit toggles, and the first position.

The kernel numbers units: bases; moves; gates by level, each level from a new word of 64, first
those that do not depend on moves; outputs. A gate that decides just one output is that output;
other outputs are gates with one input. Gates that only goals need are numbered for themselves.
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
from graven.gdl.kernels.goal_cone import pack_goal_cone
from graven.gdl.kernels.move_effects import constant_effects
from graven.gdl.kernels.table_packing import TablePacker, bit_words
from graven.gdl.network.gate_arrays import GateArrays, Int8
from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder
from graven.gdl.network.gate_merging import Factors, merge_gates
from graven.gdl.network.legality import is_large
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network

MIN_GUARDED_MOVES = 4
"""A literal that fewer moves need is no guard."""
MAX_GUARDED_ROLES = 60
"""Roles that can have a guard: flags are one word."""
FEW_WORDS = 4
"""Of so many words of moves, none is left out while a guard is shut."""
IS_COUNTED = -1
"""Instead of the plane of an input: the gate counts it."""
MAX_TOGGLED = single.PLANES
"""A gate with more inputs counts all but so many less one, which plane 0 is for."""
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
    layout.add_units(units.wiring, goals.wiring)
    packer = TablePacker(single.HEADER)
    header = packer.header
    for name, position in layout.place.items():
        header[name] = position
    header[single.LISTED] = 2 * layout.place[single.LISTED]
    header[single.PLAYERS], header[single.BASES] = len(split.roles), layout.base_words
    header[single.WORDS] = layout.words
    header[single.OUTPUTS] = units.first_output // 64
    header[single.LAST_OUTPUTS] = units.first_output // 64 + layout.output_words - 1
    header[single.INVERTED] = packer.words(bit_words(units.inverted))
    header[single.COUNTED], header[single.MAX_STEPS] = int(counted), max_steps
    header[single.INIT] = packer.words(_initial_state(split, units, goals, layout))
    header[single.NETWORK] = _pack_network(packer, units.wiring, layout.networks[0])
    header[single.GOAL_NETWORK] = _pack_network(packer, goals.wiring, layout.networks[1])
    header[single.MOVES] = layout.base_words
    header[single.MOVED] = units.first_moved // 64
    moves = split.first_gate - FIRST_BASE - len(split.bases)
    header[single.EFFECTS] = _pack_effects(packer, split, moves)
    leaves = units.of_node[goals.leaves]
    value = 64 * layout.networks[0].value
    header[single.GOAL_LEAVES] = len(goals.leaves)
    header[single.LEAF_BITS] = packer.halves(
        np.where(leaves < 64 * layout.base_words, leaves, value + leaves)
    )
    conditions = goals.conditions(split)
    header[single.CONDITION_NUMBER] = len(conditions)
    header[single.CONDITIONS] = packer.halves(conditions)
    header[single.GOAL_CONE] = pack_goal_cone(packer, split)
    entries: list[int] = []
    outputs = units.first_output // 64 + layout.base_words
    for player, (start, span) in enumerate(zip(layout.legal, layout.spans, strict=True)):
        pairs = [(value, goals.literal(x)) for value, x in split.goals[player] if x != FALSE]
        does = [
            int(units.of_node[node]) if node != NO_NODE else NO_NODE for node in split.does[player]
        ]
        entries += [
            start,
            outputs + start - layout.legal[0],
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
    """Which units read which units, in arrays, one entry for each input of a unit."""

    readers: NDArray[np.int64]
    sources: NDArray[np.int64]
    inverted: NDArray[np.int64]
    planes: NDArray[np.int64]
    """The plane of the reader where the input has its bit, or IS_COUNTED."""


@dataclass(frozen=True)
class _Wiring:
    """The units of one network: which exist and what they read."""

    reads: _Reads
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


class _Units:
    """The kernel's numbers of nodes."""

    def __init__(self, network: Network, layout: _Layout) -> None:
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
        reads = _Reads(
            readers=np.concatenate((self.of_node[readers], self.first_output + bits)),
            sources=self.of_node[every >> 1],
            inverted=every & 1,
            planes=np.concatenate((planes, np.zeros(len(copies), np.int64))),
        )
        self.wiring = _Wiring(
            reads=reads,
            first_value=first_move,
            first_gate=first_gate,
            end=self.first_output,
            exists=exists,
            dependent=is_dependent or dependent,
        )

    def _single_outputs(
        self, network: Network, live: NDArray[np.int64], layout: _Layout
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


class _GoalUnits:
    """The numbers of nodes in the network that only goals need."""

    def __init__(self, network: Network, units: _Units) -> None:
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
        reads = _Reads(
            readers=self.of_node[readers],
            sources=self.of_node[literals >> 1],
            inverted=literals.astype(np.int64) & 1,
            planes=planes,
        )
        self.wiring = _Wiring(
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
            return single.ALWAYS
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
    order = np.full((single.PLANES, nodes), -1, np.int64)
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
    whether this was too much: then levels follow each other at once.
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


@dataclass(frozen=True)
class _Places:
    """Where the parts of a network's state would begin, if they began with unit 0."""

    value: int
    plane: int
    counts: int
    """A word: the counts are in the order of the units that count."""


class _Layout:
    """Where each part of the state is, and which output is which literal."""

    def __init__(self, network: Network) -> None:
        self.base_words = words_for(max(1, len(network.bases)))
        self.spans = [words_for(len(literals)) for literals in network.legal]
        self.output_words = self.base_words + sum(self.spans) + 1
        self.place: dict[int, int] = {}
        self.words = self.base_words
        self.networks: list[_Places] = []
        roles = len(network.roles)
        for name, size in {
            single.STEP: 1,
            single.TURN: 1,
            single.NUMBERS: roles,
            single.ONLY: roles,
            single.COMING: self.base_words,
            single.LEGAL_BITS: sum(self.spans),
            single.FLAGS: 1,
            single.LISTED: single.MAX_LISTED // 2 + 1,
        }.items():
            self.place[name] = self._add(size)
        ends = np.cumsum([self.place[single.LEGAL_BITS], *self.spans])
        self.legal: list[int] = ends[:-1].tolist()
        """For each role, the word where the bits of its legal moves start."""

    def add_units(self, *wirings: _Wiring) -> None:
        """Add the state of the units of each network."""
        for wiring in wirings:
            values, gates = wiring.first_value // 64, wiring.first_gate // 64
            units = len(wiring.exists) // 64
            places = _Places(
                value=self._add(wiring.end // 64 - values) - values,
                plane=self._add(single.PLANES * (units - gates)) - single.PLANES * gates,
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
        yield network.terminal, at + single.TERMINAL_FLAG
        yield from zip(network.guards[:MAX_GUARDED_ROLES], count(at + 1))


def _initial_state(
    network: Network, units: _Units, goals: _GoalUnits, layout: _Layout
) -> NDArray[np.int64]:
    """Return the first position: bases, and each network's values, planes and counts."""
    state = np.zeros(layout.words, np.int64)
    state[: layout.base_words] = bit_words(network.init)
    truth = network.initial_values() == 1
    networks = (units.of_node, units.wiring), (goals.of_node, goals.wiring)
    for (of_node, wiring), places in zip(networks, layout.networks, strict=True):
        placed = np.flatnonzero(of_node >= 0)
        known = np.zeros(len(wiring.exists), np.bool_)
        known[of_node[placed]] = truth[placed]
        _place_units(state, wiring, places, known)
    return state


def _place_units(
    state: NDArray[np.int64], wiring: _Wiring, places: _Places, truth: NDArray[np.bool_]
) -> None:
    """Write the values, planes and counts of a network whose units have these values."""
    reads, counted = wiring.reads, wiring.counted
    is_true = truth[reads.sources] != (reads.inverted == 1)
    rows = np.ones((single.PLANES, len(truth)), np.bool_)
    rows[0] = wiring.exists
    shown = reads.planes != IS_COUNTED
    rows[reads.planes[shown], reads.readers[shown]] = is_true[shown]
    counts = np.zeros(len(truth), np.int16)
    np.add.at(counts, reads.readers[~shown & ~is_true], np.int16(1))
    rows[0, counted] = counts[counted] == 0
    state[places.counts :].view(np.int16)[: len(counted)] = counts[counted]
    _write_bits(state, places.value, wiring.first_value, truth[: wiring.end])
    words = np.packbits(rows, axis=1, bitorder="little").view("<i8")  # plane, word
    gates = wiring.first_gate // 64
    first = places.plane + single.PLANES * gates
    planes = words[:, gates:].T.reshape(-1)
    state[first : first + len(planes)] = planes


def _write_bits(state: NDArray[np.int64], place: int, first: int, truth: NDArray[np.bool_]) -> None:
    """Write the bits of units from the unit `first` on."""
    words = np.packbits(truth[first:], bitorder="little").view("<i8")
    state[place + first // 64 : place + first // 64 + len(words)] = words


def _inputs_of(
    network: Network, gates: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the inputs of some gates, as two arrays: the gate, and the literal that it reads."""
    start, literals = network.arrays
    chosen = np.zeros(len(network.inputs), np.bool_)
    chosen[gates] = True
    sizes = np.diff(start)
    return np.repeat(gates, sizes[gates]), literals[np.repeat(chosen, sizes)]


def _pack_network(packer: TablePacker, wiring: _Wiring, places: _Places) -> int:
    """Write the tables of a network; return where its entry begins."""
    entry = [0] * single.NETWORK_ENTRY
    entry[single.VALUE], entry[single.PLANE] = places.value, places.plane
    entry[single.COUNTS] = 4 * places.counts
    entry[single.GATES], entry[single.END] = wiring.first_gate // 64, wiring.end // 64
    entry[single.DEPENDENT] = int(wiring.dependent)
    entry[single.FANS] = _pack_units(packer, wiring, places)
    return packer.words(entry)


def _pack_units(packer: TablePacker, wiring: _Wiring, places: _Places) -> int:
    """Write for each unit what it toggles, and the counts of gates that it changes."""
    reads, units = wiring.reads, wiring.end
    shown = np.flatnonzero(reads.planes != IS_COUNTED)
    readers = reads.readers[shown]
    words = places.plane + single.PLANES * (readers >> 6) + reads.planes[shown]
    pairs, pair_of = np.unique(reads.sources[shown] << 32 | words, return_inverse=True)
    masks = np.zeros(len(pairs), np.uint64)
    np.bitwise_or.at(masks, pair_of, np.uint64(1) << (readers & 63).astype(np.uint64))
    sources, toggled = pairs >> 32, pairs & ((1 << 32) - 1)
    begin, end = _ranges(sources, units)
    sizes = single.PAIRS * -(-(end - begin) // single.PAIRS)
    rows = np.zeros((int(sizes.sum()), 2), np.int64)
    # What is missing to a multiple of PAIRS toggles no bits of the unit's first word.
    rows[:, 0] = np.repeat(toggled[begin[end > begin]], sizes[end > begin])
    row = np.arange(len(pairs)) + (np.cumsum(sizes) - sizes - begin)[sources]
    rows[row] = np.stack((toggled, masks.view(np.int64)), axis=1)
    counted = np.flatnonzero(reads.planes == IS_COUNTED)
    counted = counted[np.argsort(reads.sources[counted], kind="stable")]
    numbers = np.searchsorted(wiring.counted, reads.readers[counted])
    edges = np.stack((2 * numbers + reads.inverted[counted], reads.readers[counted]), axis=1)
    entries = np.zeros((units + 1, single.UNIT_ENTRY), np.int64)
    entries[1:, single.TOGGLES] = np.cumsum(sizes)
    entries[1:, single.COUNTING] = _ranges(reads.sources[counted], units)[1]
    first = [packer.words(rows.reshape(-1)), packer.halves(edges.reshape(-1))]
    return packer.halves((first + 2 * entries).reshape(-1))


def _ranges(sources: NDArray[np.int64], units: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the entries of each unit begin and end in a list sorted by units."""
    ends = np.cumsum(np.bincount(sources, minlength=units))
    return np.concatenate(([0], ends[:-1]))[:units], ends


def _pack_effects(packer: TablePacker, network: Network, moves: int) -> int:
    """Write the effects of each move: for each word of bases the bits it clears and sets."""
    found = constant_effects(network)
    words = found.bases >> 6
    places, place_of = np.unique(found.moves << 32 | words, return_inverse=True)
    masks = np.zeros((2, len(places)), np.uint64)  # cleared, set
    bits = np.uint64(1) << (found.bases & 63).astype(np.uint64)
    np.bitwise_or.at(masks, (found.values, place_of), bits)
    rows = np.stack((places & ((1 << 32) - 1), *masks.view(np.int64)), axis=1)
    first = packer.words(rows.reshape(-1))
    begin, end = _ranges(places >> 32, moves)
    ranges = np.stack((first + 3 * begin, first + 3 * end), axis=1)
    ranges[~found.is_constant] = -1
    return packer.halves(np.concatenate((ranges.reshape(-1), [-1, -1])))
