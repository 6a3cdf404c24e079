from __future__ import annotations

from graven.core.position import Position
from graven.games.registry import make_game
from tests.games.features import feature_code


def feature(position: Position, player: int, move: str) -> int:
    code = position.game.move_code(player, move)
    assert code is not None
    return feature_code(position, player, code)


def test_the_first_player_places_vertical_and_the_second_horizontal_dominoes() -> None:
    start = make_game("domineering", size="2x3").start()
    assert start.legal_moves == ("a1a2", "b1b2", "c1c2")
    position = start.play("a1a2")
    assert position.legal_moves == ("b1c1", "b2c2")
    assert str(position.play("b2c2")) == "2 ^ < >\n1 v . .\n  a b c"


def test_a_player_without_a_move_loses() -> None:
    position = make_game("domineering", size=2).start().play("a1a2")
    assert position.is_over
    assert position.scores == (1.0, 0.0)
    assert make_game("misere-domineering", size=2).start().play("a1a2").scores == (0.0, 1.0)


def test_the_second_player_can_win_too() -> None:
    position = make_game("domineering", size=3).start().play_moves(["a1a2", "b2c2"])
    assert position.is_over, "no vertical move is left"
    assert position.scores == (0.0, 1.0)


def test_horizontal_dominoes_do_not_wrap_around_the_edge() -> None:
    position = make_game("domineering", size="3x4").start().play("a1a2")
    assert "d1-" not in position.legal_moves
    assert all(move[1] == move[3] for move in position.legal_moves)


def test_moves_across_the_word_boundary_of_large_boards() -> None:
    # On ten columns row 7 holds cells 60 to 69, so the word boundary lies between d7 and e7.
    start = make_game("domineering", size=10).start()
    assert "d7d8" in start.legal_moves
    assert "e6e7" in start.legal_moves
    horizontal = start.play("a1a2")
    assert "d7e7" in horizontal.legal_moves
    after = horizontal.play("d7e7")
    assert not {"d6d7", "d7d8", "e6e7", "e7e8"} & set(after.legal_moves)


def test_features_encode_which_cells_around_a_domino_are_free() -> None:
    start = make_game("domineering", size=3).start()
    # Below, above, left twice, right twice: a3, b1 and b2 are free, the rest is off the board.
    assert feature(start, 0, "a1a2") == 64 * 0 + 0b110010
    # Left, right, below twice, above twice: c1, a2 and b2.
    assert feature(start, 1, "a1b1") == 64 * 0 + 0b110010
    position = start.play("b1b2")
    assert feature(position, 0, "a1a2") == 0b000010
    assert feature(position, 1, "b3c3") == 64 * 7 + 0b001001


def test_positions_with_the_same_free_cells_are_equal() -> None:
    start = make_game("domineering", size=4).start()
    one = start.play_moves(["a1a2", "c1d1", "b1b2"])
    assert one == start.play_moves(["b1b2", "c1d1", "a1a2"])
    assert one != start.play_moves(["a1a2", "c1d1"])
    square = ["a1a2", "a3b3", "b1b2", "a4b4", "c1c2"]
    other = ["a3a4", "a1b1", "b3b4", "a2b2", "c1c2"]
    assert start.play_moves(square) == start.play_moves(other), (
        "the owner of a domino does not matter"
    )


def test_every_code_has_a_unique_text() -> None:
    game = make_game("domineering", size="4x5")
    for player in range(2):
        assert (
            len({game.format_move(player, code) for code in range(game.num_codes)})
            == game.num_codes
        )
