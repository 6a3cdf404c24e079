"""The board: moves, handicap, komi and sizes."""

from __future__ import annotations

import pytest

from tests.interfaces.gtp.helpers import ok, refused


def test_moves_are_played_taken_back_and_refused(engine):
    ok(engine, "play b D4")
    assert "X" in ok(engine, "showboard")
    assert refused(engine, "play w D4") == "illegal move"
    assert refused(engine, "play w I5") == "illegal move"
    assert refused(engine, "play green A1") == "invalid color"
    ok(engine, "undo")
    assert refused(engine, "undo") == "cannot undo"
    assert refused(engine, "play b") == "syntax error"


def test_the_same_colour_may_move_twice(engine):
    ok(engine, "play b D4")
    ok(engine, "play b E5")
    ok(engine, "play w pass")
    ok(engine, "play w pass")
    ok(engine, "play w A1")
    assert str(engine.session.board.position).count("X") == 2


def test_superko_is_refused(engine):
    for vertex in ["B1", "C1", "A2", "D2", "B3", "C3", "PASS", "B2", "C2"]:
        ok(engine, f"play {'bw'[len(engine.session.board.moves) % 2]} {vertex}")
    assert refused(engine, "play w B2") == "illegal move"


@pytest.mark.parametrize(
    ("size", "number", "points"),
    [
        (9, 2, "C3 G7"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (13, 3, "D4 K10 D10"),
        (8, 4, "C3 F6 C6 F3"),
    ],
)
def test_fixed_handicap_uses_the_points_of_the_specification(engine, size, number, points):
    ok(engine, f"boardsize {size}")
    assert ok(engine, f"fixed_handicap {number}") == points
    assert "White to move" in str(engine.session.board.position)
    assert refused(engine, "fixed_handicap 2") == "board not empty"


def test_invalid_handicap_is_refused(engine):
    assert "number" in refused(engine, "fixed_handicap 10")
    assert "number" in refused(engine, "fixed_handicap 1")
    assert refused(engine, "set_free_handicap A1 A1") == "bad vertex list"
    assert refused(engine, "set_free_handicap A1 pass") == "bad vertex list"
    assert len(ok(engine, "place_free_handicap 20").split()) == 9
    ok(engine, "clear_board")
    ok(engine, "set_free_handicap A1 B2 C3")
    assert engine.session.board.handicap == ("A1", "B2", "C3")


def test_komi_and_sizes(engine):
    ok(engine, "play b D4")
    ok(engine, "komi 6.5")
    assert "X" in ok(engine, "showboard"), "the stones stay"
    assert refused(engine, "komi much") == "komi not a number"
    assert refused(engine, "boardsize 20") == "unacceptable size"
    assert refused(engine, "boardsize -9") == "unacceptable size"
    ok(engine, "rectangular_boardsize 7 5")
    assert len(ok(engine, "showboard").split("\n")[0].split()) == 1 + 7, "a row has 7 points"
    ok(engine, "play b G5")
    assert refused(engine, "play w A6").startswith("illegal move")
