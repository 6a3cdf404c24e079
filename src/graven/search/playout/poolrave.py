"""PoolRave: playouts that try the moves of the best RAVE values (Rimmel, Teytaud and Teytaud 2010).

Before each move of the underlying playout, with probability p, one of the `size` best moves is
tried: those of the greatest AMAF mean for the player to move, in the table of the last node of the
tree with at least `min` playouts. If it is not legal here, or there is no such node yet, the
underlying playout chooses (their algorithm 1 and section 3).

The pool is made once a playout. `codes` holds each player's moves, best first, and `weights` the
means while they are sorted; `log` how many each player has. `params`: p, size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.rng import Rng, below, uniform
from graven.search.plan import Learner
from graven.search.playout.loop import play_with
from graven.search.policy import Parameter, PlayoutForm, PlayoutPolicy, Value, new_learner
from graven.search.tree import NONE, POOL, Record, Tree

P, SIZE = range(2)
# A little less than 1: what rounding may make of a product does not matter then.
BELOW = 1.0 - 1e-9
ANY = -1.0  # a mean that every move exceeds


@inlined
def fill_pool(rules: Rules, tree: Tree, learner: Learner, table: int, player: int) -> None:
    """Put a player's best moves into the pool; among equals the lower code comes first."""
    size, means, codes = int(learner.params[SIZE]), learner.weights, learner.codes
    entry = np.uint64(2 * (table * rules.players + player) * rules.num_codes)
    first, count, bar = player * size, 0, ANY
    for move in range(rules.num_codes):
        playouts, total = tree.amaf[entry], tree.amaf[entry + np.uint64(1)]
        entry += np.uint64(2)
        # One comparison for most moves, those never played and those far from the best.
        if total <= bar * playouts:
            continue
        mean = total / playouts
        if count == size and mean <= means[size - 1]:
            continue
        at = min(count, size - 1)
        while at > 0 and means[at - 1] < mean:
            means[at] = means[at - 1]
            codes[first + at] = codes[first + at - 1]
            at -= 1
        means[at] = mean
        codes[first + at] = move
        count = min(count + 1, size)
        bar = BELOW * means[size - 1] if count == size else ANY
    learner.log[player] = count


@inlined
def choose(
    rules: Rules,
    tree: Tree,
    record: Record,
    learner: Learner,
    player: int,
    length: int,
    rng: Rng,
) -> int:
    """A move of the pool, if chance and the rules allow it; else the underlying playout's."""
    if learner.log[player] > 0 and uniform(rng) < learner.params[P]:
        at = player * int(learner.params[SIZE]) + below(rng, learner.log[player])
        move: Any = np.int64(learner.codes[at])
        if contract.is_playout_move(rules, record.state, player, move, record.moves):
            return move
    return contract.sample(rules, record.state, player, record.moves, rng)


def play_out(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Make the pool, and play."""
    for player in range(rules.players):
        learner.log[player] = 0
        if record.shape[POOL] != NONE:
            fill_pool(rules, tree, learner, record.shape[POOL], player)
    return play_with(choose, rules, tree, record, learner, rng)


def memory(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """Room for the pool, which never has more moves than there are."""
    size = min(int(values["size"]), rules.num_codes)
    return new_learner(
        params=np.array([values["p"], size], np.float64),
        weights=np.zeros(size),
        codes=np.zeros(rules.players * size, np.uint32),
        log=np.zeros(rules.players, np.int64),
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
        "over",
        "uniform",
        "the underlying playout: uniform, or one that the game brings itself",
    ),
)

POLICIES = (
    PlayoutPolicy(
        "poolrave",
        "Tries moves of the best AMAF means, over uniform playouts or the game's own.",
        (PlayoutForm(play_out, PARAMETERS, memory=memory, tell="p"),),
        pool="min",
        over="over",
    ),
)
