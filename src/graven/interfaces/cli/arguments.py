"""Arguments and options that several commands share, and what to make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.console import awaited

if TYPE_CHECKING:
    from graven.core.game import Game
    from graven.lab.store.store import Store
    from graven.search.budget import Budget

GameText = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, with options if need be: breakthrough, 'breakthrough(size=6x5)'; one of your "
        "own: ./mygame.py:game; one of OpenSpiel's: 'spiel(\"chess\")'.",
        show_default=False,
    ),
]
Size = Annotated[str | None, typer.Option(help="The board's size: 8, or 6x5.", metavar="SIZE")]
AgentText = Annotated[
    str, typer.Option("--agent", help="The agent: see 'graven agents'.", metavar="SPEC")
]
Playouts = Annotated[int | None, typer.Option(help="Playouts for each move.", metavar="N")]
Seconds = Annotated[float | None, typer.Option(help="Seconds for each move.", metavar="S")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same moves.", metavar="N")]
Db = Annotated[
    str | None,
    typer.Option(
        help="The file that remembers all games; default: GRAVEN_DB, else graven.db.",
        metavar="FILE",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def make_game(text: str, size: str | None) -> Game:
    """The game that the command line names, its rules compiled."""
    from graven.sources.load import make_game

    game = make_game(text, size=size) if size is not None else make_game(text)
    awaited(game.start, f"compiling the rules of {game.name}")
    return game


def check_agents(*specs: str) -> None:
    """Refuse agents that there are not, before any rules are compiled."""
    from graven.agents import agent

    for spec in specs:
        agent(spec)


def split_moves(text: str) -> list[str]:
    """The moves of a text, which spaces separate; not those within parentheses, as in GDL."""
    moves, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter.isspace() and depth <= 0:
            moves.append("")
        else:
            moves[-1] += letter
    return [move for move in moves if move]


def given_budget(playouts: int | None, seconds: float | None, default_playouts: int) -> Budget:
    """The budget that the command line gives, or the command's own."""
    from graven.search.budget import Budget

    asked = Budget(playouts, seconds)
    return asked if asked.is_limited else Budget(default_playouts)


def check_target(file: str) -> None:
    """Refuse, before any work is done, what cannot be written: a file where there is no folder, and
    one that is a store (`graven report my.db` means --db)."""
    from pathlib import Path

    from graven.core.errors import UsageError
    from graven.lab.store.schema import SQLITE_MAGIC

    path = Path(file)
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} to write into.")
    if path.is_dir():
        raise UsageError(f"{file!r} is a folder: name a file to write.")
    if path.is_file():
        with path.open("rb") as found:
            if found.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC:
                raise UsageError(
                    f"{file!r} is a database and is not written over: name it with --db."
                )


def open_store(db: str | None, write: bool = True) -> Store:
    """The store that the command line names, or the usual one."""
    from graven.lab.store.store import Store
    from graven.lab.store.store_file import default_path

    return Store(db or default_path(), write)
