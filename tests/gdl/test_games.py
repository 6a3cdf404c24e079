"""Shipped sheets as games: the contract, both kernels included, and how positions look."""

from __future__ import annotations

import pytest

from graven.sources.load import load_game
from graven.testing import check_game


@pytest.mark.parametrize(
    "sheet",
    ["breakthrough", "battle", "chineseCheckers3", "connect5", "quad_7x7", "sheepAndWolf", "ttcc4"],
)
def test_sheets_keep_the_contract(sheet):
    """Alternating and simultaneous games, of two and three roles, with and without a counter."""
    check_game(load_game(f"gdl(sheet={sheet})"), games=2)


def test_a_board_is_drawn():
    lines = str(load_game("gdl(sheet=breakthrough)").start()).splitlines()
    assert lines[0] == "8 " + " ".join("b" * 8)
    assert lines[7] == "1 " + " ".join("w" * 8)
    assert lines[8] == "  1 2 3 4 5 6 7 8"
    assert "( control white )" in lines[9:]


def test_the_step_is_part_of_a_position_that_only_steps_end():
    """Otherwise a search would come round to a position that it has seen, and never end."""
    game = load_game("gdl(sheet=breakthrough)")
    assert game.max_plies == 1000
    assert "step 0" in str(game.start())
    assert load_game("gdl(sheet=battle)").max_plies == 30
    assert "step 0" not in str(load_game("gdl(sheet=battle)").start()).splitlines()
