"""Load a game from a text: a registered name, GDL, a Python file, or OpenSpiel.

    breakthrough(size=6x5)      a game of the package
    rules/skirmish.kif          GDL text; gdl(sheet=skirmish) is a sheet of the package
    mygame.py:game              a user-defined game
    spiel("chess")              a game of OpenSpiel

Each source is a module with a function that recognises its texts and one that returns the `Game`.
"""

from __future__ import annotations

from functools import lru_cache

from graven.core.calls import check_text
from graven.core.errors import UsageError
from graven.core.game import Game, GameOutline
from graven.core.game import Option as Value
from graven.core.position import Position


def load_game(text: str, **options: Value) -> Game:
    """Return the game that a text describes, with options in the text or as keywords.

    A text that names a Python file executes that file: it must come from the user of the program,
    never from a network or a database.
    """
    game = _load(text, **options)
    game.origin = (game_of_pickle, (game.spec,))
    return game


def load_position(start: Game | Position | str) -> Position:
    """Return a position, or the first one of a game, which may be described by a text."""
    if isinstance(start, Position):
        return start
    game = start if isinstance(start, Game) else load_game(start)
    return game.start()


@lru_cache(maxsize=64)
def game_of_pickle(spec: str) -> Game:
    """Return the game of a pickled game or position: one object for all that are unpickled."""
    return load_game(spec)


def _load(text: str, **options: Value) -> Game:
    from graven.games import registry
    from graven.sources import gdl_text, openspiel_game, python_file

    check_text("a game", text, "hex(size=7)")

    if gdl_text.is_gdl(text):
        return gdl_text.gdl_game(text, **options)
    if python_file.is_file_game(text):
        return python_file.file_game(text, **options)
    if openspiel_game.is_openspiel_game(text):
        return openspiel_game.openspiel_game(text, **options)
    try:
        return registry.make_game(text, **options)
    except UsageError as error:
        if sheet_error := gdl_text.sheet_error(text.partition("(")[0], str(error)):
            raise sheet_error from None
        raise


def read_outline(text: str) -> GameOutline:
    """Return spec and players of the game that a text describes; GDL is parsed, not grounded."""
    from graven.sources import gdl_text

    if gdl_text.is_gdl(text):
        return gdl_text.gdl_outline(text)
    game = load_game(text)
    return GameOutline(game.spec, game.players)
