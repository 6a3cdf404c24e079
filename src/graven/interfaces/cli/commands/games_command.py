"""`graven games`: list the games, or describe one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graven.interfaces.cli.arguments import Json, Size, compile_game
from graven.interfaces.cli.console import out, print_board, print_json

if TYPE_CHECKING:
    from graven.core.game import Game
    from graven.games.registry import Family

MAX_LISTED_MOVES = 12


def games(
    name: Annotated[str | None, typer.Argument(help="A game to describe.")] = None,
    size: Size = None,
    json: Json = False,
) -> None:
    """List the games, or describe one: its options, bounds and first position.

    \b
    Examples:
      graven games
      graven games knightthrough
      graven games "misere-breakthrough(size=6x5)" --json
      graven games "gdl(sheet=skirmish)"
      graven games ./mygame.py:game
      graven games 'spiel("chess")'
    """
    from graven.core.errors import UsageError
    from graven.core.game import MISERE
    from graven.games import registry
    from graven.sources import gdl_text

    if name is None:
        if size is not None:
            raise UsageError("--size needs the name of a game.")
        _print_list([*registry.families(), *gdl_text.families()], json)
        return
    game = compile_game(name, size)
    family = None  # custom games belong to none
    if gdl_text.is_gdl(name):
        family = gdl_text.family_of(game)
    elif not game.source:
        family_name, _ = registry.parse(name)
        family = registry.find(family_name.removeprefix(MISERE))
    if json:
        print_json({**(_family_json(family) if family else {}), **_game_json(game)})
    else:
        _print_game(family, game)


def _print_list(families: list[Family], json: bool) -> None:
    from rich.table import Table

    if json:
        print_json([_family_json(family) for family in families])
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("game", overflow="fold")  # a name that is cut off cannot be typed
    for heading in ("options", "description"):
        table.add_column(heading)
    for family in families:
        options = ", ".join(f"{name}={option.default}" for name, option in family.options.items())
        table.add_row(family.name, options, family.summary)
    out().print(table)
    out().print(
        "\nmisere-NAME is any of them with reversed results; FILE.kif is a custom game in GDL, "
        "./mygame.py:game one in Python ('graven new game mygame'), 'spiel(\"chess\")' a game of "
        "OpenSpiel.",
        style="dim",
        markup=False,
    )


def _print_game(family: Family | None, game: Game) -> None:
    console = out()
    if family is None:
        console.print(game.spec, style="bold", markup=False)
    else:
        console.print(f"[bold]{game.spec}[/bold]: {family.summary}")
    for name, option in family.options.items() if family else ():
        console.print(f"  {name}={option.default}  {option.about}", markup=False)
    console.print(game.describe(), markup=False)
    if game.playouts:
        console.print(f"game-specific playouts: {', '.join(sorted(game.playouts))}")
    position = game.start()
    print_board(position)
    moves = tuple(position.outcomes) or position.legal_moves
    listed = " ".join(moves[:MAX_LISTED_MOVES]) + (" ..." if len(moves) > MAX_LISTED_MOVES else "")
    first = "outcomes of chance" if position.is_chance else "first moves"
    console.print(f"{len(moves)} {first}: {listed}", markup=False)


def _family_json(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "summary": family.summary,
        "options": {
            name: {"default": option.default, "about": option.about}
            for name, option in family.options.items()
        },
    }


def _game_json(game: Game) -> dict[str, Any]:
    position = game.start()
    return {
        "spec": game.spec,
        "players": list(game.player_names),
        "num_codes": game.num_codes,
        "max_moves": game.max_moves,
        "max_plies": game.max_plies,
        "playouts": sorted(game.playouts),
        "start": position.text(),
        "legal_moves": list(position.legal_moves),
        "outcomes": position.outcomes,
    }
