"""`graven replay`: play a recorded game again, and show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graven.interfaces.cli.arguments import Db, Json, open_store
from graven.interfaces.cli.console import (
    FAILED,
    INTERRUPTED,
    err,
    out,
    print_board,
    print_json,
    run_to_completion,
    run_with_progress,
)

if TYPE_CHECKING:
    from graven.lab.experiments.job import GameResult
    from graven.lab.experiments.pairing import Pairing
    from graven.lab.store.store import Store


def replay(
    pairing: Annotated[
        str | None,
        typer.Argument(
            help="The id of a pairing, or its first digits; without one, all are listed."
        ),
    ] = None,
    index: Annotated[int, typer.Argument(help="The index of a game in its pairing, from 0.")] = 0,
    db: Db = None,
    json: Json = False,
) -> None:
    """Play a recorded game again from its seed, and show its moves and final position.

    The replayed game is compared with the stored one: the exit code is 1 if they differ.

    \b
    Examples:
      graven import results/games
      graven replay
      graven replay 3f9a2c 17
    """
    with open_store(db, write=False) as store:
        if pairing is None:
            _list(store, json)
        else:
            _replay(store, pairing, index, json)


def _list(store: Store, json: bool) -> None:
    from graven.lab.store.game_files import pairing_id

    rows: list[dict[str, Any]] = [
        {
            "pairing": pairing_id(summary.pairing),
            "game": summary.pairing.game,
            "agents": list(summary.pairing.agents),
            "budget": summary.pairing.budget,
            "fingerprint": summary.pairing.search_fingerprint,
            "games": summary.games,
        }
        for summary in store.summaries()
    ]
    if json:
        print_json(rows)
        return
    if not rows:
        out().print("The store has no games.")
        return
    heading = f"{'pairing':10}  {'fingerprint':12}  {'games':>5}  game, agents and budget"
    out().print(heading, style="dim", soft_wrap=True)
    for row in rows:
        played = f"{row['game']}  {' v '.join(row['agents'])}, {row['budget']}"
        search = row["fingerprint"] or "-"
        text = f"{row['pairing']}  {search:12}  {row['games']:5,}  {played}"
        out().print(text, markup=False, soft_wrap=True)


def _replay(store: Store, text: str, index: int, json: bool) -> None:
    from graven.core.errors import UsageError
    from graven.lab.experiments.replay import differences, of_this_version, replay
    from graven.lab.store.game_files import ALL_GAMES

    pairings = _find(store, text)
    pairing = run_to_completion(lambda: of_this_version(pairings), "comparing the searches")
    recorded = next(iter(store.results(pairing, index + 1, index)), None)
    if recorded is None:
        indices = store.recorded_games(pairing, ALL_GAMES)
        raise UsageError(
            f"game {index} of this pairing has not been recorded: the store has {len(indices):,} "
            f"games of it, with indices from {min(indices)} to {max(indices)}."
        )
    replayed, interrupted = run_with_progress(
        lambda stop: replay(pairing, index, stop), lambda elapsed: f"playing game {index} again"
    )
    if interrupted or replayed is None:
        raise typer.Exit(INTERRUPTED)
    differing = differences(recorded, replayed)
    if json:
        print_json(_values(pairing, replayed, differing))
    else:
        _show(pairing, replayed)
        if differing:
            err().print(f"differs from the stored game: {'; '.join(differing)}.", style="red")
        else:
            out().print(f"as recorded by graven {recorded.version}", style="green")
    if differing:
        raise typer.Exit(FAILED)


def _find(store: Store, text: str) -> list[Pairing]:
    """Return the pairings whose id begins with a text: one for each search that played it.

    Those with the most games come first.
    """
    from graven.core.errors import UsageError
    from graven.lab.store.game_files import pairing_id

    matching: dict[str, list[Pairing]] = {}
    for summary in sorted(store.summaries(), key=lambda summary: -summary.games):
        if (identity := pairing_id(summary.pairing)).startswith(text):
            matching.setdefault(identity, []).append(summary.pairing)
    if len(matching) != 1:
        number = f"{len(matching)} pairings of the store have an id that begins"
        if not matching:
            number = "no pairing of the store has an id that begins"
        raise UsageError(f"{number} with {text!r}: 'graven replay' lists all pairings.")
    return next(iter(matching.values()))


def _values(pairing: Pairing, game: GameResult, differing: list[str]) -> dict[str, Any]:
    return {
        "game": pairing.game,
        "index": game.index,
        "seed": game.seed,
        "players": [pairing.agents[side] for side in game.seats],
        "moves": list(game.moves),
        "scores": list(game.scores),
        "as_recorded": not differing,
        "differences": differing,
    }


def _show(pairing: Pairing, game: GameResult) -> None:
    """Print the moves, the final position and the scores of a game."""
    from graven.lab.experiments.replay import shipped_game

    position = shipped_game(pairing.game).start()
    for move in game.moves:
        position = position.play_moves([move])
    names = position.game.player_names
    for name, side, score in zip(names, game.seats, game.scores, strict=True):
        out().print(f"{name}: {pairing.agents[side]}, score {score:g}", markup=False)
    out().print(" ".join(game.moves), markup=False, soft_wrap=True)
    print_board(position)
