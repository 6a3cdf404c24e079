"""NST: MAST with a memory of what was played before (Tak, Winands and Björnsson 2012).

Besides the mean of each move there are means of sequences of two and three moves, of which the last
is the player's own and those before it are the moves of whoever moved then, all of them where
players move at once. A move's value is the average of the means of its sequences: its own, and
those longer ones that were seen at least `min` times. So where little is known it is MAST's.

    nst(epsilon)  the move of the best value; with probability epsilon any legal move
    nst(k)        drawn with probability proportional to exp(k * value)

`sums` holds a count and a sum of scores: first for each player and move, then for each slot of a
hash table of longer sequences, whose keys are in `keys` (0: free). `log` counts simulations, plies
and used slots, then says where in the trace each ply begins. Values of legal moves are written to
`weights` or `logits` in the order of `record.moves`; `codes` numbers them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graven.core import contract
from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.core.rng import Rng, uniform
from graven.search.plan import NEED_MEMORY, Learner
from graven.search.playout.draw import draw_best, draw_by_logits
from graven.search.playout.loop import MANY_CHOICES, NO_CHOICE, play_with
from graven.search.playout.mast import (
    BATCHES,
    EPSILON,
    LEARNED,
    K,
    decay,
    decay_batch,
    unseen,
)
from graven.search.policy import Parameter, PlayoutForm, PlayoutPolicy, Value, new_learner
from graven.search.tree import LENGTH, STEPS, Record, Tree, trace_capacity

# What `params` holds.
STRENGTH, UNSEEN, DECAY, BATCH, BATCH_DECAY, LONGEST, LEAST = range(7)
# What `log` holds.
PLIES, USED, SINGLES, STARTS = range(LEARNED + 1, LEARNED + 5)

FIRST_SLOTS, MOST_SLOTS = 1 << 16, 1 << 22
FADED = 0.5  # what decay leaves of a sequence is forgotten once it is less than that

_ODD: Any = np.int64(-7046029254386353131)
_LOW: Any = np.int64(0x7FFFFFFFF)
_SALT: Any = np.int64(0x5851F42D4C957F2D)
_NOTHING: Any = np.int64(0)
FREE = 0


@inlined
def mixed(key: int, part: int) -> int:
    """A key with one more part."""
    key = (key ^ (part + 1)) * _ODD
    return key ^ ((key >> 29) & _LOW)


@inlined
def begin_ply(learner: Learner, at: int) -> None:
    """A ply begins at this place of the trace."""
    learner.log[STARTS + learner.log[PLIES]] = at
    learner.log[PLIES] += 1


@inlined
def before(record: Record, learner: Learner, ply: int, plies: int) -> int:
    """A key of all that was played in the `plies` plies before a ply."""
    key = _SALT * plies
    for place in range(learner.log[STARTS + ply - plies], learner.log[STARTS + ply]):
        key = mixed(key, record.trace[place])
    return key


@inlined
def slot_of(learner: Learner, key: int) -> int:
    """Where a sequence is in the hash table, or could be."""
    mask = len(learner.keys) - 1
    slot = key & mask
    while learner.keys[slot] != key and learner.keys[slot] != FREE:
        slot = (slot + 1) & mask
    return slot


@inlined
def value(learner: Learner, single: int, second: int, third: int, longest: int) -> float:
    """What a move, player * codes + move, is worth after the sequences with these keys."""
    sums = learner.sums
    if sums[2 * single] > 0.0:
        total = sums[2 * single + 1] / sums[2 * single]
    else:
        total = learner.params[UNSEEN]
    used = 1.0
    for length in range(2, longest + 1):
        slot = slot_of(learner, mixed(second if length == 2 else third, single))
        at = 2 * (learner.log[SINGLES] + slot)
        if learner.keys[slot] != FREE and sums[at] >= learner.params[LEAST]:
            total += sums[at + 1] / sums[at]
            used += 1.0
    return total / used


@inlined
def list_values(rules: Rules, record: Record, learner: Learner, player: int) -> int:
    """List the sensible moves and write their values into `weights`; how many, or what is wrong."""
    count = contract.playout_moves(rules, record.state, player, record.moves)
    if count < 1:
        return NO_CHOICE
    if count > rules.max_moves:
        return MANY_CHOICES
    ply = learner.log[PLIES] - 1
    longest = min(int(learner.params[LONGEST]), ply + 1)
    second = before(record, learner, ply, 1) if longest > 1 else _NOTHING
    third = before(record, learner, ply, 2) if longest > 2 else _NOTHING
    for i in range(count):
        move = record.moves[i]
        # A move that is no move gets a value, too, and is noticed once it is chosen.
        single = player * rules.num_codes + min(max(move, 0), rules.num_codes - 1)
        learner.weights[i] = value(learner, single, second, third, longest)
    return count


@inlined
def note_ply(rules: Rules, record: Record, learner: Learner, player: int, length: int) -> None:
    """A ply begins with its first player."""
    if player == 0 or contract.turn(rules, record.state) != SIMULTANEOUS:
        begin_ply(learner, length)


@inlined
def choose_greedy(
    rules: Rules,
    tree: Tree,
    record: Record,
    learner: Learner,
    player: int,
    length: int,
    rng: Rng,
) -> int:
    """The move of the best value, or any move."""
    note_ply(rules, record, learner, player, length)
    if uniform(rng) < learner.params[STRENGTH]:
        return contract.sample(rules, record.state, player, record.moves, rng)
    count = list_values(rules, record, learner, player)
    if count < 0:
        return count
    return record.moves[draw_best(learner, 0, count, rng)]


@inlined
def choose_gibbs(
    rules: Rules,
    tree: Tree,
    record: Record,
    learner: Learner,
    player: int,
    length: int,
    rng: Rng,
) -> int:
    """A move with probability proportional to exp(k * value)."""
    note_ply(rules, record, learner, player, length)
    count = list_values(rules, record, learner, player)
    if count < 0:
        return count
    for i in range(count):
        learner.logits[i] = learner.params[STRENGTH] * learner.weights[i]
    return record.moves[draw_by_logits(learner, 0, 0, count, rng)]


@inlined
def prepare(rules: Rules, tree: Tree, record: Record, learner: Learner) -> bool:
    """Note the plies of the tree; False if there is no room to learn from one more simulation."""
    slots = len(learner.keys)
    if slots < MOST_SLOTS and learner.log[USED] + 2 * len(record.trace) > slots // 4 * 3:
        return False
    learner.log[PLIES] = 0
    place = 0
    for depth in range(record.shape[STEPS]):
        begin_ply(learner, place)
        place += rules.players if tree.turns[record.path[depth]] == SIMULTANEOUS else 1
    return True


def play_greedy(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Epsilon-greedy moves to the end."""
    if not prepare(rules, tree, record, learner):
        return NEED_MEMORY
    return play_with(choose_greedy, rules, tree, record, learner, rng)


def play_gibbs(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Gibbs sampling to the end."""
    if not prepare(rules, tree, record, learner):
        return NEED_MEMORY
    return play_with(choose_gibbs, rules, tree, record, learner, rng)


def learn(rules: Rules, tree: Tree, record: Record, learner: Learner) -> None:
    """Every move and every sequence that ends with it has one more score."""
    log = learner.log
    log[STARTS + log[PLIES]] = record.shape[LENGTH]
    for ply in range(log[PLIES]):
        longest = min(int(learner.params[LONGEST]), ply + 1)
        second = before(record, learner, ply, 1) if longest > 1 else _NOTHING
        third = before(record, learner, ply, 2) if longest > 2 else _NOTHING
        for place in range(log[STARTS + ply], log[STARTS + ply + 1]):
            single: Any = np.int64(record.trace[place])
            score = record.scores[single // rules.num_codes]
            learner.sums[2 * single] += 1.0
            learner.sums[2 * single + 1] += score
            for length in range(2, longest + 1):
                key = mixed(second if length == 2 else third, single)
                count_sequence(learner, key, score)
    decay_batch(learner, learner.params[BATCH], learner.params[BATCH_DECAY])


@inlined
def count_sequence(learner: Learner, key: int, score: float) -> None:
    """Add a score to a sequence, as long as there is room for new ones."""
    if key == FREE:
        return
    slot = slot_of(learner, key)
    if learner.keys[slot] == FREE:
        if learner.log[USED] >= len(learner.keys) // 4 * 3:
            return
        learner.log[USED] += 1
        learner.keys[slot] = key
    at = 2 * (learner.log[SINGLES] + slot)
    learner.sums[at] += 1.0
    learner.sums[at + 1] += score


def grow(learner: Learner) -> Learner:
    """The same memory with a larger hash table."""
    singles = int(learner.log[SINGLES])
    slots = 4 * len(learner.keys)
    larger = learner._replace(
        keys=np.zeros(slots, np.int64),
        sums=np.concatenate([learner.sums[: 2 * singles], np.zeros(2 * slots)]),
    )
    larger.log[USED] = 0
    enter_all(learner, larger, 0.0)
    return larger


@compiled
def enter_all(learner: Learner, larger: Learner, least: float) -> None:
    """Enter the sequences that were seen more often than `least` into an empty table."""
    for old in range(len(learner.keys)):
        if learner.sums[2 * (learner.log[SINGLES] + old)] > least:
            larger.log[USED] += 1
            slot = slot_of(larger, learner.keys[old])
            larger.keys[slot] = learner.keys[old]
            for i in range(2):
                at = 2 * (learner.log[SINGLES] + slot) + i
                larger.sums[at] = learner.sums[2 * (learner.log[SINGLES] + old) + i]


def carry(learner: Learner) -> None:
    """To the next move of a game: keep the part of the statistics that `decay` says.

    Most sequences were seen once or twice: those are dropped, else they would fill the table.
    """
    singles = 2 * int(learner.log[SINGLES])
    learner.sums[:] *= learner.params[DECAY]
    old = learner._replace(keys=learner.keys.copy(), sums=learner.sums.copy())
    learner.keys[:] = FREE
    learner.sums[singles:] = 0.0
    learner.log[USED] = 0
    enter_all(old, learner, FADED)


def _memory(rules: Rules, values: Mapping[str, Value], strength: Value) -> Learner:
    singles, plies = rules.players * rules.num_codes, rules.max_plies + 2
    named = ("unseen", "decay", "batch", "batch_decay", "n", "min")
    log = np.zeros(STARTS + plies, np.int64)
    log[SINGLES] = singles
    # No sequence of moves is longer than the moves themselves, and no table larger than needed.
    slots = FIRST_SLOTS
    while slots // 4 * 3 <= 2 * trace_capacity(rules):
        slots *= 2
    return new_learner(
        params=np.array([strength, *(values[name] for name in named)], np.float64),
        logits=np.zeros(rules.max_moves),
        weights=np.zeros(rules.max_moves),
        sums=np.zeros(2 * (singles + slots)),
        codes=np.arange(rules.max_moves, dtype=np.uint32),
        log=log,
        keys=np.zeros(slots, np.int64),
        mask=np.uint64(0xFFFFFFFF),
    )


def memory_greedy(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """For epsilon-greedy playouts."""
    return _memory(rules, values, values["epsilon"])


def memory_gibbs(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """For Gibbs sampling."""
    return _memory(rules, values, values["k"])


SEQUENCES = (
    Parameter("n", 3, "the longest sequences remembered, in plies", low=1, high=3),
    Parameter(
        "min",
        7,
        "how often a sequence of several moves must have been seen to count (Tak et al.: 7)",
        low=1,
        high=1_000_000_000,
    ),
    unseen(1.0, "Finnsson and Björnsson 2008: 1"),
    decay(0.2, "as MAST: 0.2"),
    *BATCHES,
)

POLICIES = (
    PlayoutPolicy(
        "nst",
        "MAST with means of sequences of two and three moves besides.",
        (
            PlayoutForm(
                play_greedy, (EPSILON, *SEQUENCES), learn, memory_greedy, carry, grow, "epsilon"
            ),
            PlayoutForm(play_gibbs, (K, *SEQUENCES), learn, memory_gibbs, carry, grow, "k"),
        ),
    ),
)
