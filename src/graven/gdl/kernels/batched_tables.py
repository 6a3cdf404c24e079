"""The tables of `batched`: a network as programs, which are runs of gates of the same shape.

The shape of an AND gate is how many inputs it reads plainly and how many inverted. Gates lie in
memory in the order in which they are computed, so a run needs only the shape, the number of gates
and their inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import words_for
from graven.core.compile import compiled
from graven.gdl.kernels import lane_scratch as batched
from graven.gdl.kernels.lane_blocks import LANES, WIDTH
from graven.gdl.kernels.table_packing import TablePacker
from graven.gdl.network.gate_arrays import GateArrays
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

NO_GATE = -1
"""Ends a list of gates."""


class Runs(NamedTuple):
    """An order of gates, as runs of gates of one shape."""

    gates: Int32  # (gates,) the run of each shape one after another
    shapes: Int32  # (runs,)
    sizes: Int32  # (runs,)


def schedule(shape_of: Int32, sources: Int32, readers: Int32) -> Runs:
    """Return an order in which each gate comes after its inputs.

    Gates are numbered from 0; `shape_of` has the number of each one's shape. `sources` and
    `readers` are the inputs that are gates themselves: reader r needs source s.

    Greedy: continue with a shape while it has gates that can be computed, then take the shape that
    has most of them.
    """
    gates, shapes = len(shape_of), 1 + int(shape_of.max(initial=-1))
    start = np.zeros(gates + 1, np.int32)
    start[1:] = np.cumsum(np.bincount(sources, minlength=gates))
    readers_of = GateArrays(start, readers[np.argsort(sources, kind="stable")])
    missing = np.bincount(readers, minlength=gates).astype(np.int32)
    runs = Runs(*(np.zeros(gates, np.int32) for _ in range(3)))
    following = np.full(gates, NO_GATE, np.int32)
    lists = np.full((2, shapes), NO_GATE, np.int32)
    ready = np.zeros(shapes, np.int32)
    number = _write_runs(readers_of, shape_of, missing, runs, following, lists, ready)
    return Runs(runs.gates, runs.shapes[:number], runs.sizes[:number])


@compiled
def _write_runs(
    readers_of: GateArrays,
    shape_of: Int32,
    missing: Int32,
    runs: Runs,
    following: Int32,
    lists: Int32,
    ready: Int32,
) -> int:
    """Write the runs; return how many there are.

    `missing` is how many inputs of each gate are not computed yet. Gates that can be computed are
    linked lists by shape: the first and the last one of each (`lists`), how many (`ready`), and
    after each gate the next one (`following`).
    """
    for gate in range(len(missing)):
        if missing[gate] == 0:
            _append(gate, shape_of[gate], following, lists, ready)
    done, number = 0, 0
    while done < len(missing):
        shape = 0
        for other in range(1, len(ready)):
            if ready[other] >= ready[shape]:
                shape = other
        gate, size = lists[0, shape], 0
        while gate != NO_GATE:  # the list grows meanwhile
            runs.gates[done + size] = gate
            size += 1
            for i in range(readers_of.start[gate], readers_of.start[gate + 1]):
                reader = readers_of.literals[i]
                missing[reader] -= 1
                if missing[reader] == 0:
                    _append(reader, shape_of[reader], following, lists, ready)
            gate = following[gate]
        lists[0, shape], ready[shape] = NO_GATE, 0
        runs.shapes[number], runs.sizes[number] = shape, size
        done += size
        number += 1
    return number


@compiled
def _append(gate: int, shape: int, following: Int32, lists: Int32, ready: Int32) -> None:
    """Append a gate to the list of its shape."""
    if lists[0, shape] == NO_GATE:
        lists[0, shape] = gate
    else:
        following[lists[1, shape]] = gate
    lists[1, shape] = gate
    ready[shape] += 1


def pack_batched(packer: TablePacker, network: Network) -> int:
    """Write the tables; return how many words of scratch memory a batch of playouts needs."""
    legal = [literal for role in network.legal for literal in role]
    seeing = network.cone([network.terminal, *legal])
    acting = network.cone(network.next) & ~seeing
    judging = network.cone(network.goal_literals()) & ~seeing

    # The next state and goals are read right after they are computed: their gates share memory.
    leaves = np.full(len(network.inputs), batched.ZERO, np.int64)
    leaves[FIRST_BASE : network.first_gate] = batched.FIRST_BASE + np.arange(
        network.first_gate - FIRST_BASE
    )
    see = _pack_program(packer, network, seeing, leaves)
    act = _pack_program(packer, network, acting, see.blocks)
    judge = _pack_program(packer, network, judging, see.blocks)

    header = [0] * batched.HEADER
    header[batched.BASES] = len(network.bases)
    header[batched.CODES] = max(len(moves) for moves in network.legal)
    header[batched.NEXT] = packer.halves(act.positions_of(network.next))
    header[batched.OVER] = int(see.positions_of([network.terminal])[0])
    header[batched.LEGAL_PROGRAM] = see.position
    header[batched.NEXT_PROGRAM] = act.position
    header[batched.GOAL_PROGRAM] = judge.position
    blocks = 1 + int(max(act.blocks.max(), judge.blocks.max()))
    scratch = 0
    for name, size in _scratch_sizes(network, blocks).items():
        header[name] = scratch
        scratch += size
    header[batched.SCRATCH] = scratch
    entries: list[int] = []
    for moves, does, goals in zip(network.legal, network.does, network.goals, strict=True):
        nodes = np.array(does, np.int64)
        made = np.where(nodes == NO_NODE, batched.NOWHERE, leaves[nodes])
        positions = judge.positions_of([literal for _, literal in goals]).tolist()
        values = [
            part for (value, _), x in zip(goals, positions, strict=True) for part in (value, x)
        ]
        entries += [
            len(moves),
            packer.halves(_padded(see.positions_of(moves))),
            packer.halves(WIDTH * made),
            packer.words(values),
            len(goals),
        ]
    header[batched.ROLES] = packer.words(entries)
    packer.header[batched.HERE] = packer.words(header)
    return scratch


def _scratch_sizes(network: Network, blocks: int) -> dict[int, int]:
    """Return the size of each part of the scratch memory in words."""
    roles = len(network.roles)
    codes = max(len(moves) for moves in network.legal)
    span = words_for(codes)
    return {
        batched.BLOCKS: WIDTH * blocks,
        batched.FRESH: WIDTH * len(network.bases),
        batched.BOARD: LANES * span,
        batched.LANE: LANES * batched.LANE_ARRAYS,
        batched.MASKS: WIDTH * batched.MASK_BLOCKS,
        batched.NUMBERS: LANES * roles,
        batched.CHOICES: LANES * roles,
        batched.MADE: LANES * roles,
        batched.ORDER: roles * codes,
        batched.ENDS: roles * codes,
        batched.RANKED: roles * 32 * span,
        batched.BOARDS: roles * LANES * span,
        batched.LEGAL_WORDS: span,
    }


@dataclass(frozen=True)
class _PackedProgram:
    """Where a program is in the tables, and the block of each node after it has run."""

    position: int
    blocks: Int64

    def positions_of(self, literals: Sequence[int]) -> Int64:
        """Return where literals are read: twice the block's first word, + 1 where inverted."""
        every = np.array(literals, np.int64)
        return 2 * WIDTH * self.blocks[every >> 1] + (every & 1)


def _pack_program(
    packer: TablePacker, network: Network, nodes: NDArray[np.bool_], known: Int64
) -> _PackedProgram:
    """Write the program that computes some nodes from nodes with known blocks."""
    is_gate = nodes & (np.arange(len(nodes)) >= network.first_gate)
    gates = np.flatnonzero(is_gate)
    start, literals = network.arrays
    sizes = np.diff(start)
    readers = np.repeat(np.arange(len(gates), dtype=np.int32), sizes[gates])
    inputs = literals[np.repeat(is_gate, sizes)]
    inverted = np.bincount(readers[inputs & 1 == 1], minlength=len(gates))
    shapes, shape_of = np.unique((sizes[gates] - inverted) << 32 | inverted, return_inverse=True)
    number_of = np.full(len(nodes), NO_GATE, np.int32)
    number_of[gates] = np.arange(len(gates))
    sources = number_of[inputs >> 1]
    inside = sources != NO_GATE
    runs = schedule(shape_of.astype(np.int32), sources[inside], readers[inside])
    first = 1 + int(known.max())
    blocks = known.copy()
    blocks[gates[runs.gates]] = first + np.arange(len(gates))
    place = np.empty(len(gates), np.int64)
    place[runs.gates] = np.arange(len(gates))
    order = np.argsort(2 * place[readers] + (inputs & 1), kind="stable")  # plain inputs first
    chosen = shapes[runs.shapes]
    entries = np.stack((chosen >> 32, chosen & ((1 << 32) - 1), runs.sizes), axis=1)
    header = [
        WIDTH * first,
        len(runs.sizes),
        packer.halves(entries.reshape(-1)),
        packer.halves(WIDTH * blocks[inputs[order] >> 1]),
    ]
    return _PackedProgram(packer.words(header), blocks)


def _padded(positions: Int64) -> Int64:
    """Fill the last word of moves with moves that are never legal."""
    return np.concatenate((positions, np.zeros(-len(positions) % 64, np.int64)))
