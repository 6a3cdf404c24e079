"""One position at a time: the contract's functions for every GDL game, the game itself as tables.

Gates are those of `circuit`: each holds if any of its inputs does. The state remembers for every
gate how many of its inputs hold, so a unit that flips touches only those it feeds, and a gate flips
when its count leaves or reaches 0. Gates that are about to flip wait as bits of a set, which is
emptied from the lowest: units are numbered inputs first, so each gate flips at most once.

What the rules ask for is kept in bits too, each toggled by the unit that decides it: the legal
moves of every role, the bases that will change (`CHANGES`), and flags. A step flips the moves made,
lets that spread, flips the bases that change and takes the moves back, and lets that spread.

In most games nearly every legal move of a role waits for the same unit, `(true (control white))`.
Such a unit guards the role: its moves' bits leave it out, and are masked while the guard is false.

See `one_tables` for how the tables are made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Constants, Moves, Scores, State, hash_words
from graven.core.rng import Rng, below

Links = NDArray[np.int32]
Counts = NDArray[np.int16]

# The header of the tables. Words of the state: where the step, the flags, whose turn it is, and
# each role's number of legal moves and its only one are; the bits of bases that will change, a copy
# of them, the sets of waiting gates and of their words, and (in 16-bit numbers) the counts.
# The state begins with the bases.
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
    WAITING,
    SUMMARY,
    COUNTS,
    SUMMARIES,
    # Words of the state in all, and a picture of the first one in the tables.
    WORDS,
    INIT,
    # Whether steps are counted, and the most of them.
    COUNTED,
    MOST,
    # In 32-bit numbers: for each unit where its edges begin and where the bits it toggles begin.
    FANS,
    # The gates that only goals need: the first one, how many, and where their inputs begin.
    GOAL_GATES,
    GOAL_COUNT,
    GOAL_FANS,
    # The roles' records, and where the tables of `many` are.
    ROLES,
    MANY,
    HEADER,
) = range(24)

# A role's record: its legal bits in the state, how many words; in the tables the mask of moves that
# its guard shuts and the guard's place among the flags; in 32-bit numbers the unit of each move;
# the (value, literal) pairs of its goals, and how many.
LEGAL, SPAN, SHUT, GUARD, DOES, GOALS, GOAL_NUMBER, RECORD = range(8)

TERMINAL_FLAG = 0  # among the flags


@inlined
def role_of(constants: Constants, player: int) -> int:
    """Where a role's record begins."""
    return constants[ROLES] + RECORD * player


@inlined
def _legal_word(constants: Constants, state: State, role: int, word: int) -> int:
    """64 of a role's moves, as the bits of those that are legal."""
    shut = ((state[constants[FLAGS]] >> constants[role + GUARD]) & 1) - 1
    return state[constants[role + LEGAL] + word] & ~(
        constants[constants[role + SHUT] + word] & shut
    )


@inlined
def _flip(
    constants: Constants, links: Links, state: State, counts: Counts, unit: int, held: int
) -> None:
    """Tell everything that reads a unit that it now holds (`held` is 1) or no longer does (0)."""
    at = constants[FANS] + 2 * unit
    waiting, summary = constants[WAITING], constants[SUMMARY]
    for i in range(links[index(at)], links[index(at + 1)]):
        edge = int(links[index(i)])
        target = edge >> 1
        # An input holds less if the unit falls and is read as it is, or rises and is read negated.
        falls = (edge & 1) ^ held ^ 1
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
def _spread(constants: Constants, links: Links, state: State, counts: Counts) -> None:
    """Flip all waiting gates, and those that begin to wait because of it."""
    waiting, summary = constants[WAITING], constants[SUMMARY]
    for high in range(constants[SUMMARIES]):
        while state[index(summary + high)]:
            words = state[index(summary + high)]
            state[index(summary + high)] = words & (words - 1)
            word = 64 * high + bits.lowest(words)
            while state[index(waiting + word)]:
                gates = state[index(waiting + word)]
                state[index(waiting + word)] = gates & (gates - 1)
                gate = 64 * word + bits.lowest(gates)
                _flip(constants, links, state, counts, gate, int(counts[index(gate)] > 0))


@inlined
def _settle(constants: Constants, state: State) -> None:
    """Count everybody's legal moves, and say whose turn it is.

    The game is over at its end, at the most steps, and where somebody has no move at all.
    """
    choosers, who, stuck = 0, -1, False
    for player in range(constants[PLAYERS]):
        role = role_of(constants, player)
        number, last, found = 0, 0, 1
        for word in range(constants[role + SPAN]):
            moves = _legal_word(constants, state, role, word)
            number += bits.count(moves)
            last, found = (word, moves) if moves else (last, found)
        only = 64 * last + bits.lowest(found)
        state[constants[NUMBERS] + player] = number
        state[constants[ONLY] + player] = only
        stuck |= number == 0
        if number > 1:
            choosers += 1
            who = player
    if choosers == 0:
        who = idle_turn(constants, state)
    over = stuck | ((state[constants[FLAGS]] >> TERMINAL_FLAG) & 1 != 0)
    over |= (constants[COUNTED] != 0) & (state[constants[STEP]] >= constants[MOST])
    state[constants[TURN]] = TERMINAL if over else (SIMULTANEOUS if choosers > 1 else who)


@inlined
def idle_turn(constants: Constants, state: State) -> int:
    """Whose turn it is where nobody has a choice: the first role whose only move anything depends
    on, as the last free cell's taker and not the one who waits; else the first role."""
    links = constants.view(np.int32)
    for player in range(constants[PLAYERS]):
        role = role_of(constants, player)
        if links[constants[role + DOES] + state[constants[ONLY] + player]] >= 0:
            return player
    return 0


def start(constants: Constants, state: State) -> None:
    """Copy the picture of the first position."""
    for i in range(constants[WORDS]):
        state[i] = constants[constants[INIT] + i]
    _settle(constants, state)


def turn(constants: Constants, state: State) -> int:
    """As `play` left it."""
    return state[constants[TURN]]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Any role's legal moves, also where it is not asked to choose, in the order of their codes."""
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
    """Whether the move's bit is set."""
    role = role_of(constants, player)
    if move >> 6 >= constants[role + SPAN]:
        return False
    return (_legal_word(constants, state, role, move >> 6) >> (move & 63)) & 1 != 0


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Draw a number, and find the bit that it stands for."""
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
def _moved(constants: Constants, links: Links, state: State, joint: Moves, player: int) -> int:
    """The unit of the move that a role makes: its own choice, or its only move; -1 if none."""
    who = state[constants[TURN]]
    move = state[constants[ONLY] + player]
    if who in (SIMULTANEOUS, player):
        move = int(joint[player])
    return int(links[constants[role_of(constants, player) + DOES] + move])


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Make the moves, see which bases change, change them, and take the moves back."""
    links, counts = constants.view(np.int32), state.view(np.int16)[constants[COUNTS] :]
    for player in range(constants[PLAYERS]):
        unit = _moved(constants, links, state, joint, player)
        if unit >= 0:
            _flip(constants, links, state, counts, unit, 1)
    _spread(constants, links, state, counts)
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
            held = (state[word] >> base) & 1
            counts[64 * word + base] = held
            _flip(constants, links, state, counts, 64 * word + base, held)
    for player in range(constants[PLAYERS]):
        unit = _moved(constants, links, state, joint, player)
        if unit >= 0:
            _flip(constants, links, state, counts, unit, 0)
    _spread(constants, links, state, counts)
    state[constants[STEP]] += constants[COUNTED]
    _settle(constants, state)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Each role's goal as a part of 100: the highest that holds, 0 where none does."""
    links, counts = constants.view(np.int32), state.view(np.int16)[constants[COUNTS] :]
    first, fans = constants[GOAL_GATES], constants[GOAL_FANS]
    for gate in range(constants[GOAL_COUNT]):
        held = 0
        for i in range(links[fans + gate], links[fans + gate + 1]):
            literal = int(links[i])
            held |= int(counts[literal >> 1] > 0) ^ (literal & 1)
        counts[first + gate] = held
    for player in range(constants[PLAYERS]):
        out[player] = max(0, goal(constants, counts, player)) / 100.0


@inlined
def goal(constants: Constants, counts: Counts, player: int) -> int:
    """The highest goal of a role that holds; -1 where none does."""
    role = role_of(constants, player)
    at = constants[role + GOALS]
    for i in range(at, at + 2 * constants[role + GOAL_NUMBER], 2):
        literal = constants[i + 1]
        if literal < 0 or (counts[literal >> 1] > 0) != (literal & 1 != 0):
            return constants[i]
    return -1


def key(constants: Constants, state: State) -> int:
    """A hash of the bases, and of the step where steps are counted."""
    return hash_words(state, constants[BASES] + constants[COUNTED])
