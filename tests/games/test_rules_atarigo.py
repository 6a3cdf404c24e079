from __future__ import annotations

from graven.games.registry import make_game


def test_the_first_capture_wins() -> None:
    moves = ["B1", "A1", "A2"]
    position = make_game("atarigo", size=5).start().play_moves(moves)
    assert position.is_over
    assert position.legal_moves == ()
    assert position.scores == (1.0, 0.0)
    assert make_game("misere-atarigo", size=5).start().play_moves(moves).scores == (0.0, 1.0)


def test_capturing_a_group_of_several_stones_wins() -> None:
    moves = ["A2", "A1", "B2", "B1", "E5", "E4", "C1"]
    position = make_game("atarigo", size=5).start().play_moves(moves)
    assert position.scores == (1.0, 0.0)


def test_white_can_win() -> None:
    position = make_game("atarigo", size=5).start().play_moves(["A1", "B1", "E5", "A2"])
    assert position.scores == (0.0, 1.0)


def test_suicide_loses() -> None:
    position = make_game("atarigo", size=5).start().play_moves(["E5", "B1", "E4", "A2"])
    assert "A1" in position.legal_moves
    assert position.play("A1").scores == (0.0, 1.0)
    assert not position.play("D5").play("A1").is_over, "White's own corner has a liberty"


def test_suicide_of_a_group_loses() -> None:
    moves = ["A1", "A3", "B1", "B2", "E5", "C1", "E4", "D4"]
    position = make_game("atarigo", size=5).start().play_moves(moves)
    assert position.play("A2").scores == (0.0, 1.0), "A1, B1 and A2 have no liberty"


def test_a_stone_without_liberties_may_capture() -> None:
    position = make_game("atarigo", size=5).start().play_moves(["A3", "A2", "B2", "B1"])
    assert position.play("A1").scores == (1.0, 0.0)


def test_every_empty_point_may_be_played_until_the_game_is_over() -> None:
    position = make_game("atarigo", size="2x3").start()
    for ply, move in enumerate(["C1", "B1", "A2", "B2"]):
        assert len(position.legal_moves) == 6 - ply
        position = position.play(move)
    assert {position.play(move).scores for move in position.legal_moves} == {(0.0, 1.0)}


def test_transposed_moves_lead_to_equal_positions() -> None:
    start = make_game("atarigo").start()
    one = start.play_moves(["A1", "H8", "B1", "D4", "C1"])
    assert one == start.play_moves(["C1", "D4", "A1", "H8", "B1"])
