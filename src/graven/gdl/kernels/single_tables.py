"""The tables of `single`: what each unit toggles, and the first position.

`unit_numbers` numbers the units and lays out the state.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import words_for
from graven.gdl.kernels import unit_state
from graven.gdl.kernels.goal_cone import pack_goal_cone
from graven.gdl.kernels.move_effects import constant_effects
from graven.gdl.kernels.table_packing import TablePacker, bit_words
from graven.gdl.kernels.unit_numbers import (
    IS_COUNTED,
    MAX_GUARDED_ROLES,
    GoalUnits,
    NumberedUnits,
    StateLayout,
    UnitPlaces,
    UnitWiring,
)
from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder
from graven.gdl.network.gate_merging import Factors, merge_gates
from graven.gdl.network.legality import is_large
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network

MIN_GUARDED_MOVES = 4
"""A literal that fewer moves need is no guard."""
FEW_WORDS = 4
"""Roles with at most this many words of moves have no words left out while a guard is shut."""


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
    layout = StateLayout(split)
    units = NumberedUnits(split, layout)
    goals = GoalUnits(split, units)
    layout.add_units(units.wiring, goals.wiring)
    packer = TablePacker(unit_state.HEADER)
    header = packer.header
    for name, position in layout.place.items():
        header[name] = position
    header[unit_state.LISTED] = 2 * layout.place[unit_state.LISTED]
    header[unit_state.PLAYERS], header[unit_state.BASES] = len(split.roles), layout.base_words
    header[unit_state.WORDS] = layout.words
    header[unit_state.OUTPUTS] = units.first_output // 64
    header[unit_state.LAST_OUTPUTS] = units.first_output // 64 + layout.output_words - 1
    header[unit_state.INVERTED] = packer.words(bit_words(units.inverted))
    header[unit_state.COUNTED], header[unit_state.MAX_STEPS] = int(counted), max_steps
    header[unit_state.INIT] = packer.words(_initial_state(split, units, goals, layout))
    header[unit_state.NETWORK] = _pack_network(packer, units.wiring, layout.networks[0])
    header[unit_state.GOAL_NETWORK] = _pack_network(packer, goals.wiring, layout.networks[1])
    header[unit_state.MOVES] = layout.base_words
    header[unit_state.MOVED] = units.first_moved // 64
    moves = split.first_gate - FIRST_BASE - len(split.bases)
    header[unit_state.EFFECTS] = _pack_effects(packer, split, moves)
    leaves = units.of_node[goals.leaves]
    value = 64 * layout.networks[0].value
    header[unit_state.GOAL_LEAVES] = len(goals.leaves)
    header[unit_state.LEAF_BITS] = packer.halves(
        np.where(leaves < 64 * layout.base_words, leaves, value + leaves)
    )
    conditions = goals.conditions(split)
    header[unit_state.CONDITION_NUMBER] = len(conditions)
    header[unit_state.CONDITIONS] = packer.halves(conditions)
    header[unit_state.GOAL_CONE] = pack_goal_cone(packer, split)
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
    header[unit_state.ROLES] = packer.words(entries)
    return PackedState(packer, layout.words)


def _free_words(shut: list[bool]) -> tuple[int, int]:
    """Return the first word and the end of the words of moves that need no guard.

    All of few words: a loop that is always as long takes less time than a shorter one.
    """
    if len(shut) <= 64 * FEW_WORDS:
        return 0, words_for(len(shut))
    words = [move // 64 for move, needing in enumerate(shut) if not needing]
    return (min(words), 1 + max(words)) if words else (0, 0)


def _initial_state(
    network: Network, units: NumberedUnits, goals: GoalUnits, layout: StateLayout
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
    state: NDArray[np.int64], wiring: UnitWiring, places: UnitPlaces, truth: NDArray[np.bool_]
) -> None:
    """Write the values, planes and counts of a network whose units have these values."""
    reads, counted = wiring.reads, wiring.counted
    is_true = truth[reads.sources] != (reads.inverted == 1)
    rows = np.ones((unit_state.PLANES, len(truth)), np.bool_)
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
    first = places.plane + unit_state.PLANES * gates
    planes = words[:, gates:].T.reshape(-1)
    state[first : first + len(planes)] = planes


def _write_bits(state: NDArray[np.int64], place: int, first: int, truth: NDArray[np.bool_]) -> None:
    """Write the bits of units from the unit `first` on."""
    words = np.packbits(truth[first:], bitorder="little").view("<i8")
    state[place + first // 64 : place + first // 64 + len(words)] = words


def _pack_network(packer: TablePacker, wiring: UnitWiring, places: UnitPlaces) -> int:
    """Write the tables of a network; return where its entry begins."""
    entry = [0] * unit_state.NETWORK_ENTRY
    entry[unit_state.VALUE], entry[unit_state.PLANE] = places.value, places.plane
    entry[unit_state.COUNTS] = 4 * places.counts
    entry[unit_state.GATES], entry[unit_state.END] = wiring.first_gate // 64, wiring.end // 64
    entry[unit_state.DEPENDENT] = int(wiring.dependent)
    entry[unit_state.FANS] = _pack_units(packer, wiring, places)
    return packer.words(entry)


def _pack_units(packer: TablePacker, wiring: UnitWiring, places: UnitPlaces) -> int:
    """Write for each unit what it toggles, and the counts of gates that it changes."""
    reads, units = wiring.reads, wiring.end
    shown = np.flatnonzero(reads.planes != IS_COUNTED)
    readers = reads.readers[shown]
    words = places.plane + unit_state.PLANES * (readers >> 6) + reads.planes[shown]
    pairs, pair_of = np.unique(reads.sources[shown] << 32 | words, return_inverse=True)
    masks = np.zeros(len(pairs), np.uint64)
    np.bitwise_or.at(masks, pair_of, np.uint64(1) << (readers & 63).astype(np.uint64))
    sources, toggled = pairs >> 32, pairs & ((1 << 32) - 1)
    begin, end = _ranges(sources, units)
    sizes = unit_state.PAIRS * -(-(end - begin) // unit_state.PAIRS)
    rows = np.zeros((int(sizes.sum()), 2), np.int64)
    # What is missing to a multiple of PAIRS toggles no bits of the unit's first word.
    rows[:, 0] = np.repeat(toggled[begin[end > begin]], sizes[end > begin])
    row = np.arange(len(pairs)) + (np.cumsum(sizes) - sizes - begin)[sources]
    rows[row] = np.stack((toggled, masks.view(np.int64)), axis=1)
    counted = np.flatnonzero(reads.planes == IS_COUNTED)
    counted = counted[np.argsort(reads.sources[counted], kind="stable")]
    numbers = np.searchsorted(wiring.counted, reads.readers[counted])
    edges = np.stack((2 * numbers + reads.inverted[counted], reads.readers[counted]), axis=1)
    entries = np.zeros((units + 1, unit_state.UNIT_ENTRY), np.int64)
    entries[1:, unit_state.TOGGLES] = np.cumsum(sizes)
    entries[1:, unit_state.COUNTING] = _ranges(reads.sources[counted], units)[1]
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
