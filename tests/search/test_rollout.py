"""A game's `rollout` plays the same simulations as its single functions through the contract."""

from __future__ import annotations

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.core.errors import ContractError
from graven.games.registry import make_game
from graven.search.budget import Budget
from graven.search.runner import Search
from tests.games.sizes import SIZES, spec
from tests.naive import tiny
from tests.search.three_player_heap import heap

BOARDS = [spec(name, sizes[2]) for name, sizes in SIZES.items()]
BOARDS += ["breakthrough(size=8x8)", "breakthrough(size=7x10)", "knightthrough(size=8x8)"]
BOARDS += ["go(size=5x5,colors=3)", "misere-domineering(size=4x4)"]
OTHERS = [tiny.heaps(3), tiny.heaps(3).as_misere(), tiny.rock_paper_scissors(4)]
GAMES = [*map(make_game, BOARDS), *OTHERS, heap(5)]


def searched(game, rules, text="grave(ref=10)", playouts=300):
    search = Search(game.name, rules, SearchAgent(text).search_spec)
    run = search.run(game.start().state, (), Budget(playouts=playouts), seed=5)
    return search, run


@pytest.mark.parametrize("game", GAMES, ids=[game.spec for game in GAMES])
def test_rollout_changes_no_simulation(game):
    fused, run = searched(game, game.playout_rules())
    stepwise, expected = searched(game, game.rules)
    assert fused.plan.rollout
    assert not stepwise.plan.rollout
    assert (run.plies, run.nodes) == (expected.plies, expected.nodes)
    for name in ("visits", "turns"):
        actual, wanted = (getattr(r.tree, name)[: run.nodes] for r in (run, expected))
        assert np.array_equal(actual, wanted)
    assert np.array_equal(fused.record.rng, stepwise.record.rng)
    assert np.array_equal(fused.record.scores, stepwise.record.scores)


def test_a_playout_of_the_game_has_a_rollout_of_its_own():
    game = make_game("go(size=5x5)")
    fused, run = searched(game, game.playout_rules("mogo"), "uct", 50)
    stepwise, expected = searched(game, game.rules_with("mogo"), "uct", 50)
    assert fused.plan.rollout
    assert run.plies == expected.plies
    assert np.array_equal(fused.record.rng, stepwise.record.rng)


def legal_with_a_wrong_code(constants, state, player, moves):
    moves[0] = 4
    return 1


def turn_of_nobody(constants, state):
    return 7 if state[0] < 3 else state[2]


def turn_without_end(constants, state):
    return state[2]


def play_nothing(constants, state, joint):
    state[2] = 1 - state[2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"playout_moves": legal_with_a_wrong_code}, "a move outside 0 to 3"),
        ({"turn": turn_of_nobody}, "a player outside 0 to 1"),
        ({"turn": turn_without_end, "play": play_nothing}, "beyond the declared"),
    ],
)
def test_faults_of_rules_are_found_in_a_rollout(changes, message):
    game = tiny.heaps(3).changed(**changes)
    assert game.playout_rules().rollout
    with pytest.raises(ContractError, match=message):
        SearchAgent("uct").search(game.start(), playouts=50)
