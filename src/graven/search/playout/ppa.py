"""PPA: a softmax playout policy, learned while searching (Cazenave 2016, algorithms 3 and 4).

Each move has a logit, 0 at first, and is drawn with probability proportional to its exponential.
After a simulation the winner's policy is adapted: for each of the winner's moves, in the tree as
well as in the playout,

    logit(move) += alpha
    logit(m)    -= alpha * exp(logit(m)) / sum over legal moves of exp(logit),  for all legal m

where the probabilities are those of the policy before the simulation. Winners are the players with
the best score, unless all have it. PPAF is the same over feature codes. With policy=shared all
players have one policy, as the single array of algorithm 3.

PPAM ("Memorizing the Playout Policy", Cazenave and Diemert 2017) keeps the policy from one search
of a game to the next: decay = 1.

A playout records the codes of the moves that were legal, so that nothing is played again to learn
from it. In a batch (learn_after=batch) it records them as bits; the probabilities are those of the
policy before the batch, and all changes are added after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any, NamedTuple

import numpy as np

from graven.core import bits
from graven.core.bits import words_for
from graven.core.calls import Value
from graven.core.compile import inlined
from graven.core.contract import CHANCE, BatchChoice, Rules
from graven.core.errors import UsageError
from graven.core.exponentials import exponential, exponentials
from graven.core.status import Status
from graven.core.value_draws import fraction
from graven.core.vectors import LANES
from graven.search.amaf import player_of
from graven.search.layout import Int64
from graven.search.playout.decisive_moves import not_noted
from graven.search.playout.draw import (
    HIGHEST,
    TINY,
    Codes,
    Floats,
    Options,
    by_code,
    code_capacity,
    draw_by_logits,
    draw_weighted,
    highest_and_sum,
    list_codes,
    mask_of,
    move_at,
    sum_capacity,
)
from graven.search.playout.mast import decay
from graven.search.policy import BatchLearning, Parameter, PlayoutPolicy, PlayoutVariant
from graven.search.tree import LENGTH, NONE, STEPS, Record, Tree, trace_capacity
from graven.search.tree_nodes import choosers

EXPONENTS = 8 * LANES  # exponentials that are computed at a time


class PpaMemory(NamedTuple):
    """The policy, and the choices of the playout under way."""

    alpha: float
    shared: int  # whether all players have the policy of player 0
    decay: float  # the part of the logits kept from one search to the next
    features: int  # how many codes a player has
    logits: Floats  # [player * features + code]
    weights: Floats  # [player * features + code]: exp(logit - shift of the player)
    shifts: Floats  # [player]
    mask: np.uint64
    # The choices of the playout, in order.
    choices: Int64  # [1]: how many there are
    starts: Int64  # [choice]: where its codes begin; [choices] is where the next one's would
    chosen: Int64  # [choice]: which of its codes was chosen
    movers: Int64  # [choice]: the player
    totals: Floats  # [choice]: the sum of the weights of its codes
    codes: Codes  # the codes of all choices, one after another
    sums_so_far: Floats  # [sum_capacity]: scratch of `draw_weighted`
    # What a simulation changes.
    changes: Floats  # [player * features + code]: what is to be added to the logit
    touched: Codes  # player * features + code of the logits that change
    num_touched: Int64  # [1]
    exponents: Floats  # [EXPONENTS]: scratch
    node_codes: Codes  # [max_moves]: scratch: the codes at a node of the tree
    # Of batches.
    stride: int  # the most moves of a playout
    words: int  # words of a set of moves
    made: Int64  # [playout]: its moves so far
    legal: Int64  # [(playout * stride + place) * words + word]: what a move was chosen from
    sums: Floats  # [playout * stride + place]: the sum of the weights of these
    counted: Int64  # [1]: playouts of the batch learned from
    # The moves of the playout learned from last, and what they were chosen from: for other threads.
    last_made: Int64  # [1]
    last_legal: Int64  # [place * words + word]
    pending: Floats  # [player * features + code]: what the batch adds to the logit


@inlined
def policy_base(rules: Rules, memory: PpaMemory, player: int) -> int:
    """Return the index of the first logit of a player's policy."""
    return 0 if memory.shared else player * rules.num_features


class Choice(NamedTuple):
    """One choice to learn from: the options of a player and which was chosen."""

    player: int
    codes: Codes
    size: int
    chosen: int
    total: float  # the sum of the weights


def begin(rules: Rules, tree: Tree, record: Record, memory: PpaMemory) -> int:
    """Start with no choices."""
    memory.choices[0] = 0
    memory.starts[0] = 0
    return Status.OK


def choose(rules: Rules, record: Record, memory: PpaMemory, player: int) -> int:
    """Return a move with probability proportional to exp(logit); record what was legal."""
    choice = memory.choices[0]
    start = memory.starts[choice]
    codes, mask, base = memory.codes[start:], memory.mask, policy_base(rules, memory, player)
    count = list_codes(rules, record, codes, player)
    if count < 0:
        return count
    at, total = draw_weighted(
        Options(memory.weights, codes, mask, base, size=count), memory.sums_so_far, record.rng
    )
    if at < 0:
        at = draw_by_logits(Options(memory.logits, codes, mask, base, size=count), record.rng)
    memory.totals[choice] = total
    memory.chosen[choice] = at
    memory.movers[choice] = player
    memory.starts[choice + 1] = start + count
    memory.choices[0] = choice + 1
    return move_at(rules, record, codes, at)


@inlined
def adapt(rules: Rules, memory: PpaMemory, choice: Choice) -> None:
    """Collect in `changes` what one choice of a winner changes, and list the codes it touches."""
    alpha, weights, mask = memory.alpha, memory.weights, memory.mask
    codes, changes = choice.codes, memory.changes
    base: Any = np.uint64(policy_base(rules, memory, choice.player))
    code = base + (codes[choice.chosen] & mask)
    touched = touch(memory, memory.num_touched[0], code)
    changes[code] += alpha
    if choice.total >= TINY:
        part = alpha / choice.total
        for i in range(choice.size):
            code = base + (codes[i] & mask)
            touched = touch(memory, touched, code)
            changes[code] -= part * weights[code]
    else:
        top, total = highest_and_sum(Options(memory.logits, codes, mask, base, size=choice.size))
        for i in range(choice.size):
            code = base + (codes[i] & mask)
            touched = touch(memory, touched, code)
            changes[code] -= alpha / total * exp(memory.logits[code] - top)
    memory.num_touched[0] = touched


@inlined
def touch(memory: PpaMemory, touched: int, code: np.uint64) -> int:
    """List a code unless it has been changed before; return the new length of the list."""
    memory.touched[touched] = code
    return touched + (memory.changes[code] == 0.0)


@inlined
def settle(rules: Rules, memory: PpaMemory) -> None:
    """Add the changes to the logits, and update the weights."""
    touched, exponents = memory.touched, memory.exponents
    count, codes = memory.num_touched[0], rules.players * rules.num_features
    highest = 0.0
    for first in range(0, count, EXPONENTS):
        size = min(EXPONENTS, count - first)
        for i in range(size):
            code = touched[first + i]
            memory.logits[code] += memory.changes[code]
            memory.changes[code] = 0.0
            if code < codes:  # a code out of range, which is never played, has no weight
                shift = memory.shifts[player_of(code, rules.num_features)]
                exponents[i] = memory.logits[code] - shift
                highest = max(highest, exponents[i])
        for i in range(0, size, LANES):
            exponentials(exponents[i:])
        for i in range(size):
            if touched[first + i] < codes:
                memory.weights[touched[first + i]] = exponents[i]
    if highest > HIGHEST:
        raise_shifts(rules, memory)


@inlined
def raise_shifts(rules: Rules, memory: PpaMemory) -> None:
    """Raise the shifts of players with a touched logit whose weight would be too large.

    Such a logit gets the weight 1, and all others of the player weights relative to it.
    """
    features = rules.num_features
    for i in range(memory.num_touched[0]):
        code = memory.touched[i]
        if code >= rules.players * features:
            continue
        player, logit = player_of(code, features), memory.logits[code]
        if logit - memory.shifts[player] > HIGHEST:
            memory.shifts[player] = logit
            for other in range(player * features, (player + 1) * features):
                memory.weights[other] = exponential(min(memory.logits[other] - logit, HIGHEST))


@inlined
def wins(rules: Rules, record: Record, player: int) -> bool:
    """Return whether no score is better than a player's, and some score is worse."""
    better, worse = False, False
    for opponent in range(rules.players):
        better |= record.scores[opponent] > record.scores[player]
        worse |= record.scores[opponent] < record.scores[player]
    return worse and not better


@inlined
def tree_choice(rules: Rules, tree: Tree, memory: PpaMemory, place: int, edge: int) -> Choice:
    """Return the choice of an edge in the tree; `place` is node * players + player."""
    first, count, codes = tree.first[place], tree.degree[place], memory.node_codes
    player = place % rules.players
    base, total = np.uint64(policy_base(rules, memory, player)), 0.0
    for i in range(count):
        code = tree.codes[first + i] if rules.feature else tree.moves[first + i]
        codes[i] = code
        total += memory.weights[base + (code & memory.mask)]
    return Choice(player, codes, count, edge - first, total=total)


def learn(rules: Rules, tree: Tree, record: Record, memory: PpaMemory) -> None:
    """Adapt the policy of every winner (algorithm 4)."""
    adapt_winners(rules, tree, record, memory)


@inlined
def adapt_tree_part(rules: Rules, tree: Tree, record: Record, memory: PpaMemory) -> None:
    """Begin with the changes of a simulation: find the winners, and adapt their tree choices.

    record.joint[player] receives whether the player wins.
    """
    players = rules.players
    memory.num_touched[0] = 0
    for player in range(players):
        record.joint[player] = wins(rules, record, player)
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        if turn == CHANCE:
            continue
        low, high = choosers(turn, players)
        for player in range(low, high):
            if record.joint[player]:
                place = record.path[depth] * players + player
                edge = record.edges[depth * players + player]
                adapt(rules, memory, tree_choice(rules, tree, memory, place, edge=edge))


@inlined
def adapt_winners(rules: Rules, tree: Tree, record: Record, memory: PpaMemory) -> None:
    """Adapt the policy of every winner, with the sums of weights in `memory.totals`."""
    starts = memory.starts
    adapt_tree_part(rules, tree, record, memory)
    for i in range(memory.choices[0]):
        mover, start = memory.movers[i], starts[i]
        if record.joint[mover]:
            codes, count = memory.codes[start:], starts[i + 1] - start
            adapt(
                rules, memory, Choice(mover, codes, count, memory.chosen[i], total=memory.totals[i])
            )
    settle(rules, memory)


@inlined
def sum_of_weights(options: Options) -> float:
    """Return the sum of the weights of some options, added in the order of `draw_weighted`."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    for i in range(options.size):
        weight = options.values[options.base + (options.codes[i] & options.mask)]
        first += weight if i & 3 == 0 else 0.0
        second += weight if i & 3 == 1 else 0.0
        third += weight if i & 3 == 2 else 0.0
        fourth += weight if i & 3 == 3 else 0.0
    return ((first + second) + third) + fourth


def learn_later(rules: Rules, tree: Tree, record: Record, memory: PpaMemory) -> None:
    """Adapt the policy after a playout by an earlier policy: probabilities are those of now."""
    weights, mask, starts = memory.weights, memory.mask, memory.starts
    for i in range(memory.choices[0]):
        codes, count = memory.codes[starts[i] :], starts[i + 1] - starts[i]
        base: Any = np.uint64(memory.movers[i] * rules.num_features)
        memory.totals[i] = sum_of_weights(Options(weights, codes, mask, base, size=count))
    adapt_winners(rules, tree, record, memory)


def begin_leaf(
    rules: Rules, tree: Tree, record: Record, memory: PpaMemory, leaf: int, playouts: int
) -> None:
    """Prepare the playouts of a leaf: they have made no move yet."""
    for playout in range(leaf * playouts, (leaf + 1) * playouts):
        memory.made[playout] = 0
    if leaf == 0:
        memory.counted[0] = 0


def choose_in_batch(memory: PpaMemory, choice: BatchChoice) -> int:
    """Return a move with probability proportional to exp(logit); record what was legal.

    The draw is that of the rule WEIGHTED of `core.value_draws`, with weights relative to the
    greatest if their sum is TINY.
    """
    base = 0 if memory.shared else memory.features * choice.player
    values, total = memory.weights, weight_sum(memory.weights, choice.legal, base)
    place = memory.stride * choice.playout + memory.made[choice.playout]
    memory.made[choice.playout] += 1
    memory.sums[place] = total
    for word in range(memory.words):
        memory.legal[place * memory.words + word] = choice.legal[word]
    if not total >= TINY:
        list_bits(choice.legal, memory.node_codes)
        options = Options(memory.logits, memory.node_codes, memory.mask, base, size=choice.size)
        top, total = highest_and_sum(options)
        least, at, reached = total * fraction(choice.random), 0, 0.0
        while at < choice.size - 1:
            reached += exp(memory.logits[base + memory.node_codes[at]] - top)
            if reached > least:
                break
            at += 1
        return np.int64(memory.node_codes[at])  # type: ignore[return-value]
    least, reached, chosen = total * fraction(choice.random), 0.0, 0
    for word in range(len(choice.legal)):
        left = choice.legal[word]
        while left and reached <= least:
            chosen = 64 * word + bits.lowest(left)
            reached += values[base + chosen]
            left &= left - 1
    return chosen


@inlined
def weight_sum(weights: Floats, legal: Int64, base: int) -> float:
    """Return the sum of the weights of some moves, added in the order of codes."""
    total = 0.0
    for word in range(len(legal)):
        left = legal[word]
        while left:
            total += weights[base + 64 * word + bits.lowest(left)]
            left &= left - 1
    return total


@inlined
def list_bits(legal: Int64, codes: Codes) -> int:
    """List a set of moves in the order of codes; return how many there are."""
    count = 0
    for word in range(len(legal)):
        left = legal[word]
        while left:
            codes[count] = 64 * word + bits.lowest(left)
            left &= left - 1
            count += 1
    return count


def learn_in_batch(rules: Rules, tree: Tree, record: Record, memory: PpaMemory) -> None:
    """Learn from the next playout of a batch."""
    playout = memory.counted[0]
    first, made = memory.stride * playout, memory.made[playout]
    memory.last_made[0] = made
    for i in range(made * memory.words):
        memory.last_legal[i] = memory.legal[first * memory.words + i]
    adapt_in_batch(rules, tree, record, memory, first)
    memory.counted[0] = playout + 1


def learn_from_others(rules: Rules, tree: Tree, record: Record, memory: PpaMemory) -> None:
    """Learn from a playout by an earlier policy, of another thread."""
    adapt_in_batch(rules, tree, record, memory, NONE)


@inlined
def adapt_in_batch(rules: Rules, tree: Tree, record: Record, memory: PpaMemory, first: int) -> None:
    """Collect in `pending` what the playout in `last_legal` changes.

    The sums of its weights begin at `first` in `sums`; if that is NONE they are those of now.
    """
    codes, words, made = memory.codes, memory.words, memory.last_made[0]
    adapt_tree_part(rules, tree, record, memory)
    for i in range(made):
        played: Any = np.int64(record.trace[record.shape[LENGTH] - made + i])
        mover = player_of(played, rules.num_codes)
        if record.joint[mover]:
            legal = memory.last_legal[i * words : (i + 1) * words]
            if first == NONE:
                total = weight_sum(memory.weights, legal, policy_base(rules, memory, mover))
            else:
                total = memory.sums[first + i]
            count, chosen, move = list_bits(legal, codes), 0, played - mover * rules.num_codes
            while codes[chosen] != move:
                chosen += 1
            adapt(rules, memory, Choice(mover, codes, count, chosen, total=total))
    for i in range(memory.num_touched[0]):
        code = memory.touched[i]
        memory.pending[code] += memory.changes[code]
        memory.changes[code] = 0.0


def settle_batch(rules: Rules, memory: PpaMemory) -> None:
    """Add the changes of a batch to the logits, and update the weights."""
    codes = rules.num_codes
    for player in range(1 if memory.shared else rules.players):
        top = memory.shifts[player]
        for code in range(player * codes, (player + 1) * codes):
            memory.logits[code] += memory.pending[code]
            memory.pending[code] = 0.0
            top = max(top, memory.logits[code])
        if top - memory.shifts[player] > HIGHEST:
            memory.shifts[player] = top
        for code in range(player * codes, (player + 1) * codes):
            memory.weights[code] = exp(memory.logits[code] - memory.shifts[player])


def batch_memory(memory: PpaMemory, rules: Rules, playouts: int) -> PpaMemory:
    """Return the memory with what batches need."""
    stride, words = trace_capacity(rules), words_for(rules.num_codes)
    places = stride * playouts + rules.players
    return memory._replace(
        stride=stride,
        words=words,
        made=np.zeros(playouts, np.int64),
        legal=np.zeros(places * words, np.int64),
        sums=np.zeros(places),
        last_legal=np.zeros(stride * words, np.int64),
        pending=by_code(rules),
    )


def batch_bytes(rules: Rules, playouts: int) -> int:
    """Return the size of what `batch_memory` adds."""
    return 8 * playouts * trace_capacity(rules) * (1 + words_for(rules.num_codes))


def new_memory(rules: Rules, values: Mapping[str, Value]) -> PpaMemory:
    """Return a uniform policy, and arrays for the longest playout."""
    if rules.players == 1:
        raise UsageError(
            "PPA learns from winners, and a game of one player has none: "
            "use 'graven solve' with nrpa for such games."
        )
    choices = trace_capacity(rules)
    return PpaMemory(
        alpha=float(values["alpha"]),
        shared=int(values["policy"] == "shared"),
        decay=float(values["decay"]),
        features=rules.num_features,
        logits=by_code(rules),
        weights=by_code(rules, 1.0),
        shifts=np.zeros(rules.players),
        mask=mask_of(rules),
        choices=np.zeros(1, np.int64),
        starts=np.zeros(choices + 1, np.int64),
        chosen=np.zeros(choices, np.int64),
        movers=np.zeros(choices, np.int64),
        totals=np.zeros(choices),
        codes=np.zeros(choices * rules.max_moves + code_capacity(rules), np.uint32),
        sums_so_far=np.zeros(sum_capacity(rules)),
        changes=by_code(rules),
        touched=np.zeros((choices + 1) * (rules.max_moves + 1) + 1, np.uint32),
        num_touched=np.zeros(1, np.int64),
        exponents=np.zeros(EXPONENTS),
        node_codes=np.zeros(rules.max_moves, np.uint32),
        stride=0,
        words=0,
        made=np.zeros(1, np.int64),
        legal=np.zeros(1, np.int64),
        sums=np.zeros(1),
        counted=np.zeros(1, np.int64),
        last_made=np.zeros(1, np.int64),
        last_legal=np.zeros(1, np.int64),
        pending=np.zeros(1),
    )


def decay_logits(memory: PpaMemory) -> None:
    """Keep the part of the logits that `decay` says."""
    memory.logits[:] *= memory.decay
    for player in range(len(memory.shifts)):
        mine = slice(player * memory.features, (player + 1) * memory.features)
        top = max(0.0, float(memory.logits[mine].max()) - HIGHEST)
        memory.shifts[player] = top
        memory.weights[mine] = [exp(logit - top) for logit in memory.logits[mine]]


def alpha(default: float) -> Parameter:
    """How strongly a winner's move is favoured."""
    return Parameter(
        "alpha",
        default,
        "what a winner's move gains in the logarithm of its weight (Cazenave 2016, algorithm 4; "
        "best there, game by game: 0.02 to 2.56)",
        low=0.0,
        high=1e6,
    )


POLICY = Parameter(
    "policy",
    "own",
    "each player has an own policy, or all players share one (Cazenave 2016, algorithm 3, has a "
    "single array)",
    choices=("own", "shared"),
)


def _variant(default: float, kept: float = 0.0) -> PlayoutVariant:
    return PlayoutVariant(
        choose,
        (alpha(default), POLICY, decay(kept, "Cazenave 2016: 0; Cazenave and Diemert 2017: 1")),
        begin=begin,
        learn=learn,
        forced=not_noted,  # a decisive move is no choice of the policy
        memory=new_memory,
        on_new_search=decay_logits,
        selected_by="alpha",
        playout_fields=("choices", "starts", "chosen", "movers", "codes"),
        learn_later=learn_later,
        batch=BatchLearning(
            choose=choose_in_batch,
            begin=begin_leaf,
            count=learn_in_batch,
            count_later=learn_from_others,
            playout_fields=("last_made", "last_legal"),
            settle=settle_batch,
            memory=batch_memory,
            bytes=batch_bytes,
        ),
    )


POLICIES = (
    PlayoutPolicy("ppa", "A softmax policy that learns the winners' moves.", (_variant(0.08),)),
    PlayoutPolicy(
        "ppam",
        "PPA with memory: the policy is kept from one move of a game to the next.",
        (_variant(0.08, kept=1.0),),
    ),
    PlayoutPolicy("ppaf", "PPA over feature codes.", (_variant(0.32),), features=True),
)
