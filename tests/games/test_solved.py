"""Small boards whose winners are known from the literature, solved by plain search."""

from __future__ import annotations

import pytest

from graven.games.registry import make_game


def player_to_move_wins(position, solved: dict[int, bool]) -> bool:
    """Whether the player to move can force a win."""
    player, key = position.current_player, position.key
    if key not in solved:
        solved[key] = False
        for code in position.legal_codes_of(player):
            after = position.play(code)
            wins = (
                after.scores[player] == 1.0
                if after.is_over
                else not player_to_move_wins(after, solved)
            )
            if wins:
                solved[key] = True
                break
    return solved[key]


# Uiterwijk, "Perfectly solving Domineering boards" (2014), rows x columns, Vertical moves first:
# Vertical wins on m x 3 for m > 1 and on 2k x 3 and 2k x 5, Horizontal on 3 x n for n > 3 and on
# 5 x 2k.
WON_BY_VERTICAL = ["2x3", "3x3", "4x3", "5x3", "6x3", "2x5", "4x5"]
WON_BY_HORIZONTAL = ["3x4", "3x5", "3x6", "3x7", "5x2", "5x4"]


@pytest.mark.parametrize("size", WON_BY_VERTICAL)
def test_vertical_wins_domineering(size):
    assert player_to_move_wins(make_game("domineering", size=size).start(), {})


@pytest.mark.parametrize("size", WON_BY_HORIZONTAL)
def test_horizontal_wins_domineering(size):
    assert not player_to_move_wins(make_game("domineering", size=size).start(), {})
