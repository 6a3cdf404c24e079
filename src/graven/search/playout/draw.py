"""What learning playouts share: listing moves with their codes, and drawing one of them.

A softmax policy keeps `logits`, and beside them `weights`, exp(logit - shift): an exponential is
taken when a logit changes, not whenever a move is looked at. The shift, one for each player, keeps
weights from overflowing; where all weights of a position are too small to add up, the logits
themselves are asked.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.core.rng import Rng, below, uniform
from graven.search.plan import Learner
from graven.search.playout.loop import BAD_CHOICE, MANY_CHOICES, NO_CHOICE
from graven.search.tree import STEPS, Record, Tree

ONE, TWO, THREE, FOUR = (np.uint64(n) for n in range(1, 5))

# A sum of weights below this has lost digits.
TINY = 1e-280
# No weight is above exp(HIGHEST).
HIGHEST = 500.0


@inlined
def list_codes(rules: Rules, record: Record, learner: Learner, player: int, start: int) -> int:
    """Write the codes of a player's sensible moves into `learner.codes` from `start` on; how many
    there are, or what is wrong with them (see `loop`). `move_at` then tells the moves."""
    if rules.feature:
        codes = learner.codes[start:]
        count = contract.playout_moves_with_features(
            rules, record.state, player, record.moves, codes
        )
    else:
        # The moves are the codes.
        moves = learner.codes.view(np.int32)[start:]
        count = contract.playout_moves(rules, record.state, player, moves)
    if count < 1:
        return NO_CHOICE
    return count if count <= rules.max_moves else MANY_CHOICES


@inlined
def move_at(rules: Rules, record: Record, learner: Learner, start: int, at: int) -> int:
    """The move at a place of the list that `list_codes` has just written."""
    code = learner.codes[start + at]
    if rules.feature == 0:
        return code
    return record.moves[at] if code < rules.num_features else BAD_CHOICE


@inlined
def draw_weighted(
    learner: Learner, base: int, start: int, count: int, rng: Rng
) -> tuple[int, float]:
    """One of `count` codes, drawn by its weight, and the sum of the weights; or -1 where the sum
    is TINY (nothing is drawn then).

    The weights are summed in four columns, of every fourth code each: four additions at a time
    where one sum would wait for each. First a column is drawn, then a code in it.
    """
    weights, codes, mask = learner.weights, learner.codes, learner.mask
    mine: Any = np.uint64(base)  # unsigned, so that nobody asks whether it is negative
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    place, whole = np.uint64(start), np.uint64(start + (count & ~3))
    while place < whole:
        first += weights[mine + (codes[place] & mask)]
        second += weights[mine + (codes[place + ONE] & mask)]
        third += weights[mine + (codes[place + TWO] & mask)]
        fourth += weights[mine + (codes[place + THREE] & mask)]
        place += FOUR
    if count & 3 > 0:
        first += weights[mine + (codes[place] & mask)]
    if count & 3 > 1:
        second += weights[mine + (codes[place + ONE] & mask)]
    if count & 3 > 2:
        third += weights[mine + (codes[place + TWO] & mask)]
    second += first
    third += second
    total = third + fourth
    if not total >= TINY:
        return -1, total
    left = uniform(rng) * total
    # No branches: which column it will be, and which code in it, nobody can predict.
    at, skipped = 0, 0.0
    at, skipped = (1, first) if left >= first else (at, skipped)
    at, skipped = (2, second) if left >= second else (at, skipped)
    at, skipped = (3, third) if left >= third else (at, skipped)
    left -= skipped
    reached, passed = 0.0, 0
    for i in range(start + at, start + count, 4):
        reached += weights[mine + (codes[i] & mask)]
        passed += left >= reached
    # Rounding may lead beyond the last.
    return min(at + 4 * passed, count - 1), total


@inlined
def draw_by_logits(learner: Learner, base: int, start: int, count: int, rng: Rng) -> int:
    """The same draw where weights are too small: relative to the greatest logit."""
    top, total = highest_and_sum(learner, base, start, count)
    left = uniform(rng) * total
    for i in range(count - 1):
        weight = exp(learner.logits[base + (learner.codes[start + i] & learner.mask)] - top)
        if left < weight:
            return i
        left -= weight
    return count - 1


@inlined
def highest_and_sum(learner: Learner, base: int, start: int, count: int) -> tuple[float, float]:
    """The greatest of some logits, and the sum of exp(logit - greatest)."""
    logits, codes, mask = learner.logits, learner.codes, learner.mask
    top = logits[base + (codes[start] & mask)]
    for i in range(start + 1, start + count):
        top = max(top, logits[base + (codes[i] & mask)])
    total = 0.0
    for i in range(start, start + count):
        total += exp(logits[base + (codes[i] & mask)] - top)
    return top, total


@inlined
def draw_best(learner: Learner, base: int, count: int, rng: Rng) -> int:
    """The first `count` codes' one of the greatest weight; among equals one at random."""
    weights, codes, mask = learner.weights, learner.codes, learner.mask
    mine: Any = np.uint64(base)
    top, first, equal = weights[mine + (codes[0] & mask)], 0, 1
    for i in range(1, count):
        value = weights[mine + (codes[i] & mask)]
        if value > top:
            top, first, equal = value, i, 1
        elif value == top:
            equal += 1
    if equal == 1:
        return first
    skip = below(rng, equal)
    for i in range(first, count):
        if weights[mine + (codes[i] & mask)] == top:
            if skip == 0:
                return i
            skip -= 1
    return first


@inlined
def write_tree_part(rules: Rules, tree: Tree, record: Record, played: NDArray[np.uint32]) -> None:
    """Write the codes of the moves that the tree chose, player * features + code, to where the
    trace has these moves."""
    place, players = 0, rules.players
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        low = 0 if turn == SIMULTANEOUS else turn
        high = players if turn == SIMULTANEOUS else turn + 1
        for player in range(low, high):
            edge = record.edges[depth * players + player]
            code = tree.codes[edge] if rules.feature else tree.moves[edge]
            played[place] = player * rules.num_features + code
            place += 1


def by_code(rules: Rules, value: float = 0.0) -> NDArray[np.float64]:
    """An array with a value for each player and code, and room for what `mask_of` lets through."""
    return np.full(rules.players * rules.num_features + int(mask_of(rules)), value)


def mask_of(rules: Rules) -> np.uint64:
    """All codes, and as few other numbers as a mask can tell from them."""
    return np.uint64((1 << (rules.num_features - 1).bit_length()) - 1)


def code_room(rules: Rules) -> int:
    """How much room one list of codes needs, even if it turns out too long."""
    return len(contract.new_moves(rules))
