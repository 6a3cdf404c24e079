"""The tables of `batched`: a network as programs, which are runs of gates of the same shape.

The shape of an AND gate is how many inputs it reads plainly and how many inverted. Gates lie in
memory in the order in which they are computed, so a run needs only the shape, the number of gates
and their inputs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import words_for
from graven.gdl.kernels import lane_scratch as batched
from graven.gdl.kernels.lane_blocks import LANES, WIDTH
from graven.gdl.kernels.table_packing import TablePacker
from graven.gdl.network.gate_builder import Gate
from graven.gdl.network.propositional import FIRST_BASE, NO_NODE, Network


@dataclass(frozen=True)
class GateShape:
    """The nodes that a gate reads, by sign."""

    plain: tuple[int, ...]
    inverted: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs of each sign."""
        return len(self.plain), len(self.inverted)


def shaped(gate: Gate) -> GateShape:
    """Sort the inputs of a gate by sign."""
    plain = tuple(literal >> 1 for literal in gate if not literal & 1)
    return GateShape(plain, tuple(literal >> 1 for literal in gate if literal & 1))


def schedule(gates: dict[int, GateShape]) -> list[tuple[tuple[int, int], list[int]]]:
    """Return an order in which each gate comes after its inputs, as runs of gates of one shape.

    Greedy: continue with a shape while it has gates that can be computed, then take the shape that
    has most of them.
    """
    missing, readers = {}, defaultdict(list)
    ready: dict[tuple[int, int], list[int]] = defaultdict(list)
    for node, gate in gates.items():
        inside = [source for source in {*gate.plain, *gate.inverted} if source in gates]
        missing[node] = len(inside)
        for source in inside:
            readers[source].append(node)
        if not inside:
            ready[gate.shape].append(node)
    runs = []
    while ready:
        shape = max(ready, key=lambda shape: (len(ready[shape]), shape))
        run = ready[shape]
        for node in run:  # grows during the loop
            for reader in readers[node]:
                missing[reader] -= 1
                if missing[reader] == 0:
                    ready[gates[reader].shape].append(reader)
        del ready[shape]
        runs.append((shape, run))
    return runs


def pack_batched(packer: TablePacker, network: Network) -> int:
    """Write the tables; return how many words of scratch memory a batch of playouts needs."""
    legal = [literal for role in network.legal for literal in role]
    seeing = network.cone([network.terminal, *legal])
    acting = network.cone(network.next) & ~seeing
    judging = network.cone(network.goal_literals()) & ~seeing

    # The next state and goals are read right after they are computed: their gates share memory.
    leaves = {node: batched.FIRST_BASE + node - FIRST_BASE for node in range(network.first_gate)}
    leaves[0] = batched.ZERO
    see = _pack_program(packer, network, seeing, leaves)
    act = _pack_program(packer, network, acting, see.blocks)
    judge = _pack_program(packer, network, judging, see.blocks)

    header = [0] * batched.HEADER
    header[batched.BASES] = len(network.bases)
    header[batched.CODES] = max(len(moves) for moves in network.legal)
    header[batched.NEXT] = packer.halves([act.position_of(literal) for literal in network.next])
    header[batched.OVER] = see.position_of(network.terminal)
    header[batched.LEGAL_PROGRAM] = see.position
    header[batched.NEXT_PROGRAM] = act.position
    header[batched.GOAL_PROGRAM] = judge.position
    blocks = 1 + max([0, *act.blocks.values(), *judge.blocks.values()])
    scratch = 0
    for name, size in _scratch_sizes(network, blocks).items():
        header[name] = scratch
        scratch += size
    header[batched.SCRATCH] = scratch
    entries: list[int] = []
    for moves, does, goals in zip(network.legal, network.does, network.goals, strict=True):
        made = [leaves[node] if node != NO_NODE else batched.NOWHERE for node in does]
        values = [part for value, x in goals for part in (value, judge.position_of(x))]
        entries += [
            len(moves),
            packer.halves(_padded([see.position_of(literal) for literal in moves])),
            packer.halves([WIDTH * block for block in made]),
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
    blocks: dict[int, int]

    def position_of(self, literal: int) -> int:
        """Return where a literal is read: twice its block's first word, + 1 where inverted."""
        return 2 * WIDTH * self.blocks[literal >> 1] + (literal & 1)


def _pack_program(
    packer: TablePacker, network: Network, nodes: NDArray[np.bool_], known: dict[int, int]
) -> _PackedProgram:
    """Write the program that computes some nodes from nodes with known blocks."""
    computed = np.flatnonzero(nodes).tolist()
    gates = {node: shaped(network.inputs[node]) for node in computed if node >= network.first_gate}
    blocks = dict(known)
    first = 1 + max(known.values())
    runs: list[int] = []
    inputs: list[int] = []
    for shape, run in schedule(gates):
        runs += [*shape, len(run)]
        for node in run:
            blocks[node] = first + len(blocks) - len(known)
            gate = gates[node]
            inputs += [WIDTH * blocks[source] for source in (*gate.plain, *gate.inverted)]
    header = [WIDTH * first, len(runs) // 3, packer.halves(runs), packer.halves(inputs)]
    return _PackedProgram(packer.words(header), blocks)


def _padded(literals: Sequence[int]) -> list[int]:
    """Fill the last word of moves with moves that are never legal."""
    return [*literals, *[0] * (-len(literals) % 64)]
