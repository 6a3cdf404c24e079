"""Replaying recorded games: the pairing and the index of a game determine all its moves.

A replayed pairing comes from a file, possibly from another user. It is never a reason to run a
program or a Python file that the stored row names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graven.agents import is_external
from graven.agents.spec_parser import parse
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.games import registry
from graven.lab.experiments.job import GameJob, GameResult
from graven.lab.experiments.pairing import Pairing
from graven.lab.experiments.play_game import play_game
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.search.runner import Stop
from graven.sources import gdl_text


def replay(pairing: Pairing, index: int, stop: Stop | None = None) -> GameResult | None:
    """Play a recorded game again; None if it was stopped.

    Raise a UsageError if this version of graven would play another game.
    """
    game = _checked_game(pairing)
    pairing = replace(pairing, players=game.players)
    current = with_fingerprint(pairing, game).search_fingerprint
    if pairing.search_fingerprint and pairing.search_fingerprint != current:
        raise UsageError(
            f"the game was played by another search (fingerprint {pairing.search_fingerprint}, "
            f"this version has {current}): replay it with the version that played it."
        )
    return play_game(GameJob(pairing, index), game, stop)


def of_this_version(pairings: Sequence[Pairing]) -> Pairing:
    """Return which of the pairings with equal settings this version's search has played.

    If it has played none of them, return the first.
    """
    first = pairings[0]
    if len(pairings) == 1:
        return first
    game = _checked_game(first)
    current = with_fingerprint(replace(first, players=game.players), game).search_fingerprint
    return next((each for each in pairings if each.search_fingerprint == current), first)


def _checked_game(pairing: Pairing) -> Game:
    """Return the game of a pairing; raise a UsageError if its games cannot be replayed."""
    if any(budget.seconds is not None for budget in pairing.budgets):
        raise UsageError("a game with a budget in seconds cannot be played again move by move.")
    game = shipped_game(pairing.game)
    for spec in pairing.agents:
        if is_external(spec):
            raise UsageError(f"{spec} is an external program: its games cannot be replayed.")
        parse(spec)
    return game


def shipped_game(text: str) -> Game:
    """Return a game of the package, without options that name files; refuse all others."""
    name, options = registry.parse(text)
    if "file" in options:
        raise UsageError(f"{text} is not a game of the package: its games cannot be replayed.")
    if gdl_text.is_gdl(text):
        return gdl_text.gdl_game(text)
    return registry.make_game(name, **options)


def differences(recorded: GameResult, replayed: GameResult) -> list[str]:
    """Return what a replayed game has otherwise than the stored row, in words."""
    fields = ["seats", "scores", "plies", "playouts", *(["moves"] if recorded.moves else [])]
    return [
        f"{name} {getattr(replayed, name)} instead of {getattr(recorded, name)}"
        for name in fields
        if getattr(recorded, name) != getattr(replayed, name)
    ]
