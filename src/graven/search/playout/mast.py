"""MAST: moves that were good on average are played more often (Finnsson and Björnsson 2008).

    mast(k)        drawn with probability proportional to exp(k * mean)
                   (Cazenave 2016, algorithms 3 and 5; a move never played counts as mean 0)
    mast(epsilon)  the move of the best mean; with probability epsilon any legal move
                   (Sironi and Winands 2016, section II.B; a move never played counts as mean 1)

Means are kept for each player and move, or for each player and feature code (MASTF), over all
simulations, their part in the tree included.

`sums` holds, for each code, how often it was played and the sum of its player's scores; `codes`
first the codes of one position's legal moves, then those of the moves played; `log` the number of
simulations learned from, and where the moves played begin. With Gibbs sampling `logits` are
k * mean, else `weights` the means.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

import numpy as np

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.rng import Rng, uniform
from graven.search.backup import player_of
from graven.search.plan import Learner
from graven.search.playout.draw import (
    HIGHEST,
    by_code,
    code_room,
    draw_best,
    draw_by_logits,
    draw_weighted,
    list_codes,
    mask_of,
    move_at,
    write_tree_part,
)
from graven.search.playout.loop import BAD_CHOICE, play_with
from graven.search.policy import Parameter, PlayoutForm, PlayoutPolicy, Value, new_learner
from graven.search.tree import LENGTH, Record, Tree, trace_capacity

# What `params` holds.
STRENGTH, SHIFT, UNSEEN, DECAY, BATCH, BATCH_DECAY = range(6)
# What `log` holds.
LEARNED, PLAYED = range(2)


@inlined
def note(rules: Rules, learner: Learner, player: int, length: int, at: int) -> None:
    """Remember the code of the move chosen, the `at`-th of the list, for `learn`."""
    code = player * rules.num_features + (learner.codes[at] & learner.mask)
    learner.codes[learner.log[PLAYED] + length] = code


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
    """A move with probability proportional to exp(k * mean)."""
    count = list_codes(rules, record, learner, player, 0)
    if count < 0:
        return count
    base = player * rules.num_features
    at, _ = draw_weighted(learner, base, 0, count, rng)
    if at < 0:
        at = draw_by_logits(learner, base, 0, count, rng)
    note(rules, learner, player, length, at)
    return move_at(rules, record, learner, 0, at)


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
    """The move of the best mean, or any move."""
    if uniform(rng) < learner.params[STRENGTH]:
        move = contract.sample(rules, record.state, player, record.moves, rng)
        if 0 <= move < rules.num_codes:
            record.moves[0] = move
            contract.features(rules, record.state, player, record.moves, 1, learner.codes)
            if learner.codes[0] >= rules.num_features:
                return BAD_CHOICE
            note(rules, learner, player, length, 0)
        return move
    count = list_codes(rules, record, learner, player, 0)
    if count < 0:
        return count
    at = draw_best(learner, player * rules.num_features, count, rng)
    note(rules, learner, player, length, at)
    return move_at(rules, record, learner, 0, at)


def play_gibbs(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Gibbs sampling to the end."""
    return play_with(choose_gibbs, rules, tree, record, learner, rng)


def play_greedy(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Epsilon-greedy moves to the end."""
    return play_with(choose_greedy, rules, tree, record, learner, rng)


@inlined
def count_moves(rules: Rules, tree: Tree, record: Record, learner: Learner) -> int:
    """Add the simulation's moves to `sums`; where the list of their codes begins."""
    first = learner.log[PLAYED]
    write_tree_part(rules, tree, record, learner.codes[first:])
    for place in range(first, first + record.shape[LENGTH]):
        code = learner.codes[place]
        learner.sums[2 * code] += 1.0
        learner.sums[2 * code + 1] += record.scores[player_of(code, rules.num_features)]
    return first


@inlined
def decay_batch(learner: Learner, batch: float, kept: float) -> None:
    """One more simulation has been learned from: after each batch keep a part of the statistics."""
    learner.log[LEARNED] += 1
    if batch > 0 and learner.log[LEARNED] % batch == 0:
        for i in range(len(learner.sums)):
            learner.sums[i] *= kept


def learn_gibbs(rules: Rules, tree: Tree, record: Record, learner: Learner) -> None:
    """Algorithm 5: every move played has a new mean."""
    first = count_moves(rules, tree, record, learner)
    k, shift = learner.params[STRENGTH], learner.params[SHIFT]
    for place in range(first, first + record.shape[LENGTH]):
        code = learner.codes[place]
        logit = k * (learner.sums[2 * code + 1] / learner.sums[2 * code])
        learner.logits[code] = logit
        learner.weights[code] = exp(logit - shift)
    decay_batch(learner, learner.params[BATCH], learner.params[BATCH_DECAY])


def learn_greedy(rules: Rules, tree: Tree, record: Record, learner: Learner) -> None:
    """Every move played has a new mean."""
    first = count_moves(rules, tree, record, learner)
    for place in range(first, first + record.shape[LENGTH]):
        code = learner.codes[place]
        learner.weights[code] = learner.sums[2 * code + 1] / learner.sums[2 * code]
    decay_batch(learner, learner.params[BATCH], learner.params[BATCH_DECAY])


def _memory(rules: Rules, values: Mapping[str, Value], k: float | None) -> Learner:
    """Room for statistics; with `k`, for logits as well."""
    shift = max(0.0, k - HIGHEST) if k is not None else 0.0
    strength = k if k is not None else values["epsilon"]
    params = [strength, shift, values["unseen"], values["decay"]]
    params += [values["batch"], values["batch_decay"]]
    learner = new_learner(
        params=np.array(params, dtype=np.float64),
        logits=by_code(rules) if k is not None else np.zeros(1),
        weights=by_code(rules),
        sums=np.concatenate([by_code(rules)] * 2),
        codes=np.zeros(code_room(rules) + trace_capacity(rules), np.uint32),
        log=np.array([0, code_room(rules)]),
        mask=mask_of(rules),
    )
    _forget(learner)
    return learner


def _forget(learner: Learner) -> None:
    """Every move is as good as one never played."""
    unseen, k = learner.params[UNSEEN], learner.params[STRENGTH]
    learner.sums[:] = 0.0
    learner.log[LEARNED] = 0
    if len(learner.logits) > 1:
        learner.logits[:] = k * unseen
        learner.weights[:] = exp(k * unseen - learner.params[SHIFT])
    else:
        learner.weights[:] = unseen


def carry(learner: Learner) -> None:
    """To the next move of a game: keep the part of the statistics that `decay` says.

    Means, and so weights, stay as they are; what is learned next counts for more.
    """
    if learner.params[DECAY] == 0:
        _forget(learner)
    else:
        learner.sums[:] *= learner.params[DECAY]


def memory_gibbs(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """For Gibbs sampling."""
    return _memory(rules, values, float(values["k"]))


def memory_greedy(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """For epsilon-greedy playouts."""
    return _memory(rules, values, None)


K = Parameter(
    "k",
    4.0,
    "Gibbs sampling: a move is drawn with probability proportional to exp(k * mean) "
    "(Cazenave 2016, algorithm 3)",
    low=0.0,
    high=1e6,
)
EPSILON = Parameter(
    "epsilon",
    0.4,
    "epsilon-greedy: the move of the best mean, but any move with this probability "
    "(Sironi and Winands 2016: 0.4); unseen is then 1 and decay 0.2 unless given",
    low=0.0,
    high=1.0,
)


def unseen(default: float, paper: str) -> Parameter:
    """The mean of a move that was never played."""
    return Parameter(
        "unseen", default, f"the mean of a move that was never played ({paper})", 0.0, 1.0
    )


def decay(default: float, paper: str) -> Parameter:
    """How much is kept from move to move."""
    return Parameter(
        "decay",
        default,
        f"the part of the statistics kept from one move of a game to the next ({paper})",
        0.0,
        1.0,
    )


BATCHES = (
    Parameter(
        "batch",
        0,
        "decay by simulations: after each batch of so many, 0 for never (Tak, Winands and "
        "Björnsson 2014)",
        low=0,
        high=1e9,
    ),
    Parameter("batch_decay", 0.5, "the part of the statistics kept after a batch", 0.001, 1.0),
)

GIBBS = PlayoutForm(
    play_gibbs,
    (K, unseen(0.0, "Cazenave 2016: 0"), decay(0.0, "Cazenave 2016: 0"), *BATCHES),
    learn_gibbs,
    memory_gibbs,
    carry,
    tell="k",
)
GREEDY = PlayoutForm(
    play_greedy,
    (
        EPSILON,
        unseen(1.0, "Finnsson and Björnsson 2008: 1"),
        decay(0.2, "Sironi and Winands 2016: 0.2"),
        *BATCHES,
    ),
    learn_greedy,
    memory_greedy,
    carry,
    tell="epsilon",
)

POLICIES = (
    PlayoutPolicy(
        "mast",
        "Moves by their mean over all simulations, with exp(k * mean) or epsilon-greedy.",
        (GIBBS, GREEDY),
    ),
    PlayoutPolicy("mastf", "MAST over feature codes.", (GIBBS, GREEDY), features=True),
)
