"""Play one position at a time: the contract's functions for every GDL game.

The game itself is tables (see `single_tables`). A unit is a base, a move or an AND gate. The state
holds for every gate how many of its inputs are false: a unit that flips changes the counts of the
gates that read it, and a gate flips when its count leaves or reaches 0. Gates that are about to
flip are bits of a set, which is emptied from the lowest: units are numbered inputs first, so each
gate flips at most once. Gates in one word of the set do not read each other (unless the network is
so deep that this would waste too much memory), so the word is taken out of the set at once.

The outputs of the network are bits of the state too, each toggled by the unit that decides it: the
legal moves of every role, the bases that will change (`CHANGES`), and flags. A step flips the moves
made and propagates, takes back the counts that this changed, flips the bases that change, and
propagates. The changed counts are listed; if the list is full, the moves are flipped back instead.
A gate that
nothing reads and that decides one bit of `CHANGES` or of the legal moves has the place of this bit
in the set of waiting gates: a word of such gates toggles a word of the state.

In most games nearly all legal moves of a role need the same unit, as `(true (control white))`.
Such a unit is the role's guard: the bits of its moves leave it out, and are masked while the guard
is false.

Gates that only goals need form a network of their own, whose leaves are units of the first. It is
brought up to date when the game is over, by flipping the leaves that differ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Constants, Moves, Scores, State, hash_words
from graven.core.rng import Rng, below

Links = NDArray[np.int32]
Counts = NDArray[np.int16]

# The header of the tables. The state begins with the bases, as bits. Words of the state: the step,
# the flags, whose turn it is, for each role the number of its legal moves and the only one of them;
# a copy of the bits of bases that will change, these bits, the bits of legal moves, the set of
# waiting gates and the set of its nonzero words, the same two sets of goal gates, (in 32-bit
# numbers) the list of changed counts, and (in 16-bit numbers) the counts of false inputs, of gates
# and of goal gates.
(
    PLAYERS,
    BASES,
    STEP,
    FLAGS,
    TURN,
    NUMBERS,
    ONLY,
    CHANGING,
    CHANGES,
    LEGAL_BITS,
    WAITING,
    SUMMARY,
    GOAL_WAITING,
    GOAL_SUMMARY,
    LISTED,
    COUNTS,
    GOAL_COUNTS,
    SUMMARIES,
    GOAL_SUMMARIES,
    # The first word of waiting gates that are bits of CHANGES and LEGAL_BITS; whether gates in one
    # word may read each other.
    OUTPUTS,
    DEPENDENT,
    GOAL_DEPENDENT,
    # The number of words of a state, and the first position in the tables.
    WORDS,
    INIT,
    # Whether steps are counted, and after how many the game ends.
    COUNTED,
    MAX_STEPS,
    # In 32-bit numbers: for each unit where its readers begin and where the bits it toggles begin.
    FANS,
    GOAL_FANS,
    # The leaves of goal gates: how many, and in 32-bit numbers their units.
    GOAL_LEAVES,
    LEAF_UNITS,
    # The roles' entries, and where the tables of `batched` are.
    ROLES,
    BATCHED,
    HEADER,
) = range(33)

# A role's entry: its legal bits in the state, how many words; in the tables the mask of moves that
# its guard shuts and the guard's place among the flags; in 32-bit numbers the unit of each move;
# the (value, literal) pairs of its goals, and how many.
LEGAL, SPAN, SHUT, GUARD, DOES, GOALS, GOAL_NUMBER, RECORD = range(8)

TERMINAL_FLAG = 0  # among the flags
ALWAYS = -1  # the literal of a goal that always holds
MAX_LISTED = 512  # changed counts in the list
MAX_DISTANCE = 1000  # greater distances from a goal are equal
UNLISTED = -1  # instead of a number of listed changes: none is listed


@inlined
def role_of(constants: Constants, player: int) -> int:
    """Return where a role's entry begins."""
    return constants[ROLES] + RECORD * player


@inlined
def _legal_word(constants: Constants, state: State, role: int, word: int) -> int:
    """Return 64 of a role's moves as bits: those that are legal."""
    shut = ((state[constants[FLAGS]] >> constants[role + GUARD]) & 1) - 1
    return state[constants[role + LEGAL] + word] & ~(
        constants[constants[role + SHUT] + word] & shut
    )


class Units(NamedTuple):
    """A network and its state: that of all gates, or that of gates that only goals need."""

    tables: Constants
    links: Links
    state: State
    counts: Counts
    listed: Links
    # As in the header.
    fans: int
    waiting: int
    summary: int
    summaries: int
    outputs: int
    dependent: int


@inlined
def _units(constants: Constants, state: State) -> Units:
    return Units(
        tables=constants,
        links=constants.view(np.int32),
        state=state,
        counts=state.view(np.int16)[constants[COUNTS] :],
        listed=state.view(np.int32)[constants[LISTED] :],
        fans=constants[FANS],
        waiting=constants[WAITING],
        summary=constants[SUMMARY],
        summaries=constants[SUMMARIES],
        outputs=constants[OUTPUTS],
        dependent=constants[DEPENDENT],
    )


@inlined
def _goal_units(constants: Constants, state: State) -> Units:
    return Units(
        tables=constants,
        links=constants.view(np.int32),
        state=state,
        counts=state.view(np.int16)[constants[GOAL_COUNTS] :],
        listed=state.view(np.int32)[constants[LISTED] :],
        fans=constants[GOAL_FANS],
        waiting=constants[GOAL_WAITING],
        summary=constants[GOAL_SUMMARY],
        summaries=constants[GOAL_SUMMARIES],
        outputs=64 * constants[GOAL_SUMMARIES],  # none
        dependent=constants[GOAL_DEPENDENT],
    )


@inlined
def _flip(units: Units, unit: int, value: int, number: int) -> int:
    """Update everything that reads a unit, which is now true (`value` is 1) or false (0).

    `number` is how many changed counts are listed, or UNLISTED; return it with those added here.
    """
    links, state, counts = units.links, units.state, units.counts
    waiting, summary = units.waiting, units.summary
    at = units.fans + 2 * unit
    for i in range(links[index(at)], links[index(at + 1)]):
        edge = int(links[index(i)])
        target = edge >> 1
        # The input becomes true, and there is one false input less, if the unit is true and read
        # plainly, or false and read inverted.
        falls = (edge & 1) ^ value
        before = int(counts[index(target)])
        counts[index(target)] = before + 1 - 2 * falls
        if before == falls:
            word = target >> 6
            state[index(waiting + word)] ^= np.int64(1) << (target & 63)
            state[index(summary + (word >> 6))] |= np.int64(1) << (word & 63)
        if number != UNLISTED:
            units.listed[index(min(number, MAX_LISTED))] = 2 * target + falls
            number += 1
    for i in range(links[index(at + 1)], links[index(at + 2)]):
        bit = int(links[index(i)])
        state[index(bit >> 6)] ^= np.int64(1) << (bit & 63)
    return number


@inlined
def _propagate(units: Units, number: int) -> int:
    """Flip all waiting gates, and those that begin to wait because of it; see `_flip`."""
    state, counts, waiting, summary = units.state, units.counts, units.waiting, units.summary
    toggled = units.tables[CHANGES] - units.outputs
    for high in range(units.summaries):
        while state[index(summary + high)]:
            words = state[index(summary + high)]
            state[index(summary + high)] = words & (words - 1)
            word = 64 * high + bits.lowest(words)
            gates = state[index(waiting + word)]
            state[index(waiting + word)] = 0
            if word >= units.outputs:
                state[index(toggled + word)] ^= gates
                continue
            while gates:
                gate = 64 * word + bits.lowest(gates)
                gates &= gates - 1
                if units.dependent:
                    state[index(waiting + word)] = gates
                number = _flip(units, gate, int(counts[index(gate)] == 0), number)
                if units.dependent:
                    gates = state[index(waiting + word)]
    return number


@inlined
def _settle(constants: Constants, state: State) -> None:
    """Count the legal moves of all roles, and determine whose turn it is.

    The game is over if it is terminal, after the most steps, or if a role has no legal move.
    """
    choosers, who, stuck = 0, -1, False
    for player in range(constants[PLAYERS]):
        role = role_of(constants, player)
        number, last, last_moves = 0, 0, 1
        for word in range(constants[role + SPAN]):
            moves = _legal_word(constants, state, role, word)
            number += bits.count(moves)
            last, last_moves = (word, moves) if moves else (last, last_moves)
        only = 64 * last + bits.lowest(last_moves)
        state[constants[NUMBERS] + player] = number
        state[constants[ONLY] + player] = only
        stuck |= number == 0
        if number > 1:
            choosers += 1
            who = player
    if choosers == 0:
        who = idle_turn(constants, state)
    over = stuck | ((state[constants[FLAGS]] >> TERMINAL_FLAG) & 1 != 0)
    over |= (constants[COUNTED] != 0) & (state[constants[STEP]] >= constants[MAX_STEPS])
    state[constants[TURN]] = TERMINAL if over else (SIMULTANEOUS if choosers > 1 else who)


@inlined
def idle_turn(constants: Constants, state: State) -> int:
    """Return whose turn it is where no role has a choice: the first role whose only move has an
    effect (it takes the last free cell, another role waits); else the first role."""
    links = constants.view(np.int32)
    for player in range(constants[PLAYERS]):
        role = role_of(constants, player)
        if links[constants[role + DOES] + state[constants[ONLY] + player]] >= 0:
            return player
    return 0


def start(constants: Constants, state: State) -> None:
    """Copy the first position."""
    for i in range(constants[WORDS]):
        state[i] = constants[constants[INIT] + i]
    _settle(constants, state)


def turn(constants: Constants, state: State) -> int:
    """Return whose turn it is, as `play` determined it."""
    return state[constants[TURN]]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Write the legal moves of a role, also where it has no choice, in the order of their codes."""
    role = role_of(constants, player)
    count = 0
    for word in range(constants[role + SPAN]):
        left = _legal_word(constants, state, role, word)
        while left:
            moves[count] = 64 * word + bits.lowest(left)
            count += 1
            left &= left - 1
    return count


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Return whether a move is legal."""
    role = role_of(constants, player)
    if move >> 6 >= constants[role + SPAN]:
        return False
    return (_legal_word(constants, state, role, move >> 6) >> (move & 63)) & 1 != 0


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Draw a number, and find the legal move with this number."""
    number = state[constants[NUMBERS] + player]
    if number == 0:
        return -1
    role = role_of(constants, player)
    draw, word = below(rng, number), 0
    moves = _legal_word(constants, state, role, 0)
    here = bits.count(moves)
    while draw >= here:
        draw -= here
        word += 1
        moves = _legal_word(constants, state, role, word)
        here = bits.count(moves)
    return 64 * word + bits.nth(moves, draw)


@inlined
def _moved(units: Units, joint: Moves, player: int) -> int:
    """Return the unit of the move that a role makes, chosen or its only one; -1 if it has none."""
    tables, links, state = units.tables, units.links, units.state
    who = state[tables[TURN]]
    move = state[tables[ONLY] + player]
    if who in (SIMULTANEOUS, player):
        move = int(joint[player])
    return int(links[tables[role_of(tables, player) + DOES] + move])


@inlined
def _propagate_bases(units: Units) -> None:
    """Bring everything up to date after the bases in CHANGING have changed."""
    tables, state = units.tables, units.state
    for word in range(tables[BASES]):
        flips = state[tables[CHANGING] + word]
        while flips:
            base = bits.lowest(flips)
            flips &= flips - 1
            value = (state[word] >> base) & 1
            units.counts[64 * word + base] = 1 - value
            _flip(units, 64 * word + base, value, UNLISTED)
    _propagate(units, UNLISTED)


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Make the moves, find which bases change, take the moves back, and change the bases."""
    units = _units(constants, state)
    changes, changing, number = constants[CHANGES], constants[CHANGING], 0
    for word in range(constants[BASES]):
        state[changing + word] = state[changes + word]
    for player in range(constants[PLAYERS]):
        unit = _moved(units, joint, player)
        if unit >= 0:
            number = _flip(units, unit, 1, number)
    number = _propagate(units, number)
    is_listed = number <= MAX_LISTED
    for word in range(constants[BASES]):
        flips = state[changes + word]
        state[changes + word] = state[changing + word] ^ flips if is_listed else 0
        state[changing + word] = flips
        state[word] ^= flips
    if is_listed:
        for i in range(number):
            change = int(units.listed[index(i)])
            units.counts[index(change >> 1)] += 2 * (change & 1) - 1
    else:
        for player in range(constants[PLAYERS]):
            unit = _moved(units, joint, player)
            if unit >= 0:
                _flip(units, unit, 0, UNLISTED)
    _propagate_bases(units)
    state[constants[STEP]] += constants[COUNTED]
    _settle(constants, state)


def restore(constants: Constants, state: State, words: State) -> None:
    """Set a position from its bases and its step; `state` is any other position of the game."""
    for word in range(constants[BASES]):
        flips = state[word] ^ words[word]
        state[constants[CHANGING] + word] = flips
        state[constants[CHANGES] + word] ^= flips
        state[word] ^= flips
    _propagate_bases(_units(constants, state))
    state[constants[STEP]] = words[constants[BASES]]
    _settle(constants, state)


@inlined
def _settled_goals(constants: Constants, state: State) -> Units:
    """Bring the gates that only goals need up to date."""
    units, goals = _units(constants, state), _goal_units(constants, state)
    for leaf in range(constants[GOAL_LEAVES]):
        unit = int(units.links[index(constants[LEAF_UNITS] + leaf)])
        is_false = int(units.counts[index(unit)] != 0)
        if goals.counts[index(leaf)] != is_false:
            goals.counts[index(leaf)] = is_false
            _flip(goals, leaf, 1 - is_false, UNLISTED)
    _propagate(goals, UNLISTED)
    return goals


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write each role's goal as a part of 100: the highest that is true, 0 if none is."""
    goals = _settled_goals(constants, state)
    for player in range(constants[PLAYERS]):
        out[player] = max(0, goal(constants, goals.counts, player)) / 100.0


@inlined
def _distance(constants: Constants, counts: Counts) -> int:
    """Return what is missing of 100 points plus the false conditions of the highest goal.

    The conditions are those of its gate; 1 if the gate is read inverted and the goal is false.
    """
    role = role_of(constants, 0)
    missing = 100 - max(0, goal(constants, counts, 0))
    literal = constants[constants[role + GOALS] + 1]
    if constants[role + GOAL_NUMBER] == 0 or literal == ALWAYS:
        return missing
    count = int(counts[literal >> 1])
    return missing + (int(count == 0) if literal & 1 else count)


def distance(constants: Constants, state: State) -> int:
    """Estimate how far the first role is from its highest goal, in any position."""
    return _distance(constants, _settled_goals(constants, state).counts)


def scores_with_distance(constants: Constants, state: State, out: Scores) -> None:
    """Write the first role's score, of equal scores a higher one if the goal is nearer."""
    goals = _settled_goals(constants, state)
    near = 1.0 - min(MAX_DISTANCE, _distance(constants, goals.counts)) / MAX_DISTANCE
    out[0] = (199.0 * max(0, goal(constants, goals.counts, 0)) / 100.0 + near) / 200.0


@inlined
def goal(constants: Constants, counts: Counts, player: int) -> int:
    """Return the highest goal of a role that is true; -1 if none is."""
    role = role_of(constants, player)
    at = constants[role + GOALS]
    for i in range(at, at + 2 * constants[role + GOAL_NUMBER], 2):
        literal = constants[i + 1]
        if literal == ALWAYS or (counts[literal >> 1] == 0) != (literal & 1 != 0):
            return constants[i]
    return -1


def key(constants: Constants, state: State) -> int:
    """Hash the bases, and the step if steps are counted."""
    return hash_words(state, constants[BASES] + constants[COUNTED])
