"""Play one position at a time: the contract's functions for every GDL game.

The game itself is tables (see `single_tables`). `unit_state` describes the units of its network,
how their state is stored and how they flip.

The outputs of the network are the last units: the bases in the next state, the legal moves of every
role, and flags. Nothing reads them; they are evaluated where they are needed, 64 at once.

A step evaluates the next state, flips the bases that change, and propagates. The network knows the
next state without any move. Most moves set and clear the same bases in every position: if no other
move has an effect, these are its effects. Other moves are flipped, which propagates to gates that
depend on moves, numbered after all others, and are taken back after the next state is known: the
units that flipped are listed; if the list is full, the moves are flipped back instead.

In most games nearly all legal moves of a role need the same unit, as `(true (control white))`.
Such a unit is the role's guard: the bits of its moves leave it out, and are masked while the guard
is false.

Gates that only goals need form a network of their own, whose leaves are bits of the state. It is
brought up to date when the game is over, by flipping the leaves that differ.
"""

from __future__ import annotations

import numpy as np

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Constants, Moves, Scores, State
from graven.core.hash_tables import hash_words
from graven.core.rng import Rng, below
from graven.gdl.kernels.unit_state import (
    ALWAYS,
    BASES,
    COMING,
    CONDITION_NUMBER,
    CONDITIONS,
    COUNTED,
    DOES,
    EFFECTS,
    FLAGS,
    FREE,
    FREE_END,
    GOAL_LEAVES,
    GOAL_NETWORK,
    GOAL_NUMBER,
    GOALS,
    GUARD,
    INIT,
    INVERTED,
    LAST_OUTPUTS,
    LEAF_BITS,
    LEGAL,
    LEGAL_OUTPUTS,
    LISTED,
    MAX_LISTED,
    MAX_STEPS,
    MOVED,
    MOVES,
    NETWORK,
    NUMBERS,
    ONLY,
    OUTPUTS,
    PLAYERS,
    SHUT,
    SPAN,
    STEP,
    TERMINAL_FLAG,
    TURN,
    UNLISTED,
    WORDS,
    Units,
    evaluated,
    flip,
    flip_back,
    network_units,
    propagate,
    role_of,
)

MAX_DISTANCE = 1000  # greater distances from a goal are equal


@inlined
def _words_of(constants: Constants, state: State, role: int) -> tuple[int, int]:
    """Return the words of a role's moves that can be legal: all, or those its guard leaves."""
    if (state[constants[FLAGS]] >> constants[role + GUARD]) & 1:
        return 0, constants[role + SPAN]
    return constants[role + FREE], constants[role + FREE_END]


@inlined
def _settle(units: Units) -> None:
    """Evaluate flags and legal moves, count those of all roles, and determine whose turn it is.

    The game is over if it is terminal, after the most steps, or if a role has no legal move.
    """
    constants, state = units.tables, units.state
    outputs, inverted = constants[OUTPUTS], constants[INVERTED]
    last_outputs = constants[LAST_OUTPUTS]
    flags = evaluated(units, last_outputs) ^ constants[inverted + last_outputs - outputs]
    state[constants[FLAGS]] = flags
    choosers, who, stuck = 0, -1, False
    for player in range(constants[PLAYERS]):
        role = role_of(constants, player)
        number, last, last_moves = 0, 0, 1
        begin, end = _words_of(constants, state, role)
        open_mask = ((flags >> constants[role + GUARD]) & 1) - 1
        legal_bits, first = constants[role + LEGAL], constants[role + LEGAL_OUTPUTS]
        shut = constants[role + SHUT]
        for word in range(begin, end):
            moves = evaluated(units, first + word) ^ constants[inverted + first - outputs + word]
            moves &= ~(constants[shut + word] & open_mask)
            state[legal_bits + word] = moves
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
    over = stuck | ((flags >> TERMINAL_FLAG) & 1 != 0)
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
    _settle(network_units(constants, state, constants[NETWORK]))


def turn(constants: Constants, state: State) -> int:
    """Return whose turn it is, as `play` determined it."""
    return state[constants[TURN]]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Write the legal moves of a role, also where it has no choice, in the order of their codes."""
    role = role_of(constants, player)
    legal_bits, count = constants[role + LEGAL], 0
    begin, end = _words_of(constants, state, role)
    for word in range(begin, end):
        left = state[legal_bits + word]
        while left:
            moves[count] = 64 * word + bits.lowest(left)
            count += 1
            left &= left - 1
    return count


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Return whether a move is legal."""
    role = role_of(constants, player)
    begin, end = _words_of(constants, state, role)
    if not begin <= move >> 6 < end:
        return False
    return (state[constants[role + LEGAL] + (move >> 6)] >> (move & 63)) & 1 != 0


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Draw a number, and find the legal move with this number."""
    number = state[constants[NUMBERS] + player]
    if number == 0:
        return -1
    role = role_of(constants, player)
    draw = below(rng, number)
    word, _ = _words_of(constants, state, role)
    legal_bits = constants[role + LEGAL]
    moves = state[legal_bits + word]
    here = bits.count(moves)
    while draw >= here:
        draw -= here
        word += 1
        moves = state[legal_bits + word]
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
def _flip_bases(units: Units) -> None:
    """Set the bases to the next state, which COMING holds, and propagate what changes."""
    tables, state = units.tables, units.state
    coming = tables[COMING]
    for word in range(tables[BASES]):
        values = state[coming + word]
        flips = state[word] ^ values
        state[word] = values
        while flips:
            base = bits.lowest(flips)
            flips &= flips - 1
            flip(units, 64 * word + base, (values >> base) & 1)
    propagate(units, units.gates, units.links, UNLISTED)


@inlined
def _next_bases(units: Units) -> None:
    """Evaluate the bases in the next state, by the moves that are flipped."""
    tables, state = units.tables, units.state
    coming, outputs, inverted = tables[COMING], tables[OUTPUTS], tables[INVERTED]
    for word in range(tables[BASES]):
        state[coming + word] = evaluated(units, outputs + word) ^ tables[inverted + word]


@inlined
def _flip_moves(units: Units, joint: Moves) -> None:
    """Flip the moves made, evaluate the bases in the next state, and take the moves back."""
    tables, state = units.tables, units.state
    listed, number = state.view(np.int32)[tables[LISTED] :], 0
    for player in range(tables[PLAYERS]):
        unit = _moved(units, joint, player)
        if unit >= 0:
            flip(units, unit, 1)
            listed[min(number, MAX_LISTED)] = 2 * unit + 1
            number += 1
    number = propagate(units, tables[MOVED], listed, number)
    _next_bases(units)
    if number <= MAX_LISTED:
        flip_back(units, listed, number)
        return
    for player in range(tables[PLAYERS]):
        unit = _moved(units, joint, player)
        if unit >= 0:
            flip(units, unit, 0)


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Make the moves: find the next state by their effects or by flipping them, and go there."""
    units = network_units(constants, state, constants[NETWORK])
    moving, moved = 0, 64 * constants[MOVES]
    for player in range(constants[PLAYERS]):
        unit = _moved(units, joint, player)
        if unit >= 0:
            moving += 1
            moved = unit
    at = constants[EFFECTS] + 2 * (moved - 64 * constants[MOVES])
    begin, end = int(units.links[at]), int(units.links[at + 1])
    if moving == 1 and begin >= 0:
        _next_bases(units)
        coming = constants[COMING]
        for i in range(begin, end, 3):
            word = coming + constants[i]
            state[word] = (state[word] & ~constants[i + 1]) | constants[i + 2]
    else:
        _flip_moves(units, joint)
    _flip_bases(units)
    state[constants[STEP]] += constants[COUNTED]
    _settle(units)


def restore(constants: Constants, state: State, words: State) -> None:
    """Set a position from its bases and its step; `state` is any other position of the game."""
    units = network_units(constants, state, constants[NETWORK])
    for word in range(constants[BASES]):
        state[constants[COMING] + word] = words[word]
    _flip_bases(units)
    state[constants[STEP]] = words[constants[BASES]]
    _settle(units)


@inlined
def _settled_goals(constants: Constants, state: State) -> Units:
    """Bring the gates that only goals need up to date."""
    goals = network_units(constants, state, constants[GOAL_NETWORK])
    for leaf in range(constants[GOAL_LEAVES]):
        bit = int(goals.links[constants[LEAF_BITS] + leaf])
        is_true = (state[bit >> 6] >> (bit & 63)) & 1
        if _is_true(goals, 2 * leaf) != is_true:
            state[goals.value + (leaf >> 6)] ^= np.int64(1) << (leaf & 63)
            flip(goals, leaf, is_true)
    propagate(goals, goals.gates, goals.links, UNLISTED)
    return goals


@inlined
def _is_true(units: Units, literal: int) -> int:
    """Return whether a literal of units is true, 0 or 1."""
    return ((units.state[units.value + (literal >> 7)] >> ((literal >> 1) & 63)) ^ literal) & 1


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write each role's goal as a part of 100: the highest that is true, 0 if none is."""
    goals = _settled_goals(constants, state)
    for player in range(constants[PLAYERS]):
        out[player] = max(0, goal(goals, player)) / 100.0


@inlined
def _distance(goals: Units) -> int:
    """Return what is missing of 100 points plus the false conditions of the highest goal.

    The conditions are the inputs of its gate; 1 if the gate is read inverted and the goal is false.
    """
    constants = goals.tables
    role = role_of(constants, 0)
    missing = 100 - max(0, goal(goals, 0))
    literal = constants[constants[role + GOALS] + 1]
    if constants[role + GOAL_NUMBER] == 0 or literal == ALWAYS:
        return missing
    if literal & 1:
        return missing + 1 - _is_true(goals, literal)
    for i in range(constants[CONDITION_NUMBER]):
        missing += 1 - _is_true(goals, int(goals.links[constants[CONDITIONS] + i]))
    return missing


def distance(constants: Constants, state: State) -> int:
    """Estimate how far the first role is from its highest goal, in any position."""
    return _distance(_settled_goals(constants, state))


def scores_with_distance(constants: Constants, state: State, out: Scores) -> None:
    """Write the first role's score, of equal scores a higher one if the goal is nearer."""
    goals = _settled_goals(constants, state)
    near = 1.0 - min(MAX_DISTANCE, _distance(goals)) / MAX_DISTANCE
    out[0] = (199.0 * max(0, goal(goals, 0)) / 100.0 + near) / 200.0


@inlined
def goal(goals: Units, player: int) -> int:
    """Return the highest goal of a role that is true; -1 if none is."""
    constants = goals.tables
    role = role_of(constants, player)
    at = constants[role + GOALS]
    for i in range(at, at + 2 * constants[role + GOAL_NUMBER], 2):
        literal = constants[i + 1]
        if literal == ALWAYS or _is_true(goals, literal):
            return constants[i]
    return -1


def key(constants: Constants, state: State) -> int:
    """Hash the bases, and the step if steps are counted."""
    return hash_words(state, constants[BASES] + constants[COUNTED])
