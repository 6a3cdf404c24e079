"""The most steps of a game, found from its rules."""

from __future__ import annotations

import pytest

from graven.gdl.language.kif_reader import read
from graven.gdl.network.game_length import longest_game
from graven.gdl.network.legality import simplified
from graven.gdl.network.network_builder import build_network
from graven.gdl.network_game import network_game

COUNTING = """
(role one) (role two)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(init (step 0)) (init (light off))
(legal ?r wait) (<= (legal ?r wait) (role ?r))
(<= (legal one press) (true (light off)))
(<= (legal ?r wait) (role ?r))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next (light on)) (does one press))
(<= (next (light off)) (true (light off)) (not (does one press)))
(<= (next (light on)) (true (light on)))
{terminal}
(<= (goal ?r 50) (role ?r))
"""


def bound(terminal):
    text = COUNTING.format(terminal=terminal).replace("(legal ?r wait) (<=", "(<=")
    return longest_game(simplified(build_network(read(text))))


@pytest.mark.parametrize(
    ("terminal", "steps"),
    [
        ("(<= terminal (true (step 5)))", 5),
        ("(<= terminal (true (step 3)))", 3),
        ("(<= terminal (true (step 3))) (<= terminal (true (light on)))", 3),
        ("(<= terminal (true (step 3)) (true (light on)))", None),
        ("(<= terminal (true (light on)))", None),
        ("(<= terminal (not (true (step 0))))", 1),
    ],
)
def test_a_counter_that_ends_the_game_bounds_it(terminal, steps):
    assert bound(terminal) == steps


def test_a_game_that_bounds_itself_counts_no_steps():
    text = COUNTING.format(terminal="(<= terminal (true (step 5)))")
    text = text.replace("(legal ?r wait) (<=", "(<=")
    network = build_network(read(text))
    free, cut = network_game(network), network_game(network, steps=2)
    assert (free.max_plies, cut.max_plies) == (5, 2)
    position, ended = free.start(), cut.start()
    for step in range(5):
        assert not position.is_over
        assert ended.is_over == (step >= 2)
        position = position.play("wait")
        ended = ended if ended.is_over else ended.play("wait")
    assert position.is_over
    assert position.scores == (0.5, 0.5)
