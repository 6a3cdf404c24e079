"""The loop of every playout: choose a move for each player to move, play, until the game ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graven.core import contract
from graven.core.compile import inlined, is_given
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL, Rules
from graven.core.rollout import CHANCE_FAULTS, fault_of, roll_out
from graven.core.status import Status
from graven.search.tree import LENGTH, STEPS, Record


@inlined
def play_with(choose: Callable[..., int], rules: Rules, record: Record, memory: Any) -> int:
    """Play the record's state to the end, with the moves that `choose` returns; write the scores.

    With the option `cutoff` it ends after so many plies, and the game's `evaluate` writes them.

    `choose(rules, record, memory, player)` returns a move. The moves before it are the first
    `record.shape[LENGTH]` entries of `record.trace`.
    """
    state, joint, trace, shape = record.state, record.joint, record.trace, record.shape
    length, plies = shape[LENGTH], shape[STEPS]
    last = min(plies + rules.cutoff, rules.max_plies)
    while True:
        turn = contract.turn(rules, state)
        if turn == TERMINAL:
            break
        if not CHANCE <= turn < rules.players:
            return Status.BAD_TURN
        if plies >= last:
            if plies >= rules.max_plies:
                return Status.TOO_LONG
            contract.evaluate(rules, state, record.scores)
            return Status.OK
        plies += 1
        low = max(turn, 0)
        high = rules.players if turn == SIMULTANEOUS else low + 1
        if turn == CHANCE:
            outcome = draw_chance(rules, record)
            if outcome < 0:
                return CHANCE_FAULTS[-outcome]
            joint[0] = outcome
            high = low
        for player in range(low, high):
            move = choose(rules, record, memory, player)
            if move < 0 or move >= rules.num_codes:
                return fault_of(move)
            joint[player] = move
            trace[length] = player * rules.num_codes + move
            length += 1
            shape[LENGTH] = length
        contract.play(rules, state, joint)
    contract.scores(rules, state, record.scores)
    return Status.OK


@inlined
def draw_chance(rules: Rules, record: Record) -> int:
    """Return a random outcome where chance decides, or the negative number of a fault."""
    if not is_given(rules.chance):
        return -1
    return contract.draw_outcome(rules, record.state, record.moves, record.values, rng=record.rng)


@inlined
def play_uniformly(rules: Rules, record: Record) -> int:
    """Play the record's state to the end with the game's `rollout`; write the scores."""
    shape, length = record.shape, record.shape[LENGTH]
    count = roll_out(
        rules,
        record.state,
        record.trace[length:],
        record.scores,
        rng=record.rng,
        moves=record.moves,
        joint=record.joint,
        plies=rules.max_plies - shape[STEPS],
    )
    if count < 0:
        return -count
    shape[LENGTH] = length + count
    return Status.OK


@inlined
def random_move(rules: Rules, record: Record, player: int) -> int:
    """Return a uniformly random move of a player, or a negative number if there is none."""
    return contract.sample(rules, record.state, player, record.moves, rng=record.rng)
