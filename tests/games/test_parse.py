"""`game.parse` reads what `print(position)` shows, and one-liners where the field has them."""

from __future__ import annotations

import random

import pytest

import graven as gv
from graven.core.errors import UsageError

BOARD_GAMES = [
    "atarigo(size=4x5)",
    "breakthrough(size=6x5)",
    "domineering(size=5x6)",
    "havannah(size=4)",
    "hex(size=4x11)",
    "knightthrough(size=6)",
    "nogo(size=4)",
    "othello(size=6)",
    "misere-breakthrough(size=5)",
    "breakthrough(size=9x8)",
]


def random_positions(game, games, seed=1):
    chance = random.Random(seed)
    for _ in range(games):
        position = game.start()
        yield position
        while not position.is_over:
            position = position.play(chance.choice(position.legal_moves))
            yield position


@pytest.mark.parametrize("spec", BOARD_GAMES)
def test_a_printed_position_is_read_again(spec):
    game = gv.game(spec)
    for position in random_positions(game, 3):
        again = game.parse(str(position))
        assert again == position
        assert str(again) == str(position)
        assert again.current_player == position.current_player
        assert again.legal_moves == position.legal_moves
        assert again.scores == position.scores


@pytest.mark.parametrize("spec", ["go(size=4)", "go(size=4,colors=3)"])
def test_a_printed_position_of_go_is_read_without_its_history(spec):
    game = gv.game(spec)
    for position in random_positions(game, 2):
        again = game.parse(str(position))
        assert str(again) == str(position)
        assert again.current_player == position.current_player
        assert again.scores == position.scores
        # Only superko depends on earlier positions.
        assert {*again.legal_moves} >= {*position.legal_moves}


def test_the_continuation_of_a_read_position_is_the_same():
    game = gv.game("hex(size=5)")
    position = game.start().play_moves(["c3", "b2", "d1"])
    read = game.parse(str(position))
    assert read.play("e5") == position.play("e5")
    assert gv.agent("uct").search(read, playouts=50).best_move in position.legal_moves


def test_lines_like_fen():
    game = gv.game("breakthrough")
    start = game.parse("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1")
    assert start == game.start()
    after = game.parse("pppppppp/pppppppp/8/8/8/1P6/1PPPPPPP/PPPPPPPP b")
    assert after == game.start().play("a2b3")
    knights = gv.game("knightthrough(size=5)")
    assert knights.parse("nnnnn/nnnnn/5/NNNNN/NNNNN w") == knights.start()


def test_lines_of_othello():
    game = gv.game("othello")
    start = "-" * 27 + "OX------XO" + "-" * 27
    assert game.parse(f"{start} X") == game.start()
    assert game.parse(f"{start.replace('X', '*')} *") == game.start()
    # Number 40 of the FFO end-game tests, whose best move is a2.
    line = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"
    assert "a2" in game.parse(line).legal_moves


@pytest.mark.parametrize(
    ("spec", "text", "message"),
    [
        ("hex(size=3)", "nothing", "expected 3 rows"),
        ("hex(size=3)", "1 X . .\n 2 . .\n  3 . . .", "row 2 must have 3 cells, got 2"),
        (
            "hex(size=3)",
            "1 X . .\n 2 . Q .\n  3 . . .",
            "row 2: a cell is one of XO or '.', got 'Q'",
        ),
        ("hex(size=3)", "1 X X .\n 2 . . .\n  3 . . .", "2 pieces of Black and 0 of White"),
        ("hex(size=3)", "1 X X .\n 2 . . .\n  9 . . .", "row 9 is unexpected"),
        ("breakthrough(size=5)", "BBBBB", "expected 5 rows"),
        ("breakthrough(size=5)", "ppppp/5/5/PPPPP w", "not a board of 5 rows"),
        ("breakthrough(size=5)", "ppppp/5/5/5/PPPPP", "does not say whose turn"),
        ("domineering(size=2)", "2 ^ .\n1 . .", "half a domino"),
        ("go(size=2)", "2 X X\n1 X X\nMove 5: Black to move", "has no liberty"),
        ("go(size=3)", "3 X O .\n2 O . .\n1 . . .", "has no liberty"),
        ("nogo(size=3)", "3 X O .\n2 O . .\n1 X . .", "no game of nogo leads to this position"),
        ("tsptw", "6 of 20", "cannot read positions"),
    ],
)
def test_what_cannot_be_read_is_told(spec, text, message):
    with pytest.raises(UsageError, match=message):
        gv.game(spec).parse(text)
