"""Three players, and games that are won by losing."""

from __future__ import annotations

import numpy as np
import pytest

from graven.agents import Agent
from graven.core.contract import TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from tests.naive import search as naive
from tests.search.test_twin import assert_same_tree, run_both

# One heap, three players take 1 to 3 stones in turn; whoever takes the last one wins alone.


def heap_start(tables, state):
    state[0], state[1] = tables[0], 0


def heap_turn(tables, state):
    return state[1] if state[0] > 0 else TERMINAL


def heap_legal(tables, state, player, moves):
    count = min(3, state[0])
    for stones in range(count):
        moves[stones] = stones
    return count


def heap_play(tables, state, joint):
    state[0] -= joint[state[1]] + 1
    state[1] = (state[1] + 1) % 3


def heap_scores(tables, state, out):
    for player in range(3):
        out[player] = 0.0
    out[(state[1] + 2) % 3] = 1.0


def heap(size: int) -> Game:
    return Game(
        name="heap",
        players=3,
        functions=RuleFunctions(
            start=heap_start, turn=heap_turn, legal=heap_legal, play=heap_play, scores=heap_scores
        ),
        bounds=Bounds(state_words=2, num_codes=3, max_moves=3, max_plies=size),
        constants=np.array([size]),
        display=Display(format_move=lambda player, code: str(code + 1)),
    )


@pytest.mark.parametrize(
    ("spec", "formula", "ref"),
    [
        ("uct(c=0.4)", naive.uct(0.4), None),
        ("rave(k=50,c=0.2)", naive.hand_k(50.0, 0.2), 0),
        ("grave(ref=10,bias=1e-3)", naive.bias(1e-3), 10),
    ],
)
@pytest.mark.parametrize("misere", [False, True])
def test_three_players_agree_with_the_twin(spec, formula, ref, misere):
    game = heap(12).as_misere() if misere else heap(12)
    search, twin = run_both(game, spec, formula, ref, playouts=600)
    compared, _ = assert_same_tree(search, twin)
    assert compared > 10


def test_each_of_three_players_plays_for_itself():
    # With 3 stones or fewer the player to move takes all; with 7 the first can leave none safe.
    for stones, expected in ((1, "1"), (2, "2"), (3, "3")):
        found = Agent("uct(c=0.4)").search(heap(stones).start(), playouts=500)
        assert found.best_move == expected
        assert found.value > 0.9


def test_misere_of_three_players_shares_the_point_among_the_others():
    position = heap(1).as_misere().start().play("1")
    assert position.scores == (0.0, 0.5, 0.5)


def test_misere_of_two_players_exchanges_the_results():
    from tests.naive import tiny

    plain = tiny.heaps(1).start().play("left-1").play("right-1")
    misere = tiny.heaps(1).as_misere().start().play("left-1").play("right-1")
    assert plain.scores == tuple(reversed(misere.scores))
