"""NPA: PPA over sequences of moves, updated by payoffs (Sironi, Cazenave and Winands 2021).

Besides the logit of each move there are logits of sequences of two and three plies, of which the
last is a move of the player and those before it are what was played then, as in NST. A move is
drawn with probability proportional to exp(value); its value is the average of the logits of its
sequences: its own, and those longer ones that were updated at least `min` times.

After a simulation every player learns, as much as the payoff says. For each choice of a player with
the score s, in the tree as well as in the playout, and for each length of sequences,

    logit(move) += alpha * s
    logit(m)    -= alpha * s * exp(logit(m)) / sum over legal moves of exp(logit),  for all legal m

where the logits are those of the sequences of this length before the simulation. Choices of one
legal move and those of players with the score 0 change nothing, and do not count as updates.
docs/policies/npa.md derives this. With `discount` alpha is multiplied by discount ** n for a choice
n plies before the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import NamedTuple

import numpy as np

from graven.core import contract
from graven.core.calls import Value
from graven.core.compile import compiled, inlined
from graven.core.contract import CHANCE, Moves, Rules
from graven.core.rollout import MANY_CHOICES, NO_CHOICE
from graven.core.status import Status
from graven.search.layout import Int64
from graven.search.playout.draw import Codes, Floats, Options, code_capacity, draw_by_logits
from graven.search.playout.mast import decay
from graven.search.playout.ngrams import (
    FREE,
    Context,
    context_of,
    note_forced_ply,
    note_ply,
    note_tree_plies,
    sequence_key,
    slot_of,
)
from graven.search.policy import Parameter, PlayoutPolicy, PlayoutVariant
from graven.search.tree import STEPS, Record, Tree, trace_capacity
from graven.search.tree_nodes import choosers

FIRST_SLOTS, MOST_SLOTS = 1 << 16, 1 << 21
FADED = 0.5  # a sequence is forgotten once decay leaves less of its updates than that

# The words of an entry. Entries are those of single moves, player * codes + move, and after them
# those of the slots of the hash table of longer sequences.
UPDATES, LOGIT, CHANGE, ENTRY_WORDS = range(4)
NO_ENTRY = -1

_ALL = np.uint64(0xFFFFFFFF)


class NpaMemory(NamedTuple):
    """The policy, and the choices of the playout under way."""

    alpha: float
    discount: float
    decay: float  # the part of the logits kept from one search to the next
    longest: int  # plies of the longest sequences
    least: float  # how often a sequence must have been updated to count
    singles: int  # how many entries single moves have
    most_updates: int  # how many entries one simulation may add, and change
    entries: Floats  # [ENTRY_WORDS * entry]
    keys: Int64  # [slot]: the key of a sequence, or FREE; a power of two long
    used: Int64  # [1]: slots in use
    # The plies of the simulation, and the choices of its playout, in order.
    plies: Int64  # [1]: plies of the simulation so far
    starts: Int64  # [ply]: where in the trace the ply begins
    choices: Int64  # [1]: how many choices there are
    firsts: Int64  # [choice]: where its moves begin; [choices] is where the next one's would
    chosen: Int64  # [choice]: which of its moves was chosen
    movers: Int64  # [choice]: the player
    choice_plies: Int64  # [choice]: the ply
    moves: Moves  # the moves of all choices, one after another
    # What a simulation changes.
    touched: Int64  # entries with changes
    num_touched: Int64  # [1]
    # Scratch: of the legal moves of one choice.
    node_moves: Moves  # [max_moves]: at a node of the tree
    listed: Int64  # [max_moves]: entries
    values: Floats  # [max_moves]
    order: Codes  # [max_moves]: 0, 1, 2, ...: values are in the order of the moves


class PayoffChoice(NamedTuple):
    """One choice to learn from: the legal moves of a player and which was chosen."""

    player: int
    moves: Moves
    size: int
    chosen: int
    rate: float  # how much is learned


@inlined
def entry_of(memory: NpaMemory, context: Context, length: int, single: int) -> int:
    """Return the entry of a sequence, or NO_ENTRY if it has none."""
    if length == 1:
        return single
    slot = slot_of(memory, sequence_key(context, length, single))
    return NO_ENTRY if memory.keys[slot] == FREE else memory.singles + slot


@inlined
def entry_for(memory: NpaMemory, context: Context, length: int, single: int) -> int:
    """Return the entry of a sequence, a new one if needed, or NO_ENTRY if the table is full."""
    if length == 1:
        return single
    key = sequence_key(context, length, single)
    if key == FREE:
        return NO_ENTRY
    slot = slot_of(memory, key)
    if memory.keys[slot] == FREE:
        if memory.used[0] >= len(memory.keys) // 4 * 3:
            return NO_ENTRY
        memory.used[0] += 1
        memory.keys[slot] = key
    return memory.singles + slot


@inlined
def value(memory: NpaMemory, context: Context, single: int) -> float:
    """Return the value of a move, player * codes + move, after what was played before."""
    total, used = memory.entries[ENTRY_WORDS * single + LOGIT], 1.0
    for length in range(2, context.longest + 1):
        entry = entry_of(memory, context, length, single)
        if entry != NO_ENTRY and memory.entries[ENTRY_WORDS * entry] >= memory.least:
            total += memory.entries[ENTRY_WORDS * entry + LOGIT]
            used += 1.0
    return total / used


def begin(rules: Rules, tree: Tree, record: Record, memory: NpaMemory) -> int:
    """Start with no choices; ask for memory unless one more simulation can be learned."""
    slots = len(memory.keys)
    if slots < MOST_SLOTS and memory.used[0] + memory.most_updates > slots // 4 * 3:
        return Status.NEED_MEMORY
    note_tree_plies(rules, tree, record, memory)
    memory.choices[0] = 0
    memory.firsts[0] = 0
    return Status.OK


def choose(rules: Rules, record: Record, memory: NpaMemory, player: int) -> int:
    """Return a move with probability proportional to exp(value); record what was legal."""
    note_ply(rules, record, memory, player)
    choice, ply = memory.choices[0], memory.plies[0] - 1
    first = memory.firsts[choice]
    moves = memory.moves[first:]
    count = contract.playout_moves(rules, record.state, player, moves)
    if count < 1:
        return NO_CHOICE
    if count > rules.max_moves:
        return MANY_CHOICES
    context = context_of(record, memory, ply)
    for i in range(count):
        # A move out of range gets a value, too: it is reported once it is chosen.
        single = player * rules.num_codes + min(max(moves[i], 0), rules.num_codes - 1)
        memory.values[i] = value(memory, context, single)
    at = draw_by_logits(Options(memory.values, memory.order, _ALL, 0, size=count), record.rng)
    memory.chosen[choice] = at
    memory.movers[choice] = player
    memory.choice_plies[choice] = ply
    memory.firsts[choice + 1] = first + count
    memory.choices[0] = choice + 1
    return moves[at]


@inlined
def adapt(rules: Rules, memory: NpaMemory, context: Context, choice: PayoffChoice) -> None:
    """Collect what one choice changes in the logits of the sequences of each length."""
    entries, listed, values = memory.entries, memory.listed, memory.values
    for length in range(1, context.longest + 1):
        top = -np.inf
        for i in range(choice.size):
            move = min(max(choice.moves[i], 0), rules.num_codes - 1)
            single = choice.player * rules.num_codes + move
            entry = entry_for(memory, context, length, single)
            listed[i] = entry
            values[i] = 0.0 if entry == NO_ENTRY else entries[ENTRY_WORDS * entry + LOGIT]
            top = max(top, values[i])
        total = 0.0
        for i in range(choice.size):
            values[i] = exp(values[i] - top)
            total += values[i]
        for i in range(choice.size):
            if listed[i] == NO_ENTRY:
                continue
            word = ENTRY_WORDS * listed[i]
            memory.touched[memory.num_touched[0]] = listed[i]
            memory.num_touched[0] += entries[word + CHANGE] == 0.0
            entries[word + UPDATES] += 1.0
            gain = choice.rate if i == choice.chosen else 0.0
            entries[word + CHANGE] += gain - choice.rate / total * values[i]


@inlined
def rate_of(record: Record, memory: NpaMemory, player: int, ply: int) -> float:
    """Return how much is learned from a player's choice in a ply."""
    later = memory.plies[0] - 1 - ply
    return memory.alpha * record.scores[player] * memory.discount**later


def learn(rules: Rules, tree: Tree, record: Record, memory: NpaMemory) -> None:
    """Adapt the policy of every player in proportion to the player's score."""
    players, moves, ply = rules.players, memory.node_moves, 0
    memory.num_touched[0] = 0
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        if turn == CHANCE:
            continue
        low, high = choosers(turn, players)
        for player in range(low, high):
            place, rate = (
                record.path[depth] * players + player,
                rate_of(record, memory, player, ply),
            )
            first, count = tree.first[place], tree.degree[place]
            if count > 1 and rate > 0.0:
                for i in range(count):
                    moves[i] = tree.moves[first + i]
                at = record.edges[depth * players + player] - first
                context = context_of(record, memory, ply)
                adapt(rules, memory, context, PayoffChoice(player, moves, count, at, rate=rate))
        ply += 1
    for i in range(memory.choices[0]):
        player, ply, first = memory.movers[i], memory.choice_plies[i], memory.firsts[i]
        count, rate = memory.firsts[i + 1] - first, rate_of(record, memory, player, ply)
        if count > 1 and rate > 0.0:
            choice = PayoffChoice(player, memory.moves[first:], count, memory.chosen[i], rate=rate)
            adapt(rules, memory, context_of(record, memory, ply), choice)
    for i in range(memory.num_touched[0]):
        word = ENTRY_WORDS * memory.touched[i]
        memory.entries[word + LOGIT] += memory.entries[word + CHANGE]
        memory.entries[word + CHANGE] = 0.0


def grow(memory: NpaMemory) -> NpaMemory:
    """Return the same memory with a larger hash table."""
    slots = 4 * len(memory.keys)
    larger = memory._replace(
        keys=np.zeros(slots, np.int64), entries=np.zeros(ENTRY_WORDS * (memory.singles + slots))
    )
    singles = slice(ENTRY_WORDS * memory.singles)
    larger.entries[singles] = memory.entries[singles]
    larger.used[0] = 0
    enter_all(memory, larger, 0.0)
    return larger


@compiled
def enter_all(memory: NpaMemory, larger: NpaMemory, least: float) -> None:
    """Enter the sequences that were updated more often than `least` into an empty table."""
    for old in range(len(memory.keys)):
        source = ENTRY_WORDS * (memory.singles + old)
        if memory.entries[source + UPDATES] > least:
            larger.used[0] += 1
            slot = slot_of(larger, memory.keys[old])
            larger.keys[slot] = memory.keys[old]
            for i in range(ENTRY_WORDS):
                larger.entries[ENTRY_WORDS * (larger.singles + slot) + i] = memory.entries[
                    source + i
                ]


def decay_all(memory: NpaMemory) -> None:
    """Keep the part of the logits and of the counts that `decay` says."""
    if memory.decay == 1.0:
        return
    memory.entries[:] *= memory.decay
    old = memory._replace(keys=memory.keys.copy(), entries=memory.entries.copy())
    memory.keys[:] = FREE
    memory.entries[ENTRY_WORDS * memory.singles :] = 0.0
    memory.used[0] = 0
    enter_all(old, memory, FADED)


def new_memory(rules: Rules, values: Mapping[str, Value]) -> NpaMemory:
    """Return a uniform policy, with a table large enough for the longest simulation."""
    choices, longest = trace_capacity(rules), int(values["n"])
    most_updates = choices * rules.max_moves * longest
    slots, singles = FIRST_SLOTS, rules.players * rules.num_codes
    while slots // 4 * 3 <= most_updates and slots < MOST_SLOTS:
        slots *= 2
    return NpaMemory(
        alpha=float(values["alpha"]),
        discount=float(values["discount"]),
        decay=float(values["decay"]),
        longest=longest,
        least=float(values["min"]),
        singles=singles,
        most_updates=most_updates,
        entries=np.zeros(ENTRY_WORDS * (singles + slots)),
        keys=np.zeros(slots, np.int64),
        used=np.zeros(1, np.int64),
        plies=np.zeros(1, np.int64),
        starts=np.zeros(rules.max_plies + 2, np.int64),
        choices=np.zeros(1, np.int64),
        firsts=np.zeros(choices + 1, np.int64),
        chosen=np.zeros(choices, np.int64),
        movers=np.zeros(choices, np.int64),
        choice_plies=np.zeros(choices, np.int64),
        moves=np.zeros(choices * rules.max_moves + code_capacity(rules), np.int32),
        touched=np.zeros(most_updates + 1, np.int64),
        num_touched=np.zeros(1, np.int64),
        node_moves=np.zeros(rules.max_moves, np.int32),
        listed=np.zeros(rules.max_moves, np.int64),
        values=np.zeros(rules.max_moves),
        order=np.arange(rules.max_moves, dtype=np.uint32),
    )


PARAMETERS = (
    Parameter(
        "alpha",
        1.0,
        "what a move gains in the logarithm of its weight, times the player's score",
        low=0.0,
        high=1e6,
    ),
    Parameter("n", 3, "the longest sequences, in plies", low=1, high=3),
    Parameter(
        "min",
        7,
        "how often a sequence of several moves must have been updated to count (as NST: 7)",
        low=1,
        high=1_000_000_000,
    ),
    Parameter(
        "discount",
        1.0,
        "each ply that a choice is further from the end multiplies alpha by this",
        low=0.0,
        high=1.0,
    ),
    decay(1.0, "Sironi, Cazenave and Winands 2021 found less than 1 harmful"),
)

POLICIES = (
    PlayoutPolicy(
        "npa",
        "PPA over sequences of up to three moves, with updates in proportion to payoffs.",
        (
            PlayoutVariant(
                choose,
                PARAMETERS,
                begin=begin,
                learn=learn,
                forced=note_forced_ply,
                memory=new_memory,
                on_new_search=decay_all,
                grow=grow,
                selected_by="alpha",
                playout_fields=(
                    "plies",
                    "starts",
                    "choices",
                    "firsts",
                    "chosen",
                    "movers",
                    "choice_plies",
                    "moves",
                ),
            ),
        ),
    ),
)
