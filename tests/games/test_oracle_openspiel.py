"""Othello, Hex and Havannah agree, move by move, with OpenSpiel."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest

from graven.core import contract
from graven.core.contract import TERMINAL
from graven.games.registry import make_game


def compare(spec: str, peer: pyspiel.Game, games: int) -> list[float]:
    """Play random games and compare; the first player's result in each.

    The moves are compared by their texts, which both programs write alike.
    """
    game = make_game(spec)
    rules, chance = game.rules, random.Random(spec)
    state, moves, joint = (
        make(rules) for make in (contract.new_state, contract.new_moves, contract.new_joint)
    )
    names = [game.format_move(0, code) for code in range(game.num_codes)]
    start = peer.new_initial_state()
    texts = {
        action: start.action_to_string(0, action) for action in range(peer.num_distinct_actions())
    }
    scores, results = np.zeros(2), []
    for _ in range(games):
        contract.start(rules, state)
        theirs = peer.new_initial_state()
        while (player := contract.turn(rules, state)) != TERMINAL:
            assert not theirs.is_terminal(), theirs
            assert player == theirs.current_player()
            count = contract.legal(rules, state, player, moves)
            codes = {names[code]: int(code) for code in moves[:count]}
            actions = {texts[action]: action for action in theirs.legal_actions()}
            assert codes.keys() == actions.keys(), theirs
            move = chance.choice(sorted(codes))
            joint[player] = codes[move]
            contract.play(rules, state, joint)
            theirs.apply_action(actions[move])
        assert theirs.is_terminal(), theirs
        contract.scores(rules, state, scores)
        assert (2 * scores - 1).tolist() == theirs.returns(), theirs
        results.append(float(scores[0]))
    return results


def test_othello():
    results = compare("othello", pyspiel.load_game("othello"), 1500)
    assert {0.0, 0.5, 1.0} == set(results), "there were draws as well"


@pytest.mark.parametrize(("rows", "columns", "games"), [(11, 11, 300), (3, 3, 300), (4, 9, 500)])
def test_hex(rows, columns, games):
    peer = pyspiel.load_game("hex", {"num_rows": rows, "num_cols": columns})
    assert set(compare(f"hex(size={rows}x{columns})", peer, games)) == {0.0, 1.0}


@pytest.mark.parametrize(("size", "games"), [(3, 1000), (4, 1000), (5, 500), (8, 200), (10, 50)])
def test_havannah(size, games):
    peer = pyspiel.load_game("havannah", {"board_size": size})
    assert {0.0, 1.0} <= set(compare(f"havannah(size={size})", peer, games))
