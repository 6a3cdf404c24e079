"""`graven games`: list the games, or describe one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graven.interfaces.cli.arguments import Json, Size, make_game
from graven.interfaces.cli.console import out, print_board, print_json

if TYPE_CHECKING:
    from graven.core.game import Game
    from graven.games.registry import Family


def games(
    name: Annotated[
        str | None, typer.Argument(help="A game: show its options, bounds and first position.")
    ] = None,
    size: Size = None,
    json: Json = False,
) -> None:
    """List the games, or show the options, bounds and first position of one game.

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
            raise UsageError("--size requires the name of a game.")
        _list([*registry.families(), *gdl_text.families()], json)
        return
    game = make_game(name, size)
    family = None  # for games that are not registered: Python files and OpenSpiel
    if gdl_text.is_gdl(name):
        family = gdl_text.family(game)
    elif not game.source:
        base_name, _ = registry.parse(name)
        family = registry.find(base_name.removeprefix(MISERE))
    if json:
        print_json({**(_family_json(family) if family else {}), **_game_json(game)})
    else:
        _show(family, game)


def _list(families: list[Family], json: bool) -> None:
    from rich.table import Table

    if json:
        print_json([_family_json(family) for family in families])
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("game", "options", "description"):
        table.add_column(heading)
    for family in families:
        options = ", ".join(f"{name}={option.default}" for name, option in family.options.items())
        table.add_row(family.name, options, family.summary)
    out().print(table)
    out().print(
        "\nmisere-NAME is a game with inverted scores; FILE.kif is a user-defined game in GDL, "
        "./mygame.py:game one in Python (see 'graven new game mygame'), 'spiel(\"chess\")' a "
        "game of OpenSpiel.",
        style="dim",
        markup=False,
    )


def _show(family: Family | None, game: Game) -> None:
    console = out()
    if family is None:
        console.print(game.spec, style="bold", markup=False)
    else:
        console.print(f"[bold]{game.spec}[/bold]: {family.summary}")
    for name, option in family.options.items() if family else ():
        console.print(f"  {name}={option.default}  {option.about}", markup=False)
    console.print(
        f"{game.players} players ({', '.join(game.player_names)}), {game.num_codes:,} move codes, "
        f"at most {game.max_moves:,} moves in a position and {game.max_plies:,} plies in a game"
    )
    if game.playouts:
        console.print(f"additional playout policies: {', '.join(sorted(game.playouts))}")
    position = game.start()
    print_board(position)
    moves = position.legal_moves
    shown = " ".join(moves[:12]) + (" ..." if len(moves) > 12 else "")
    console.print(f"{len(moves)} first moves: {shown}", markup=False)


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
        "codes": game.num_codes,
        "most_moves": game.max_moves,
        "most_plies": game.max_plies,
        "playouts": sorted(game.playouts),
        "start": position.text(),
        "moves": list(position.legal_moves),
    }
