"""Games from wherever they come: by name, or from a file.

    breakthrough(size=6x5)      a game of the package
    rules/skirmish.kif          a game as GDL text; gdl(sheet=skirmish): one that is shipped
    mygame.py:game              a game of one's own
    spiel("chess")              a game of OpenSpiel

Each source is a function from text and options to a `Game`, and says which texts are its own.
"""

from __future__ import annotations

from graven.core.game import Game, Outline
from graven.core.game import Option as Value


def make_game(text: str, **options: Value) -> Game:
    """The game that a text names, with options in the text or by keyword.

    A text that names a Python file runs it: it must come from the person at the keyboard.
    """
    from graven.games import registry
    from graven.sources import gdl_text, openspiel_game, python_file

    if gdl_text.is_gdl(text):
        return gdl_text.gdl_game(text, **options)
    if python_file.is_file_game(text):
        return python_file.file_game(text, **options)
    if openspiel_game.is_spiel_game(text):
        return openspiel_game.spiel_game(text, **options)
    return registry.make_game(text, **options)


def outline(text: str) -> Outline:
    """The spec and the players of the game that a text names; GDL is read, not grounded."""
    from graven.sources import gdl_text

    if gdl_text.is_gdl(text):
        return gdl_text.gdl_outline(text)
    game = make_game(text)
    return Outline(game.spec, game.players)
