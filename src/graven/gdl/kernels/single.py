"""Play one position at a time: the contract's functions for every GDL game.

The game itself is tables (see `single_tables`). A unit is a base, a move or an AND gate. The state
holds for every gate how many of its inputs are false (COUNTS), whether it is none (ZERO, a bit for
each unit), and its value (VALUE). A unit that flips changes the counts of the gates that read it. A
gate is about to flip where the two bits differ. Units are numbered inputs first, so one pass over
the words of these bits, from the lowest, flips every gate at most once. Gates in one word do not
read each other (unless the network is so deep that this would waste too much memory), so the gates
of a word flip together.

A unit that many gates read, such as whose turn it is, does not count as their input. It opens them
instead: the value of a gate is its bit of ZERO, if its bit of OPEN is set, and a unit that flips
toggles the bits of OPEN of all gates that it opens, 64 at once.

The outputs of the network are the last units, each in the place of a bit of the state: the bases
that will change (`CHANGES`), the legal moves of every role, and flags. A word of outputs that flip
toggles a word of the state.

A step flips the moves made and propagates, takes back the counts that this changed, flips the bases
that change, and propagates. The changed counts are listed; if the list is full, the moves are
flipped back instead. Gates that depend on moves are numbered after all others, so that the first
of the two passes is short.

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
# whose turn it is, for each role the number of its legal moves and the only one of them; a copy of
# the bits of bases that will change, these bits, the bits of legal moves, the flags; for each unit
# a bit of VALUE, ZERO and OPEN, the same of goal gates, (in 32-bit numbers) the list of what the
# moves changed, and (in 16-bit numbers) the counts of false inputs, of gates and of goal gates.
(
    PLAYERS,
    BASES,
    STEP,
    TURN,
    NUMBERS,
    ONLY,
    CHANGING,
    CHANGES,
    LEGAL_BITS,
    FLAGS,
    VALUE,
    ZERO,
    OPEN,
    GOAL_VALUE,
    GOAL_ZERO,
    GOAL_OPEN,
    LISTED,
    COUNTS,
    GOAL_COUNTS,
    # Words of units: the first gates, the first that depend on moves, the first outputs, the end;
    # of goal gates the first and the end. Whether gates in one word may read each other.
    GATES,
    MOVED,
    OUTPUTS,
    END,
    GOAL_GATES,
    GOAL_END,
    DEPENDENT,
    GOAL_DEPENDENT,
    # The number of words of a state, and the first position in the tables.
    WORDS,
    INIT,
    # Whether steps are counted, and after how many the game ends.
    COUNTED,
    MAX_STEPS,
    # In 32-bit numbers: for each unit where its readers begin, and where (in words) the words of
    # the gates that it opens begin, each with its mask.
    FANS,
    GOAL_FANS,
    # The leaves of goal gates: how many, and in 32-bit numbers their units.
    GOAL_LEAVES,
    LEAF_UNITS,
    # The roles' entries, and where the tables of `batched` are.
    ROLES,
    BATCHED,
    HEADER,
) = range(38)

# A role's entry: its legal bits in the state, how many words; in the tables the mask of moves that
# its guard shuts and the guard's place among the flags; the first word and the end of the words
# with moves that it does not shut; in 32-bit numbers the unit of each move; the (value, literal)
# pairs of its goals, and how many.
LEGAL, SPAN, SHUT, GUARD, FREE, FREE_END, DOES, GOALS, GOAL_NUMBER, RECORD = range(10)

TERMINAL_FLAG = 0  # among the flags
ALWAYS = -1  # the literal of a goal that always holds
MAX_LISTED = 512  # changes in the list
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


@inlined
def _words_of(constants: Constants, state: State, role: int) -> tuple[int, int]:
    """Return the words of a role's moves that can be legal: all, or those its guard leaves."""
    if (state[constants[FLAGS]] >> constants[role + GUARD]) & 1:
        return 0, constants[role + SPAN]
    return constants[role + FREE], constants[role + FREE_END]


class Units(NamedTuple):
    """A network and its state: that of all gates, or that of gates that only goals need."""

    tables: Constants
    links: Links
    state: State
    counts: Counts
    listed: Links
    # As in the header.
    fans: int
    value: int
    zero: int
    open: int
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
        value=constants[VALUE],
        zero=constants[ZERO],
        open=constants[OPEN],
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
        value=constants[GOAL_VALUE],
        zero=constants[GOAL_ZERO],
        open=constants[GOAL_OPEN],
        outputs=constants[GOAL_END],  # none
        dependent=constants[GOAL_DEPENDENT],
    )


@inlined
def _toggle_open(units: Units, unit: int) -> None:
    """Open the gates that a unit opens, or shut them."""
    tables, state, at = units.tables, units.state, units.fans + 2 * unit + 1
    for i in range(units.links[index(at)], units.links[index(at + 2)], 2):
        state[index(units.open + tables[index(i)])] ^= tables[index(i + 1)]


@inlined
def _flip(units: Units, unit: int, value: int, number: int) -> int:
    """Update the counts of gates that read a unit, which is now true (`value` is 1) or false (0).

    `number` is how many changes are listed, or UNLISTED; return it with those added here. There is
    no branch on whether a gate's bit of ZERO changes: it could not be predicted.
    """
    links, state, counts, at = units.links, units.state, units.counts, units.fans + 2 * unit
    for i in range(links[index(at)], links[index(at + 2)]):
        edge = int(links[index(i)])
        target = edge >> 1
        # The input becomes true, and there is one false input less, if the unit is true and read
        # plainly, or false and read inverted.
        falls = (edge & 1) ^ value
        before = int(counts[index(target)])
        counts[index(target)] = before + 1 - 2 * falls
        state[index(units.zero + (target >> 6))] ^= np.int64(before == falls) << (target & 63)
        if number != UNLISTED:
            units.listed[index(min(number, MAX_LISTED))] = edge ^ value
            number += 1
    if links[index(at + 1)] != links[index(at + 3)]:
        _toggle_open(units, unit)
        if number != UNLISTED:
            units.listed[index(min(number, MAX_LISTED))] = ~unit
            number += 1
    return number


@inlined
def _take_back(units: Units, number: int) -> None:
    """Undo the changes listed, the first so many."""
    state, counts = units.state, units.counts
    for i in range(number):
        change = int(units.listed[index(i)])
        if change < 0:
            _toggle_open(units, ~change)
            continue
        target, rises = change >> 1, change & 1
        before = int(counts[index(target)])
        counts[index(target)] = before - 1 + 2 * rises
        state[index(units.zero + (target >> 6))] ^= np.int64(before == 1 - rises) << (target & 63)


@inlined
def _pending(units: Units, word: int) -> int:
    """Return the gates of a word that are about to flip."""
    state = units.state
    opened = state[index(units.zero + word)] & state[index(units.open + word)]
    return opened ^ state[index(units.value + word)]


@inlined
def _propagate(units: Units, begin: int, end: int, number: int) -> int:
    """Flip all gates and outputs of some words that are about to flip; see `_flip`."""
    state, value = units.state, units.value
    for word in range(begin, min(end, units.outputs)):
        flips = _pending(units, word)
        while flips:
            if units.dependent:
                flips &= -flips
            values = state[index(value + word)] ^ flips
            state[index(value + word)] = values
            while flips:
                gate = bits.lowest(flips)
                flips &= flips - 1
                number = _flip(units, 64 * word + gate, (values >> gate) & 1, number)
            if units.dependent:
                flips = _pending(units, word)
    toggled = units.tables[CHANGES] - units.outputs
    for word in range(units.outputs, end):
        flips = _pending(units, word)
        state[index(value + word)] ^= flips
        state[index(toggled + word)] ^= flips
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
        begin, end = _words_of(constants, state, role)
        for word in range(begin, end):
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
    begin, end = _words_of(constants, state, role)
    for word in range(begin, end):
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
            _flip(units, 64 * word + base, (state[word] >> base) & 1, UNLISTED)
        state[units.value + word] = state[word]
    _propagate(units, tables[GATES], tables[END], UNLISTED)


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
    # The legal moves do not depend on moves.
    end = constants[OUTPUTS] + constants[BASES]
    number = _propagate(units, constants[MOVED], end, number)
    is_listed = number <= MAX_LISTED
    for word in range(constants[BASES]):
        flips = state[changes + word]
        state[changes + word] = state[changing + word] ^ flips if is_listed else 0
        state[changing + word] = flips
        state[word] ^= flips
    if is_listed:
        _take_back(units, number)
        for word in range(constants[MOVED], end):
            state[units.value + word] = state[units.zero + word] & state[units.open + word]
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
        is_true = int((state[index(units.value + (unit >> 6))] >> (unit & 63)) & 1)
        if goals.counts[index(leaf)] == is_true:
            goals.counts[index(leaf)] = 1 - is_true
            _flip(goals, leaf, is_true, UNLISTED)
    _propagate(goals, constants[GOAL_GATES], constants[GOAL_END], UNLISTED)
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
