"""MAST: moves that were good on average are played more often (Finnsson and Björnsson 2008).

    mast(k)        drawn with probability proportional to exp(k * mean)
                   (Cazenave 2016, algorithms 3 and 5; a move never played counts as mean 0)
    mast(epsilon)  the move of the best mean; with probability epsilon any legal move
                   (Sironi and Winands 2016, section II.B; a move never played counts as mean 1)

Means are kept for each player and move, or for each player and feature code (MASTF), over all
simulations, their part in the tree included.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any, NamedTuple

import numpy as np

from graven.core import contract
from graven.core.calls import Value
from graven.core.compile import inlined
from graven.core.contract import GREEDY as GREEDY_RULE
from graven.core.contract import SIMULTANEOUS, WEIGHTED, Rules, ValuePolicy
from graven.core.exponentials import exponentials
from graven.core.rng import uniform
from graven.core.rollout import BAD_CHOICE
from graven.core.vectors import LANES
from graven.search.amaf import player_of
from graven.search.layout import Int64
from graven.search.playout.draw import (
    HIGHEST,
    Codes,
    Floats,
    Options,
    by_code,
    code_capacity,
    draw_best,
    draw_by_logits,
    draw_weighted,
    list_codes,
    mask_of,
    move_at,
    sum_capacity,
    write_tree_part,
)
from graven.search.playout.loop import random_move
from graven.search.policy import BatchLearning, Parameter, PlayoutPolicy, PlayoutVariant
from graven.search.tree import LENGTH, Record, Tree, trace_capacity


class GibbsMemory(NamedTuple):
    """Statistics, and the softmax policy that follows from them."""

    k: float
    shift: float  # weights are exp(logit - shift)
    unseen: float  # the mean of a code never played
    decay: float  # the part of the statistics kept from one search to the next
    batch: float  # simulations between two decays within a search; 0: none
    batch_decay: float
    statistics: Floats  # [2 * (player * features + code)]: times played; after it, sum of scores
    logits: Floats  # [player * features + code]: k * mean
    weights: Floats  # [player * features + code]: exp(logit - shift)
    sums_so_far: Floats  # [sum_capacity]: scratch of `draw_weighted`
    exponents: Floats  # [LANES]: scratch of `learn`
    codes: Codes  # [code_capacity]: the codes of one position's moves
    played: Codes  # [trace_capacity]: player * features + code of each entry of the trace
    learned: Int64  # [1]: simulations learned from
    mask: np.uint64


class GreedyMemory(NamedTuple):
    """Statistics, and the means that follow from them."""

    epsilon: Floats  # [player]
    joint: int  # whether players who move simultaneously explore together
    explores: Int64  # [1]: whether the last draw of epsilon said any move
    unseen: float  # the mean of a code never played
    decay: float  # the part of the statistics kept from one search to the next
    batch: float  # simulations between two decays within a search; 0: none
    batch_decay: float
    statistics: Floats  # [2 * (player * features + code)]: times played; after it, sum of scores
    means: Floats  # [player * features + code]
    codes: Codes  # [code_capacity]: the codes of one position's moves
    played: Codes  # [trace_capacity]: player * features + code of each entry of the trace
    learned: Int64  # [1]: simulations learned from
    mask: np.uint64


@inlined
def note(record: Record, memory: Any, base: int, at: int) -> None:
    """Remember the code of the move chosen, the `at`-th of the list, for `learn`."""
    memory.played[record.shape[LENGTH]] = base + (memory.codes[at] & memory.mask)


def choose_gibbs(rules: Rules, record: Record, memory: GibbsMemory, player: int) -> int:
    """Return a move with probability proportional to exp(k * mean)."""
    codes, mask, base = memory.codes, memory.mask, player * rules.num_features
    count = list_codes(rules, record, codes, player)
    if count < 0:
        return count
    at, _ = draw_weighted(
        Options(memory.weights, codes, mask, base, size=count), memory.sums_so_far, record.rng
    )
    if at < 0:
        at = draw_by_logits(Options(memory.logits, codes, mask, base, size=count), record.rng)
    note(record, memory, base, at)
    return move_at(rules, record, codes, at)


def choose_greedy(rules: Rules, record: Record, memory: GreedyMemory, player: int) -> int:
    """Return the move of the best mean, or any move."""
    codes, base = memory.codes, player * rules.num_features
    if not memory.joint or player == 0 or contract.turn(rules, record.state) != SIMULTANEOUS:
        memory.explores[0] = uniform(record.rng) < memory.epsilon[player]
    if memory.explores[0]:
        move = random_move(rules, record, player)
        if 0 <= move < rules.num_codes:
            record.moves[0] = move
            contract.features(rules, record.state, player, record.moves, count=1, codes=codes)
            if codes[0] >= rules.num_features:
                return BAD_CHOICE
            note(record, memory, base, 0)
        return move
    count = list_codes(rules, record, codes, player)
    if count < 0:
        return count
    at = draw_best(Options(memory.means, codes, memory.mask, base, size=count), record.rng)
    note(record, memory, base, at)
    return move_at(rules, record, codes, at)


def note_forced(rules: Rules, record: Record, memory: Any, player: int, move: int) -> None:
    """Note a decisive move, which is learned from as any other."""
    record.moves[0] = move
    contract.features(rules, record.state, player, record.moves, count=1, codes=memory.codes)
    note(record, memory, player * rules.num_features, 0)


@inlined
def count_moves(rules: Rules, tree: Tree, record: Record, memory: Any) -> None:
    """Complete `played` and add the simulation's moves to the statistics."""
    statistics, played = memory.statistics, memory.played
    write_tree_part(rules, tree, record, played)
    for place in range(record.shape[LENGTH]):
        code = played[place]
        statistics[2 * code] += 1.0
        statistics[2 * code + 1] += record.scores[player_of(code, rules.num_features)]


@inlined
def batch_ends(memory: Any) -> bool:
    """Count one more simulation; return whether it is the last of a batch."""
    memory.learned[0] += 1
    return memory.batch > 0 and memory.learned[0] % memory.batch == 0


@inlined
def scale(values: Floats, factor: float) -> None:
    """Multiply all values by a factor."""
    for i in range(len(values)):
        values[i] *= factor


def learn_gibbs(rules: Rules, tree: Tree, record: Record, memory: GibbsMemory) -> None:
    """Update the mean of every move played (algorithm 5)."""
    count_moves(rules, tree, record, memory)
    statistics = memory.statistics
    exponents, length = memory.exponents, record.shape[LENGTH]
    for first in range(0, length, LANES):
        lanes = min(LANES, length - first)
        for lane in range(lanes):
            code = memory.played[first + lane]
            logit = memory.k * (statistics[2 * code + 1] / statistics[2 * code])
            memory.logits[code] = logit
            exponents[lane] = logit - memory.shift
        exponentials(exponents)
        for lane in range(lanes):
            memory.weights[memory.played[first + lane]] = exponents[lane]
    if batch_ends(memory):
        scale(statistics, memory.batch_decay)


def learn_greedy(rules: Rules, tree: Tree, record: Record, memory: GreedyMemory) -> None:
    """Update the mean of every move played."""
    count_moves(rules, tree, record, memory)
    statistics = memory.statistics
    for place in range(record.shape[LENGTH]):
        code = memory.played[place]
        memory.means[code] = statistics[2 * code + 1] / statistics[2 * code]
    if batch_ends(memory):
        scale(statistics, memory.batch_decay)


def greedy_values(memory: GreedyMemory) -> ValuePolicy:
    """Return how a batch chooses: the move of the best mean, or any move."""
    return ValuePolicy(GREEDY_RULE, memory.epsilon[0], memory.means, choose=0, memory=0)


def gibbs_values(memory: GibbsMemory) -> ValuePolicy:
    """Return how a batch chooses: with probability proportional to exp(k * mean)."""
    return ValuePolicy(WEIGHTED, 0.0, memory.weights, choose=0, memory=0)


def count_trace(rules: Rules, tree: Tree, record: Record, memory: Any) -> None:
    """Add a simulation's moves to the statistics; codes are moves here."""
    statistics = memory.statistics
    for place in range(record.shape[LENGTH]):
        code = record.trace[place]
        statistics[2 * code] += 1.0
        statistics[2 * code + 1] += record.scores[player_of(code, rules.num_codes)]
    if batch_ends(memory):
        scale(statistics, memory.batch_decay)


def settle_greedy(rules: Rules, memory: GreedyMemory) -> None:
    """Update the mean of every move ever played."""
    statistics = memory.statistics
    for code in range(rules.players * rules.num_codes):
        if statistics[2 * code] > 0.0:
            memory.means[code] = statistics[2 * code + 1] / statistics[2 * code]


def settle_gibbs(rules: Rules, memory: GibbsMemory) -> None:
    """Update the weight of every move ever played."""
    statistics = memory.statistics
    for code in range(rules.players * rules.num_codes):
        if statistics[2 * code] > 0.0:
            logit = memory.k * (statistics[2 * code + 1] / statistics[2 * code])
            memory.logits[code] = logit
            memory.weights[code] = exp(logit - memory.shift)


def _shared(rules: Rules, values: Mapping[str, Value]) -> dict[str, Any]:
    """Return the fields that both memories have."""
    return {
        "unseen": float(values["unseen"]),
        "decay": float(values["decay"]),
        "batch": float(values["batch"]),
        "batch_decay": float(values["batch_decay"]),
        "statistics": np.concatenate([by_code(rules)] * 2),
        "codes": np.zeros(code_capacity(rules), np.uint32),
        "played": np.zeros(trace_capacity(rules), np.uint32),
        "learned": np.zeros(1, np.int64),
        "mask": mask_of(rules),
    }


def memory_gibbs(rules: Rules, values: Mapping[str, Value]) -> GibbsMemory:
    """Return the memory of a policy that has learned nothing yet."""
    k = float(values["k"])
    memory = GibbsMemory(
        k=k,
        shift=max(0.0, k - HIGHEST),
        logits=by_code(rules),
        weights=by_code(rules),
        sums_so_far=np.zeros(sum_capacity(rules)),
        exponents=np.zeros(LANES),
        **_shared(rules, values),
    )
    forget_gibbs(memory)
    return memory


def memory_greedy(rules: Rules, values: Mapping[str, Value]) -> GreedyMemory:
    """Return the memory of a policy that has learned nothing yet."""
    memory = GreedyMemory(
        epsilon=np.full(rules.players, float(values["epsilon"])),
        joint=int(values["joint"]),
        explores=np.zeros(1, np.int64),
        means=by_code(rules),
        **_shared(rules, values),
    )
    forget_greedy(memory)
    return memory


def forget_gibbs(memory: GibbsMemory) -> None:
    """Reset every code to one that was never played."""
    logit = memory.k * memory.unseen
    memory.statistics[:] = 0.0
    memory.learned[0] = 0
    memory.logits[:] = logit
    memory.weights[:] = exp(logit - memory.shift)


def forget_greedy(memory: GreedyMemory) -> None:
    """Reset every code to one that was never played."""
    memory.statistics[:] = 0.0
    memory.learned[0] = 0
    memory.means[:] = memory.unseen


def decay_gibbs(memory: GibbsMemory) -> None:
    """Keep the part of the statistics that `decay` says.

    Means, and so weights, stay as they are; later simulations count for more.
    """
    if memory.decay == 0:
        forget_gibbs(memory)
    else:
        memory.statistics[:] *= memory.decay


def decay_greedy(memory: GreedyMemory) -> None:
    """Keep the part of the statistics that `decay` says, as `decay_gibbs`."""
    if memory.decay == 0:
        forget_greedy(memory)
    else:
        memory.statistics[:] *= memory.decay


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
    auto=(0.1, 0.2, 0.4, 0.6, 0.8),
)


def unseen(default: float, paper: str) -> Parameter:
    """The mean of a move that was never played."""
    return Parameter(
        "unseen", default, f"the mean of a move that was never played ({paper})", 0.0, high=1.0
    )


def decay(default: float, paper: str) -> Parameter:
    """How much is kept from move to move."""
    return Parameter(
        "decay",
        default,
        f"the part of the statistics kept from one move of a game to the next ({paper})",
        0.0,
        high=1.0,
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
    Parameter("batch_decay", 0.5, "the part of the statistics kept after a batch", 0.001, high=1.0),
)

JOINT = Parameter(
    "joint",
    False,
    "one draw of epsilon for all players who move simultaneously (true: the program of Sironi and "
    "Winands)",
)

GIBBS = PlayoutVariant(
    choose_gibbs,
    (K, unseen(0.0, "Cazenave 2016: 0"), decay(0.0, "Cazenave 2016: 0"), *BATCHES),
    learn=learn_gibbs,
    reads_edges=False,
    forced=note_forced,
    memory=memory_gibbs,
    on_new_search=decay_gibbs,
    selected_by="k",
    batch=BatchLearning(policy=gibbs_values, count=count_trace, settle=settle_gibbs),
    playout_fields=("played",),
)
GREEDY = PlayoutVariant(
    choose_greedy,
    (
        EPSILON,
        unseen(1.0, "Finnsson and Björnsson 2008: 1"),
        decay(0.2, "Sironi and Winands 2016: 0.2"),
        JOINT,
        *BATCHES,
    ),
    learn=learn_greedy,
    reads_edges=False,
    forced=note_forced,
    memory=memory_greedy,
    on_new_search=decay_greedy,
    selected_by="epsilon",
    batch=BatchLearning(policy=greedy_values, count=count_trace, settle=settle_greedy),
    playout_fields=("played",),
)

POLICIES = (
    PlayoutPolicy(
        "mast",
        "Moves by their mean over all simulations, with exp(k * mean) or epsilon-greedy.",
        (GIBBS, GREEDY),
    ),
    PlayoutPolicy("mastf", "MAST over feature codes.", (GIBBS, GREEDY), features=True),
)
