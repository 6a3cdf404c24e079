"""The units of `single`: the layout of the tables and of the state, and how units flip.

A unit is a base, a move, an AND gate or an output.
Units are numbered inputs first, 64 to a word. The state holds for each word of gates and outputs
PLANES words: a gate is true if its bit is set in all of them. Each input of a gate has a plane of
its own, so that a unit that flips toggles its bit there; of all gates in a word that have it in the
same plane, it toggles the bits at once. A gate with more inputs than planes has the number of its
other inputs that are false (COUNTS), and its bit of plane 0 is set while that number is 0.

A gate is about to flip where its planes differ from its bit of VALUE. One pass over the words, from
the lowest, flips every gate at most once. Gates in one word do not read each other (unless the
network is so deep that this would waste too much memory), so the gates of a word flip together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import Constants, State

Links = NDArray[np.int32]
Counts = NDArray[np.int16]

# The header of the tables. The state begins with the bases, as bits. Words of the state: the step,
# whose turn it is, for each role the number of its legal moves and the only one of them; the bases
# in the next state, the legal moves and the flags, as bits; (in 32-bit numbers) the list of units
# that the moves flipped. Then, of gates and of goal gates: bits of VALUE, planes, and (in 16-bit
# numbers) the counts of false inputs.
(
    PLAYERS,
    BASES,
    STEP,
    TURN,
    NUMBERS,
    ONLY,
    COMING,
    LEGAL_BITS,
    FLAGS,
    LISTED,
    NETWORK,
    GOAL_NETWORK,
    # The first word of moves, that of gates that depend on moves; in 32-bit numbers for each unit
    # of moves where its effects begin and end, -1 if it has to be flipped. An effect: a word of
    # bases, the bits that are cleared and those that are set.
    MOVES,
    MOVED,
    EFFECTS,
    # The first word of the outputs, of the bases first, and the last, that of the flags; for each
    # word of outputs the bits that are inverted.
    OUTPUTS,
    LAST_OUTPUTS,
    INVERTED,
    # The number of words of a state, and the first position in the tables.
    WORDS,
    INIT,
    # Whether steps are counted, and after how many the game ends.
    COUNTED,
    MAX_STEPS,
    # The leaves of goal gates: how many, and in 32-bit numbers their bits of the state. The
    # conditions of the first role's highest goal: how many, and in 32-bit numbers their literals.
    GOAL_LEAVES,
    LEAF_BITS,
    CONDITION_NUMBER,
    CONDITIONS,
    # The roles' entries, and where the tables of `batched` and of `goal_cone` are.
    ROLES,
    BATCHED,
    GOAL_CONE,
    HEADER,
) = range(30)

# The entry of a network: where its VALUE and its planes would begin in the state if they began with
# unit 0, and (in 16-bit numbers) its counts; its first word of gates and their end; whether gates
# in one word may read each other; in 32-bit numbers where the entries of units begin.
VALUE, PLANE, COUNTS, GATES, END, DEPENDENT, FANS, NETWORK_ENTRY = range(8)

# A unit's entry: in words where its pairs (word of the state, bits that the unit toggles) begin; in
# 32-bit numbers where its pairs (2 * number of a count + 1 if inverted, gate) begin. They end where
# those of the next unit begin.
TOGGLES, COUNTING, UNIT_ENTRY = range(3)

# A role's entry: its legal bits in the state, their first word of outputs, how many words; in the
# tables the mask of moves that its guard shuts and the guard's place among the flags; the first
# word and the end of the words with moves that it does not shut; in 32-bit numbers the unit of each
# move; the (value, literal) pairs of its goals, and how many.
LEGAL, LEGAL_OUTPUTS, SPAN, SHUT, GUARD, FREE, FREE_END, DOES, GOALS, GOAL_NUMBER, RECORD = range(
    11
)

PLANES = 4
PAIRS = 2  # a unit toggles a multiple of this number of words
TERMINAL_FLAG = 0  # among the flags
ALWAYS = -1  # the literal of a goal that always holds
MAX_LISTED = 126  # units in the list
UNLISTED = -1  # instead of a number of listed units: none is listed


@inlined
def role_of(constants: Constants, player: int) -> int:
    """Return where a role's entry begins."""
    return constants[ROLES] + RECORD * player


class Units(NamedTuple):
    """A network and its state: that of all gates, or that of gates that only goals need."""

    tables: Constants
    links: Links
    state: State
    counts: Counts
    # As in the network's entry.
    value: int
    plane: int
    gates: int
    end: int
    dependent: int
    fans: int


@inlined
def network_units(constants: Constants, state: State, network: int) -> Units:
    """Return the units of a network, whose entry is at this place of the tables."""
    return Units(
        tables=constants,
        links=constants.view(np.int32),
        state=state,
        counts=state.view(np.int16)[constants[network + COUNTS] :],
        value=constants[network + VALUE],
        plane=constants[network + PLANE],
        gates=constants[network + GATES],
        end=constants[network + END],
        dependent=constants[network + DEPENDENT],
        fans=constants[network + FANS],
    )


@inlined
def flip(units: Units, unit: int, value: int) -> None:
    """Toggle the bits of gates that read a unit, which is now true (`value` is 1) or false (0).

    Most units toggle one or two words. Two are toggled at once, the second perhaps by no bits: the
    end of the loop is easier to predict.
    """
    tables, links, state = units.tables, units.links, units.state
    at = units.fans + UNIT_ENTRY * unit
    for i in range(links[at + TOGGLES], links[at + UNIT_ENTRY + TOGGLES], 2 * PAIRS):
        state[tables[i]] ^= tables[i + 1]
        state[tables[i + 2]] ^= tables[i + 3]
    for i in range(links[at + COUNTING], links[at + UNIT_ENTRY + COUNTING], 2):
        _count(units, int(links[i]), int(links[i + 1]), value)


@inlined
def _count(units: Units, edge: int, gate: int, value: int) -> None:
    """Count an input of a gate that has become true or false; see `flip`.

    There is no branch on whether the gate's bit changes: it could not be predicted.
    """
    # The input becomes true, and there is one false input less, if the unit is true and read
    # plainly, or false and read inverted.
    falls = (edge & 1) ^ value
    before = int(units.counts[edge >> 1])
    units.counts[edge >> 1] = before + 1 - 2 * falls
    units.state[units.plane + PLANES * (gate >> 6)] ^= np.int64(before == falls) << (gate & 63)


@inlined
def evaluated(units: Units, word: int) -> int:
    """Return the gates of a word that are true by their inputs."""
    state, at = units.state, units.plane + PLANES * word
    return (state[at] & state[at + 1]) & (state[at + 2] & state[at + 3])


@inlined
def propagate(units: Units, begin: int, listed: Links, number: int) -> int:
    """Flip all gates that are about to flip, from a word on.

    `number` is how many units are listed, or UNLISTED; return it with those added here.
    """
    state, value = units.state, units.value
    for word in range(begin, units.end):
        flips = evaluated(units, word) ^ state[value + word]
        while flips:
            if units.dependent:
                flips &= -flips
            values = state[value + word] ^ flips
            state[value + word] = values
            while flips:
                gate = bits.lowest(flips)
                flips &= flips - 1
                unit, is_true = 64 * word + gate, (values >> gate) & 1
                flip(units, unit, is_true)
                if number != UNLISTED:
                    listed[min(number, MAX_LISTED)] = 2 * unit + is_true
                    number += 1
            if units.dependent:
                flips = evaluated(units, word) ^ state[value + word]
    return number


@inlined
def flip_back(units: Units, listed: Links, number: int) -> None:
    """Flip the first `number` listed units again."""
    state, value = units.state, units.value
    for i in range(number):
        unit, is_true = int(listed[i]) >> 1, int(listed[i]) & 1
        flip(units, unit, 1 - is_true)
        state[value + (unit >> 6)] ^= np.int64(1) << (unit & 63)
