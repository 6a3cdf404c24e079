"""The tables of `many`: a circuit as a program of runs, gates of the same shape one after another.

A gate is written as the negation of what `circuit` says: every one of `yes` inputs holds and none
of `no` inputs. Gates go through memory in the order in which they are worked out, so a run needs
only the shape (`yes`, `no`), how many gates it has, and their inputs.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from graven.core.bits import words_for
from graven.gdl import many
from graven.gdl.blocks import LANES, WIDTH
from graven.gdl.circuit import Circuit
from graven.gdl.network import ALWAYS, NEVER
from graven.gdl.pack import Pack


@dataclass(frozen=True)
class Shaped:
    """A gate's inputs by sign, as units."""

    yes: tuple[int, ...]
    no: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """How many there are of each."""
        return len(self.yes), len(self.no)


def shaped(circuit: Circuit, unit: int) -> Shaped:
    """A gate's inputs, given that bases and moves are stored as they are and gates negated."""
    yes: list[int] = []
    no: list[int] = []
    for literal in circuit.inputs(unit):
        source, plain = literal >> 1, not literal & 1
        (yes if plain == (source >= circuit.first) else no).append(source)
    return Shaped(tuple(yes), tuple(no))


def schedule(gates: dict[int, Shaped]) -> list[tuple[tuple[int, int], list[int]]]:
    """An order in which each gate comes after its inputs, as runs of gates of one shape.

    Goes on with a shape as long as there are gates of it, then with the shape that has most.
    """
    missing, readers = {}, defaultdict(list)
    ready: dict[tuple[int, int], list[int]] = defaultdict(list)
    for unit, gate in gates.items():
        inside = [source for source in {*gate.yes, *gate.no} if source in gates]
        missing[unit] = len(inside)
        for source in inside:
            readers[source].append(unit)
        if not inside:
            ready[gate.shape].append(unit)
    runs = []
    while ready:
        shape = max(ready, key=lambda shape: (len(ready[shape]), shape))
        run = ready[shape]
        for unit in run:  # grows while it is gone through
            for reader in readers[unit]:
                missing[reader] -= 1
                if missing[reader] == 0:
                    ready[gates[reader].shape].append(reader)
        del ready[shape]
        runs.append((shape, run))
    return runs


def pack_many(pack: Pack, circuit: Circuit) -> int:
    """Write the tables; how many words of scratch memory a call of `many` needs."""
    seeing = circuit.reached([circuit.terminal, *(x for role in circuit.legal for x in role)])
    acting = circuit.reached(circuit.next) - seeing
    judging = circuit.reached(circuit.goal_literals()) - seeing

    # What acting and judging work out is needed at once, and only then: they share memory.
    known = {unit: many.FIRST_BASE + unit for unit in range(circuit.first)}
    see = _program(pack, circuit, seeing, known)
    act = _program(pack, circuit, acting, see.blocks)
    judge = _program(pack, circuit, judging, see.blocks)
    legal = [[stored(circuit, see.blocks, x) for x in role] for role in circuit.legal]
    nexts = [stored(circuit, act.blocks, literal) for literal in circuit.next]
    goals = [
        [part for value, x in role for part in (value, stored(circuit, judge.blocks, x))]
        for role in circuit.goals
    ]

    header = [0] * many.HEADER
    roles = len(circuit.legal)
    span = max(words_for(len(moves)) for moves in circuit.legal)
    header[many.BASES] = circuit.bases
    header[many.CODES] = max(len(moves) for moves in circuit.legal)
    header[many.NEXT] = pack.halves(nexts)
    header[many.OVER] = stored(circuit, see.blocks, circuit.terminal)
    for place, program in ((many.SEE, see), (many.ACT, act), (many.JUDGE, judge)):
        header[place] = program.position
    sizes = {
        many.BLOCKS: WIDTH * (1 + max([0, *act.blocks.values(), *judge.blocks.values()])),
        many.FRESH: WIDTH * circuit.bases,
        many.BOARD: LANES * span,
        many.LANE: LANES * many.LANE_ARRAYS,
        many.MASKS: WIDTH * many.MASK_BLOCKS,
        many.NUMBERS: LANES * roles,
        many.CHOICES: LANES * roles,
        many.MADE: LANES * roles,
    }
    scratch = 0
    for name, size in sizes.items():
        header[name] = scratch
        scratch += size
    header[many.SCRATCH] = scratch
    records: list[int] = []
    for player, moves in enumerate(circuit.legal):
        does = [
            WIDTH * (known[unit] if unit >= 0 else many.NOWHERE) for unit in circuit.does[player]
        ]
        records += [
            len(moves),
            pack.halves(moves_padded(legal[player])),
            pack.halves(does),
            pack.words(goals[player]),
            len(goals[player]) // 2,
        ]
    header[many.ROLES] = pack.words(records)
    pack.header[many.WHERE] = pack.words(header)
    return scratch


@dataclass(frozen=True)
class _Program:
    """Where a program is in the tables, and the block of each unit once it has run."""

    position: int
    blocks: dict[int, int]


def _program(pack: Pack, circuit: Circuit, units: set[int], known: dict[int, int]) -> _Program:
    """Write the program that works out some units from what is known."""
    gates = {unit: shaped(circuit, unit) for unit in sorted(units) if unit >= circuit.first}
    blocks = dict(known)
    first = 1 + max(known.values(), default=many.FIRST_BASE)
    runs: list[int] = []
    inputs: list[int] = []
    for shape, run in schedule(gates):
        runs += [*shape, len(run)]
        for unit in run:
            blocks[unit] = first + len(blocks) - len(known)
            inputs += [WIDTH * blocks[source] for source in (*gates[unit].yes, *gates[unit].no)]
    header = [WIDTH * first, len(runs) // 3, pack.halves(runs), pack.halves(inputs)]
    return _Program(pack.words(header), blocks)


def moves_padded(literals: list[int]) -> list[int]:
    """Moves that are never legal fill the last word."""
    return [*literals, *[0] * (-len(literals) % 64)]


def stored(circuit: Circuit, block: dict[int, int], literal: int) -> int:
    """Where a literal is found: twice its block's first word, plus 1 if it is stored negated.

    The first block is nothing but zeros.
    """
    if literal in (NEVER, ALWAYS):
        return int(literal == ALWAYS)
    unit = literal >> 1
    return 2 * WIDTH * block[unit] + (literal & 1 ^ (unit >= circuit.first))
