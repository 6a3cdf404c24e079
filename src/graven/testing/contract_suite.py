"""Check a game against the contract in random games.

Every check is a small function named after what it requires. It receives a `GameTrial` and a
position, or a whole random game, and names the function that breaks the contract. The three lists
at the end name all checks but the first, `start_sets_the_whole_state`.
"""

from __future__ import annotations

import random

from graven.core.contract import TERMINAL
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.number_checks import whole_value
from graven.core.rng import derive
from graven.core.rule_probe import RuleProbe
from graven.testing.batch_checks import (
    batch_playouts_are_uniform,
    batch_playouts_follow_the_rules,
    batch_policy_playouts_are_as_defined,
)
from graven.testing.check_report import CheckReport
from graven.testing.contract_trial import GameTrial, RandomGame, random_joint
from graven.testing.key_checks import (
    equal_keys_mean_equal_continuations,
    equal_positions_have_equal_keys,
    transpositions_have_equal_keys,
)
from graven.testing.position_checks import (
    chances_are_probabilities,
    defences_prevent_winning_moves,
    evaluations_are_in_range,
    features_are_in_range,
    is_playout_move_agrees_with_playout_moves,
    legal_writes_distinct_codes,
    move_texts_are_distinct,
    play_ignores_idle_players,
    play_is_deterministic,
    playout_moves_with_features_agree,
    points_are_a_number,
    priors_are_in_range,
    queries_do_not_change_the_position,
    sample_returns_a_legal_move,
    scores_are_in_range,
    selected_moves_are_legal,
    svg_is_well_formed,
    turn_returns_a_player,
    winning_moves_win,
)
from graven.testing.replay_checks import (
    queries_leave_no_trace,
    sample_is_uniform,
    start_leaves_no_trace,
    start_sets_the_whole_state,
)
from graven.testing.rollout_checks import rollout_plays_like_sample

# More would play for days.
MOST_GAMES = 1_000_000


def check_game(
    game: Game, games: int = 10, seed: int = 0, constant_sum: float | None = None
) -> CheckReport:
    """Raise ContractError at the first violation of the game contract; report what was checked.

    Plays `games` random games, always the same ones for a `seed`. `constant_sum`, if given, is the
    sum of the players' scores at the end of every game: 1 if exactly one side wins.
    """
    if not isinstance(game, Game):
        raise UsageError(
            f"{game!r} is not a game: make one first, as in gv.check_game(gv.game('hex')) or "
            "gv.check_game(gv.from_class(MyClass))."
        )
    games, seed = whole_value("games", games, 1, MOST_GAMES), whole_value("seed", seed)
    probe = RuleProbe(game, derive(seed, games))
    trial = GameTrial(probe, random.Random(seed), constant_sum)
    constants = game.constants.tobytes()
    start_sets_the_whole_state(trial)
    positions = 0
    for _ in range(games):
        played = random_game(trial)
        positions += len(played.positions)
        if game.constants.tobytes() != constants:
            probe.report("a function wrote into `constants`, which all positions share", ())
        for check in OF_A_WHOLE_GAME:
            check(trial, played)
    checks = [check for group in (OF_EVERY_POSITION, OF_TERMINAL_POSITIONS) for check in group]
    names = [check.__name__ for check in (start_sets_the_whole_state, *checks, *OF_A_WHOLE_GAME)]
    lacking = {name for name, part in NEEDED_PARTS.items() if _part(game, part) is None}
    return CheckReport(
        game=game.spec,
        games=games,
        positions=positions,
        seed=seed,
        checked=tuple(name for name in names if name not in lacking),
        not_applicable=tuple(name for name in names if name in lacking),
    )


def _part(game: Game, name: str) -> object:
    """Return a function of the game by its name in `RuleFunctions` or `Display`."""
    return getattr(game.functions, name, None) or getattr(game.display, name, None)


def random_game(trial: GameTrial) -> RandomGame:
    """Play a random game to its end and check every position on the way."""
    probe, played = trial.probe, RandomGame()
    position = probe.start()
    while True:
        for check in OF_EVERY_POSITION:
            check(trial, position)
        played.positions.append(position.copy())
        played.views.append(probe.view(position))
        if probe.turn(position) == TERMINAL:
            for check in OF_TERMINAL_POSITIONS:
                check(trial, position)
            return played
        if len(played.joints) == trial.game.max_plies:
            fault = f"lets the game go on, but `max_plies` is {trial.game.max_plies}"
            probe.fail("turn", fault, position.path)
        played.joints.append(random_joint(trial, position))
        position = probe.play(position, played.joints[-1])


# Checks of optional functions, each with the function without which it checks nothing.
NEEDED_PARTS = {
    "features_are_in_range": "feature",
    "chances_are_probabilities": "chance",
    "priors_are_in_range": "prior",
    "evaluations_are_in_range": "evaluate",
    "winning_moves_win": "winning_move",
    "defences_prevent_winning_moves": "winning_move",
    "is_playout_move_agrees_with_playout_moves": "is_playout_move",
    "playout_moves_with_features_agree": "playout_moves_with_features",
    "points_are_a_number": "points",
    "svg_is_well_formed": "svg",
    "sample_is_uniform": "sample",
    "batch_playouts_follow_the_rules": "batch_playouts",
    "batch_playouts_are_uniform": "batch_playouts",
    "batch_policy_playouts_are_as_defined": "batch_policy_playouts",
}

OF_EVERY_POSITION = (
    turn_returns_a_player,
    legal_writes_distinct_codes,
    move_texts_are_distinct,
    selected_moves_are_legal,
    sample_returns_a_legal_move,
    features_are_in_range,
    is_playout_move_agrees_with_playout_moves,
    playout_moves_with_features_agree,
    chances_are_probabilities,
    priors_are_in_range,
    evaluations_are_in_range,
    winning_moves_win,
    defences_prevent_winning_moves,
    play_is_deterministic,
    play_ignores_idle_players,
    queries_do_not_change_the_position,
    equal_keys_mean_equal_continuations,
    equal_positions_have_equal_keys,
)
OF_TERMINAL_POSITIONS = (
    scores_are_in_range,
    points_are_a_number,
    svg_is_well_formed,
)
OF_A_WHOLE_GAME = (
    queries_leave_no_trace,
    start_leaves_no_trace,
    transpositions_have_equal_keys,
    sample_is_uniform,
    batch_playouts_follow_the_rules,
    batch_playouts_are_uniform,
    batch_policy_playouts_are_as_defined,
    rollout_plays_like_sample,
)
