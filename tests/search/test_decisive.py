"""Decisive and anti-decisive moves in playouts: the twin finds them by playing every legal move."""

from __future__ import annotations

import numpy as np
import pytest

import graven as gv
from graven.agents import SearchAgent
from graven.core import contract
from graven.core.contract import TERMINAL
from graven.core.errors import ContractError, UsageError
from graven.core.rng import generator
from graven.games.registry import make_game
from graven.search.budget import Budget
from tests.naive import formulas as twins
from tests.naive import playouts as naive
from tests.naive import tiny
from tests.naive.search import NaiveSearch
from tests.search.helpers import assert_same_tree

PLAYOUTS = {
    "uniform": naive.Uniform,
    "mast(k=4)": lambda: naive.Mast(k=4.0),
    "mastf(epsilon=0.3)": lambda: naive.Mast(epsilon=0.3, features=True),
    "nst(min=2)": lambda: naive.Nst(epsilon=0.4, least=2),
    "ppaf(alpha=0.5)": lambda: naive.Ppa(0.5, features=True),
    "npa(alpha=0.5,min=2)": lambda: naive.Npa(0.5, least=2),
    "lgrf": naive.Lgrf,
}
# Playouts of Breakthrough and Knightthrough are compiled for each policy.
CASES = [
    *(("atarigo(size=3)", "defend", playout) for playout in PLAYOUTS),
    ("atarigo(size=4)", "win", "uniform"),
    ("breakthrough(size=5x4)", "win", "uniform"),
    ("breakthrough(size=5x4)", "defend", "nst(min=2)"),
    ("knightthrough(size=5x4)", "defend", "uniform"),
]


@pytest.mark.parametrize(("name", "decisive", "playout"), CASES)
def test_playouts_play_what_the_twin_plays(name, decisive, playout):
    assert_same(make_game(name), decisive, playout)


def assert_same(game, decisive, playout):
    search = SearchAgent(f"uct(c=0.4,decisive={decisive})+{playout}").bind(game)
    search.run(game.start().state, (), Budget(playouts=300), 1)
    twin = NaiveSearch(game, twins.uct(0.4), playout=PLAYOUTS[playout](), decisive=decisive)
    twin.set_root(game.start().state)
    twin.run(1, 300)
    assert_same_tree(search, twin)


@pytest.mark.parametrize(
    "name",
    [
        "breakthrough(size=5)",
        "breakthrough(size=9x8)",
        "knightthrough(size=6)",
        "knightthrough(size=13x5)",
        "atarigo(size=5)",
    ],
)
def test_winning_moves_are_found_wherever_there_are_any(name):
    """In random games, for both players; and a defence leaves the threat without effect."""
    game, twin = make_game(name), NaiveSearch(make_game(name), twins.uct(0.4))
    rules, found, defended = game.rules, 0, 0
    scratch, rng = contract.new_moves(game.rules), generator(3)
    for seed in range(30):
        draw, state = np.random.default_rng(seed), game.start().state.copy()
        while (turn := contract.turn(rules, state)) != TERMINAL:
            legal = twin.legal(state, turn)
            wins = [move for move in legal if twin.wins(state, turn, move)]
            move = contract.winning_move(rules, state, turn)
            assert move in wins if wins else move == -1
            found += bool(wins)
            threat = contract.winning_move(rules, state, 1 - turn)
            if threat >= 0 and not wins:
                defence = contract.defence(rules, state, turn, threat, scratch, rng)
                assert defence == -1 or defence in legal
                if defence >= 0:
                    defended += 1
                    after = played(rules, state, turn, defence)
                    enemies = twin.legal(after, 1 - turn)
                    assert threat not in enemies or not twin.wins(after, 1 - turn, threat)
            state = played(rules, state, turn, int(draw.choice(legal)))
    assert found > 20
    assert defended > 5


def played(rules, state, turn, move):
    after, joint = state.copy(), np.full(rules.players, -1, np.int32)
    joint[turn] = move
    contract.play(rules, after, joint)
    return after


def take_last(tables, state, player):
    """Of `tiny.heaps`: the move that takes the last stone."""
    total = state[0] + state[1]
    if total == 1 or (total == 2 and (state[0] == 2 or state[1] == 2)):
        heap = 0 if state[0] else 1
        return 2 * heap + total - 1
    return -1


def test_a_user_defined_game_gets_decisive_moves():
    game = tiny.heaps(6)
    assert gv.check_game(game, games=3)
    with pytest.raises(UsageError, match="has no `winning_move`"):
        SearchAgent("uct(decisive=win)").search(game.start(), playouts=10)
    game = game.changed(winning_move=take_last)
    gv.check_game(game, games=20)
    assert_same(game, "defend", "uniform")


def wrong(tables, state, player):
    return 0


def test_check_game_finds_a_winning_move_that_does_not_win():
    with pytest.raises(ContractError, match="winning_move"):
        gv.check_game(tiny.heaps(6).changed(winning_move=wrong), games=5)


@pytest.mark.parametrize(
    ("name", "spec", "said"),
    [
        ("hex", "uct(decisive=win)", "hex has no `winning_move`"),
        ("misere-breakthrough", "uct(decisive=win)", "moves that win the original game lose"),
        ("breakthrough", "uct(decisive=win,learn_after=batch)+mast", "leave learn_after out"),
    ],
)
def test_where_there_are_no_decisive_moves_the_error_says_so(name, spec, said):
    with pytest.raises(UsageError, match=said):
        SearchAgent(spec).search(make_game(name).start(), playouts=10)
