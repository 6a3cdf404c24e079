"""Short cuts of exhaustive search: parts that may be left out, as random playouts suggest.

- The key of a position leaves out bits that only count time (`position_mask`). A position that is
  reached a second time, later, is not searched again: arriving early is assumed not to be worse.
- Of two moves that can be exchanged (`exchangeable_moves`) only the order by code is searched.

Neither is proved, so a search that finds nothing with them has to be repeated without.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import TERMINAL, Moves, Rules, State
from graven.core.position import Position
from graven.core.rng import Rng, below, generator
from graven.gdl.kernels.compact import CompactState, compact_state
from graven.solving.move_replay import copy_to, play_one

CLOCK_PLAYOUTS = 64
CLOCK_PLIES = 200
PAIRS_PER_POSITION = 16
MIN_SAME = 3
"""Two moves are exchangeable after this many exchanges, all with the same result."""
MAX_PAIRS, MAX_PAIR_WORDS = 100_000, 50_000_000
"""Pairs that are tested, and their number times the words of a state."""
MAX_CODES = 1024
SAME, DIFFERENT, UNKNOWN = range(3)  # results of an exchange
NO_EXCHANGES: NDArray[np.int8] = np.zeros((0, 0), np.int8)


class Shortcuts(NamedTuple):
    """What a search leaves out: see the module's docstring."""

    mask: NDArray[np.int64]  # [word]: the bits of a position's words that belong to its key
    exchangeable: NDArray[np.int8]  # [lower move, higher move]; empty if no moves are exchanged


def shortcuts_of(position: Position) -> Shortcuts:
    """Return the short cuts that random playouts from a position suggest."""
    compact = compact_state(position.game)
    mask = position_mask(position, compact)
    return Shortcuts(mask, exchangeable_moves(position, compact, mask))


def full_mask(compact: CompactState) -> NDArray[np.int64]:
    """Return a mask of all bits of a position's words."""
    return np.full(compact.bases + (compact.step >= 0), -1, np.int64)


def position_mask(position: Position, compact: CompactState) -> NDArray[np.int64]:
    """Return a mask of the bits that do more than count time.

    A bit counts time if it changes, and at each ply is the same in all of CLOCK_PLAYOUTS random
    playouts that reach it.
    """
    rules, rng = position.game.rules, generator(0)
    mask = full_mask(compact)
    joint, legal = contract.new_joint(rules), contract.new_moves(rules)
    states = [position.state.copy() for _ in range(CLOCK_PLAYOUTS)]
    first = position.state[: compact.bases].copy()
    differs = np.zeros(compact.bases, np.int64)
    changes = np.zeros(compact.bases, np.int64)
    for _ in range(min(CLOCK_PLIES, rules.max_plies)):
        states = [state for state in states if contract.turn(rules, state) != TERMINAL]
        if len(states) < 2:
            break
        for state in states:
            move = contract.sample(rules, state, 0, legal, rng=rng)
            if move < 0:
                return mask
            play_one(rules, state, joint, move)
        words = np.array([state[: compact.bases] for state in states])
        differs |= np.bitwise_or.reduce(words ^ words[0], axis=0)
        changes |= np.bitwise_or.reduce(words ^ first, axis=0)
    mask[: compact.bases] = differs | ~changes
    mask[compact.bases :] = 0  # the step
    return mask


class PairTests(NamedTuple):
    """How often two moves led to the same position in either order, and to different ones."""

    results: NDArray[np.int32]  # [SAME or DIFFERENT, lower move, higher move]
    mask: NDArray[np.int64]
    bases: int
    # Scratch.
    state: State
    one: State
    other: State
    legal: Moves
    legal_after: Moves
    joint: Moves


@compiled
def play_if_legal(rules: Rules, tests: PairTests, state: State, move: int) -> bool:
    """Play a move; return False if it is not legal."""
    found = False
    for i in range(contract.legal(rules, state, 0, tests.legal_after)):
        found |= tests.legal_after[i] == move
    if found:
        play_one(rules, state, tests.joint, move)
    return found


@compiled
def exchange_moves(rules: Rules, tests: PairTests, move: int, following: int) -> int:
    """Return whether two moves, played in either order, lead to the same position.

    UNKNOWN if the first of them ends the game.
    """
    copy_to(tests.one, tests.state, rules.state_words)
    copy_to(tests.other, tests.state, rules.state_words)
    play_one(rules, tests.one, tests.joint, move)
    play_one(rules, tests.other, tests.joint, following)
    if contract.turn(rules, tests.one) == TERMINAL or contract.turn(rules, tests.other) == TERMINAL:
        return UNKNOWN
    if not play_if_legal(rules, tests, tests.one, following):
        return DIFFERENT
    if not play_if_legal(rules, tests, tests.other, move):
        return DIFFERENT
    same = True
    for i in range(tests.bases):
        same &= (tests.one[i] ^ tests.other[i]) & tests.mask[i] == 0
    return SAME if same else DIFFERENT


@compiled
def test_playout(rules: Rules, tests: PairTests, root: State, rng: Rng) -> int:
    """Exchange pairs of moves in the positions of a random playout; return how many."""
    copy_to(tests.state, root, rules.state_words)
    tested = 0
    for _ in range(rules.max_plies):
        if contract.turn(rules, tests.state) == TERMINAL:
            break
        count = contract.legal(rules, tests.state, 0, tests.legal)
        for _ in range(PAIRS_PER_POSITION):
            move, following = tests.legal[below(rng, count)], tests.legal[below(rng, count)]
            if move != following:
                result = exchange_moves(rules, tests, move, following)
                if result != UNKNOWN:
                    tests.results[result, min(move, following), max(move, following)] += 1
        tested += PAIRS_PER_POSITION
        play_one(rules, tests.state, tests.joint, tests.legal[below(rng, count)])
    return tested


def exchangeable_moves(
    position: Position, compact: CompactState, mask: NDArray[np.int64]
) -> NDArray[np.int8]:
    """Return for each pair of moves whether their order does not seem to matter."""
    rules = position.game.rules
    if rules.num_codes > MAX_CODES:
        return NO_EXCHANGES
    tests = PairTests(
        results=np.zeros((2, rules.num_codes, rules.num_codes), np.int32),
        mask=mask,
        bases=compact.bases,
        state=np.zeros(rules.state_words, np.int64),
        one=np.zeros(rules.state_words, np.int64),
        other=np.zeros(rules.state_words, np.int64),
        legal=contract.new_moves(rules),
        legal_after=contract.new_moves(rules),
        joint=contract.new_joint(rules),
    )
    left = min(MAX_PAIRS, MAX_PAIR_WORDS // rules.state_words)
    rng = generator(1)
    while left > 0:
        left -= max(1, test_playout(rules, tests, position.state, rng))
    exchangeable = (tests.results[SAME] >= MIN_SAME) & (tests.results[DIFFERENT] == 0)
    return exchangeable.astype(np.int8) if exchangeable.any() else NO_EXCHANGES
