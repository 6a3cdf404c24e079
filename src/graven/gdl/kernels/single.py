"""Play one position at a time: the contract's functions for every GDL game.

The game itself is tables (see `single_tables`). A unit is a base, a move or an AND gate. The state
holds for every gate how many of its inputs are false: a unit that flips changes the counts of the
gates that read it, and a gate flips when its count leaves or reaches 0. Gates that are about to
flip are bits of a set, which is emptied from the lowest: units are numbered inputs first, so each
gate flips at most once.

The outputs of the network are bits of the state too, each toggled by the unit that decides it: the
legal moves of every role, the bases that will change (`CHANGES`), and flags. A step flips the moves
made, propagates, flips the bases that change, flips the moves back, and propagates.

In most games nearly all legal moves of a role need the same unit, as `(true (control white))`.
Such a unit is the role's guard: the bits of its moves leave it out, and are masked while the guard
is false.
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
# the bits of bases that will change and a copy of them, the bits of legal moves, the set of waiting
# gates and the set of its nonzero words, and (in 16-bit numbers) the counts of false inputs.
(
    PLAYERS,
    BASES,
    STEP,
    FLAGS,
    TURN,
    NUMBERS,
    ONLY,
    CHANGES,
    CHANGING,
    LEGAL_BITS,
    WAITING,
    SUMMARY,
    COUNTS,
    SUMMARIES,
    # The number of words of a state, and the first position in the tables.
    WORDS,
    INIT,
    # Whether steps are counted, and after how many the game ends.
    COUNTED,
    MAX_STEPS,
    # In 32-bit numbers: for each unit where its readers begin and where the bits it toggles begin.
    FANS,
    # The gates that only goals need: the first one, how many, and where their inputs begin.
    GOAL_GATES,
    GOAL_COUNT,
    GOAL_FANS,
    # The roles' records, and where the tables of `batched` are.
    ROLES,
    BATCHED,
    HEADER,
) = range(25)

# A role's record: its legal bits in the state, how many words; in the tables the mask of moves that
# its guard shuts and the guard's place among the flags; in 32-bit numbers the unit of each move;
# the (value, literal) pairs of its goals, and how many.
LEGAL, SPAN, SHUT, GUARD, DOES, GOALS, GOAL_NUMBER, RECORD = range(8)

TERMINAL_FLAG = 0  # among the flags
ALWAYS = -1  # the literal of a goal that always holds


@inlined
def role_of(constants: Constants, player: int) -> int:
    """Return where a role's record begins."""
    return constants[ROLES] + RECORD * player


@inlined
def _legal_word(constants: Constants, state: State, role: int, word: int) -> int:
    """Return 64 of a role's moves as bits: those that are legal."""
    shut = ((state[constants[FLAGS]] >> constants[role + GUARD]) & 1) - 1
    return state[constants[role + LEGAL] + word] & ~(
        constants[constants[role + SHUT] + word] & shut
    )


class Units(NamedTuple):
    """The tables and a state, as words and as narrower numbers."""

    tables: Constants
    links: Links
    state: State
    counts: Counts


@inlined
def _units(constants: Constants, state: State) -> Units:
    return Units(
        constants, constants.view(np.int32), state, state.view(np.int16)[constants[COUNTS] :]
    )


@inlined
def _flip(units: Units, unit: int, value: int) -> None:
    """Update everything that reads a unit, which is now true (`value` is 1) or false (0)."""
    tables, links, state, counts = units
    at = tables[FANS] + 2 * unit
    waiting, summary = tables[WAITING], tables[SUMMARY]
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
    for i in range(links[index(at + 1)], links[index(at + 2)]):
        bit = int(links[index(i)])
        state[index(bit >> 6)] ^= np.int64(1) << (bit & 63)


@inlined
def _propagate(units: Units) -> None:
    """Flip all waiting gates, and those that begin to wait because of it."""
    tables, _, state, counts = units
    waiting, summary = tables[WAITING], tables[SUMMARY]
    for high in range(tables[SUMMARIES]):
        while state[index(summary + high)]:
            words = state[index(summary + high)]
            state[index(summary + high)] = words & (words - 1)
            word = 64 * high + bits.lowest(words)
            while state[index(waiting + word)]:
                gates = state[index(waiting + word)]
                state[index(waiting + word)] = gates & (gates - 1)
                gate = 64 * word + bits.lowest(gates)
                _flip(units, gate, int(counts[index(gate)] == 0))


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
    tables, links, state, _ = units
    who = state[tables[TURN]]
    move = state[tables[ONLY] + player]
    if who in (SIMULTANEOUS, player):
        move = int(joint[player])
    return int(links[tables[role_of(tables, player) + DOES] + move])


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Make the moves, find which bases change, change them, and take the moves back."""
    units = _units(constants, state)
    for player in range(constants[PLAYERS]):
        unit = _moved(units, joint, player)
        if unit >= 0:
            _flip(units, unit, 1)
    _propagate(units)
    changes, changing = constants[CHANGES], constants[CHANGING]
    for word in range(constants[BASES]):
        flips = state[changes + word]
        state[changing + word] = flips
        state[changes + word] = 0
        state[word] ^= flips
    for word in range(constants[BASES]):
        flips = state[changing + word]
        while flips:
            base = bits.lowest(flips)
            flips &= flips - 1
            value = (state[word] >> base) & 1
            units.counts[64 * word + base] = 1 - value
            _flip(units, 64 * word + base, value)
    for player in range(constants[PLAYERS]):
        unit = _moved(units, joint, player)
        if unit >= 0:
            _flip(units, unit, 0)
    _propagate(units)
    state[constants[STEP]] += constants[COUNTED]
    _settle(constants, state)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write each role's goal as a part of 100: the highest that is true, 0 if none is."""
    _, links, _, counts = _units(constants, state)
    first, fans = constants[GOAL_GATES], constants[GOAL_FANS]
    for gate in range(constants[GOAL_COUNT]):
        is_false = 0
        for i in range(links[fans + gate], links[fans + gate + 1]):
            literal = int(links[i])
            is_false |= int(counts[literal >> 1] > 0) ^ (literal & 1)
        counts[first + gate] = is_false
    for player in range(constants[PLAYERS]):
        out[player] = max(0, goal(constants, counts, player)) / 100.0


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
