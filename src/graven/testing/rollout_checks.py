"""The contract's requirement on `rollout`: the moves, random numbers and scores of `sample`."""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.callbacks import raise_fault
from graven.core.compile import compiled
from graven.core.contract import TERMINAL, Codes, Moves, Rules, Scores, State
from graven.core.errors import ContractError
from graven.core.rng import Rng, generator
from graven.core.rollout import roll_out
from graven.core.rule_probe import GuardedArray, ProbedPosition
from graven.testing.contract_trial import GameTrial, RandomGame

NAME = "rollout"


@compiled
def call_rollout(
    rules: Rules, state: State, trace: Codes, out: Scores, rng: Rng, moves: Moves, joint: Moves
) -> int:
    """Play a uniform playout with the game's `rollout`."""
    return roll_out(
        rules, state, trace, out, rng=rng, moves=moves, joint=joint, plies=rules.max_plies
    )


def rollout_plays_like_sample(trial: GameTrial, played: RandomGame) -> None:
    """`rollout` plays what `sample` and `play` would, from a random and the terminal position."""
    if trial.game.functions.rollout is None or trial.game.has_chance:
        return
    for position in (trial.chance.choice(played.positions), played.positions[-1]):
        _compare(trial, position, trial.chance.getrandbits(64))


def _compare(trial: GameTrial, position: ProbedPosition, seed: int) -> None:
    probe, rules = trial.probe, trial.probe.rules
    plies_left = rules.max_plies - len(position.path)
    arrays = {
        "state": GuardedArray(rules.state_words, np.int64),
        "trace": GuardedArray(max(1, plies_left * rules.players), np.uint32),
        "out": GuardedArray(rules.players, np.float64),
        "rng": GuardedArray(1, np.uint64),
    }
    state, trace, out, rng = (guarded.inside for guarded in arrays.values())
    state[:], rng[:], out[:] = position.state, generator(seed), np.nan
    scratch = contract.new_moves(rules), contract.new_joint(rules)
    count = call_rollout(rules, state, trace, out, rng, *scratch)
    try:
        raise_fault()
    except ContractError as error:
        probe.fail(NAME, probe.raised(error.__cause__), position.path)
    for name, array in arrays.items():
        if where := array.breach():
            size = array.inside.size
            probe.fail(NAME, f"wrote {where} of the {size} elements of `{name}`", position.path)
    moves, end, word = _sampled(trial, position, seed)
    if trace[: max(0, count)].tolist() != moves:
        fault = f"plays {count} moves, not the {len(moves)} moves that `sample` would"
        probe.fail(NAME, fault, position.path)
    if int(rng[0]) != word:
        probe.fail(NAME, "leaves another random number generator than `sample`", position.path)
    expected = probe.scores(end)
    if not np.array_equal(expected, out):
        fault = f"wrote the scores {out.tolist()} instead of {expected.tolist()}"
        probe.fail(NAME, fault, position.path)


def _sampled(
    trial: GameTrial, position: ProbedPosition, seed: int
) -> tuple[list[int], ProbedPosition, int]:
    """Play to the end with `sample`; return the trace, the last position and the generator.

    `sample` may reorder lists of the state, which decides later draws: moves are played in the
    state that it leaves, as in a search.
    """
    probe, rules, rng = trial.probe, trial.probe.rules, generator(seed)
    moves: list[int] = []
    while (turn := probe.turn(position)) != TERMINAL:
        joint, position = {}, position.copy()
        for player in probe.players_to_move(turn):
            scratch = contract.new_moves(rules)
            joint[player] = int(contract.sample(rules, position.state, player, scratch, rng=rng))
            moves.append(player * rules.num_codes + joint[player])
        position = probe.play(position, joint)
    return moves, position, int(rng[0])
