from __future__ import annotations

import numpy as np
import pytest

from graven.core import contract
from graven.core.position import Position
from graven.games import stone_groups
from graven.games.registry import make_game
from tests.games.features import feature_code


def feature(position: Position, player: int, move: str) -> int:
    code = position.game.move_code(player, move)
    assert code is not None
    return feature_code(position, player, code)


def test_suicide_is_illegal() -> None:
    position = make_game("nogo", size=5).start().play_moves(["E5", "B1", "E4", "A2"])
    assert position.current_player == 0
    assert "A1" not in position.legal_moves
    assert "A1" in position.play("D5").legal_moves, "legal for White, whose stones live"


def test_a_stone_may_join_a_group_that_keeps_a_liberty() -> None:
    position = make_game("nogo", size=5).start().play_moves(["A2", "B1", "E5", "B2"])
    assert "A1" in position.legal_moves, "A1 and A2 still have A3"


def test_captures_are_illegal() -> None:
    position = make_game("nogo", size=5).start().play_moves(["B1", "A1"])
    assert "A2" not in position.legal_moves
    assert "A2" in position.play("E5").legal_moves, "White may extend"


def test_captures_are_illegal_even_where_the_stone_would_live() -> None:
    moves = ["C2", "C3", "B3", "E5", "D3", "E4"]
    position = make_game("nogo", size=5).start().play_moves(moves)
    assert "C4" not in position.legal_moves


def test_a_group_with_three_liberties_in_line_is_not_in_atari_at_the_middle_one() -> None:
    # Black's A2, B2, C2 have the liberties A1, B1 and C1, whose mean is B1.
    moves = ["A2", "A3", "B2", "B3", "C2", "C3", "E5", "D2", "E4"]
    position = make_game("nogo", size=5).start().play_moves(moves)
    assert "B1" in position.legal_moves


def test_a_player_without_a_move_loses() -> None:
    position = make_game("nogo", size=2).start().play_moves(["A1", "B1", "A2"])
    assert position.is_over, "B2 would capture"
    assert position.scores == (1.0, 0.0)
    misere = make_game("misere-nogo", size=2).start().play_moves(["A1", "B1", "A2"])
    assert misere.scores == (0.0, 1.0)


def test_features_are_relative_to_the_player_to_move() -> None:
    position = make_game("nogo", size=3).start().play("B2")
    own, enemy, empty, edge = range(4)
    below, left, right, above = 1, 4, 16, 64
    seen = empty * below + edge * left + enemy * right + empty * above
    assert feature(position, 1, "A2") == 256 * 3 + seen
    seen += (own - enemy) * right
    assert feature(position, 0, "A2") == 256 * 3 + seen


def test_transposed_moves_lead_to_equal_positions() -> None:
    start = make_game("nogo").start()
    one = start.play_moves(["A1", "H8", "C3", "D4"])
    other = start.play_moves(["C3", "D4", "A1", "H8"])
    assert one == other
    assert one != start.play_moves(["A1", "D4", "C3", "H7"])


def test_the_same_stones_with_the_other_player_to_move_differ() -> None:
    game = make_game("nogo", size=3)
    position = game.start().play_moves(["A1", "C3"])
    state = position.state.copy()
    assert contract.key(game.rules, state) != contract.key(game.rules, position.play("C1").state)


@pytest.mark.parametrize("side", [2, 8, 19])
def test_packed_liberties_of_the_largest_group_fit(side: int) -> None:
    points = stone_groups.points(side, side)
    most, far = 4 * side * side, int(points[-1])
    packed = most * stone_groups.pseudo_liberty.py_func(far)  # type: ignore[attr-defined]
    assert packed < 1 << 63
    assert packed & stone_groups.COUNT_MASK == most
    assert packed >> stone_groups.COUNT_BITS & ((1 << stone_groups.SUM_BITS) - 1) == most * far
    assert packed >> (stone_groups.COUNT_BITS + stone_groups.SUM_BITS) == most * far * far


def test_points_are_not_on_the_border() -> None:
    points = stone_groups.points(3, 4)
    assert len(set(points)) == 12
    assert np.all(points % stone_groups.width_of(4) != 0)
