"""The contract's requirements on batched playouts: legal, and distributed as they should be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from graven.core import contract
from graven.core.callbacks import raise_fault
from graven.core.compile import address
from graven.core.contract import (
    BATCH_CHOICE,
    CALLED,
    GREEDY,
    TERMINAL,
    WEIGHTED,
    LeafPlayouts,
    State,
    ValuePolicy,
)
from graven.core.errors import ContractError
from graven.core.rng import drawn_ahead, generator, scaled
from graven.core.rule_probe import GuardedArray, ProbedPosition
from graven.core.status import Status
from graven.search.playout.by_values import nth_set, play_in_turn, scratch_words
from graven.testing.contract_trial import GameTrial, RandomGame

NAME = "batch_playouts"
LEAVES = 3
PLAYOUTS_PER_LEAF = 90
REPLAYED = 6
DRAWS_PER_MOVE = 100
MAX_TRACE_ENTRIES = 4_000_000
# Uniform playouts fail about once in a million games.
SMALLEST_P_VALUE = 1e-6


class BatchCall:
    """One call of `batch_playouts` with guarded arrays, and its results."""

    def __init__(
        self, trial: GameTrial, leaves: list[ProbedPosition], playouts_per_leaf: int
    ) -> None:
        self.probe, rules = trial.probe, trial.probe.rules
        self.leaves, self.playouts_per_leaf, self.players = leaves, playouts_per_leaf, rules.players
        count = len(leaves) * playouts_per_leaf
        self.stride = rules.max_plies * rules.players
        arrays = {
            "states": GuardedArray(len(leaves) * rules.state_words, np.int64),
            "scratch": GuardedArray(rules.batch_scratch, np.int64),
            "traces": GuardedArray(count * self.stride, np.uint32),
            "lengths": GuardedArray(count, np.int64),
            "out": GuardedArray(count * rules.players, np.float64),
        }
        states, scratch, self.traces, self.lengths, self.out = (
            guarded.inside for guarded in arrays.values()
        )
        states[:] = np.concatenate([leaf.state for leaf in leaves])
        self.out[:] = np.nan
        before, rng = states.copy(), generator(trial.chance.getrandbits(64))
        outputs = (self.traces, self.lengths, self.out)
        status = contract.batch_playouts(
            rules, states, len(leaves), playouts_per_leaf, scratch, *outputs, rng
        )
        path = leaves[0].path
        try:
            raise_fault()
        except ContractError as fault:
            self.probe.fail(NAME, self.probe.raised(fault.__cause__), path)
        for name, array in arrays.items():
            if where := array.breach():
                size = array.inside.size
                self.probe.fail(NAME, f"wrote {where} of the {size} elements of `{name}`", path)
        if status != Status.OK:
            self.probe.fail(NAME, f"returned {status} instead of {int(Status.OK)}", path)
        if (states != before).any():
            self.probe.fail(NAME, "modified `states`", path)
        if ((self.lengths < 0) | (self.lengths > self.stride)).any():
            self.probe.fail(NAME, "wrote an invalid length of a trace", path)

    def trace(self, number: int) -> list[tuple[int, int]]:
        """Return the moves of a playout, each with its player."""
        begin = number * self.stride
        entries = self.traces[begin : begin + self.lengths[number]].tolist()
        return [divmod(entry, self.probe.rules.num_codes) for entry in entries]

    def scores(self, number: int) -> NDArray[np.float64]:
        """Return the scores of a playout."""
        return self.out[number * self.players : (number + 1) * self.players]


def batch_playouts_follow_the_rules(trial: GameTrial, played: RandomGame) -> None:
    """Each trace, replayed from its leaf, consists of playout moves and ends with the game.

    The scores are those of the terminal position.
    """
    if trial.game.functions.batch_playouts is None:
        return
    last = len(played.positions) - 1
    leaves = [played.positions[trial.chance.randint(0, last)] for _ in range(LEAVES - 1)]
    leaves.append(played.positions[last])  # a terminal position has no moves
    longest_trace = trial.game.max_plies * trial.game.players
    affordable = MAX_TRACE_ENTRIES // (LEAVES * longest_trace)
    playouts_per_leaf = max(1, min(PLAYOUTS_PER_LEAF, affordable))
    batch = BatchCall(trial, leaves, playouts_per_leaf)
    count = LEAVES * playouts_per_leaf
    for number in trial.chance.sample(range(count), min(REPLAYED, count)):
        _replay(trial, batch, number)


def _replay(trial: GameTrial, batch: BatchCall, number: int) -> None:
    probe, position = trial.probe, batch.leaves[number // batch.playouts_per_leaf]
    remaining = batch.trace(number)
    while (turn := probe.turn(position)) != TERMINAL:
        joint = {}
        for player in probe.players_to_move(turn):
            if not remaining:
                probe.fail(NAME, "ends a playout before the game is over", position.path)
            mover, move = remaining.pop(0)
            if mover != player:
                fault = f"lets player {mover} move where player {player} does"
                probe.fail(NAME, fault, position.path)
            if move not in probe.playout_codes(position, player):
                text = probe.text(player, move, position.path)
                probe.fail(NAME, f"plays {text}, which is not a playout move", position.path)
            joint[player] = move
        position = probe.play(position, joint)
    if remaining:
        probe.fail(NAME, "goes on when the game is over", position.path)
    expected, scores = probe.scores(position), batch.scores(number)
    if not np.array_equal(expected, scores):
        fault = f"wrote the scores {scores.tolist()} instead of {expected.tolist()}"
        probe.fail(NAME, fault, position.path)


def batch_playouts_are_uniform(trial: GameTrial, played: RandomGame) -> None:
    """Playouts begin with every playout move equally often: tested in one position of the game."""
    if trial.game.functions.batch_playouts is None or not played.joints:
        return
    ply = trial.chance.randrange(len(played.joints))
    probe, position = trial.probe, played.positions[ply]
    player = trial.chance.choice(probe.players_to_move(played.views[ply].turn))
    moves = probe.playout_codes(position, player)
    playouts = DRAWS_PER_MOVE * len(moves)
    longest_trace = trial.game.max_plies * trial.game.players
    if len(moves) == 1 or playouts * longest_trace > MAX_TRACE_ENTRIES:
        return
    batch = BatchCall(trial, [position], playouts)
    # Simultaneous moves are in the order of the players.
    place = probe.players_to_move(played.views[ply].turn).index(player)
    drawn = [batch.trace(number)[place][1] for number in range(playouts)]
    counts = np.bincount(drawn, minlength=trial.game.num_codes)[list(moves)]
    if counts.sum() < playouts or chisquare(counts).pvalue < SMALLEST_P_VALUE:
        probe.fail(NAME, "does not begin with all moves equally often", position.path)


def choose_by_all_given(
    memory: int, playout: int, ply: int, player: int, legal: State, count: int, random: np.uint64
) -> int:
    """Choose a move by everything a policy receives, for the rule CALLED."""
    mixed = drawn_ahead(random, 8 * (64 * playout + ply) + player + memory)
    return nth_set(legal, scaled(mixed, count))


def batch_policy_playouts_are_as_defined(trial: GameTrial, played: RandomGame) -> None:
    """Playouts by a policy are those that `core.value_draws` defines, played one after another."""
    if trial.game.functions.batch_policy_playouts is None:
        return
    rules, leaves = trial.probe.rules, len(played.positions)
    stride = rules.max_plies * rules.players
    per_leaf = max(1, min(PLAYOUTS_PER_LEAF // leaves, MAX_TRACE_ENTRIES // (leaves * stride)))
    count, seed = leaves * per_leaf, trial.chance.getrandbits(64)
    values = np.array([trial.chance.randint(0, 4) for _ in range(rules.players * rules.num_codes)])
    called = address(choose_by_all_given, BATCH_CHOICE)
    for rule, epsilon, choose in ((GREEDY, 0.3, 0), (WEIGHTED, 0.0, 0), (CALLED, 0.0, called)):
        policy, results = ValuePolicy(rule, epsilon, values / 4, choose=choose, memory=5), []
        for play in (contract.batch_policy_playouts, play_in_turn):
            batch = LeafPlayouts(
                states=np.concatenate([position.state for position in played.positions]),
                leaves=leaves,
                playouts_per_leaf=per_leaf,
                scratch=np.zeros(scratch_words(rules), np.int64),
                traces=np.zeros(count * stride, np.uint32),
                lengths=np.zeros(count, np.int64),
                out=np.zeros(count * rules.players),
                rng=generator(seed),
            )
            status = play(rules, policy, batch)
            results.append((status, batch.lengths.tolist(), batch.traces.tolist(), *batch.out))
        if results[0] != results[1]:
            path = played.positions[0].path
            trial.probe.fail(
                "batch_policy_playouts", "plays other moves than those its draws choose", path
            )
