"""What experiments know of a game before it is made."""

from __future__ import annotations

import pytest

from graven.core.errors import UsageError
from graven.sources.load import load_game, read_outline


@pytest.mark.parametrize(
    "text",
    [
        "breakthrough(size=6x5)",
        "misere-nogo",
        "go(colors=3)",
        "gdl(sheet=tictactoe_3d_2player)",
        "misere-gdl(sheet=chineseCheckers3,steps=40)",
        "gdl(sheet=sheepAndWolf,by=proof)",
    ],
)
def test_an_outline_says_what_the_game_says(text):
    game = load_game(text)
    assert read_outline(text) == (game.spec, game.players)


def test_an_outline_of_nothing_is_an_error():
    with pytest.raises(UsageError, match="tictactoe"):
        read_outline("gdl(sheet=tictactoe_4d)")
