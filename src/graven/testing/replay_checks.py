"""The contract's requirements on whole games: replays, and the distribution of `sample`."""

from __future__ import annotations

from graven.core.contract import CHANCE
from graven.core.rule_probe import ProbedPosition
from graven.testing.contract_trial import GameTrial, RandomGame
from graven.testing.fairness import uniformity_p_value

GARBAGE = 0x5A5A_5A5A_5A5A_5A5A
DRAWS_PER_MOVE = 200
# A uniform `sample` fails about once in a million positions.
SMALLEST_P_VALUE = 1e-6


def start_sets_the_whole_state(trial: GameTrial) -> None:
    """`start` sets the same position for any previous content of the state."""
    probe = trial.probe
    clean = probe.start()
    for garbage in (GARBAGE, -1):
        dirty = probe.start(garbage)
        if probe.view(dirty) != probe.view(clean) or probe.key(dirty) != probe.key(clean):
            probe.fail("start", "depends on the previous content of the state", ())


def queries_leave_no_trace(trial: GameTrial, played: RandomGame) -> None:
    """The game takes the same course if only `play` is called."""
    position, difference = _replay(trial, played, garbage=0)
    if difference:
        trial.probe.report(
            "`turn`, `legal`, `tree_moves`, `playout_moves`, `sample`, `feature` or `key` changed "
            f"the state on the way: with `play` alone {difference}",
            position.path,
        )


def start_leaves_no_trace(trial: GameTrial, played: RandomGame) -> None:
    """The game takes the same course for any previous content of the state."""
    position, difference = _replay(trial, played, GARBAGE)
    if difference:
        trial.probe.fail(
            "start",
            f"depends on the previous content of the state: later {difference}",
            position.path,
        )


def _replay(trial: GameTrial, played: RandomGame, garbage: int) -> tuple[ProbedPosition, str]:
    """Replay the game up to its end or to the first difference, and describe that."""
    probe = trial.probe
    position, difference = probe.start(garbage), ""
    for ply, expected in enumerate(played.views):
        view = probe.view(position)
        if view != expected:
            difference = view.difference(expected)
            break
        if ply < len(played.joints):
            position = probe.play(position, played.joints[ply])
    return position, difference


def sample_is_uniform(trial: GameTrial, played: RandomGame) -> None:
    """`sample` draws every playout move equally often: tested in one position of the game."""
    probe = trial.probe
    if trial.game.functions.sample is None or not played.joints:
        return
    ply = trial.chance.randrange(len(played.joints))
    position = played.positions[ply]
    if played.views[ply].turn == CHANCE:
        return
    player = trial.chance.choice(probe.players_to_move(played.views[ply].turn))
    count, buffer = probe.playout_moves(position, player)
    p_value = uniformity_p_value(
        probe.rules,
        position.state,
        player,
        buffer[:count],
        draws=DRAWS_PER_MOVE * count,
        seed=trial.chance.getrandbits(64),
    )
    if p_value < SMALLEST_P_VALUE:
        probe.fail("sample", "does not draw all moves equally often", position.path)
