"""NST: MAST with a memory of what was played before (Tak, Winands and Björnsson 2012).

Besides the mean of each move there are means of sequences of two and three moves, of which the last
is the player's own and those before it are the moves of the players who moved then, all of them in
a ply of simultaneous moves. A move's value is the average of the means of its sequences: its own,
and those longer ones that were seen at least `min` times. Where little is known it is MAST's.

    nst(epsilon)  the move of the best value; with probability epsilon any legal move
    nst(k)        drawn with probability proportional to exp(k * value)

In a batch (learn_after=batch) the values are those of the beginning of the batch. Each playout then
keeps keys of its last plies (RECENT).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp
from typing import Any, NamedTuple

import numpy as np

from graven.core import bits, contract
from graven.core.calls import Value
from graven.core.compile import compiled, inlined
from graven.core.contract import BatchChoice, Rules
from graven.core.rng import scaled, uniform
from graven.core.rollout import MANY_CHOICES, NO_CHOICE
from graven.core.status import Status
from graven.core.value_draws import explores, fraction, threshold_of
from graven.search.layout import Int8, Int64
from graven.search.playout.by_values import nth_set
from graven.search.playout.draw import Codes, Floats, Options, draw_best, draw_by_logits
from graven.search.playout.loop import random_move
from graven.search.playout.mast import BATCHES, EPSILON, K, batch_ends, decay, scale, unseen
from graven.search.playout.ngrams import (
    FREE,
    Context,
    begin_ply,
    context_of,
    key_of_plies,
    mixed,
    note_forced_ply,
    note_ply,
    note_tree_plies,
    sequence_key,
    slot_of,
)
from graven.search.policy import BatchLearning, Parameter, PlayoutPolicy, PlayoutVariant
from graven.search.tree import LENGTH, Record, Tree, trace_capacity

FIRST_SLOTS, MOST_SLOTS = 1 << 16, 1 << 22
FADED = 0.5  # a sequence is forgotten once decay leaves less of its count than that

_ALL = np.uint64(0xFFFFFFFF)


class NstMemory(NamedTuple):
    """Statistics of single moves, and a hash table of statistics of longer sequences."""

    epsilon: Floats  # [player]; 0 with Gibbs sampling
    k: float  # 0 with epsilon-greedy playouts
    unseen: float  # the mean of a move never played
    decay: float  # the part of the statistics kept from one search to the next
    batch: float  # simulations between two decays within a search; 0: none
    batch_decay: float
    longest: int  # plies of the longest sequences
    least: float  # how often a sequence must have been seen to count
    singles: Floats  # [2 * (player * codes + move)]: times played; after it, sum of scores
    keys: Int64  # [slot]: the key of a sequence, or FREE; a power of two long
    sequences: Floats  # [2 * slot]: times played; after it, sum of scores
    used: Int64  # [1]: slots in use
    learned: Int64  # [1]: simulations learned from
    plies: Int64  # [1]: plies of the simulation so far
    starts: Int64  # [ply]: where in the trace the ply begins
    values: Floats  # [max_moves]: the value of each of the position's moves
    logits: Floats  # [max_moves]: k * value
    order: Codes  # [max_moves]: 0, 1, 2, ...: values and logits are in the order of the moves
    codes: int  # move codes of a player
    # Of batches.
    stride: int  # the most moves of a playout
    recent: Int64  # [playout * RECENT + i]: see RECENT
    begins: Int8  # [playout * stride + place]: whether a ply begins with this move of the playout
    counted: Int64  # [1]: playouts of the batch learned from


@inlined
def value(memory: NstMemory, context: Context, single: int) -> float:
    """Return the value of a move, player * codes + move, after what was played before."""
    singles, sequences = memory.singles, memory.sequences
    if singles[2 * single] > 0.0:
        total = singles[2 * single + 1] / singles[2 * single]
    else:
        total = memory.unseen
    used = 1.0
    for length in range(2, context.longest + 1):
        slot = slot_of(memory, sequence_key(context, length, single))
        if memory.keys[slot] != FREE and sequences[2 * slot] >= memory.least:
            total += sequences[2 * slot + 1] / sequences[2 * slot]
            used += 1.0
    return total / used


@inlined
def list_values(rules: Rules, record: Record, memory: NstMemory, player: int) -> int:
    """List the playout moves and their values; return how many, or a negative choice."""
    count = contract.playout_moves(rules, record.state, player, record.moves)
    if count < 1:
        return NO_CHOICE
    if count > rules.max_moves:
        return MANY_CHOICES
    context = context_of(record, memory, memory.plies[0] - 1)
    for i in range(count):
        move = record.moves[i]
        # A move out of range gets a value, too: it is reported once it is chosen.
        single = player * rules.num_codes + min(max(move, 0), rules.num_codes - 1)
        memory.values[i] = value(memory, context, single)
    return count


def choose_greedy(rules: Rules, record: Record, memory: NstMemory, player: int) -> int:
    """Return the move of the best value, or any move."""
    note_ply(rules, record, memory, player)
    if uniform(record.rng) < memory.epsilon[player]:
        return random_move(rules, record, player)
    count = list_values(rules, record, memory, player)
    if count < 0:
        return count
    options = Options(memory.values, memory.order, _ALL, 0, size=count)
    return record.moves[draw_best(options, record.rng)]


def choose_gibbs(rules: Rules, record: Record, memory: NstMemory, player: int) -> int:
    """Return a move with probability proportional to exp(k * value)."""
    note_ply(rules, record, memory, player)
    count = list_values(rules, record, memory, player)
    if count < 0:
        return count
    for i in range(count):
        memory.logits[i] = memory.k * memory.values[i]
    options = Options(memory.logits, memory.order, _ALL, 0, size=count)
    return record.moves[draw_by_logits(options, record.rng)]


# What is kept of each playout of a batch: the plies of its simulation, the ply of the playout and
# its moves so far; keys of the ply before and of the two plies before the one under way; keys of
# the ply under way alone, with the one before, and as the first of two plies.
PLIES, PLY, MADE, SECOND, THIRD, ONE_PLY, TWO_PLIES, FIRST_OF_TWO, RECENT = range(9)


@inlined
def begin_recent_ply(recent: Int64, at: int) -> None:
    """Begin a ply: the keys of the plies under way are now those of the plies before."""
    recent[at + PLIES] += 1
    recent[at + SECOND] = recent[at + ONE_PLY]
    recent[at + THIRD] = recent[at + TWO_PLIES]
    recent[at + TWO_PLIES] = recent[at + FIRST_OF_TWO]
    recent[at + ONE_PLY] = key_of_plies(1)
    recent[at + FIRST_OF_TWO] = key_of_plies(2)


@inlined
def note_recent(recent: Int64, at: int, single: int) -> None:
    """Add a move, player * codes + move, to the ply under way."""
    for i in range(ONE_PLY, RECENT):
        recent[at + i] = mixed(recent[at + i], single)


def begin_leaf(
    rules: Rules, tree: Tree, record: Record, memory: NstMemory, leaf: int, playouts: int
) -> None:
    """Prepare the playouts of a leaf: what was played before are the last plies in the tree."""
    recent, starts, first = memory.recent, memory.starts, RECENT * leaf * playouts
    note_tree_plies(rules, tree, record, memory)
    plies = memory.plies[0]
    starts[plies] = record.shape[LENGTH]
    recent[first + PLIES] = max(0, plies - 2)
    recent[first + PLY] = -1
    recent[first + MADE] = 0
    recent[first + ONE_PLY] = key_of_plies(1)
    recent[first + TWO_PLIES] = key_of_plies(2)
    recent[first + FIRST_OF_TWO] = key_of_plies(2)
    for ply in range(max(0, plies - 2), plies):
        begin_recent_ply(recent, first)
        for place in range(starts[ply], starts[ply + 1]):
            single: Any = np.int64(record.trace[place])
            note_recent(recent, first, single)
    for playout in range(1, playouts):
        for i in range(RECENT):
            recent[first + RECENT * playout + i] = recent[first + i]
    if leaf == 0:
        memory.counted[0] = 0


@inlined
def begin_choice(memory: NstMemory, choice: BatchChoice) -> Context:
    """Note that a playout makes a move; return what was played before."""
    recent, at = memory.recent, RECENT * choice.playout
    is_new = recent[at + PLY] != choice.ply
    if is_new:
        begin_recent_ply(recent, at)
        recent[at + PLY] = choice.ply
    memory.begins[memory.stride * choice.playout + recent[at + MADE]] = is_new
    recent[at + MADE] += 1
    longest = min(memory.longest, recent[at + PLIES])
    return Context(longest, recent[at + SECOND], recent[at + THIRD])


@inlined
def list_batch_values(memory: NstMemory, choice: BatchChoice, context: Context) -> float:
    """List the values of a playout's legal moves, in the order of codes; return the greatest."""
    base, count, top = memory.codes * choice.player, 0, -1.0
    for word in range(len(choice.legal)):
        left = choice.legal[word]
        while left:
            single = base + 64 * word + bits.lowest(left)
            left &= left - 1
            memory.values[count] = value(memory, context, single)
            top = max(top, memory.values[count])
            count += 1
    return top


@inlined
def end_choice(memory: NstMemory, choice: BatchChoice, at: int) -> int:
    """Return the legal move number `at`, and note that it is made."""
    move = nth_set(choice.legal, at)
    single = memory.codes * choice.player + move
    note_recent(memory.recent, RECENT * choice.playout, single)
    return move


def choose_greedy_in_batch(memory: NstMemory, choice: BatchChoice) -> int:
    """Return the move of the best value, or any move; draws are as in `core.value_draws`."""
    context = begin_choice(memory, choice)
    if choice.size == 1 or explores(choice.random, threshold_of(memory.epsilon[choice.player])):
        return end_choice(memory, choice, scaled(choice.random, choice.size))
    values, top, equal, at = memory.values, list_batch_values(memory, choice, context), 0, 0
    for i in range(choice.size):
        equal += int(values[i] == top)
    skip = scaled(choice.random, equal)
    while skip > 0 or values[at] != top:
        skip -= int(values[at] == top)
        at += 1
    return end_choice(memory, choice, at)


def choose_gibbs_in_batch(memory: NstMemory, choice: BatchChoice) -> int:
    """Return a move with probability proportional to exp(k * value)."""
    context = begin_choice(memory, choice)
    top = list_batch_values(memory, choice, context)
    weights, total = memory.logits, 0.0
    for i in range(choice.size):
        weights[i] = exp(memory.k * (memory.values[i] - top))
        total += weights[i]
    least, reached, at = total * fraction(choice.random), weights[0], 0
    while reached <= least and at < choice.size - 1:
        at += 1
        reached += weights[at]
    return end_choice(memory, choice, at)


def ready(rules: Rules, memory: NstMemory) -> int:
    """Ask for memory if a quarter of the hash table is used: a batch has many sequences.

    Those of one batch for which there are no slots are not counted.
    """
    slots = len(memory.keys)
    if slots < MOST_SLOTS and memory.used[0] > slots // 4:
        return Status.NEED_MEMORY
    return Status.OK


def learn_in_batch(rules: Rules, tree: Tree, record: Record, memory: NstMemory) -> None:
    """Learn from the next playout of a batch."""
    playout = memory.counted[0]
    made = memory.recent[RECENT * playout + MADE]
    note_tree_plies(rules, tree, record, memory)
    for place in range(made):
        if memory.begins[memory.stride * playout + place]:
            begin_ply(memory, record.shape[LENGTH] - made + place)
    memory.counted[0] = playout + 1
    learn(rules, tree, record, memory)


def batch_memory(memory: NstMemory, rules: Rules, playouts: int) -> NstMemory:
    """Return the memory with what batches need."""
    stride = trace_capacity(rules)
    return memory._replace(
        stride=stride,
        recent=np.zeros(RECENT * playouts, np.int64),
        begins=np.zeros(stride * playouts + rules.players, np.int8),
    )


def batch_bytes(rules: Rules, playouts: int) -> int:
    """Return the size of what `batch_memory` adds."""
    return playouts * (trace_capacity(rules) + 8 * RECENT)


def begin(rules: Rules, tree: Tree, record: Record, memory: NstMemory) -> int:
    """Note the plies of the tree; ask for memory unless one more simulation can be learned."""
    slots = len(memory.keys)
    if slots < MOST_SLOTS and memory.used[0] + 2 * len(record.trace) > slots // 4 * 3:
        return Status.NEED_MEMORY
    note_tree_plies(rules, tree, record, memory)
    return Status.OK


def learn(rules: Rules, tree: Tree, record: Record, memory: NstMemory) -> None:
    """Add the score to every move and to every sequence that ends with it."""
    starts = memory.starts
    starts[memory.plies[0]] = record.shape[LENGTH]
    for ply in range(memory.plies[0]):
        context = context_of(record, memory, ply)
        for place in range(starts[ply], starts[ply + 1]):
            single: Any = np.int64(record.trace[place])
            score = record.scores[single // rules.num_codes]
            memory.singles[2 * single] += 1.0
            memory.singles[2 * single + 1] += score
            for length in range(2, context.longest + 1):
                count_sequence(memory, sequence_key(context, length, single), score)
    if batch_ends(memory):
        scale(memory.singles, memory.batch_decay)
        scale(memory.sequences, memory.batch_decay)


@inlined
def count_sequence(memory: NstMemory, key: int, score: float) -> None:
    """Add a score to a sequence, as long as there are slots for new ones."""
    if key == FREE:
        return
    slot = slot_of(memory, key)
    if memory.keys[slot] == FREE:
        if memory.used[0] >= len(memory.keys) // 4 * 3:
            return
        memory.used[0] += 1
        memory.keys[slot] = key
    memory.sequences[2 * slot] += 1.0
    memory.sequences[2 * slot + 1] += score


def grow(memory: NstMemory) -> NstMemory:
    """Return the same memory with a larger hash table."""
    slots = 4 * len(memory.keys)
    larger = memory._replace(keys=np.zeros(slots, np.int64), sequences=np.zeros(2 * slots))
    larger.used[0] = 0
    enter_all(memory, larger, 0.0)
    return larger


@compiled
def enter_all(memory: NstMemory, larger: NstMemory, least: float) -> None:
    """Enter the sequences that were seen more often than `least` into an empty table."""
    for old in range(len(memory.keys)):
        if memory.sequences[2 * old] > least:
            larger.used[0] += 1
            slot = slot_of(larger, memory.keys[old])
            larger.keys[slot] = memory.keys[old]
            for i in range(2):
                larger.sequences[2 * slot + i] = memory.sequences[2 * old + i]


def decay_all(memory: NstMemory) -> None:
    """Keep the part of the statistics that `decay` says.

    Most sequences were seen once or twice: those are dropped, else they would fill the table.
    """
    memory.singles[:] *= memory.decay
    memory.sequences[:] *= memory.decay
    old = memory._replace(keys=memory.keys.copy(), sequences=memory.sequences.copy())
    memory.keys[:] = FREE
    memory.sequences[:] = 0.0
    memory.used[0] = 0
    enter_all(old, memory, FADED)


def new_memory(rules: Rules, values: Mapping[str, Value]) -> NstMemory:
    """Return empty statistics, with a table large enough for the longest simulation."""
    slots = FIRST_SLOTS
    while slots // 4 * 3 <= 2 * trace_capacity(rules):
        slots *= 2
    return NstMemory(
        epsilon=np.full(rules.players, float(values.get("epsilon", 0.0))),
        k=float(values.get("k", 0.0)),
        unseen=float(values["unseen"]),
        decay=float(values["decay"]),
        batch=float(values["batch"]),
        batch_decay=float(values["batch_decay"]),
        longest=int(values["n"]),
        least=float(values["min"]),
        singles=np.zeros(2 * rules.players * rules.num_codes),
        keys=np.zeros(slots, np.int64),
        sequences=np.zeros(2 * slots),
        used=np.zeros(1, np.int64),
        learned=np.zeros(1, np.int64),
        plies=np.zeros(1, np.int64),
        starts=np.zeros(rules.max_plies + 2, np.int64),
        values=np.zeros(rules.max_moves),
        logits=np.zeros(rules.max_moves),
        order=np.arange(rules.max_moves, dtype=np.uint32),
        codes=rules.num_codes,
        stride=0,
        recent=np.zeros(1, np.int64),
        begins=np.zeros(1, np.int8),
        counted=np.zeros(1, np.int64),
    )


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


def _variant(
    choose: Callable[..., int], in_batch: Callable[..., int], parameter: Parameter
) -> PlayoutVariant:
    return PlayoutVariant(
        choose,
        (parameter, *SEQUENCES),
        begin=begin,
        learn=learn,
        reads_edges=False,
        forced=note_forced_ply,
        memory=new_memory,
        on_new_search=decay_all,
        grow=grow,
        selected_by=parameter.name,
        playout_fields=("plies", "starts"),
        batch=BatchLearning(
            choose=in_batch,
            ready=ready,
            begin=begin_leaf,
            count=learn_in_batch,
            count_later=learn,
            memory=batch_memory,
            bytes=batch_bytes,
        ),
    )


POLICIES = (
    PlayoutPolicy(
        "nst",
        "MAST with means of sequences of two and three moves besides.",
        (
            _variant(choose_greedy, choose_greedy_in_batch, EPSILON),
            _variant(choose_gibbs, choose_gibbs_in_batch, K),
        ),
    ),
)
