"""Small boards whose winners are known from the literature, solved by plain search."""

from __future__ import annotations

import pytest

from graven.games.registry import make_game


def mover_wins(position, known: dict[int, bool]) -> bool:
    """Whether the player to move can force a win."""
    player, key = position.turn, position.key
    if key not in known:
        known[key] = False
        for code in position.codes_of(player):
            after = position.play(code)
            wins = after.scores[player] == 1.0 if after.over else not mover_wins(after, known)
            if wins:
                known[key] = True
                break
    return known[key]


# Lachmann, Moore and Rapaport (2002): of the squares up to 5x5, whoever moves first wins all but
# the last.
@pytest.mark.parametrize(("size", "first_wins"), [(2, True), (3, True), (4, True), (5, False)])
def test_domineering_on_squares(size, first_wins):
    assert mover_wins(make_game("domineering", size=size).start(), {}) is first_wins
