"""The contract's sentences about `many`: playouts by the game's own rules, and fair ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from graven.core import contract
from graven.core.callbacks import raise_fault
from graven.core.contract import TERMINAL
from graven.core.errors import ContractError
from graven.core.rng import generator
from graven.core.status import Status
from graven.testing.contract_trial import Record, Trial
from graven.testing.probe import Fence, Moment

LEAVES = 3
EACH = 90
REPLAYED = 6
FIRST_MOVES = 100
MOST_ENTRIES = 4_000_000
# A fair `many` is blamed about once in a million games.
UNFAIR = 1e-6


class Batch:
    """One call of `many`, its arrays fenced in, and what it wrote."""

    def __init__(self, trial: Trial, leaves: list[Moment], each: int) -> None:
        self.probe, rules = trial.probe, trial.probe.rules
        self.leaves, self.each, self.players = leaves, each, rules.players
        count = len(leaves) * each
        self.stride = rules.max_plies * rules.players
        fences = {
            "states": Fence(len(leaves) * rules.state_words, np.int64),
            "scratch": Fence(rules.batch_scratch, np.int64),
            "traces": Fence(count * self.stride, np.uint32),
            "lengths": Fence(count, np.int64),
            "out": Fence(count * rules.players, np.float64),
        }
        states, scratch, self.traces, self.lengths, self.out = (f.inside for f in fences.values())
        states[:] = np.concatenate([leaf.state for leaf in leaves])
        self.out[:] = np.nan
        before, rng = states.copy(), generator(trial.chance.getrandbits(64))
        status = contract.batch_playouts(
            rules, states, len(leaves), each, scratch, self.traces, self.lengths, self.out, rng
        )
        path = leaves[0].path
        try:
            raise_fault()
        except ContractError as fault:
            self.probe.fail("many", self.probe.raised(fault.__cause__), path)
        for array, fence in fences.items():
            if where := fence.breach():
                size = fence.inside.size
                self.probe.fail("many", f"wrote {where} of the {size} elements of `{array}`", path)
        if status != Status.OK:
            self.probe.fail("many", f"returned {status} instead of {int(Status.OK)}", path)
        if (states != before).any():
            self.probe.fail("many", "changed the positions it was given", path)
        if ((self.lengths < 0) | (self.lengths > self.stride)).any():
            self.probe.fail("many", "wrote a length that is no length of a trace", path)

    def trace(self, number: int) -> list[tuple[int, int]]:
        """The moves of a playout, each with its player."""
        begin = number * self.stride
        entries = self.traces[begin : begin + self.lengths[number]].tolist()
        return [divmod(entry, self.probe.rules.num_codes) for entry in entries]

    def scores(self, number: int) -> NDArray[np.float64]:
        """The results of a playout."""
        return self.out[number * self.players : (number + 1) * self.players]


def many_play_by_the_rules(trial: Trial, record: Record) -> None:
    """Each trace of `many`, replayed from its leaf, is of sensible moves by those who move, ends
    where the game ends, and has the results that `scores` gives there."""
    if trial.game.functions.batch_playouts is None:
        return
    last = len(record.moments) - 1
    leaves = [record.moments[trial.chance.randint(0, last)] for _ in range(LEAVES - 1)]
    leaves.append(record.moments[last])  # a game that is over has no moves left
    each = max(1, min(EACH, MOST_ENTRIES // (LEAVES * trial.game.max_plies * trial.game.players)))
    batch = Batch(trial, leaves, each)
    count = LEAVES * each
    for number in trial.chance.sample(range(count), min(REPLAYED, count)):
        _replay(trial, batch, number)


def _replay(trial: Trial, batch: Batch, number: int) -> None:
    probe, moment = trial.probe, batch.leaves[number // batch.each]
    left = batch.trace(number)
    while (turn := probe.turn(moment)) != TERMINAL:
        joint = {}
        for player in probe.choosers(turn):
            if not left:
                probe.fail("many", "ends a playout before the game is over", moment.path)
            mover, move = left.pop(0)
            if mover != player:
                fault = f"lets player {mover} move where player {player} does"
                probe.fail("many", fault, moment.path)
            if move not in probe.sensible_moves(moment, player):
                text = probe.text(player, move, moment.path)
                probe.fail("many", f"plays {text}, which is not sensible", moment.path)
            joint[player] = move
        moment = probe.play(moment, joint)
    if left:
        probe.fail("many", "goes on when the game is over", moment.path)
    expected, given = probe.scores(moment), batch.scores(number)
    if not np.array_equal(expected, given):
        fault = f"gives the results {given.tolist()} instead of {expected.tolist()}"
        probe.fail("many", fault, moment.path)


def many_is_fair(trial: Trial, record: Record) -> None:
    """`many` begins with every sensible move equally often: tried in one position of the game."""
    if trial.game.functions.batch_playouts is None or not record.joints:
        return
    ply = trial.chance.randrange(len(record.joints))
    probe, moment = trial.probe, record.moments[ply]
    chooser = trial.chance.choice(probe.choosers(record.views[ply].turn))
    moves = probe.sensible_moves(moment, chooser)
    each = FIRST_MOVES * len(moves)
    if len(moves) == 1 or each * trial.game.max_plies * trial.game.players > MOST_ENTRIES:
        return
    batch = Batch(trial, [moment], each)
    # Where all move at once, the first moves stand in the order of the players.
    place = probe.choosers(record.views[ply].turn).index(chooser)
    drawn = [batch.trace(number)[place][1] for number in range(each)]
    counts = np.bincount(drawn, minlength=trial.game.num_codes)[list(moves)]
    if counts.sum() < each or chisquare(counts).pvalue < UNFAIR:
        probe.fail("many", "does not begin with all moves equally often", moment.path)
