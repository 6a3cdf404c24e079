"""Breakthrough, Knightthrough and Othello from GDL are the games that graven has itself."""

from __future__ import annotations

import random

import pytest

from graven.gdl.move_text import after, moves_of
from graven.sources.load import load_game

FILES = "abcdefgh"


def step(text):
    """`( move 1 2 1 3 )` as `a2a3`."""
    x, y, to_x, to_y = (int(word) for word in text.split()[2:6])
    return f"{FILES[x - 1]}{y}{FILES[to_x - 1]}{to_y}"


def disc(text):
    """`( mark 3 5 )` as `c4`, the board turned upside down."""
    if text == "noop":
        return "pass"
    x, y = (int(word) for word in text.split()[2:4])
    return f"{FILES[x - 1]}{9 - y}"


GAMES = [
    ("breakthrough", "breakthrough", step),
    ("knightThrough", "knightthrough", step),
    ("othello-comp2007", "othello", disc),
]


@pytest.mark.parametrize(("sheet", "name", "written"), GAMES, ids=[game[1] for game in GAMES])
def test_games_agree_move_for_move(sheet, name, written):
    chance, results = random.Random(sheet), set()
    first, second = load_game(f"gdl(sheet={sheet})").start(), load_game(name).start()
    for _ in range(6):
        gdl, own = first, second
        while not gdl.is_over:
            role = own.current_player
            moves = {written(text): text for text in moves_of(gdl, role)}
            assert set(moves) == set(own.legal_moves)
            (waiting,) = moves_of(gdl, 1 - role)
            move = chance.choice(sorted(moves))
            joint = [moves[move], waiting] if role == 0 else [waiting, moves[move]]
            if len(moves) > 1:
                assert gdl.current_player == role
            gdl, own = after(gdl, joint), own.play(move)
        while own.legal_moves == ("pass",):  # nobody can move: the sheet ends at once
            own = own.play("pass")
        assert own.is_over
        assert gdl.scores == own.scores
        results.add(gdl.scores)
    assert {(1.0, 0.0), (0.0, 1.0)} <= results
