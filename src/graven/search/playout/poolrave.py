"""PoolRave: playouts that try the moves of the best RAVE values (Rimmel, Teytaud and Teytaud 2010).

Before each move of the base playout, with probability p, one of the `size` best moves is tried:
those of the greatest AMAF mean for the player to move, in the table of the last node of the tree
with at least `min` playouts. If it is not legal here, or there is no such node yet, the base
playout chooses (their algorithm 1 and section 3). With `pool=node` all players try the moves of the
player to move at that node. The pool is made once a playout, in a batch (learn_after=batch) once a
leaf.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from graven.core import contract
from graven.core.calls import Value
from graven.core.compile import inlined
from graven.core.contract import BatchChoice, Rules
from graven.core.rng import below, drawn_ahead, scaled, uniform
from graven.core.status import Status
from graven.core.value_draws import explores, threshold_of
from graven.search.amaf import NEXT, ONE, player_base
from graven.search.layout import Int64
from graven.search.playout.by_values import nth_set
from graven.search.playout.draw import Codes, Floats
from graven.search.playout.loop import random_move
from graven.search.policy import BatchLearning, Parameter, PlayoutPolicy, PlayoutVariant
from graven.search.tree import DEPTH, NONE, POOL, Record, Tree

# A little less than 1: rounding errors of a product do not matter then.
BELOW = 1.0 - 1e-9
ANY = -1.0  # a mean that every move exceeds


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
        ),
        pool_min_visits="min",
        base="over",
    ),
)
