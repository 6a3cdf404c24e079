from __future__ import annotations

from graven.games.registry import make_game


def test_the_first_capture_wins() -> None:
    moves = ["B1", "A1", "A2"]
    position = make_game("atarigo", size=5).start().play_all(moves)
    assert position.over
    assert position.moves == ()
    assert position.scores == (1.0, 0.0)
    assert make_game("misere-atarigo", size=5).start().play_all(moves).scores == (0.0, 1.0)


def test_capturing_a_group_of_several_stones_wins() -> None:
    moves = ["A2", "A1", "B2", "B1", "E5", "E4", "C1"]
    position = make_game("atarigo", size=5).start().play_all(moves)
    assert position.scores == (1.0, 0.0)


def test_white_can_win() -> None:
    position = make_game("atarigo", size=5).start().play_all(["A1", "B1", "E5", "A2"])
    assert position.scores == (0.0, 1.0)


def test_suicide_is_illegal() -> None:
    position = make_game("atarigo", size=5).start().play_all(["E5", "B1", "E4", "A2"])
    assert "A1" not in position.moves
    assert "A1" in position.play("D5").moves


def test_suicide_of_a_group_is_illegal() -> None:
    moves = ["A1", "A3", "B1", "B2", "E5", "C1", "E4", "D4"]
    position = make_game("atarigo", size=5).start().play_all(moves)
    assert "A2" not in position.moves, "A1, B1 and A2 would have no liberty"


def test_a_stone_without_liberties_may_capture() -> None:
    position = make_game("atarigo", size=5).start().play_all(["A3", "A2", "B2", "B1"])
    assert "A1" in position.moves
    assert position.play("A1").scores == (1.0, 0.0)


def test_an_illegal_point_becomes_legal_once_it_captures() -> None:
    before = make_game("atarigo", size=5).start().play_all(["E5", "B1", "A3", "A2"])
    assert "A1" not in before.moves
    after = before.play_all(["B2", "E1"])
    assert "A1" in after.moves


def test_who_cannot_move_loses() -> None:
    position = make_game("atarigo", size="2x3").start().play_all(["C1", "B1", "A2", "B2"])
    assert position.over, "A1 and C2 would be suicide"
    assert position.scores == (0.0, 1.0)


def test_transposed_moves_lead_to_equal_positions() -> None:
    start = make_game("atarigo").start()
    one = start.play_all(["A1", "H8", "B1", "D4", "C1"])
    assert one == start.play_all(["C1", "D4", "A1", "H8", "B1"])
