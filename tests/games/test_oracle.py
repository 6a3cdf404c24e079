"""Random games agree, move by move, with implementations that share no code with ours."""

from __future__ import annotations

import random

import pyspiel
import pytest

from graven.games.registry import make_game
from tests.games.sizes import SIZES, Size, spec
from tests.naive.games import naive_game

# About as many plies for every board.
PLIES = 2500


def games_to_play(size: Size) -> int:
    return min(300, max(2, PLIES // (size[0] * size[1]) - 5))


# On these boards the naive rules take minutes; OpenSpiel, in its own tests, does not.
TOO_SLOW = {
    *(("go", size) for size in ((8, 8), (7, 10), (19, 19))),
    *(("havannah", size) for size in ((8, 8), (19, 19))),
    ("hex", (26, 26)),
}
BOARDS = [
    (name, size) for name, sizes in SIZES.items() for size in sizes if (name, size) not in TOO_SLOW
]


@pytest.mark.parametrize(("name", "size"), BOARDS, ids=[spec(*board) for board in BOARDS])
def test_games_agree_with_the_naive_rules(name, size):
    game = make_game(spec(name, size))
    chance = random.Random(f"{name}{size}")
    for _ in range(games_to_play(size)):
        ours, theirs = game.start(), naive_game(name, *size)
        while not theirs.over:
            assert not ours.is_over
            assert ours.current_player == theirs.turn
            assert len(ours.legal_moves) == len(set(ours.legal_moves))
            moves = theirs.moves()
            assert set(ours.legal_moves) == moves
            move = chance.choice(sorted(moves))
            ours = ours.play(move)
            theirs.play(move)
        assert ours.is_over, ours
        assert ours.scores == theirs.scores


def flipped(text: str, rows: int) -> str:
    """A move of Breakthrough with the board upside down: OpenSpiel's first player starts on top.

    OpenSpiel marks captures with a star.
    """
    text = text.rstrip("*")
    return "".join(
        letter + str(rows + 1 - int(number))
        for letter, number in zip(text[0::2], text[1::2], strict=True)
    )


# On fewer than six rows OpenSpiel gives each side a single row of pieces.
@pytest.mark.parametrize(
    ("size", "games"), [((8, 8), 40), ((6, 6), 80), ((6, 5), 80), ((7, 10), 40)]
)
def test_breakthrough_agrees_with_openspiel(size, games):
    rows, columns = size
    game = make_game(spec("breakthrough", size))
    peer = pyspiel.load_game("breakthrough", {"rows": rows, "columns": columns})
    chance = random.Random(rows * 100 + columns)
    for _ in range(games):
        ours, theirs = game.start(), peer.new_initial_state()
        while not theirs.is_terminal():
            actions = {
                flipped(theirs.action_to_string(action), rows): action
                for action in theirs.legal_actions()
            }
            assert ours.current_player == theirs.current_player()
            assert set(ours.legal_moves) == set(actions)
            move = chance.choice(sorted(actions))
            ours = ours.play(move)
            theirs.apply_action(actions[move])
        assert ours.is_over, ours
        assert [2 * score - 1 for score in ours.scores] == theirs.returns()
