"""PPA: a softmax playout policy, learned while searching (Cazenave 2016, algorithms 3 and 4).

Each move has a logit, 0 at first, and is drawn with probability proportional to its exponential.
After a simulation the winner's policy is adapted: for each of the winner's moves, in the tree as
well as in the playout,

    logit(move) += alpha
    logit(m)    -= alpha * exp(logit(m)) / sum over legal moves of exp(logit),  for all legal m

where the probabilities are those of the policy before the simulation. Winners are the players with
the best score, unless all have it. PPAF is the same over feature codes.

A playout writes down the codes of the moves that were legal, so that nothing is played again to
learn from it: `codes` has them choice after choice; for each choice `log` has where they begin,
how many there are, who chose and which, and `totals` the sum of their weights. Behind them comes
room for the codes at a node of the tree, then those that a simulation changes; `sums` collects
the changes. `params`: alpha, decay, then each player's shift.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any

import numpy as np

from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.core.errors import UsageError
from graven.core.rng import Rng
from graven.search.backup import player_of
from graven.search.plan import Learner
from graven.search.playout.draw import (
    HIGHEST,
    TINY,
    by_code,
    code_room,
    draw_by_logits,
    draw_weighted,
    highest_and_sum,
    list_codes,
    mask_of,
    move_at,
)
from graven.search.playout.loop import play_with
from graven.search.playout.mast import decay
from graven.search.policy import Parameter, PlayoutForm, PlayoutPolicy, Value, new_learner
from graven.search.tree import STEPS, Record, Tree, trace_capacity

# What `params` holds.
ALPHA, DECAY, SHIFTS = range(3)
# What `log` holds: the number of choices, where the next list of codes begins, where the list of
# changed codes ends; then by choice.
CHOICES, FREE, TOUCHED, ENTRIES = range(4)
START, COUNT, PLAYER, CHOSEN, ENTRY = range(5)


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
    """A move with probability proportional to exp(logit); writes down what was legal."""
    log = learner.log
    start = log[FREE]
    count = list_codes(rules, record, learner, player, start)
    if count < 0:
        return count
    base = player * rules.num_features
    at, total = draw_weighted(learner, base, start, count, rng)
    if at < 0:
        at = draw_by_logits(learner, base, start, count, rng)
    learner.totals[log[CHOICES]] = total
    entry = ENTRIES + ENTRY * log[CHOICES]
    log[entry + START], log[entry + COUNT] = start, count
    log[entry + PLAYER], log[entry + CHOSEN] = player, at
    log[CHOICES] += 1
    log[FREE] = start + count
    return move_at(rules, record, learner, start, at)


def play_out(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Softmax moves to the end."""
    learner.log[CHOICES] = 0
    learner.log[FREE] = 0
    return play_with(choose, rules, tree, record, learner, rng)


@inlined
def adapt(
    rules: Rules, learner: Learner, player: int, start: int, count: int, at: int, total: float
) -> None:
    """Collect in `sums` what one choice of a winner changes, and list the codes it touches."""
    alpha = learner.params[ALPHA]
    base: Any = np.uint64(player * rules.num_features)
    codes, mask, sums = learner.codes, learner.mask, learner.sums
    chosen = base + (codes[start + at] & mask)
    touched = touch(learner, learner.log[TOUCHED], chosen)
    sums[chosen] += alpha
    if total >= TINY:
        part = alpha / total
        for i in range(start, start + count):
            code = base + (codes[i] & mask)
            touched = touch(learner, touched, code)
            sums[code] -= part * learner.weights[code]
    else:
        top, total = highest_and_sum(learner, base, start, count)
        for i in range(start, start + count):
            code = base + (codes[i] & mask)
            touched = touch(learner, touched, code)
            sums[code] -= alpha / total * exp(learner.logits[code] - top)
    learner.log[TOUCHED] = touched


@inlined
def touch(learner: Learner, touched: int, code: np.uint64) -> int:
    """List a code unless it has been changed before; where the next one goes."""
    learner.codes[touched] = code
    return touched + (learner.sums[code] == 0.0)


@inlined
def settle(rules: Rules, learner: Learner) -> None:
    """Carry the changes over to logits and weights."""
    for i in range(learner.log[FREE] + rules.max_moves, learner.log[TOUCHED]):
        code = learner.codes[i]
        learner.logits[code] += learner.sums[code]
        learner.sums[code] = 0.0
        if code >= rules.players * rules.num_features:
            continue  # of a code that is none, and has not been chosen yet
        player = player_of(code, rules.num_features)
        shifted = learner.logits[code] - learner.params[SHIFTS + player]
        learner.weights[code] = exp(min(shifted, HIGHEST))
        if shifted > HIGHEST:
            shift(rules, learner, player, learner.logits[code])


@inlined
def shift(rules: Rules, learner: Learner, player: int, logit: float) -> None:
    """Let a logit have weight 1, and all others of the player be relative to it."""
    learner.params[SHIFTS + player] = logit
    for code in range(player * rules.num_features, (player + 1) * rules.num_features):
        learner.weights[code] = exp(min(learner.logits[code] - logit, HIGHEST))


@inlined
def wins(rules: Rules, record: Record, player: int) -> bool:
    """Whether nobody's score is better than a player's, and somebody's is worse."""
    better, worse = False, False
    for other in range(rules.players):
        better |= record.scores[other] > record.scores[player]
        worse |= record.scores[other] < record.scores[player]
    return worse and not better


@inlined
def adapt_in_tree(
    rules: Rules, tree: Tree, record: Record, learner: Learner, depth: int, player: int
) -> None:
    """Adapt to the choice of a winner at a node of the path."""
    place = record.path[depth] * rules.players + player
    first, count, start = tree.first[place], tree.degree[place], learner.log[FREE]
    base, total = np.uint64(player * rules.num_features), 0.0
    for i in range(count):
        code = tree.codes[first + i] if rules.feature else tree.moves[first + i]
        learner.codes[start + i] = code
        total += learner.weights[base + (code & learner.mask)]
    at = record.edges[depth * rules.players + player] - first
    adapt(rules, learner, player, start, count, at, total)


def learn(rules: Rules, tree: Tree, record: Record, learner: Learner) -> None:
    """Algorithm 4, for every winner."""
    log, players = learner.log, rules.players
    log[TOUCHED] = log[FREE] + rules.max_moves  # behind the room for one position of the tree
    for player in range(players):
        record.joint[player] = wins(rules, record, player)
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        low = 0 if turn == SIMULTANEOUS else turn
        high = players if turn == SIMULTANEOUS else turn + 1
        for player in range(low, high):
            if record.joint[player]:
                adapt_in_tree(rules, tree, record, learner, depth, player)
    for choice in range(log[CHOICES]):
        entry = ENTRIES + ENTRY * choice
        player, start, count = log[entry + PLAYER], log[entry + START], log[entry + COUNT]
        if record.joint[player]:
            adapt(rules, learner, player, start, count, log[entry + CHOSEN], learner.totals[choice])
    settle(rules, learner)


def memory(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """A uniform policy, and room for the longest playout."""
    if rules.players == 1:
        raise UsageError(
            "PPA learns from winners, and a game of one player has none: "
            "'graven solve' with nrpa is made for such games."
        )
    choices = trace_capacity(rules)
    return new_learner(
        params=np.array([values["alpha"], values["decay"], *[0.0] * rules.players], np.float64),
        logits=by_code(rules),
        weights=by_code(rules, 1.0),
        sums=by_code(rules),
        totals=np.zeros(choices),
        codes=np.zeros(2 * (choices + 1) * (rules.max_moves + 1) + code_room(rules), np.uint32),
        log=np.zeros(ENTRIES + ENTRY * choices, np.int64),
        mask=mask_of(rules),
    )


def carry(learner: Learner) -> None:
    """To the next move of a game: keep the part of the logits that `decay` says."""
    learner.logits[:] *= learner.params[DECAY]
    players = len(learner.params) - SHIFTS
    features = (len(learner.logits) - int(learner.mask)) // players
    for player in range(players):
        mine = slice(player * features, (player + 1) * features)
        top = max(0.0, float(learner.logits[mine].max()) - HIGHEST)
        learner.params[SHIFTS + player] = top
        learner.weights[mine] = [exp(logit - top) for logit in learner.logits[mine]]


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


def _form(default: float) -> PlayoutForm:
    parameters = (alpha(default), decay(0.0, "Cazenave 2016: 0"))
    return PlayoutForm(play_out, parameters, learn, memory, carry, tell="alpha")


POLICIES = (
    PlayoutPolicy("ppa", "A softmax policy that learns the winners' moves.", (_form(0.08),)),
    PlayoutPolicy("ppaf", "PPA over feature codes.", (_form(0.32),), features=True),
)
