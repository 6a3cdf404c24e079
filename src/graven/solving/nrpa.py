"""Nested Rollout Policy Adaptation (Rosin 2011), as in Cazenave 2016, algorithms 1 and 2.

A search of level 0 is a playout in which a move is chosen with probability proportional to the
exponential of its weight. One of a higher level has a policy of its own, which starts as that of
the level above: `iterations` times it calls the level below, remembers the best game (of equal
ones the latest) and adapts its policy towards it.

    NRPA (level, policy)                         adapt (policy, sequence)
      N times:                                     for each move of it, in its position:
        result, new <- NRPA (level - 1, policy)      weight of the move + alpha
        if result >= best: best, seq <- new          weight of each legal move m
        policy <- adapt (policy, seq)                  - alpha * exp(policy[m]) / sum of those

all with the policy as it was before. Told without recursion: after each playout the levels whose
iterations are complete hand their best game up, from the lowest.

Weights are kept beside their exponentials, so that a playout calls no `exp`. Exponentials of large
weights overflow and of small ones vanish; where the sum over the legal moves shows that, they are
taken again relative to the largest weight. The codes of the legal moves are recorded by the
playout and read by the adaptation: nothing is played again.

A code is the game's `feature` of a move, where it has features, or the move itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.calls import Value
from graven.core.compile import compiled
from graven.core.contract import TERMINAL, Rules, State
from graven.core.rng import Rng, uniform
from graven.core.status import Status
from graven.search.policy import Parameter
from graven.solving.method import FINISHED, PLAYOUTS, Method, Solver, whole_numbers
from graven.solving.move_replay import copy_to, play_one, replayed

NOTHING = -np.inf  # the score of a game that has not been played
# Sums of exponentials outside of these are not to be trusted.
LEAST, MOST = 1e-200, 1e300
ROOM = 4096  # codes of legal moves in a game, to begin with
LARGEST_WEIGHT = 1e12  # far more than any search can reach


class Policies(NamedTuple):
    """What each level knows. Rows are levels (row 0 is not used), columns are codes.

    `weights` are the policies, `exps` their exponentials. While a policy is adapted `fresh` has the
    new weights of the `touched` codes, which have `is_touched` set. `done` counts iterations.
    """

    weights: NDArray[np.float64]
    exps: NDArray[np.float64]
    fresh: NDArray[np.float64]
    touched: NDArray[np.int32]
    is_touched: NDArray[np.uint8]
    done: NDArray[np.int64]
    alpha: float
    iterations: int
    features: int  # whether codes are the game's features


class Games(NamedTuple):
    """Games, one a slot. `slot[level]` has the best game of a level, `slot[0]` the playout.

    A game has `length` moves and a score. The codes of the legal moves of its i-th position lie
    from `ends[i]` to `ends[i + 1]` in `codes`; `chosen[i]` is where the one played lies. The last
    slot has the best game of all runs, without its codes.
    """

    slot: NDArray[np.int64]
    moves: NDArray[np.int32]
    length: NDArray[np.int64]
    score: NDArray[np.float64]
    codes: NDArray[np.uint32]
    ends: NDArray[np.int64]
    chosen: NDArray[np.int64]


class Scratch(NamedTuple):
    """For one position: its state, legal moves and their exponentials."""

    state: NDArray[np.int64]
    legal: NDArray[np.int32]
    values: NDArray[np.float64]
    joint: NDArray[np.int32]
    out: NDArray[np.float64]


@compiled
def weigh(
    weights: NDArray[np.float64],
    exps: NDArray[np.float64],
    codes: NDArray[np.uint32],
    values: NDArray[np.float64],
) -> float:
    """Write each code's exponential and return their sum: positive and finite, whatever the
    weights. They may all be relative to the largest."""
    total = 0.0
    for i in range(codes.size):
        values[i] = exps[codes[i]]
        total += values[i]
    if LEAST < total < MOST:
        return total
    largest = -np.inf
    for i in range(codes.size):
        largest = max(largest, weights[codes[i]])
    total = 0.0
    for i in range(codes.size):
        values[i] = math.exp(weights[codes[i]] - largest)
        total += values[i]
    return total


@compiled
def draw(values: NDArray[np.float64], count: int, total: float, rng: Rng) -> int:
    """An index with probability proportional to its value; certain ones cost no random number."""
    if count == 1:
        return 0
    left = uniform(rng) * total
    for i in range(count - 1):
        left -= values[i]
        if left < 0.0:
            return i
    # Rounding may leave a little over: the last one that has a chance.
    i = count - 1
    while i > 0 and values[i] == 0.0:
        i -= 1
    return i


@compiled
def list_codes(
    rules: Rules, policies: Policies, games: Games, scratch: Scratch, slot: int, ply: int
) -> int:
    """Record the legal moves' codes of the scratch position; how many, or a fault (negative)."""
    if ply >= rules.max_plies:
        return -1 - Status.TOO_LONG
    count = contract.legal(rules, scratch.state, 0, scratch.legal)
    if count > rules.max_moves:
        return -1 - Status.TOO_MANY
    if count <= 0:
        return -1 - Status.NO_MOVE
    begin = games.ends[slot, ply]
    if begin + count > games.codes.shape[1]:
        return -1 - Status.NEED_MEMORY
    for i in range(count):
        if not 0 <= scratch.legal[i] < rules.num_codes:
            return -1 - Status.BAD_CODE
    codes = games.codes[slot, begin : begin + count]
    if policies.features:
        contract.features(rules, scratch.state, 0, scratch.legal, count, codes)
        for i in range(count):
            if codes[i] >= rules.num_features:
                return -1 - Status.BAD_CODE
    else:
        for i in range(count):
            codes[i] = scratch.legal[i]
    games.ends[slot, ply + 1] = begin + count
    return count


@compiled
def play_move(rules: Rules, games: Games, scratch: Scratch, slot: int, ply: int, i: int) -> None:
    """Play the i-th legal move and note it."""
    games.moves[slot, ply] = scratch.legal[i]
    games.chosen[slot, ply] = games.ends[slot, ply] + i
    play_one(rules, scratch.state, scratch.joint, scratch.legal[i])


@compiled
def play_out(
    rules: Rules,
    policies: Policies,
    games: Games,
    scratch: Scratch,
    root: State,
    level: int,
    rng: Rng,
) -> int:
    """A playout with the policy of a level, into slot[0]; OK, NEED_MEMORY or a fault."""
    slot, ply = games.slot[0], 0
    weights, exps = policies.weights[level], policies.exps[level]
    copy_to(scratch.state, root, rules.state_words)
    while contract.turn(rules, scratch.state) != TERMINAL:
        count = list_codes(rules, policies, games, scratch, slot, ply)
        if count < 0:
            return -1 - count
        begin = games.ends[slot, ply]
        codes = games.codes[slot, begin : begin + count]
        total = weigh(weights, exps, codes, scratch.values)
        i = draw(scratch.values, count, total, rng)
        play_move(rules, games, scratch, slot, ply, i)
        ply += 1
    contract.scores(rules, scratch.state, scratch.out)
    games.score[slot] = scratch.out[0]
    games.length[slot] = ply
    return Status.OK


@compiled
def recall(
    rules: Rules, policies: Policies, games: Games, scratch: Scratch, root: State, slot: int
) -> int:
    """Play a slot's moves again, which are legal, to record what a playout would have."""
    copy_to(scratch.state, root, rules.state_words)
    for ply in range(games.length[slot]):
        count = list_codes(rules, policies, games, scratch, slot, ply)
        if count < 0:
            return -1 - count
        i = 0
        while scratch.legal[i] != games.moves[slot, ply]:
            i += 1
        play_move(rules, games, scratch, slot, ply, i)
    return Status.OK


@compiled
def adapt(policies: Policies, games: Games, scratch: Scratch, level: int) -> None:
    """Algorithm 1: towards the level's best game, with probabilities from before."""
    slot, alpha = games.slot[level], policies.alpha
    weights, exps = policies.weights[level], policies.exps[level]
    fresh, touched, is_touched = policies.fresh, policies.touched, policies.is_touched
    count = 0
    for ply in range(games.length[slot]):
        codes = games.codes[slot, games.ends[slot, ply] : games.ends[slot, ply + 1]]
        for code in codes:
            if not is_touched[code]:
                is_touched[code] = 1
                touched[count] = code
                count += 1
                fresh[code] = weights[code]
        fresh[games.codes[slot, games.chosen[slot, ply]]] += alpha
        total = weigh(weights, exps, codes, scratch.values)
        for i in range(codes.size):
            fresh[codes[i]] -= alpha * (scratch.values[i] / total)
    for i in range(count):
        code = touched[i]
        is_touched[code] = 0
        weights[code] = fresh[code]
        exps[code] = math.exp(fresh[code])


@compiled
def offer(games: Games, giver: int, taker: int) -> None:
    """A level takes the game of the level below if that is as good as its own, by exchange."""
    mine, theirs = games.slot[taker], games.slot[giver]
    if games.score[theirs] >= games.score[mine]:
        games.slot[taker] = theirs
        games.slot[giver] = mine


@compiled
def descend(policies: Policies, games: Games, level: int) -> None:
    """Start the searches below a level: with its policy, and no game."""
    for below in range(level - 1, 0, -1):
        copy_to(policies.weights[below], policies.weights[level], policies.fresh.size)
        copy_to(policies.exps[below], policies.exps[level], policies.fresh.size)
        policies.done[below] = 0
        games.score[games.slot[below]] = NOTHING


@compiled
def remember(games: Games) -> None:
    """Keep the playout as the best of all runs, if it is better than that."""
    slot, overall = games.slot[0], games.score.size - 1
    if games.score[slot] > games.score[overall]:
        length = games.length[slot]
        games.score[overall] = games.score[slot]
        games.length[overall] = length
        copy_to(games.moves[overall], games.moves[slot], length)


@compiled
def search(
    rules: Rules,
    policies: Policies,
    games: Games,
    scratch: Scratch,
    root: State,
    counters: NDArray[np.int64],
    rng: Rng,
    goal: int,
) -> int:
    """Algorithm 2, until there have been `goal` playouts or it is at its end.

    OK, NEED_MEMORY (nothing of the last playout has been counted) or a fault.
    """
    top = policies.done.size - 1
    while counters[PLAYOUTS] < goal and not counters[FINISHED]:
        seed = rng[0]
        status = play_out(rules, policies, games, scratch, root, 1, rng)
        if status != Status.OK:
            rng[0] = seed
            return status
        counters[PLAYOUTS] += 1
        remember(games)
        level = 0
        while level == 0 or (level < top and policies.done[level] == policies.iterations):
            offer(games, level, level + 1)
            level += 1
            adapt(policies, games, scratch, level)
            policies.done[level] += 1
        if policies.done[top] == policies.iterations:
            counters[FINISHED] = 1
        else:
            descend(policies, games, level)
    return Status.OK


class Nrpa(Solver):
    """NRPA of one level from one position."""

    def __init__(self, name: str, rules: Rules, root: State, values: Mapping[str, Value]) -> None:
        super().__init__(name, rules, root)
        self.level = int(values["level"])
        rows, slots = self.level + 1, self.level + 2
        self.features = bool(rules.feature) and values["code"] == "feature"
        self.codes = rules.num_features if self.features else rules.num_codes
        self.policies = Policies(
            weights=np.zeros((rows, self.codes)),
            exps=np.ones((rows, self.codes)),
            fresh=np.zeros(self.codes),
            touched=np.zeros(self.codes, np.int32),
            is_touched=np.zeros(self.codes, np.uint8),
            done=np.zeros(rows, np.int64),
            alpha=float(values["alpha"]),
            iterations=int(values["iterations"]),
            features=int(self.features),
        )
        self.games = Games(
            slot=np.arange(rows, dtype=np.int64),
            moves=np.zeros((slots, rules.max_plies), np.int32),
            length=np.zeros(slots, np.int64),
            score=np.full(slots, NOTHING),
            codes=np.zeros((slots, ROOM), np.uint32),
            ends=np.zeros((slots, rules.max_plies + 1), np.int64),
            chosen=np.zeros((slots, rules.max_plies), np.int64),
        )
        self.scratch = Scratch(
            state=contract.new_state(rules),
            legal=contract.new_moves(rules),
            values=np.zeros(rules.max_moves),
            joint=contract.new_joint(rules),
            out=np.zeros(rules.players),
        )

    def begin(self) -> None:
        """Uniform policies, and no game on any level."""
        self.counters[FINISHED] = 0
        self.policies.weights[:] = 0.0
        self.policies.exps[:] = 1.0
        self.policies.done[:] = 0
        self.games.score[:-1] = NOTHING

    def step(self, rng: Rng, goal: int) -> int:
        """See `Solver`."""
        return search(
            self.rules,
            self.policies,
            self.games,
            self.scratch,
            self.root,
            self.counters,
            rng,
            goal,
        )

    def grow(self) -> None:
        """Double the buffers for codes."""
        codes = np.zeros((self.games.codes.shape[0], 2 * self.games.codes.shape[1]), np.uint32)
        codes[:, : self.games.codes.shape[1]] = self.games.codes
        self.games = self.games._replace(codes=codes)

    @property
    def best(self) -> tuple[float, list[int]] | None:
        """See `Solver`."""
        if self.games.score[-1] == NOTHING:
            return None
        return float(self.games.score[-1]), self._line(-1)

    def keep(self, score: float, moves: Sequence[int]) -> None:
        """See `Solver`."""
        self._set_line(len(self.games.score) - 1, score, moves)

    def save(self) -> dict[str, Any]:
        """For each level, from 1 up: iterations, weights that are not 0, and the best game."""
        levels = []
        for level in range(1, self.level + 1):
            codes = np.nonzero(self.policies.weights[level])[0]
            slot = int(self.games.slot[level])
            levels.append(
                {
                    "done": int(self.policies.done[level]),
                    "codes": codes.tolist(),
                    "weights": self.policies.weights[level, codes].tolist(),
                    "best": self._line(slot) if self.games.score[slot] != NOTHING else None,
                }
            )
        return {"levels": levels}

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `Solver`."""
        rules, policies = self.rules, self.policies
        levels = saved["levels"]
        if not isinstance(levels, list) or len(levels) != self.level:
            raise ValueError
        self.begin()
        for level, row in enumerate(levels, 1):
            slot = int(self.games.slot[level])
            (policies.done[level],) = whole_numbers([row["done"]], 0, policies.iterations - 1, 1)
            codes = whole_numbers(row["codes"], 0, self.codes - 1, self.codes)
            weights = np.array(row["weights"], dtype=np.float64)
            if weights.shape != (len(codes),) or not (abs(weights) < LARGEST_WEIGHT).all():
                raise ValueError
            for code, weight in zip(codes, weights.tolist(), strict=True):
                policies.weights[level, code] = weight
                policies.exps[level, code] = exponential(weight)
            if row["best"] is None:
                if policies.done[level]:
                    raise ValueError
                continue
            line = whole_numbers(row["best"], 0, rules.num_codes - 1, rules.max_plies)
            _, score = replayed(rules, self.root, line)
            if score is None:
                raise ValueError
            self._set_line(slot, score, line)
            self._run(partial(self._recall, slot))

    def _recall(self, slot: int) -> int:
        return recall(self.rules, self.policies, self.games, self.scratch, self.root, slot)

    def _line(self, slot: int) -> list[int]:
        moves: list[int] = self.games.moves[slot, : self.games.length[slot]].tolist()
        return moves

    def _set_line(self, slot: int, score: float, moves: Sequence[int]) -> None:
        self.games.score[slot] = score
        self.games.length[slot] = len(moves)
        self.games.moves[slot, : len(moves)] = moves


@compiled
def exponential(weight: float) -> float:
    """The exponential as `adapt` computes it, to the last bit."""
    return math.exp(weight)


PARAMETERS = (
    Parameter("level", 3, "how deep searches are nested; 0 is a playout", 1, 8),
    Parameter("iterations", 100, "calls of the level below (N; 100 in the papers)", 1, 1_000_000),
    Parameter("alpha", 1.0, "how far the policy moves at each adaptation", 0.0, 1000.0),
    Parameter(
        "code",
        "feature",
        "what weights belong to: the game's features, where it has any, or its moves",
        choices=("feature", "move"),
    ),
)

METHODS = (
    Method(
        "nrpa",
        "Nested Rollout Policy Adaptation: playouts that learn the best game of each level "
        "(Rosin 2011; Cazenave 2016, algorithms 1 and 2).",
        PARAMETERS,
        Nrpa,
    ),
)
