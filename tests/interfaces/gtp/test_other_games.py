"""Games other than Go over GTP."""

from __future__ import annotations

import pytest

from tests.interfaces.gtp.helpers import new_engine, ok, refused


@pytest.mark.parametrize(
    ("game", "first", "move", "wrong"),
    [
        ("hex(size=5)", "black", "a1", "f1"),
        ("havannah(size=4)", "white", "a1", "e1"),
        ("othello", "black", "d3", "a1"),
    ],
)
def test_a_whole_game(game, first, move, wrong):
    engine = new_engine(game)
    assert "komi" not in ok(engine, "list_commands").split()
    assert ok(engine, "gogui-rules_side_to_move") == first
    assert refused(engine, f"play {first} {wrong}") == "illegal move"
    ok(engine, f"play {first} {move}")
    second = ok(engine, "gogui-rules_side_to_move")
    assert "turn" in refused(engine, f"genmove {first}")
    reply = ok(engine, f"genmove {second}")
    assert reply not in ok(engine, "gogui-rules_legal_moves").split()
    assert ok(engine, "gogui-rules_final_result") == "The game is not over"
    while ok(engine, "gogui-rules_side_to_move") != "none":
        ok(engine, f"genmove {ok(engine, 'gogui-rules_side_to_move')}")
    assert ok(engine, "gogui-rules_final_result") in ("Black wins", "White wins", "Draw")
    assert refused(engine, "genmove black") == "the game is over"
