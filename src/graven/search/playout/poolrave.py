"""PoolRave: playouts that try the moves of the best RAVE values (Rimmel, Teytaud and Teytaud 2010).

Before each move of the base playout, with probability p, one of the `size` best moves is tried:
those of the greatest AMAF mean for the player to move, in the table of the last node of the tree
with at least `min` playouts. If it is not legal here, or there is no such node yet, the base
playout chooses (their algorithm 1 and section 3). With `pool=node` all players try the moves of the
player to move at that node. The pool is made once a playout, in a batch (learn_after=batch) once a
leaf.

    poolrave(p=0.5)       one of the pool at random
    poolrave(context=n)   of two drawn from the pool, the better reply to the last move

The paper expects progress from playouts that depend on the context; the second form is our own. The
value of a move as the reply to the move before it is (s + n / 2) / (r + n): r playouts of the
search contain the two in a row, with the sum of scores s, beside n imagined ones of the mean 1/2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from graven.core import contract
from graven.core.calls import Value
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, BatchChoice, Rules
from graven.core.rng import below, drawn_ahead, scaled, uniform
from graven.core.status import Status
from graven.core.value_draws import explores, threshold_of
from graven.search.amaf import NEXT, ONE, player_base
from graven.search.layout import Int64
from graven.search.playout.by_values import nth_set
from graven.search.playout.draw import Codes, Floats
from graven.search.playout.loop import random_move
from graven.search.policy import BatchLearning, Parameter, PlayoutPolicy, PlayoutVariant
from graven.search.tree import DEPTH, LENGTH, NONE, POOL, Record, Tree, all_codes

# A little less than 1: rounding errors of a product do not matter then.
BELOW = 1.0 - 1e-9
ANY = -1.0  # a mean that every move exceeds
MOST_REPLIES = 1 << 20  # beyond that replies share places


class PoolRaveMemory(NamedTuple):
    """The pool of the playout under way."""

    p: float  # how often a move of the pool is tried
    size: int  # the most moves of one player
    shared: int  # whether both players try the moves of the player to move at the pool's node
    moves: Codes  # [player * size + i]: the move of the i-th best mean
    counts: Int64  # [player]: how many moves the pool has
    means: Floats  # [size]: scratch: the means of one player's pool, best first
    # Of batches: the pools of every leaf.
    leaf_playouts: Int64  # [1]: playouts of a leaf
    leaf_moves: Codes  # [(leaf * players + player) * size + i]
    leaf_counts: Int64  # [leaf * players + player]


class ContextPoolMemory(NamedTuple):
    """The pool of the playout under way, and what is known of replies."""

    p: float
    context: float  # imagined playouts of every reply
    size: int
    shared: int
    moves: Codes
    counts: Int64
    means: Floats
    # [place of (trace entry * codes + move)]: how often the move came next, and its sum of scores.
    replies: Floats
    reply_sums: Floats


@inlined
def fill_pool(entries: Floats, memory: PoolRaveMemory, player: int) -> None:
    """Put a player's best moves into the pool; among equals the lower code comes first.

    `entries` is the player's part of an AMAF table.
    """
    size, means, moves = memory.size, memory.means, memory.moves
    entry = np.uint64(0)
    first, count, bar = player * size, 0, ANY
    for move in range(len(entries) // 2):
        playouts, total = entries[entry], entries[entry + ONE]
        entry += NEXT
        # One comparison for most moves, those never played and those far from the best.
        if total <= bar * playouts:
            continue
        mean = total / playouts
        if count == size and mean <= means[size - 1]:
            continue
        at = min(count, size - 1)
        while at > 0 and means[at - 1] < mean:
            means[at] = means[at - 1]
            moves[first + at] = moves[first + at - 1]
            at -= 1
        means[at] = mean
        moves[first + at] = move
        count = min(count + 1, size)
        bar = BELOW * means[size - 1] if count == size else ANY
    memory.counts[player] = count


@inlined
def pool_owner(tree: Tree, record: Record) -> int:
    """Return whose turn it is at the node whose table the pool is made of; negative: several."""
    for place in range(record.shape[DEPTH]):
        node = record.path[place]
        if tree.table[node] == record.shape[POOL]:
            return int(tree.turns[node])
    return NONE


def begin(rules: Rules, tree: Tree, record: Record, memory: PoolRaveMemory) -> int:
    """Make the pool of every player; empty if no node of the path has enough playouts."""
    owner = NONE
    if memory.shared and record.shape[POOL] != NONE:
        owner = pool_owner(tree, record)
    for player in range(rules.players):
        memory.counts[player] = 0
        if record.shape[POOL] != NONE:
            base = player_base(rules, record.shape[POOL], player if owner < 0 else owner)
            fill_pool(tree.amaf[base : base + 2 * rules.num_codes], memory, player)
    return Status.OK


def choose(rules: Rules, record: Record, memory: PoolRaveMemory, player: int) -> int:
    """Return a move of the pool, if chance and the rules allow it; else the base playout's."""
    if memory.counts[player] > 0 and uniform(record.rng) < memory.p:
        at = player * memory.size + below(record.rng, memory.counts[player])
        move: Any = np.int64(memory.moves[at])
        if contract.is_playout_move(rules, record.state, player, move, moves=record.moves):
            return move
    return random_move(rules, record, player)


@inlined
def reply_place(rules: Rules, memory: ContextPoolMemory, before: int, move: int) -> int:
    """Return where the reply to a trace entry is stored."""
    return (before * rules.num_codes + move) % len(memory.replies)


@inlined
def reply_value(rules: Rules, memory: ContextPoolMemory, before: int, move: int) -> float:
    """Return the value of a move as the reply to a trace entry."""
    at = reply_place(rules, memory, before, move)
    won = memory.reply_sums[at] + 0.5 * memory.context
    return won / (memory.replies[at] + memory.context)


def choose_reply(rules: Rules, record: Record, memory: ContextPoolMemory, player: int) -> int:
    """Return the better reply of two moves of the pool, if chance and the rules allow it."""
    count, length = memory.counts[player], record.shape[LENGTH]
    if count > 0 and uniform(record.rng) < memory.p:
        first = player * memory.size
        move: Any = np.int64(memory.moves[first + below(record.rng, count)])
        other: Any = np.int64(memory.moves[first + below(record.rng, count)])
        # Who moves at the same time as others does not know their moves.
        if length > 0 and contract.turn(rules, record.state) != SIMULTANEOUS:
            before: Any = np.int64(record.trace[length - 1])
            value = reply_value(rules, memory, before, move)
            if reply_value(rules, memory, before, other) > value:
                move = other
        if contract.is_playout_move(rules, record.state, player, move, moves=record.moves):
            return move
    return random_move(rules, record, player)


def learn_replies(rules: Rules, tree: Tree, record: Record, memory: ContextPoolMemory) -> None:
    """Count every move of a simulation as the reply to the one before it."""
    for place in range(1, record.shape[LENGTH]):
        before: Any = np.int64(record.trace[place - 1])
        played: Any = np.int64(record.trace[place])
        player, move = played // rules.num_codes, played % rules.num_codes
        at = reply_place(rules, memory, before, move)
        memory.replies[at] += 1.0
        memory.reply_sums[at] += record.scores[player]


def forget_replies(memory: ContextPoolMemory) -> None:
    """Forget all replies: the next position is another one."""
    memory.replies[:] = 0.0
    memory.reply_sums[:] = 0.0


def begin_leaf(
    rules: Rules, tree: Tree, record: Record, memory: PoolRaveMemory, leaf: int, playouts: int
) -> None:
    """Make the pools of a leaf's playouts."""
    begin(rules, tree, record, memory)
    memory.leaf_playouts[0] = playouts
    for player in range(rules.players):
        memory.leaf_counts[leaf * rules.players + player] = memory.counts[player]
    first = leaf * len(memory.moves)
    for i in range(len(memory.moves)):
        memory.leaf_moves[first + i] = memory.moves[i]


def choose_in_batch(memory: PoolRaveMemory, choice: BatchChoice) -> int:
    """Return a move of the pool, if chance and the rules allow it; else any.

    The draw decides on the pool and the move of it, as in `core.value_draws`; the other move is
    drawn by a generator with the draw as its state.
    """
    players = len(memory.counts)
    pool = choice.playout // memory.leaf_playouts[0] * players + choice.player
    count = memory.leaf_counts[pool]
    if count > 0 and explores(choice.random, threshold_of(memory.p)):
        move: Any = np.int64(memory.leaf_moves[memory.size * pool + scaled(choice.random, count)])
        if (choice.legal[move >> 6] >> (move & 63)) & 1:
            return move
    return nth_set(choice.legal, scaled(drawn_ahead(choice.random, 0), choice.size))


def batch_memory(memory: PoolRaveMemory, rules: Rules, playouts: int) -> PoolRaveMemory:
    """Return the memory with pools for the leaves of a batch."""
    return memory._replace(
        leaf_moves=np.zeros(playouts * len(memory.moves), np.uint32),
        leaf_counts=np.zeros(playouts * rules.players, np.int64),
    )


def new_memory(rules: Rules, values: Mapping[str, Value]) -> PoolRaveMemory:
    """Return an empty pool, no larger than the number of moves."""
    size = min(int(values["size"]), rules.num_codes)
    return PoolRaveMemory(
        p=float(values["p"]),
        size=size,
        shared=int(values["pool"] == "node"),
        moves=np.zeros(rules.players * size, np.uint32),
        counts=np.zeros(rules.players, np.int64),
        means=np.zeros(size),
        leaf_playouts=np.ones(1, np.int64),
        leaf_moves=np.zeros(1, np.uint32),
        leaf_counts=np.zeros(1, np.int64),
    )


def new_context_memory(rules: Rules, values: Mapping[str, Value]) -> ContextPoolMemory:
    """Return an empty pool, and nothing known of replies."""
    pool = new_memory(rules, values)
    # A reply is a move of one player: the codes of all players need one place together.
    places = min(all_codes(rules) * rules.num_codes, MOST_REPLIES)
    return ContextPoolMemory(
        p=pool.p,
        context=float(values["context"]),
        size=pool.size,
        shared=pool.shared,
        moves=pool.moves,
        counts=pool.counts,
        means=pool.means,
        replies=np.zeros(places),
        reply_sums=np.zeros(places),
    )


PARAMETERS = (
    Parameter(
        "p",
        0.5,
        "how often a move of the pool is tried (best for Havannah: 0.5; 1 for Go)",
        low=0.0,
        high=1.0,
    ),
    Parameter(
        "size",
        10,
        "how many moves the pool has for each player (best for Havannah: 10; for Go: 20)",
        low=1,
        high=1_000_000,
    ),
    Parameter(
        "min",
        50,
        "how many playouts a node must have for its RAVE values to be used",
        low=1,
        high=1_000_000_000,
    ),
    Parameter(
        "pool",
        "player",
        "whose best moves a player tries: its own (player), or those of the player to move at the "
        "node (node)",
        choices=("player", "node"),
        named=False,
    ),
    Parameter(
        "over",
        "uniform",
        "the base playout policy: uniform, or one of the game",
    ),
)

CONTEXT = Parameter(
    "context",
    10.0,
    "of two moves drawn from the pool, try the better reply to the move before, by (s + context / "
    "2) / (r + context): r replies of this search, s their scores (ours)",
    low=0.001,
    high=1e9,
)

POLICIES = (
    PlayoutPolicy(
        "poolrave",
        "Tries moves of the best AMAF means, over uniform playouts or the game's own.",
        (
            PlayoutVariant(
                choose,
                PARAMETERS,
                begin=begin,
                memory=new_memory,
                selected_by="p",
                batch=BatchLearning(choose=choose_in_batch, begin=begin_leaf, memory=batch_memory),
            ),
            PlayoutVariant(
                choose_reply,
                (*PARAMETERS, CONTEXT),
                begin=begin,
                learn=learn_replies,
                reads_edges=False,
                memory=new_context_memory,
                on_new_search=forget_replies,
                selected_by="context",
                playout_fields=(),
            ),
        ),
        pool_min_visits="min",
        base="over",
    ),
)
