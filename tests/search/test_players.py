"""Three players, and games that are won by losing."""

from __future__ import annotations

import pytest

from graven.agents import SearchAgent
from tests.naive import formulas as naive
from tests.naive import tiny
from tests.search.helpers import assert_same_tree, run_both
from tests.search.three_player_heap import heap


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
        found = SearchAgent("uct(c=0.4)").search(heap(stones).start(), playouts=500)
        assert found.best_move == expected
        assert found.value > 0.9


def test_misere_of_three_players_shares_the_point_among_the_others():
    position = heap(1).as_misere().start().play("1")
    assert position.scores == (0.0, 0.5, 0.5)


def test_misere_of_two_players_exchanges_the_results():
    plain = tiny.heaps(1).start().play("left-1").play("right-1")
    misere = tiny.heaps(1).as_misere().start().play("left-1").play("right-1")
    assert plain.scores == tuple(reversed(misere.scores))
