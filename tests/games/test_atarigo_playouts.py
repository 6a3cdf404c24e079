"""Atarigo's playouts that see captures, and its rules without suicide, against naive rules."""

from __future__ import annotations

import random

import pytest

from graven.core import contract
from graven.core.errors import UsageError
from graven.core.rng import generator
from graven.games.registry import make_game
from tests.naive.stones import Atarigo

DRAWS = 200


class WithoutSuicide(Atarigo):
    """Suicide is illegal, and a player without a legal move loses."""

    def is_legal(self, board, point):
        return self.captures(board, point) or self.has_liberty(board, point)


def capturing(game):
    return {
        text
        for text, point in game.points().items()
        if game.captures({**game.board, point: game.turn}, point)
    }


def in_atari(game, stone):
    """Whether one more stone on some empty point would leave the string without liberties."""
    string, frontier, liberties = {stone}, [stone], set()
    while frontier:
        for adjacent in game.neighbours(frontier.pop()):
            if adjacent not in game.board:
                liberties.add(adjacent)
            elif game.board[adjacent] == game.board[stone] and adjacent not in string:
                string.add(adjacent)
                frontier.append(adjacent)
    return len(liberties) == 1


def rescuing(game):
    return {
        text
        for text, point in game.points().items()
        if any(
            game.board.get(adjacent) == game.turn and in_atari(game, adjacent)
            for adjacent in game.neighbours(point)
        )
        and game.has_liberty({**game.board, point: game.turn}, point)
    }


def drawn(position, playout):
    """All moves that a playout of the game chooses in a position."""
    rules = position.game.rules_with(playout)
    rng, scratch = generator(1), contract.new_moves(rules)
    state, player = position.state.copy(), position.current_player
    codes = {contract.sample(rules, state, player, scratch, rng) for _ in range(DRAWS)}
    return {position.game.format_move(player, code) for code in codes}


@pytest.mark.parametrize("suicide", ["loses", "forbidden"])
@pytest.mark.parametrize("seed", range(6))
def test_playouts_capture_then_rescue_then_move_at_random(suicide, seed):
    random.seed(seed)
    naive = Atarigo(4, 5) if suicide == "loses" else WithoutSuicide(4, 5)
    position = make_game("atarigo", size="4x5", suicide=suicide).start()
    while not position.is_over:
        moves = naive.moves()
        assert set(position.legal_moves) == moves
        captures = capturing(naive)
        assert drawn(position, "capture") == (captures or moves)
        assert drawn(position, "capture-rescue") == (captures or rescuing(naive) or moves)
        # Mostly moves that do not end the game, so that positions get crowded.
        quiet = sorted(m for m in moves - captures if keeps_going(naive, m)) or sorted(moves)
        move = random.choice(quiet)
        naive.play(move)
        position = position.play(position.game.move_code(position.current_player, move))
    assert naive.over
    assert tuple(position.scores) == naive.scores


def keeps_going(game, text):
    point = game.points()[text]
    return game.has_liberty({**game.board, point: game.turn}, point)


def test_games_name_the_rule_only_where_it_is_not_the_usual_one():
    assert make_game("atarigo").spec == "atarigo(size=8x8)"
    assert "suicide=forbidden" in make_game("atarigo", suicide="forbidden").spec
    with pytest.raises(UsageError, match="suicide must be loses or forbidden, got allowed"):
        make_game("atarigo", suicide="allowed")
