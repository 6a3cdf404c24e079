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
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from graven.agents import Agent, MoveClock, SearchResult, agent, is_external
from graven.core.compile_cache import cache_directory, sources_digest
from graven.core.file_replacement import replace_text
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rule_check import check_rules_once
from graven.lab.experiments.pairing import Pairing
from graven.lab.experiments.processes import (
    can_fork,
    compile_here,
    has_own_code,
    report_moves,
    run_apart,
)
from graven.search.budget import Budget
from graven.search.policy import Policy
from graven.sources.load import load_game
from graven.sources.python_file import is_file_game

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
    missing = [spec for spec in ours if _read(pairing.game, spec) is None]
    new: list[str] = []
    title = f"the first searches at {pairing.game}"
    if missing and pairing.has_user_code and (game is None or is_file_game(game.source)):
        new = run_apart(_fingerprints_in_worker, (pairing.game, missing), title)
    elif missing and has_own_code(game, policies) and can_fork():
        given = game or _game(pairing.game)
        compile_here(given, missing, policies)
        work = partial(_fingerprints, given, policies=policies)
        new = run_apart(work, missing, title, fork=True)
    elif missing:
        new = _fingerprints(game or _game(pairing.game), missing, policies)
    computed = dict(zip(missing, new, strict=True))
    for spec, fingerprint in computed.items():
        _write(pairing.game, spec, fingerprint)
    digests = [computed.get(spec) or _read(pairing.game, spec) for spec in ours]
    return replace(pairing, search_fingerprint=_digest(digests))


def _fingerprints_in_worker(texts: tuple[str, list[str]]) -> list[str]:
    """Return the fingerprints of agents, in a process that user-defined code may end."""
    return _fingerprints(_game(texts[0]), texts[1])


def _fingerprints(game: Game, specs: list[str], policies: Sequence[Policy] = ()) -> list[str]:
    check_rules_once(game, report_moves)
    return [agent_fingerprint(game, agent(spec, policies)) for spec in specs]


def agent_fingerprint(game: Game, searcher: Agent) -> str:
    """Return the digest of an agent's fixed-seed searches of a game."""
    searches = _searches(game, searcher)
    return _digest([_statistics(position, result) for position, result in searches])


def _searches(game: Game, searcher: Agent) -> Iterator[tuple[Position, SearchResult]]:
    """Search the first two moves of a game, with one player as in a game."""
    player = searcher.player(game, SEED)
    position = game.start().rolled(SEED)
    for playouts in PYTHON_PLAYOUTS if game.in_python else PLAYOUTS:
        if position.is_over:
            break
        result = player.choose(position, MoveClock(Budget(playouts)))
        yield position, result
        joint = [result.move_of(p) for p in position.players_to_move]
        position = position.play_joint(joint).rolled(SEED)
    player.close()


def _statistics(position: Position, result: SearchResult) -> list[Any]:
    """Return what a search did, without texts: the text of a move does not influence the search."""
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


def _file(game_text: str, spec: str) -> Path:
    """Return the file of an agent's fingerprint.

    Texts of user-defined games and policies contain a digest of their code.
    """
    return _folder() / hashlib.sha256(f"{game_text} {spec}".encode()).hexdigest()[:32]


def _read(game_text: str, spec: str) -> str | None:
    """Return an agent's fingerprint from the disk; None if it is not there."""
    with suppress(OSError, ValueError):
        if len(stored := _file(game_text, spec).read_text()) == DIGITS:
            return stored
    return None


def _write(game_text: str, spec: str, fingerprint: str) -> None:
    """Keep a fingerprint; without a writable cache it is computed again next time."""
    with suppress(OSError):
        file = _file(game_text, spec)
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(file, fingerprint)


@cache
def _folder() -> Path:
    return cache_directory() / FOLDER / sources_digest()


@cache
def _game(text: str) -> Game:
    return load_game(text)


def _digest(values: Any) -> str:
    text = json.dumps(values, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
