"""The contract's requirements on `key`.

Equal positions have equal keys, and equal keys mean equal continuations.
"""

from __future__ import annotations

from typing import NoReturn

from graven.core.contract import TERMINAL
from graven.core.rule_probe import ProbedPosition, RuleProbe, moves_text
from graven.testing.contract_trial import GameTrial, RandomGame, random_joint

TRIES = 3


def equal_keys_mean_equal_continuations(trial: GameTrial, position: ProbedPosition) -> None:
    """`key` differs for positions with different players to move, moves or continuations.

    Positions with equal keys may be rendered differently: a key may ignore what does not matter
    for the rest of the game.
    """
    probe = trial.probe
    view, key = probe.view(position), probe.key(position)
    known, twin = trial.by_key.setdefault(key, (view, position.copy()))
    same_board = known.board == view.board
    if trial.game.render is None:
        same_board = bool((twin.state == position.state).all())
    difference = ""
    if not known.plays_like(view):
        difference = view.difference(known)
    elif not same_board:
        difference = _later_difference(trial, twin, position)
    if difference:
        probe.fail(
            "key",
            f"is the same as {moves_text(twin.path)}, but the positions differ: {difference}",
            position.path,
        )


def _later_difference(trial: GameTrial, first: ProbedPosition, second: ProbedPosition) -> str:
    """Play the same random moves from two positions up to a difference; "" if there is none."""
    probe, plies = trial.probe, len(second.path)
    while True:
        here, there = probe.view(first), probe.view(second)
        further = f", after further {' '.join(second.path[plies:])}"
        if not here.plays_like(there):
            return there.difference(here) + further
        if here.turn == TERMINAL or len(second.path) > trial.game.max_plies:
            return ""
        joint = random_joint(trial, first)
        first, second = probe.play(first, joint), probe.play(second, joint)


def equal_positions_have_equal_keys(trial: GameTrial, position: ProbedPosition) -> None:
    """`key` is equal for equal positions, reached by any moves (in games with `render`).

    A text may omit something (such as a ko): positions are equal if their continuations are, too.
    After the end of a game a key matters no more.
    """
    if trial.game.render is None or trial.game.history_dependent:
        return
    probe = trial.probe
    if probe.turn(position) == TERMINAL:
        return
    key = probe.key(position)
    known, twin = trial.by_view.setdefault(probe.view(position), (key, position.copy()))
    if known != key and not any(_later_difference(trial, twin, position) for _ in range(TRIES)):
        _report_different_keys(probe, twin, position)


def _report_different_keys(
    probe: RuleProbe, twin: ProbedPosition, position: ProbedPosition
) -> NoReturn:
    """Raise ContractError: two positions look the same, and their keys differ."""
    render, key = probe.rule_name("render"), probe.rule_name("key")
    if probe.game.functions.key is None:  # the key is a hash of all words
        word = int((twin.state != position.state).argmax())
        difference = (
            f"word {word} of their states is {position.state[word]} here and {twin.state[word]} "
            f"there. Draw that in `{render}`, or write a `{key}` that leaves it out"
        )
    else:
        difference = (
            f"their keys differ. Draw the difference in `{render}`, or leave it out of `{key}`"
        )
    probe.report(
        f"this position and the one {moves_text(twin.path)} look the same in `{render}` and play "
        f"the same, but {difference}",
        position.path,
    )


def transpositions_have_equal_keys(trial: GameTrial, played: RandomGame) -> None:
    """`key` does not depend on the order of two moves of a player that can be exchanged."""
    probe = trial.probe
    for first, joint in enumerate(played.joints):
        for last in (first + 1, first + 2):
            if last >= len(played.joints) or played.joints[last].keys() != joint.keys():
                continue
            line = played.joints[first : last + 1]
            line[0], line[-1] = line[-1], line[0]
            position: ProbedPosition | None = played.positions[first]
            for swapped in line:
                position = _play_if_legal(probe, position, swapped) if position else None
            if position:
                equal_keys_mean_equal_continuations(trial, position)
                equal_positions_have_equal_keys(trial, position)


def _play_if_legal(
    probe: RuleProbe, position: ProbedPosition, joint: dict[int, int]
) -> ProbedPosition | None:
    if set(probe.players_to_move(probe.turn(position))) != joint.keys():
        return None
    if any(move not in probe.legal_codes(position, player) for player, move in joint.items()):
        return None
    return probe.play(position, joint)
