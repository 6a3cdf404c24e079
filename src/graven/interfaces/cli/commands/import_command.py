"""`graven import`: add games from game files to the store."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from graven.interfaces.cli.arguments import Db, Json, open_store
from graven.interfaces.cli.console import out, print_json, run_to_completion
from graven.interfaces.cli.reproduce_files import warn_of_contradictions


def import_games(
    folders: Annotated[
        list[str],
        typer.Argument(
            help="Folders of game files, as results/games.", metavar="FOLDER...", show_default=False
        ),
    ],
    db: Db = None,
    json: Json = False,
) -> None:
    """Add the games of game files to the store.

    The files have one row per game, without moves ('graven replay' plays a game again). 'graven
    reproduce --write FOLDER' writes them. A game that the store has stays as it is, so the files of
    several people can be merged: import all of them, then write. Games are kept apart by their
    search fingerprint, a digest of what decides their moves.

    \b
    Examples:
      graven import results/games
      graven import results/games ~/other/results/games --db all.db
    """
    from graven.lab.store import game_files

    total = game_files.MergeCount()
    with open_store(db) as store:
        for folder in folders:
            add = partial(game_files.import_games, Path(folder), store)
            total += run_to_completion(add, f"importing {folder}")
    if json:
        print_json({"games": total.games, "new": total.new, "contradicting": total.contradicting})
    else:
        out().print(f"imported {total.new:,} new games of {total.games:,}")
    warn_of_contradictions(total)
