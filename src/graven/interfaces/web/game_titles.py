"""Names of games for titles: "Go 9x9" for `go(size=9x9,komi=7.5,colors=2)`."""

from __future__ import annotations

from graven.core.game import MISERE, Game
from graven.gdl import sheets

NAMES = {
    "morpion": "Morpion Solitaire",
    "nogo": "NoGo",
    "samegame": "SameGame",
    "tsptw": "Travelling salesman",
}
SHOWN_OPTIONS = ("size", "variant")  # of a game, in its title


def game_title(game: Game) -> str:
    """Return a game's name with its size or variant."""
    name = game.name.removeprefix(MISERE)
    prefix = "Misère " if game.misere else ""
    sheet = game.options.get("sheet")
    if sheet is not None:
        return prefix + sheets.title(str(sheet))
    if game.source:  # of a user's file: the name that the user gave it
        return prefix + name
    words = [NAMES.get(name, name.capitalize())]
    words += [str(game.options[option]) for option in SHOWN_OPTIONS if option in game.options]
    colours = int(game.options.get("colors", 2))
    return prefix + " ".join(words) + (f", {colours} colours" if colours > 2 else "")
