"""What learning playouts share: listing moves with their codes, and drawing one of them.

A softmax policy keeps logits, and beside them weights, exp(logit - shift): an exponential is
computed when a logit changes, not whenever a move is compared. The shift, one for each player,
keeps weights from overflowing; where all weights of a position are too small to add up, the draw
falls back to the logits.

Arrays by code have an entry for each player and code, at player * features + code. A code is the
feature code of a move, or the move itself. `code & mask` never leaves such an array, whatever code
a game returns; a code out of range is reported once it is chosen.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import CHANCE, Rules
from graven.core.rng import Rng, below, uniform
from graven.core.rollout import BAD_CHOICE, MANY_CHOICES, NO_CHOICE
from graven.core.vectors import BLOCK, COLUMNS, column_sums, count_reached
from graven.search.tree import STEPS, Record, Tree
from graven.search.tree_nodes import choosers

# A sum of weights below this has lost digits.
TINY = 1e-280
# No weight is above exp(HIGHEST).
HIGHEST = 500.0

Floats = NDArray[np.float64]
Codes = NDArray[np.uint32]


class Options(NamedTuple):
    """What a move is drawn from: `size` codes, and a value for each.

    The value of option i is values[base + (codes[i] & mask)].
    """

    values: Floats
    codes: Codes
    mask: np.uint64
    base: int
    size: int


@inlined
def list_codes(rules: Rules, record: Record, codes: Codes, player: int) -> int:
    """Write the codes of a player's playout moves; return their number, or a negative choice.

    `codes` needs `code_capacity` entries. `move_at` then returns the moves.
    """
    if rules.feature:
        count = contract.playout_moves_with_features(
            rules, record.state, player, record.moves, codes=codes
        )
    else:
        # The moves are the codes.
        count = contract.playout_moves(rules, record.state, player, codes.view(np.int32))
    if count < 1:
        return NO_CHOICE
    return count if count <= rules.max_moves else MANY_CHOICES


@inlined
def move_at(rules: Rules, record: Record, codes: Codes, at: int) -> int:
    """Return the move of an entry of the list that `list_codes` has just written."""
    code = codes[at]
    if rules.feature == 0:
        return code
    return record.moves[at] if code < rules.num_features else BAD_CHOICE


@inlined
def draw_weighted(options: Options, sums: Floats, rng: Rng) -> tuple[int, float]:
    """Draw an option by its weight; return it and the sum of the weights.

    Draws nothing and returns -1 for the option if the sum is TINY. `sums` is scratch of
    `sum_capacity` entries.

    The weights are summed in four columns, of every fourth option each: four additions at a time
    where one sum would wait for each. First a column is drawn, then an option in it. There is
    hardly a branch: the processor cannot predict how many options there are, nor which is drawn.
    """
    count = options.size
    first, second, third, fourth = column_sums(
        options.values, options.base, options.codes, options.mask, count, sums
    )
    second += first
    third += second
    total = third + fourth
    if not total >= TINY:
        return -1, total
    left = uniform(rng) * total
    at, skipped = 0, 0.0
    at, skipped = (1, first) if left >= first else (at, skipped)
    at, skipped = (2, second) if left >= second else (at, skipped)
    at, skipped = (3, third) if left >= third else (at, skipped)
    passed = count_reached(sums, count, at, left - skipped)
    # Rounding may lead beyond the last.
    return min(at + COLUMNS * passed, count - 1), total


@inlined
def draw_by_logits(options: Options, rng: Rng) -> int:
    """Draw an option by the exponential of its logit, relative to the greatest logit."""
    logits, codes, mask, base = options.values, options.codes, options.mask, options.base
    top, total = highest_and_sum(options)
    left = uniform(rng) * total
    for i in range(options.size - 1):
        weight = exp(logits[base + (codes[i] & mask)] - top)
        if left < weight:
            return i
        left -= weight
    return options.size - 1


@inlined
def highest_and_sum(options: Options) -> tuple[float, float]:
    """Return the greatest of some logits, and the sum of exp(logit - greatest)."""
    logits, codes, mask, base = options.values, options.codes, options.mask, options.base
    top = logits[base + (codes[0] & mask)]
    for i in range(1, options.size):
        top = max(top, logits[base + (codes[i] & mask)])
    total = 0.0
    for i in range(options.size):
        total += exp(logits[base + (codes[i] & mask)] - top)
    return top, total


@inlined
def draw_best(options: Options, rng: Rng) -> int:
    """Return the option of the greatest value; among equals one at random."""
    values, codes, mask, count = options.values, options.codes, options.mask, options.size
    mine: Any = np.uint64(options.base)
    top, first, equal = values[mine + (codes[0] & mask)], 0, 1
    for i in range(1, count):
        value = values[mine + (codes[i] & mask)]
        if value > top:
            top, first, equal = value, i, 1
        elif value == top:
            equal += 1
    if equal == 1:
        return first
    skip = below(rng, equal)
    for i in range(first, count):
        if values[mine + (codes[i] & mask)] == top:
            if skip == 0:
                return i
            skip -= 1
    return first


@inlined
def write_tree_part(rules: Rules, tree: Tree, record: Record, played: Codes) -> None:
    """Write the codes of the moves chosen in the tree, player * features + code.

    They go to the places that these moves have in the trace.
    """
    place, players = 0, rules.players
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        if turn == CHANCE:
            continue
        low, high = choosers(turn, players)
        for player in range(low, high):
            edge = record.edges[depth * players + player]
            code = tree.codes[edge] if rules.feature else tree.moves[edge]
            played[place] = player * rules.num_features + code
            place += 1


def by_code(rules: Rules, value: float = 0.0) -> Floats:
    """Return an array by code, long enough for every masked code."""
    return np.full(rules.players * rules.num_features + int(mask_of(rules)), value)


def mask_of(rules: Rules) -> np.uint64:
    """Return the smallest mask of low bits that keeps all codes."""
    return np.uint64((1 << (rules.num_features - 1).bit_length()) - 1)


def code_capacity(rules: Rules) -> int:
    """Return the size of a buffer for one list of codes, even if it turns out too long.

    `draw_weighted` reads whole blocks.
    """
    return contract.move_capacity(rules) + BLOCK


def sum_capacity(rules: Rules) -> int:
    """Return the size of the scratch of `draw_weighted`."""
    return rules.max_moves + BLOCK
