"""Check user-defined compiled rules before their first use: bounds, codes and scores.

Compiled rules have no bounds checks: an index that is off by one gives a wrong result, one that is
far off ends the process. Before the first game of a user-defined game some random games are played
with rules that are compiled with bounds checks, between guard words (`RuleProbe`). A game that
passed is marked by a file in the cache of compiled code, named after a digest of its rules, so that
the check runs once for every version of the rules.

`graven.testing` checks the whole contract; this check is quick, and finds what can crash a process
or record a wrong result.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from graven.core.compile_cache import cache_directory, stamp_of
from graven.core.contract import CHANCE, TERMINAL
from graven.core.game import Game
from graven.core.rule_probe import ProbedPosition, RuleProbe
from graven.core.status import SCORE_REMEDY
from graven.core.watchdog import beat

OnPly = Callable[[Sequence[str]], None]

GAMES = 50
SECONDS = 1.0  # of processor time, after the first game
FIRST_GAME_SECONDS = 5.0


def check_rules_once(game: Game, on_ply: OnPly | None = None) -> bool:
    """Check compiled user-defined rules unless this version of them has passed before.

    Return whether they were checked now. Raise ContractError at the first fault. `on_ply` is called
    with the moves of the random game before each ply.
    """
    if not game.compiled_user_functions:
        return False
    mark = _mark(game)
    if mark is not None and mark.exists():
        return False
    check_rules(game, on_ply=on_ply)
    if mark is not None:
        with suppress(OSError):  # a full disk: the check runs again next time
            mark.parent.mkdir(exist_ok=True)
            mark.touch()
    return True


def check_rules(game: Game, games: int = GAMES, seed: int = 0, on_ply: OnPly | None = None) -> None:
    """Play random games with bounds checks; raise ContractError at the first fault."""
    probe, chance = RuleProbe(game.with_bounds_checks(), seed), random.Random(seed)
    begin = time.process_time()
    for _ in range(games):
        _random_game(probe, chance, begin + FIRST_GAME_SECONDS, on_ply)
        if time.process_time() - begin > SECONDS:
            break


def _mark(game: Game) -> Path | None:
    """Return the file that marks rules that passed; None if there is no folder for it."""
    bounds = [game.players, game.state_words, game.num_codes, game.max_moves, game.max_plies]
    content = stamp_of([*game.compiled_user_functions, game.constants, *bounds, game.num_features])
    digest = hashlib.sha256(f"{game.spec} {content}".encode()).hexdigest()[:32]
    try:
        return cache_directory() / "checked-rules" / digest
    except OSError:
        return None


def _random_game(
    probe: RuleProbe, chance: random.Random, deadline: float, on_ply: OnPly | None
) -> None:
    """Play a random game; every rule function is called in every position."""
    game, position = probe.game, probe.start()
    for ply in range(game.max_plies + 1):
        beat()
        if on_ply is not None:
            on_ply(position.path)
        turn = probe.turn(position)
        if turn == TERMINAL:
            _check_scores(probe, position)
            return
        players = probe.players_to_move(turn)
        if not players and turn != CHANCE:
            probe.fail("turn", f"returned {turn}, which is not a player", position.path)
        if ply == game.max_plies:
            fault = f"lets the game go on, but `max_plies` is {game.max_plies}"
            probe.fail("turn", fault, position.path)
        if time.process_time() > deadline:
            return
        joint = {player: _random_move(probe, position, player, chance) for player in players}
        if turn == CHANCE:
            outcomes = probe.outcomes(position)
            joint = {game.chance_index: chance.choices([*outcomes], [*outcomes.values()])[0]}
        elif game.functions.evaluate is not None:
            _check_scores(probe, position, "evaluate")
        if game.functions.key is not None:
            probe.key(position)
        position = probe.play(position, joint)


def _random_move(
    probe: RuleProbe, position: ProbedPosition, player: int, chance: random.Random
) -> int:
    """Return a random legal move, after all functions that list or choose moves were called."""
    game = probe.game
    legal = _listed(probe, position, player, "legal")
    for name in ("tree_moves", "playout_moves"):
        if getattr(game.functions, name) is not None:
            _listed(probe, position, player, name)
    if game.functions.sample is not None:
        _check_code(probe, position, "sample", probe.sample(position, player))
    for name in game.playouts:
        _check_code(probe, position, name, probe.sample(position, player, name))
    move = chance.choice(legal)
    if game.functions.feature is not None:
        code = probe.feature(position, player, move)
        if not 0 <= code < game.num_features:
            fault = f"returned {code}, not a code from 0 to {game.num_features} - 1"
            probe.fail("feature", fault, position.path)
    if game.functions.prior is not None and not 0.0 <= probe.prior(position, player, move) <= 1.0:
        probe.fail("prior", "returned no number from 0 to 1", position.path)
    if game.functions.winning_move is not None:
        winning = probe.winning_move(position, player)
        if winning != -1:
            _check_code(probe, position, "winning_move", winning)
    if game.functions.playout_moves_with_features is not None:
        probe.playout_moves_with_features(position, player)
    if game.functions.is_playout_move is not None:
        probe.is_playout_move(position, player, move)
    return move


def _listed(probe: RuleProbe, position: ProbedPosition, player: int, name: str) -> list[int]:
    """Return the moves that `legal` or a similar function lists."""
    count, buffer = getattr(probe, name)(position, player)
    if not 1 <= count <= probe.game.max_moves:
        fault = f"returned {count} moves, and `max_moves` is {probe.game.max_moves}"
        probe.fail(name, fault, position.path)
    moves = [int(code) for code in buffer[:count]]
    for code in moves:
        _check_code(probe, position, name, code)
    return moves


def _check_code(probe: RuleProbe, position: ProbedPosition, name: str, code: int) -> None:
    if not 0 <= code < probe.game.num_codes:
        fault = f"gave the move {code}, not a code from 0 to {probe.game.num_codes} - 1"
        probe.fail(name, fault, position.path)


def _check_scores(probe: RuleProbe, position: ProbedPosition, name: str = "scores") -> None:
    scores = getattr(probe, name)(position).tolist()
    if not all(0.0 <= score <= 1.0 for score in scores):
        given = ", ".join(f"{score:g}" for score in scores)
        fault = f"wrote {given}, not scores from 0 (lost) to 1 (won); {SCORE_REMEDY}"
        probe.fail(name, fault, position.path)
