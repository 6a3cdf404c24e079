"""The search fingerprint: a digest of what decides the moves of a pairing's games.

Both agents search the pairing's game with fixed seeds, two moves in a row, and the fingerprint is a
digest of the statistics of these searches. It depends on the rules, the policies and the options,
and not on the source code: a change that keeps every random draw, such as a renamed or a faster
function, keeps the fingerprint; one that alters a search alters it. Games recorded under another
fingerprint are never counted together with new ones.

Fingerprints are computed once per version of graven and kept beside the compiled code.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

from graven.agents import Agent, MoveClock, SearchResult, agent, is_external
from graven.core.compile_cache import cache_directory, sources_digest
from graven.core.game import Game, Position
from graven.lab.experiments.pairing import Pairing
from graven.search.budget import Budget
from graven.search.policy import Policy
from graven.sources.load import load_game

# Playouts of the two searches, in order. A game whose rules run in Python is slower by far.
PLAYOUTS, PYTHON_PLAYOUTS = (120, 40), (12, 4)
SEED = 1
DIGITS = 12
FOLDER = "search-fingerprints"


def with_fingerprint(
    pairing: Pairing, game: Game | None = None, policies: Sequence[Policy] = ()
) -> Pairing:
    """Return a pairing with the search fingerprint of this version of graven.

    `game` is the pairing's game where it cannot be made from its text; `policies` are those that
    exist in this process only. A pairing of two external programs has no fingerprint.
    """
    ours = [spec for spec in pairing.agents if not is_external(spec)]
    if not ours:
        return pairing
    digests = [_stored_fingerprint(pairing.game, spec, game, policies) for spec in ours]
    return replace(pairing, search_fingerprint=_digest(digests))


def agent_fingerprint(game: Game, searcher: Agent) -> str:
    """Return the digest of an agent's fixed-seed searches of a game."""
    searches = _searches(game, searcher)
    return _digest([_statistics(position, result) for position, result in searches])


def _searches(game: Game, searcher: Agent) -> Iterator[tuple[Position, SearchResult]]:
    """Search the first two moves of a game, with one player as in a game."""
    player = searcher.player(game, SEED)
    position = game.start()
    for playouts in PYTHON_PLAYOUTS if game.in_python else PLAYOUTS:
        if position.is_over:
            break
        result = player.choose(position, MoveClock(Budget(playouts)))
        yield position, result
        position = position.play_joint([result.move_of(p) for p in position.players_to_move])
    player.close()


def _statistics(position: Position, result: SearchResult) -> list[Any]:
    """Return what a search did, without texts: how a move is written decides nothing."""
    game = position.game
    moves = [
        [player, game.move_code(player, move.move), move.visits, move.amaf_visits]
        for player, stats in result.by_player.items()
        for move in stats
    ]
    best = [game.move_code(p, result.move_of(p)) for p in position.players_to_move]
    # Rounded: the last digits of a mean may differ between processors.
    value = round(result.value, 6)
    return [best, sorted(moves), result.plies, result.nodes, result.playouts, value]


def _stored_fingerprint(
    game_text: str, spec: str, game: Game | None, policies: Sequence[Policy]
) -> str:
    """Return an agent's fingerprint from the disk; compute and store it if it is new.

    Texts of user-defined games and policies contain a digest of their code.
    """
    file = _folder() / hashlib.sha256(f"{game_text} {spec}".encode()).hexdigest()[:32]
    with suppress(OSError):
        if len(stored := file.read_text()) == DIGITS:
            return stored
    fingerprint = agent_fingerprint(game or _game(game_text), agent(spec, policies))
    with suppress(OSError):  # without a writable cache it is computed again next time
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{token_hex(4)}")
        draft.write_text(fingerprint)
        os.replace(draft, file)
    return fingerprint


@cache
def _folder() -> Path:
    return cache_directory() / FOLDER / sources_digest()


@cache
def _game(text: str) -> Game:
    return load_game(text)


def _digest(values: Any) -> str:
    text = json.dumps(values, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
