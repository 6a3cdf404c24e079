"""Breakthrough and Knightthrough, which share their rules."""

from __future__ import annotations

import pytest

from graven.core.game import Game
from graven.core.position import Position
from graven.games.registry import make_game
from tests.games.features import feature_code


def feature(position: Position, move: str) -> int:
    """A move's feature code, for the player to move."""
    code = position.game.move_code(position.current_player, move)
    assert code is not None
    return feature_code(position, position.current_player, code)


def test_breakthrough_starts_with_two_rows_per_player() -> None:
    start = make_game("breakthrough", size="5x4").start()
    rows = "5 B B B B\n4 B B B B\n3 . . . .\n2 W W W W\n1 W W W W\n  a b c d"
    assert str(start) == f"{rows}\nWhite to move"
    assert start.current_player == 0
    assert set(start.legal_moves) == {
        *("a2a3", "b2b3", "c2c3", "d2d3"),
        *("a2b3", "b2c3", "c2d3"),
        *("b2a3", "c2b3", "d2c3"),
    }


def test_pawns_capture_diagonally_but_not_straight_ahead() -> None:
    position = make_game("breakthrough", size="5x4").start().play_moves(["b2b3"])
    assert "b4b3" not in position.legal_moves
    assert {"a4b3", "c4b3"} <= set(position.legal_moves)
    taken = position.play("a4b3")
    assert str(taken).splitlines()[2] == "3 . B . ."
    assert str(taken).count(" W") == 7


def test_a_pawn_never_moves_onto_an_own_pawn() -> None:
    position = make_game("breakthrough").start().play_moves(["a2a3", "h7h6"])
    assert "a1a2" in position.legal_moves
    assert "b2a3" not in position.legal_moves


def test_reaching_the_far_row_wins() -> None:
    moves = ["a2a3", "d4d3", "a3b4", "d3c2", "b4a5"]
    position = make_game("breakthrough", size="5x4").start().play_moves(moves)
    assert position.is_over
    assert position.legal_moves == ()
    assert position.scores == (1.0, 0.0)
    misere = make_game("misere-breakthrough", size="5x4").start().play_moves(moves)
    assert misere.scores == (0.0, 1.0)


def test_capturing_the_last_piece_wins() -> None:
    moves = ["a2a3", "b5b4", "a3a4", "b4a3", "b2a3", "a5b4", "a3b4", "a6b5", "a4b5", "b6a5", "b4a5"]
    position = make_game("breakthrough", size="6x2").start().play_moves(moves)
    assert str(position).count("B") == 0
    assert "W" not in str(position).splitlines()[0], "not by reaching the far row"
    assert position.scores == (1.0, 0.0)


def test_breakthrough_features_mark_captures() -> None:
    start = make_game("breakthrough", size="5x4").start()
    quiet, capture = start.play("a2a3"), start.play("b2b3")
    assert feature(quiet, "a4b3") % 2 == 0
    assert feature(capture, "a4b3") % 2 == 1
    assert feature(quiet, "a4b3") // 2 == feature(capture, "a4b3") // 2


def test_knights_jump_forward_only() -> None:
    start = make_game("knightthrough").start()
    assert {move for move in start.legal_moves if move.startswith("d2")} == {
        *("d2b3", "d2c4", "d2e4", "d2f3"),
    }
    black = start.play("d2c4")
    assert {move for move in black.legal_moves if move.startswith("d7")} == {
        *("d7b6", "d7c5", "d7e5", "d7f6"),
    }


def test_knights_capture_and_win_by_reaching_the_far_row() -> None:
    position = make_game("knightthrough").start().play_moves(["d2e4", "d7c5"])
    assert "e4c5" in position.legal_moves
    assert feature(position, "e4c5") % 2 == 1
    won = position.play_moves(["e4f6", "a7b5", "f6e8"])
    assert won.scores == (1.0, 0.0)
    assert str(won).count("B") == 15


@pytest.mark.parametrize("spec", ["breakthrough(size=5x9)", "knightthrough(size=7x4)"])
def test_every_code_has_a_unique_text(spec: str) -> None:
    game: Game = make_game(spec)
    for player in range(2):
        texts = {game.format_move(player, code) for code in range(game.num_codes)}
        assert len(texts) == game.num_codes


def test_transposed_moves_lead_to_equal_positions() -> None:
    start = make_game("breakthrough").start()
    one = start.play_moves(["a2a3", "h7h6", "b2b3"])
    other = start.play_moves(["b2b3", "h7h6", "a2a3"])
    assert one == other
    assert one != start.play_moves(["a2a3", "h7h6", "c2c3"])
