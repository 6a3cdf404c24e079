"""Go agrees, move by move, with OpenSpiel: captures, ko, superko, scoring.

Move codes are the same. OpenSpiel lets a player bring an earlier position back, and ends such a
game at once as a draw: those moves are the ones that our superko forbids.
"""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest

from graven.core import contract
from graven.core.contract import TERMINAL
from graven.core.rng import generator
from graven.games.registry import make_game


def is_forbidden(theirs: pyspiel.State, action: int) -> bool:
    """Whether OpenSpiel ends the game because the move brings a position back."""
    child = theirs.child(action)
    return child.is_terminal() and child.returns() == [0.0, 0.0]


def compare(size: int, games: int, wild: float, every: int = 40, komi: float = 7.5) -> int:
    """Play random games and compare; how often superko forbade something.

    A move is at times (`wild`) any legal one, which makes for long games with many captures, and
    else one of our playouts'. Of the move played we always see whether OpenSpiel calls it a
    superko; in every n-th position we ask for all moves that we allow, which takes its time.
    """
    game = make_game("go", size=size, komi=komi)
    peer = pyspiel.load_game(
        "go", {"board_size": size, "komi": float(komi), "max_game_length": game.max_plies}
    )
    rules, chance, rng = game.rules, random.Random(size), generator(size)
    state, moves, joint = (
        make(rules) for make in (contract.new_state, contract.new_moves, contract.new_joint)
    )
    scores, forbidden = np.zeros(2), 0
    for _ in range(games):
        contract.start(rules, state)
        theirs, ply = peer.new_initial_state(), 0
        while (player := contract.turn(rules, state)) != TERMINAL:
            assert not theirs.is_terminal()
            assert player == theirs.current_player()
            codes = moves[: contract.legal(rules, state, player, moves)].tolist()
            actions = theirs.legal_actions()
            if len(codes) != len(actions) or set(codes) != set(actions):
                assert set(codes) < set(actions), theirs
                for action in set(actions) - set(codes):
                    assert is_forbidden(theirs, action), (theirs, action)
                    forbidden += 1
            if ply % every == every - 1:
                assert not any(is_forbidden(theirs, code) for code in codes[:-1]), theirs
            if chance.random() < wild:
                # The pass, which comes last, rarely: it would end the game.
                code = chance.choice(codes[:-1] or codes) if chance.random() < 0.99 else codes[-1]
            else:
                code = contract.sample(rules, state, player, moves, rng)
            joint[player] = code
            contract.play(rules, state, joint)
            theirs.apply_action(int(code))
            ply += 1
        assert theirs.is_terminal()
        contract.scores(rules, state, scores)
        assert (2 * scores - 1).tolist() == theirs.returns(), theirs
    return forbidden


@pytest.mark.parametrize(
    ("size", "games", "wild"),
    [(2, 500, 1.0), (3, 500, 0.9), (4, 200, 0.9), (5, 200, 0.9)],
)
def test_small_boards_agree_with_openspiel_on_superko(size, games, wild):
    assert compare(size, games, wild) > 10, "the games saw hardly any superko"


@pytest.mark.parametrize(("size", "games", "wild"), [(9, 2000, 0.0), (9, 200, 0.5), (13, 100, 0.1)])
def test_larger_boards_agree_with_openspiel(size, games, wild):
    compare(size, games, wild)


def test_the_full_board_agrees_with_openspiel():
    compare(19, 200, 0.05, every=300)


@pytest.mark.parametrize("komi", [0, -3, 6.5, 100])
def test_any_komi_agrees_with_openspiel(komi):
    compare(5, 200, 0.2, komi=komi)
